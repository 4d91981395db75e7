"""Suites of items made by other rules: their names, signatures and options."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossexam as cx
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.comparison import compare_runs
from crossexam.suites.short_forms import expand
from crossexam.suites.table import SUITES, suite_named, suite_request

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


def test_a_folder_of_other_rules_is_refused(pairs: list[Example], tmp_path: Path) -> None:
    cx.build("negation", pairs, folder=tmp_path / "suite")
    with pytest.raises(CrossexamError, match="a suite built from different input or options"):
        cx.build("negation", pairs, folder=tmp_path / "suite", options=RELEASED)
    assert set(read_suite(tmp_path / "suite").datasets) == {"base.examples", "negation.examples"}


def test_sets_of_different_rules_are_never_compared(pairs: list[Example]) -> None:
    runs = [
        cx.run("builtin/overlap", cx.build("negation", pairs, options=options))
        for options in (None, RELEASED)
    ]
    with pytest.raises(CrossexamError, match=r"the first run .* has: negation\.examples; only the second"):
        compare_runs(*runs)
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
    given = expand("corpus", {"--tautology": "up is not down"})
    assert [each.makes for each in suite_request("corpus", options=given).constructions] == ["tautology"]
    both = expand("corpus", {"--as-published": True, "--tautology": "up is not down"})
    assert [each.makes for each in suite_request("corpus", options=both).constructions] == [
        "tautology_released"
    ]
    joined = expand("corpus", {"--as-published": True}, joined=["tautology"])
    assert joined == {"tautology": {"rules": "released"}}


@pytest.mark.parametrize("suite", [*SUITES, "negation", "sentence_shuffle", "spelling_error_content_word"])
def test_as_published_is_refused_by_suites_without_rules(suite: str) -> None:
    kind = suite_named(suite)
    has_rules = any(hasattr(each.options, "rules") for each in suite_request(suite).constructions)
    has_rules |= hasattr(kind.options, "rules")
    if has_rules or suite == "compositionality":
        assert expand(suite, {"--as-published": True})
        return
    with pytest.raises(CrossexamError, match=f"'{suite}' has no option --as-published"):
        expand(suite, {"--as-published": True})


@pytest.mark.parametrize("suite", [name for name, kind in SUITES.items() if not kind.optional])
def test_a_tautology_is_refused_by_suites_that_apply_none(suite: str) -> None:
    with pytest.raises(CrossexamError, match=f"'{suite}' has no option --tautology"):
        expand(suite, {"--tautology": "up is not down"})
    with pytest.raises(CrossexamError, match=f"'{suite}' does not use 'tautology'"):
        suite_request(suite, options={"tautology": {"clause": "up is not down"}})


def test_the_written_suite_is_the_one_in_memory(pairs: list[Example], tmp_path: Path) -> None:
    built = cx.build("antonymy", pairs, as_published=True, folder=tmp_path / "suite")
    again = read_suite(tmp_path / "suite")
    assert {path.name for path in (tmp_path / "suite").glob("*.parquet")} == {
        "base.examples.parquet",
        "antonymy_released.examples.parquet",
    }
    assert [dict(each.manifest) for each in again] == [dict(each.manifest) for each in built]
