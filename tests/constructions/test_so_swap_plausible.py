"""Plausible swaps of subject and object: what is swapped, and which rule keeps others from it."""

from typing import Any

import pytest

from crossexam.constructions.rules import so_swap_plausible as plausible_rows
from crossexam.constructions.rules.rule import Rule
from crossexam.core.example import Example
from made.cases import for_each
from made.items import made_by
from made.parses import PARSES, PLAUSIBLE, sentence_of


def _plausible(parse: str) -> str:
    """What becomes of the sentence as a hypothesis: the swapped one, or "! " and why there is none."""
    sentence = sentence_of(parse)
    example = Example("e", "", sentence, "neutral", info={"hypothesis_parse": parse})
    items, rejected = made_by("so_swap_plausible", example)
    if not items:
        return "! " + ", ".join(rejected)
    (item,) = items
    assert (item.premise, item.label) == (sentence, "contradiction")
    assert item.id == "so_swap_plausible:e:hypothesis"
    return item.hypothesis


def test_plausible_swaps_of_our_own() -> None:
    def check(parse: str, expected: str) -> None:
        assert _plausible(parse) == expected

    for_each(check, PLAUSIBLE)


def test_each_rule_of_plausible_swaps_rejects_one_sentence_and_keeps_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By all rows, and by the row alone; SOSwap itself keeps both."""

    def check(rule: Rule[Any]) -> None:
        assert _plausible(PARSES[rule.rejects]) == f"! {rule.reason}"
        assert not _plausible(PARSES[rule.keeps]).startswith("!")
        for each in (rule.rejects, rule.keeps):
            assert made_by("so_swap", Example("e", each, "", None, info={"premise_parse": PARSES[each]}))[0]
        with monkeypatch.context() as patch:
            patch.setattr(plausible_rows, "RULES", (rule,))
            assert _plausible(PARSES[rule.rejects]) == f"! {rule.reason}"

    for_each(check, [(rule,) for rule in plausible_rows.RULES])
