"""How plausible a swapped clause is: classes of nouns, counts of roles, and the score."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.resources import LanguageResources, count_words
from crossexam.core.example import SIDES, Example
from crossexam.language.clauses import Clause, main_clause
from crossexam.language.lexicons.counts import CountTable, read_counts
from crossexam.language.parsing.constituency import parsed_from_parse
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.plausibility import (
    Filler,
    fillers,
    noun_class,
    resemblance,
    swap_plausibility,
)

PULLS = "(S (NP (DT The) (NN monk)) (VP (VBZ pulls) (NP (DT the) (NN {object}))) (. .))"

PASSIVE = (
    "(S (NP (DT The) (NN cart)) (VP (VBZ is) (VP (VBN pulled) (PP (IN by) (NP (DT the) (NN {agent}))))))"
)


def _parsed(parse: str) -> Parsed:
    words = [word.rstrip(")") for word in parse.split() if not word.startswith("(")]
    return parsed_from_parse(" ".join(words), parse)


def _read(parse: str) -> tuple[Parsed, Clause]:
    parsed = _parsed(parse)
    clause = main_clause(parsed)
    assert isinstance(clause, Clause)
    return parsed, clause


def _score(parse: str, counts: CountTable | None = None) -> float:
    return swap_plausibility(*_read(parse), counts)


def test_the_class_of_a_noun(each_case: Callable[..., None]) -> None:
    def check(noun: str, wanted: str) -> None:
        assert noun_class(noun) == wanted

    each_case(check)


def test_resemblance_is_symmetric_and_a_person_is_replaced_best_by_a_person() -> None:
    classes = ("person", "animal", "vehicle", "food", "clothing")
    for old in classes:
        for new in classes:
            assert resemblance(old, new) == resemblance(new, old)
    by_class = [resemblance("person", new) for new in classes]
    assert by_class == sorted(by_class, reverse=True)
    assert resemblance("person", "animal") > resemblance("food", "food") > resemblance("food", "clothing")


def test_without_counts_the_score_is_the_resemblance(each_case: Callable[..., None]) -> None:
    def check(parse: str, score: str) -> None:
        assert _score(parse) == float(score)

    each_case(check)


def test_counts_decide_what_the_classes_leave_open() -> None:
    pairs = {
        ("subject", "person"): 10,
        ("subject", "vehicle"): 5,
        ("object", "person"): 20,
        ("object", "vehicle"): 10,
    }
    counts = CountTable("roles", {Filler("pull", *pair): count for pair, count in pairs.items()}, "mine")  # type: ignore[arg-type]
    subject, thing = (5 + 10 * 0.3) / (10 + 10), 1.0  # the formula of the docstring; at most 1
    assert _score(PULLS.format(object="cart"), counts) == pytest.approx(math.sqrt(subject * thing))
    unseen = PULLS.format(object="cart").replace("pulls", "paints")
    assert _score(unseen, counts) == pytest.approx(_score(unseen))
    # in the passive, the agent is the subject
    found = {Filler("pull", "subject", "person"): 90, Filler("pull", "object", "vehicle"): 90}
    counts, passive = CountTable("roles", found, "mine"), PASSIVE.format(agent="monk")
    assert _read(passive)[1].voice == "passive"
    assert _score(passive, counts) == pytest.approx(_score(PULLS.format(object="cart"), counts))
    reverse = PULLS.format(object="cart").replace("monk", "van").replace("cart", "nun")
    assert _score(passive, counts) < _score(reverse, counts)


def test_who_fills_which_role(each_case: Callable[..., None]) -> None:
    def check(parse: str, classes: str) -> None:
        expected = {("pull", *pair) for pair in zip(("subject", "object"), classes.split(), strict=False)}
        assert set(fillers(_parsed(parse))) == expected

    each_case(check)


def test_counts_are_those_of_a_corpus_once_a_sentence() -> None:
    texts = ["The monk pulls the cart ."] * 2
    info = {f"{side}_parse": PULLS.format(object="cart") for side in SIDES}
    examples = [Example(str(n), *texts, "entailment", info=info) for n in range(3)]
    table = count_words("roles", examples, "mine", LanguageResources())
    assert table.count("pull", "subject", "person") == table.count("pull", "object", "vehicle") == 1
    assert len(table) == 2


def test_a_corpus_without_parses_is_refused(refused: Callable[..., Any]) -> None:
    examples = [Example("e", "Monks pull carts.", "", "neutral")]
    said = refused(count_words, "roles", examples, "mine.csv#1", LanguageResources())
    assert said.has("no subjects and objects of verbs could be counted", "mine.csv", "--parser")


def test_a_damaged_table_is_refused(
    each_case: Callable[..., None], tmp_path: Path, refused: Callable[..., str]
) -> None:
    def check(lines: list[str], message: str) -> None:
        path = tmp_path / "roles.tsv"
        path.write_text("".join(f"{line}\n" for line in lines))
        assert message in refused(read_counts, "roles", path)

    each_case(check)
