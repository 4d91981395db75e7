"""A report of two models, and of three or more: tables, drawings, data, names, and the filter of items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.reports.analyses.agreement import agreement_tables, alone_tables, only_one
from crossexam.reports.analyses.comparison import against_table, only_one_table
from crossexam.reports.analyses.ranks import difference_tables, first_rank_table
from crossexam.reports.names import short_model_names, short_names
from crossexam.reports.report import make_report
from crossexam.reports.results import MOST_COMPARED, ReportOptions, results_of
from crossexam.reports.sections import figures_of
from crossexam.reports.table import Significant
from made import runs as letters
from made.runs import dataset, mostly_right
from made.shown import wait_for_count

if TYPE_CHECKING:
    from playwright.sync_api import Page

SETS = (dataset("base.x", "ENC" * 16), dataset("negation.x", "ENC" * 10, "base.x"))

run_of = partial(mostly_right, sets=SETS)
THREE = (run_of("hf/me/good", 0.97), run_of("hf/me/fair", 0.6), run_of("zoo/poor", 0.1))


# Two models

GOOD = "ENNC" * 10


def one_of_two(model: str, **said: str) -> Run:
    sets = [dataset(f"{name}.dev", GOOD, None if name == "base" else "base.dev") for name in said]
    return letters.run_of({f"{name}.dev": letters for name, letters in said.items()}, *sets, model=model)


CAREFUL = one_of_two("careful", base=GOOD, negation="ENNC" * 8 + "CEEN" * 2)
USELESS = one_of_two("useless", base="N" * 40, negation="CEEN" * 10)


def test_only_two_models_are_compared_on_the_test_sets_of_both_as_by_compare() -> None:
    table = against_table(results_of([CAREFUL, USELESS]))
    base, negation = compare_runs(CAREFUL, USELESS)
    assert (table.rows[0][0], table.rows[0][4]) == ("base (dev)", base.difference)
    assert table.rows[1][4:] == (negation.difference, negation.p_holm, 32, 0)
    apart = [one_of_two("a", base=GOOD), one_of_two("b", negation=GOOD)]
    for runs in ([CAREFUL], THREE, apart):
        assert against_table(results_of(runs)).rows == only_one_table(results_of(runs)).rows == ()
    results = results_of([CAREFUL, one_of_two("more", base=GOOD, negation=GOOD, tautology=GOOD)])
    assert "Left out: only the second run (more) has: tautology." in against_table(results).notes


# Three or more


def test_the_matrix_marks_what_is_significant() -> None:
    """The numbers themselves: test_shown_figures.py."""
    alike = [run_of(model, 0.5) for model in "abc"]
    for runs, marked in ((THREE, True), (alike, False)):
        matrix = difference_tables(make_report(*runs).results)[0]
        found = [cell for row in matrix.rows for cell in row[1:]]
        assert any(isinstance(cell, Significant) for cell in found) == marked


def test_more_models_than_are_readable_have_tables_only() -> None:
    many = [run_of(f"py/module:a_model_{k}", 0.1 + k / 20) for k in range(MOST_COMPARED + 1)]
    report = make_report(*many)
    assert difference_tables(report.results) == agreement_tables(report.results) == []
    assert len(first_rank_table(report.results).rows) == MOST_COMPARED + 1
    pairs = [each for each in figures_of(report.results) if each.statistic == "model_difference"]
    assert len([each for each in pairs if each.test_set == "base.x"]) == 13 * 12 / 2
    twelve = make_report(*many[:-1], options=ReportOptions(published_rows=False))
    assert len(difference_tables(twelve.results)) == 3


def test_what_is_left_out_is_named() -> None:
    results = make_report(*THREE, run_of("silent", 0.9, missing=20)).results
    table = first_rank_table(results)
    assert table.title == "Ranks: base (x)", "no mean without a model"
    assert "silent" not in [row[0] for row in table.rows]
    (note,) = (note for note in table.notes if note.startswith("Left out"))
    assert "silent on base (x), silent on negation" in note
    notes = " ".join(note for each in alone_tables(results) for note in each.notes)
    assert "The totals leave out base (x), negation" in notes


@pytest.mark.browser
def test_the_browser_shows_what_only_one_model_gets_right(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    runs = (*THREE[1:], run_of("few", 0.5, missing=1))
    report = make_report(*runs, options=ReportOptions(items="all"))
    page = open_page(report.save(tmp_path / "report.html"))
    found = {(each.test_set, each.model): each for each in only_one(report.results)}
    assert any(each.only_right for each in found.values())
    for number, name in enumerate(("base.x", "negation.x")):
        page.select_option("#set", str(number))
        for model in range(len(runs)):
            page.select_option("#model", str(model))
            for outcome in ("right", "wrong"):
                page.select_option("#outcome", f"alone-{outcome}")
                count = getattr(found[name, model], f"only_{outcome}")
                wait_for_count(page, f"{count} item" + ("" if count == 1 else "s"))


# Names


def test_short_names_of_models_are_unique() -> None:
    names = ["hf/a/model", "hf/b/model", "hf/model", "model", "x" * 30 + "1", "y/" + "x" * 30 + "2"]
    assert short_model_names(names)[:4] == ("a/model", "b/model", "hf/model", "model")
    assert len(set(short_model_names(names))) == len(names)
    long = [f"{'a' * 20}{k}{'b' * 20}" for k in range(2)]
    assert short_model_names(long) == tuple(long), "what would be the same is not cut"


def test_short_names_of_test_sets_are_unique(for_each: Callable[..., None]) -> None:
    """A status stays in them; the doctest of the function has usual names."""

    def check(names: str, short: str) -> None:
        sets = {}
        for name in names.split(", "):
            construction, _, part = name.partition(" ")[0].partition(".")
            about = {"construction": f"{construction}.v1", "part": part} if "(" in name else {}
            sets[name] = Dataset(name, (), about)
        assert ", ".join(short_names(sets).values()) == short

    statuses, swaps = "base.x, i_th.x (proposed), i_th.x (verified)", "hypernyms exchanged"
    rows = [
        ("negation.dev, negation.own", "negation (dev), negation (own)"),
        (statuses, f"base (x), {swaps} (i_th, proposed), {swaps} (i_th, verified)"),
        ("base.a, word_overlap.a, word overlap.a", "base (a), word_overlap.a, word overlap.a"),
        ("antonymy.dev, antonymy_paper.dev", "antonymy, antonymy (paper)"),
    ]
    for_each(check, rows)
