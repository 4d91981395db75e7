"""Each row of a table of rules holds of the sentence that it rejects, and not of the one that it keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossexam.constructions.antonymy import Options
from crossexam.constructions.apply import apply_construction
from crossexam.constructions.numerical_reasoning import judged
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules import antonymy, numerical_reasoning
from crossexam.constructions.rules.number import Number
from crossexam.constructions.rules.rule import Rule
from crossexam.core.example import Example


def made(
    sentence: str, construction: str = "antonymy", **options: Any
) -> tuple[list[Example], dict[str, int]]:
    """What a construction makes of *sentence*, tagged by the tool itself, and why not more."""
    given, resources = Example("e", sentence, "", None), LanguageResources("auto")
    items, counts = apply_construction(construction, [given], resources=resources, options=options)
    return items, counts["rejected"]


def test_rows_of_antonymy(for_each: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """By all rows, the word is rejected, for this reason or one before it; by the row alone, for this one."""

    def check(rule: Rule[Any]) -> None:
        items, _ = made(rule.rejects)
        doubtful = [item for item in made(rule.rejects, rules="paper")[0] if "doubts" in item.info]
        doubtful = [item for item in doubtful if rule.reason in item.info["doubts"]]
        assert doubtful
        assert not {item.hypothesis for item in doubtful} & {item.hypothesis for item in items}
        assert made(rule.keeps)[0]
        with monkeypatch.context() as patch:
            for table in ("_OF_ANY_WORD", "_OF_PLACES"):
                rows = getattr(antonymy, table)
                patch.setattr(antonymy, table, [each for each in rows if each is rule])
            of_use = antonymy._OF_USE.items()
            alone = {use: [each for each in table if each is rule] for use, table in of_use}
            patch.setattr(antonymy, "_OF_USE", alone)
            assert rule.reason in made(rule.rejects)[1]
            assert rule.reason not in made(rule.keeps)[1]

    for_each(check, [(rule,) for rule in antonymy.RULES])


def numbers(sentence: str) -> list[Number]:
    """The numbers of *sentence*, tagged by the tool itself, with the reasons why they are not changed."""
    return judged(sentence, LanguageResources("auto").tokens(Example("e", sentence, "", None), "premise"))


def test_rows_of_numerical_reasoning(for_each: Callable[..., None]) -> None:
    """The row is the first that holds of a number that it rejects; what it keeps is made into items."""

    def check(rule: Rule[Any]) -> None:
        firsts = [next(numerical_reasoning.against(number), None) for number in numbers(rule.rejects)]
        assert any(first is rule for first in firsts)
        kept = numbers(rule.keeps)
        assert not any(rule.holds(number) for number in kept)
        assert None in [number.reason for number in kept]
        assert made(rule.keeps, "numerical_reasoning")[0]

    for_each(check, [(rule,) for rule in numerical_reasoning.RULES])


def test_rules_about_numbers_can_be_switched_off(refused: Callable[..., str]) -> None:
    def reasons(sentence: str, **options: Any) -> dict[str, int]:
        return made(sentence, "numerical_reasoning", **options)[1]

    sentence = "If Kim had a score of 5 points, Lee sings."
    assert reasons(sentence) == {"no quantity: rank": 1}
    assert reasons(sentence, without="rank") == {"condition": 1}
    assert reasons(sentence, without="condition,rank") == {}
    assert reasons("Kim left at 6:30.", without="time") == {"no quantity: time": 1}  # it has no value
    for rules in ("paper", "released"):
        said = refused(reasons, sentence, without="rank", rules=rules)
        assert "numerical_reasoning.without: only the rules of rules=ours" in said


def test_rules_can_be_switched_off_by_name(refused: Callable[..., str]) -> None:
    sentence, names = "The soup is often as hot as the tea is.", "comparison,at times"
    assert made(sentence)[1] == {"at times": 1}
    assert made(sentence, without="at times")[1] == {"comparison": 1}
    for given in (names, "at times, comparison", ["at times", "comparison", "comparison"]):
        (item,), _ = made(sentence, without=given)
        assert item.hypothesis == "The soup is often as cold as the tea is."
    (item,), _ = made("The soup may be hot.", without="modal, conditional or reported, question")
    said = refused(made, sentence, without="at times,qestion")
    assert "antonymy.without: no rule of antonymy is called 'qestion'" in said
    assert "did you mean 'question'" in said
    for rules in ("paper", "released"):
        said = refused(made, sentence, without=names, rules=rules)
        assert "antonymy.without: only the rules of rules=ours" in said
    assert Options(without=(names,)) == Options(without=("at times", "comparison"))
