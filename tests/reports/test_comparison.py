"""The section that compares exactly two models."""

from __future__ import annotations

from collections.abc import Callable

from made_runs import dataset, run_of

from crossexam.core.dataset import Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.analyses.comparison import against_table, only_one_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.sections import compared_tables

GOOD = "ENNC" * 10


def run(model: str, **said: str) -> Run:
    sets = [dataset(f"{name}.dev", GOOD, None if name == "base" else "base.dev") for name in said]
    return run_of({f"{name}.dev": letters for name, letters in said.items()}, *sets, model=model)


CAREFUL = run("careful", base=GOOD, negation="ENNC" * 8 + "CEEN" * 2)
USELESS = run("useless", base="N" * 40, negation="CEEN" * 10)


def test_two_models_are_compared_as_by_compare() -> None:
    table = against_table(results_of([CAREFUL, USELESS]))
    assert table == compared_tables(results_of((CAREFUL, USELESS)))[0]
    base, negation = compare_runs(CAREFUL, USELESS)
    assert table.title == "A: careful, B: useless"
    assert (table.rows[0][0], table.rows[0][4]) == ("base (dev)", base.difference)
    assert table.rows[1][4:] == (negation.difference, negation.p_holm, 32, 0)


def test_there_is_no_section_of_one_or_three_models_or_of_other_test_sets() -> None:
    third = run("third", base=GOOD, negation=GOOD)
    for runs in ([CAREFUL], [CAREFUL, USELESS, third]):
        results = results_of(runs)
        assert against_table(results).rows == only_one_table(results).rows == ()
        assert 'id="against"' not in make_report(*runs).text(".html")
    assert against_table(results_of([run("a", base=GOOD), run("b", negation=GOOD)])).rows == ()


def test_runs_with_other_test_sets_are_compared_on_those_of_both(for_each: Callable[..., None]) -> None:
    report = make_report(CAREFUL, run("more", base=GOOD, negation=GOOD, tautology=GOOD))
    assert [pair.name for pair in report.results.comparison] == ["base.dev", "negation.dev"]
    assert "Left out: only the second run (more) has: tautology." in against_table(report.results).notes

    def check(suffix: str, is_said: bool) -> None:
        assert ("only the second run (more) has: tautology" in report.text(suffix)) is is_said

    for_each(check, [(".html", True), (".md", True), (".tex", True), (".csv", False), (".json", False)])


def test_examples_are_items_that_only_one_model_gets_right() -> None:
    one = run("one", base="NNNC" + GOOD[4:], negation=GOOD)
    other = run("other", base="EENC" + GOOD[4:], negation=GOOD)
    assert only_one_table(results_of([one, other])).rows == (
        ("base (dev)", "one", "base.dev:1", "Ann has 1 cats.", "base.dev 1.", "neutral", "entailment"),
        ("base (dev)", "other", "base.dev:0", "Ann has 0 cats.", "base.dev 0.", "entailment", "neutral"),
    )
    assert len(only_one_table(results_of([CAREFUL, USELESS])).rows) == 2 + 2  # two of each test set
