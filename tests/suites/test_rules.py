"""Suites of items made by other rules: their names, signatures and options."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import crossexam as cx
from crossexam.core.example import Example
from crossexam.evaluation.comparison import compare_runs
from crossexam.options.short_forms import expand
from crossexam.suites.table import suite_request

RELEASED = {"negation": {"rules": "released"}}


@pytest.fixture
def pairs() -> list[Example]:
    return list(cx.load("builtin:demo").examples[:12])


def test_test_sets_items_and_signatures_say_the_rules(pairs: list[Example]) -> None:
    plain, literal = cx.build("negation", pairs), cx.build("negation", pairs, options=RELEASED)
    (name,) = set(literal.datasets) - set(plain.datasets)
    made = literal[name]
    assert name == "negation_released.examples" == made.entry.name
    assert (made.entry.construction, made.entry.rules) == ("negation", "released")
    assert made.entry.versioned == "negation_released.v1"
    assert "|construction:negation_released.v1|rules:released|" in str(made.entry.signature)
    assert all(item.id.startswith("negation_released:") for item in made)
    assert made.entry.base_set == plain["negation.examples"].entry.base_set


def test_sets_of_different_rules_are_never_compared(
    pairs: list[Example], refused: Callable[..., str]
) -> None:
    runs = [
        cx.run("builtin/overlap", cx.build("negation", pairs, options=options))
        for options in (None, RELEASED)
    ]
    assert "has: negation.examples; only the second" in refused(compare_runs, *runs)
    (common,) = compare_runs(*runs, common=True)
    assert common.name == "base.examples"


def test_one_suite_has_as_many_literal_sets_as_it_has_constructions_with_rules() -> None:
    request = suite_request("stress-tests", options=expand("stress-tests", {"--as-published": True}))
    names = [each.makes for each in request.constructions]
    assert [name for name in names if not name.endswith("_released")] == [
        "length_mismatch_paper",  # no script makes it
        "spelling_error_content_word",
        "spelling_error_function_word",
    ]
    assert "tautology_released" not in names  # only the items that are built anyway


def test_a_tautology_joins_by_its_clause_alone() -> None:
    tautology = {"--tautology": "up is not down"}
    for given, made in (
        (tautology, "tautology"),
        (tautology | {"--as-published": True}, "tautology_released"),
    ):
        request = suite_request("corpus", options=expand("corpus", given))
        assert [each.makes for each in request.constructions] == [made]
    joined = expand("corpus", {"--as-published": True}, joined=["tautology"])
    assert joined == {"tautology": {"rules": "released"}}
