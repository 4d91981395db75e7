"""What a prompt template makes of a pair, and what its hash covers."""

from dataclasses import fields, replace
from typing import Any

from crossexam.models.prompts import table
from crossexam.models.prompts.template import EDITS, Shot, Template
from made.cases import refused

THREE = {"entailment": "yes", "neutral": "perhaps", "contradiction": "no"}


def _template(**entries: Any) -> Template:
    return Template(**{"name": "mine", "user": "{premise}|{hypothesis}", "labels": THREE, **entries})


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


def test_the_hash_covers_everything_that_an_answer_depends_on(each_case: Any) -> None:
    """And every entry can be written in TOML."""
    changes: dict[str, Any] = {}
    each_case(changes.__setitem__)
    same = {"name": "other", "version": 2, "source": "elsewhere"}
    assert set(changes | same) == {each.name for each in fields(Template)} == set(table._TYPES) | {"name"}
    base = _template(score="first")
    for entry, value in (changes | same).items():
        assert (replace(base, **{entry: value}).sha256 == base.sha256) is (entry in same), entry


def test_a_label_that_begins_with_another_is_refused_where_first_tokens_decide() -> None:
    _template().refuse_shared_prefix("--answer logprobs")
    alike = _template(labels={**THREE, "neutral": "No idea"})
    said = refused(alike.refuse_shared_prefix, "--answer logprobs")
    assert said.has("'No idea' begins with the label 'no'", "for --answer logprobs")
