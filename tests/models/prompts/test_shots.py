"""Shots: how they are drawn, and what they change."""

from collections import Counter
from typing import Any

from crossexam.corpora.spec import iter_corpus
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from made.cases import refused

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


def test_shots_that_cannot_be_drawn_are_refused() -> None:
    assert "--shots-from is not given" in refused(draw_shots, template("gpt3"), 3, None, 0)
    assert "examples of" in refused(draw_shots, template("gpt3"), 60, f"{DEMO}[:9]", 0)


def test_they_are_in_the_prompt_and_in_the_key(lm_folders: Any) -> None:
    name = f"lm/{lm_folders['gpt2']}"
    plain: Any = open_model(name, {"template": "gpt3"})
    options = {"template": "gpt3", "shots": 2, "shots_from": DEMO}
    shown: Any = open_model(name, options)
    assert len({plain.key, shown.key, open_model(name, {**options, "shots_seed": 1}).key}) == 3
    pair = ("It rains.", "It is wet.")
    assert abs(plain.predict([pair]) - shown.predict([pair])).max() > 1e-6
    first = draw_shots(template("gpt3"), 2, DEMO, 0).examples[0]
    assert "is shown in the prompts" in refused(shown.predict, [(first.premise, first.hypothesis)])
