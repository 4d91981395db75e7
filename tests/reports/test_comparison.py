"""The section that compares exactly two models."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.comparison import against_table, comparison_tables, only_one_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of

GOOD = "ENNC" * 10


def dataset(name: str) -> Dataset:
    """A test set with an item per letter of GOOD."""
    golds = [LABELS["ENC".index(letter)] for letter in GOOD]
    items = (Example(f"{name}:{k}", f"Ann has {k} cats.", f"Ann has {k}.", g) for k, g in enumerate(golds))
    return Dataset(name, tuple(items), {"base_set": None if name.startswith("base") else "base.dev"})


def run_of(model: str, **said: str) -> Run:
    """A run whose predictions are letters, by construction."""
    rows = {f"{name}.dev": np.eye(3)[["ENC".index(each) for each in said[name]]] for name in said}
    return Run(model, {name: dataset(name) for name in rows}, rows, {})


CAREFUL = run_of("careful", base=GOOD, negation="ENNC" * 8 + "CEEN" * 2)
USELESS = run_of("useless", base="N" * 40, negation="CEEN" * 10)


def test_two_models_are_compared_as_by_compare() -> None:
    table = against_table(results_of([CAREFUL, USELESS]))
    assert table == comparison_tables(CAREFUL, USELESS)[0]
    base, negation = compare_runs(CAREFUL, USELESS)
    assert table.title == "A: careful, B: useless"
    assert table.rows[0][0] == "base (dev)"
    assert table.rows[0][4] == base.difference
    assert table.rows[1][4:] == (negation.difference, negation.p_holm, 32, 0)


def test_there_is_no_section_of_one_or_three_models() -> None:
    third = run_of("third", base=GOOD, negation=GOOD)
    for runs in ([CAREFUL], [CAREFUL, USELESS, third]):
        results = results_of(runs)
        assert against_table(results).rows == only_one_table(results).rows == ()
        assert 'id="against"' not in make_report(*runs).text(".html")


def test_models_without_a_test_set_in_common_are_not_compared() -> None:
    runs = [run_of("a", base=GOOD), run_of("b", negation=GOOD)]
    assert against_table(results_of(runs)).rows == ()


def test_runs_with_other_test_sets_are_compared_on_those_of_both(for_each: Callable[..., None]) -> None:
    def check(suffix: str) -> None:
        more = run_of("more", base=GOOD, negation=GOOD, tautology=GOOD)
        results = results_of([CAREFUL, more])
        assert [pair.name for pair in results.comparison] == ["base.dev", "negation.dev"]
        assert "Left out: only the second run (more) has: tautology." in against_table(results).notes
        text = make_report(CAREFUL, more).text(suffix)
        if suffix in (".html", ".md", ".tex"):
            assert "only the second run (more) has: tautology" in text

    for_each(check, [".html", ".md", ".tex", ".csv", ".json"])


def test_examples_are_items_that_only_one_model_gets_right() -> None:
    one = run_of("one", base="NNNC" + GOOD[4:], negation=GOOD)
    other = run_of("other", base="EENC" + GOOD[4:], negation=GOOD)
    assert only_one_table(results_of([one, other])).rows == (
        ("base (dev)", "one", "base.dev:1", "Ann has 1 cats.", "Ann has 1.", "neutral", "entailment"),
        ("base (dev)", "other", "base.dev:0", "Ann has 0 cats.", "Ann has 0.", "entailment", "neutral"),
    )
    assert len(only_one_table(results_of([CAREFUL, USELESS])).rows) == 2 + 2  # two of each test set
