"""Prompt templates: the table, what one makes of a pair, those in files, and the shots that prompts have."""

from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from crossexam.core.errors import FormatError
from crossexam.corpora.spec import iter_corpus
from crossexam.models.prompts import table
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template, templates
from crossexam.models.prompts.template import EDITS, Shot, Template
from crossexam.models.table import open_model

PAIR = ("The $5 \\1 {hypothesis} fell {0} %s.", "It {premise} broke.")
THREE = {"entailment": "yes", "neutral": "perhaps", "contradiction": "no"}


def _template(**entries: Any) -> Template:
    return Template(**{"name": "mine", "user": "{premise}|{hypothesis}", "labels": THREE, **entries})


def test_a_shipped_template_says_where_it_is_from_and_asks_about_both_sentences() -> None:
    for shipped in templates().values():
        assert shipped.source
        whole = shipped.prompt(*PAIR) + "".join(shipped.forms(*PAIR).values())
        for sentence in ("$5 \\1 {hypothesis} fell {0} %s", "t {premise} broke"):
            assert sentence in whole
        assert shipped.shared_prefix() is None


def test_the_shipped_templates_are_those_whose_hashes_were_accepted(golden: Any) -> None:
    """Answers are stored under the hash: if a template has to change, its version must too."""
    lines = [f"{each.name} v{each.version} {each.sha256[:16]}\n" for each in templates().values()]
    golden("templates.txt", "".join(lines))


def test_messages_and_prompt_contain_the_shots_in_their_order() -> None:
    made = _template(system="Judge.", labels={**THREE, "neutral": "open: {hypothesis}"}, delimiter=" => ")
    shots = [Shot("a", "b", "neutral"), Shot("c", "d", "contradiction")]
    assert made.prompt("p", "h", shots) == "Judge.\n\na|b => open: b\n\nc|d => no\n\np|h"
    roles, contents = zip(*(each.values() for each in made.messages("p", "h", shots)), strict=True)
    assert roles == ("system", "user", "assistant", "user", "assistant", "user")
    assert contents == ("Judge.", "a|b", "open: b", "c|d", "no", "p|h")


def test_edits_change_only_the_sentence_that_they_are_for(each_case: Any) -> None:
    def check(edit: str, before: str, after: str) -> None:
        assert edit in EDITS
        assert _template(edits={"hypothesis": [edit]}).prompt(before, before) == f"{before}|{after}"
        assert _template(edits={"premise": [edit]}).prompt(before, before) == f"{after}|{before}"

    each_case(check)


CHANGES: dict[str, Any] = {
    "user": "{hypothesis}|{premise}",
    "labels": {**THREE, "neutral": "maybe"},
    "system": "Judge.",
    "delimiter": "",
    "score": "mean",
    "outputs": {"entailment": 1, "neutral": 2, "contradiction": 0},
    "edits": {"premise": ["stripped"]},
}


def test_the_hash_covers_everything_that_an_answer_depends_on() -> None:
    """And every entry can be written in TOML."""
    same = {"name": "other", "version": 2, "source": "elsewhere"}
    assert set(CHANGES | same) == {each.name for each in fields(Template)} == set(table._TYPES) | {"name"}
    base = _template(score="first")
    for entry, value in (CHANGES | same).items():
        assert (replace(base, **{entry: value}).sha256 == base.sha256) is (entry in same), entry


def test_a_label_that_begins_with_another_is_refused_where_first_tokens_decide(refused: Any) -> None:
    _template().refuse_shared_prefix("--answer logprobs")
    alike = _template(labels={**THREE, "neutral": "No idea"})
    said = refused(alike.refuse_shared_prefix, "--answer logprobs")
    assert said.has("'No idea' begins with the label 'no'", "for --answer logprobs")


def test_a_file_that_is_no_template_is_refused(each_case: Any, refused: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"

    def check(text: str, *named: str) -> None:
        path.write_text(text, encoding="utf-8")
        assert refused(FormatError, template, path).has(str(path), *named)

    each_case(check)
    assert "cannot be read" in refused(template, str(tmp_path / "none.toml"))


def test_a_file_is_a_template_that_may_take_entries_of_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("like = 'true'\nlabels = {entailment = 'wahr', not_entailment = 'falsch'}")
    made = template(str(path))
    assert (made.name, made.source) == ("mine", "mine.toml")
    assert made.user == template("true").user


DEMO = "builtin:demo"


def test_they_are_balanced_by_label_and_depend_on_the_seed_alone() -> None:
    found = draw_shots(template("gpt3"), 7, DEMO, 0)
    assert sorted(Counter(each.label for each in found.examples).values()) == [2, 2, 3]
    assert draw_shots(template("words"), 7, DEMO, 0).examples == found.examples
    others = {draw_shots(template("gpt3"), 7, DEMO, seed).sha256 for seed in range(6)}
    assert len(others) == 6
    by_id = {example.id: example for example in iter_corpus(DEMO)}
    for shot, name in zip(found.examples, found.ids, strict=True):
        assert tuple(shot) == (by_id[name].premise, by_id[name].hypothesis, by_id[name].label)


def test_shots_that_cannot_be_drawn_are_refused(refused: Any) -> None:
    assert "--shots-from is not given" in refused(draw_shots, template("gpt3"), 3, None, 0)
    assert "examples of" in refused(draw_shots, template("gpt3"), 60, f"{DEMO}[:9]", 0)


def test_they_are_in_the_prompt_and_in_the_key(lm_folders: dict[str, Path], refused: Any) -> None:
    name = f"lm/{lm_folders['gpt2']}"
    plain: Any = open_model(name, {"template": "gpt3"})
    options = {"template": "gpt3", "shots": 2, "shots_from": DEMO}
    shown: Any = open_model(name, options)
    assert len({plain.key, shown.key, open_model(name, {**options, "shots_seed": 1}).key}) == 3
    pair = ("It rains.", "It is wet.")
    assert abs(plain.predict([pair]) - shown.predict([pair])).max() > 1e-6
    first = draw_shots(template("gpt3"), 2, DEMO, 0).examples[0]
    assert "is shown in the prompts" in refused(shown.predict, [(first.premise, first.hypothesis)])
