"""A report of three models or more: tables, drawings, data, and the filter of the browser of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from made_runs import csv_rows, dataset, json_figures

from crossexam.core.dataset import Dataset, Run
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.analyses.agreement import agreement_tables, alone_tables, only_one
from crossexam.reports.analyses.ranks import difference_tables, first_rank_table, rankings
from crossexam.reports.names import short_model_names
from crossexam.reports.report import Report, make_report
from crossexam.reports.results import MOST_COMPARED, ReportOptions
from crossexam.reports.table import Significant

if TYPE_CHECKING:
    from playwright.sync_api import Page


def set_of(name: str, n: int = 48) -> Dataset:
    return dataset(name, ("ENC" * n)[:n], "base.x", base_set=None)


SETS = (set_of("base.x"), set_of("negation.x", 30))


def run_of(model: str, right: float, missing: int = 0, sets: Sequence[Dataset] = SETS) -> Run:
    """A model that is right on that share of the items, in its own way, and silent on the last ones."""
    rng = np.random.default_rng([ord(letter) for letter in model])
    answers, outcomes = {}, {}
    for each in sets:
        n = len(each)
        labels = [k % 3 if rng.random() < right else (k + 1 + int(rng.integers(2))) % 3 for k in range(n)]
        answers[each.name] = np.eye(3)[labels]
        if missing:
            answers[each.name][-missing:] = np.nan
            told = [Outcome("answered" if k < n - missing else "refused") for k in range(n)]
            outcomes[each.name] = Outcomes.of(told, n)
    return Run(model, {each.name: each for each in sets}, answers, {"model_key": model}, {}, outcomes)


THREE = (run_of("hf/me/good", 0.97), run_of("hf/me/fair", 0.6), run_of("zoo/poor", 0.1))


def test_the_ranks_are_in_order_and_name_the_models() -> None:
    table = first_rank_table(make_report(*THREE).results)
    assert table.title == "Ranks: mean of 2 test sets"
    assert [row[0] for row in table.rows] == ["hf/me/good", "hf/me/fair", "zoo/poor"]
    assert [row[4] for row in table.rows] == ["a", "b", "c"]


def test_the_matrix_marks_what_is_significant() -> None:
    results = make_report(*THREE).results
    table = difference_tables(results)[0]
    assert [column.header for column in table.columns] == ["Model", "1", "2", "3"]
    assert [row[0] for row in table.rows] == ["1. good", "2. fair", "3. poor"]
    assert table.rows[0][1] is None
    assert isinstance(table.rows[0][3], Significant)
    assert float(table.rows[0][3]) == -float(table.rows[2][1])  # type: ignore[arg-type]
    alike = make_report(run_of("a", 0.5), run_of("b", 0.5), run_of("c", 0.5)).results
    cells = [cell for row in difference_tables(alike)[0].rows for cell in row[1:]]
    assert not any(isinstance(cell, Significant) for cell in cells)


def test_two_models_are_compared_as_before() -> None:
    results = make_report(*THREE[:2]).results
    assert rankings(results) == ()
    assert first_rank_table(results).rows == ()
    assert difference_tables(results) == agreement_tables(results) == []
    assert not any(table.rows for table in alone_tables(results))
    assert "ranked_accuracy" not in make_report(*THREE[:2]).text(".json")


def test_more_models_than_are_readable_have_tables_only() -> None:
    many = [run_of(f"m/{k}", 0.1 + k / 20) for k in range(MOST_COMPARED + 1)]
    report = make_report(*many)
    assert difference_tables(report.results) == agreement_tables(report.results) == []
    table = first_rank_table(report.results)
    assert len(table.rows) == MOST_COMPARED + 1
    assert any("readable for up to 12 models" in note for note in table.notes)
    pairs = [row for row in csv_rows(report.text(".csv")) if row["statistic"] == "model_difference"]
    assert len([row for row in pairs if row["test_set"] == "base.x"]) == 13 * 12 / 2
    twelve = make_report(*many[:-1]).results
    assert len(difference_tables(twelve)) == 3


def test_a_model_that_is_left_out_is_named() -> None:
    silent = run_of("silent", 0.9, missing=20)
    results = make_report(*THREE, silent).results
    table = first_rank_table(results)
    assert table.title == "Ranks: base (x)", "no mean without a model"
    assert "silent" not in [row[0] for row in table.rows]
    (note,) = (note for note in table.notes if note.startswith("Left out"))
    assert "silent on base (x), silent on negation" in note
    notes = [note for each in alone_tables(results) for note in each.notes]
    assert any(note.startswith("Not all of the models count on base (x), negation") for note in notes)


def test_the_mean_names_what_it_leaves_out() -> None:
    only = set_of("so_swap.x", 9)
    runs = [*THREE[:2], run_of("three", 0.5, sets=(*SETS, only))]
    notes = first_rank_table(make_report(*runs).results).notes
    assert any("It leaves out so swap: " in note for note in notes)


def test_csv_and_json_have_every_pair_and_model() -> None:
    report = make_report(*THREE)
    rows = csv_rows(report.text(".csv"))
    ranked = [row for row in rows if row["statistic"] == "ranked_accuracy"]
    sets = ("(mean of test sets)", "base.x", "negation.x")
    assert {(row["model"], row["test_set"]) for row in ranked} == {
        (run.model, name) for run in THREE for name in sets
    }
    found = json_figures(report.text(".json"), "base.x")["model_difference"]["of"]
    (row, _) = (
        row
        for row in rows
        if (row["statistic"], row["test_set"], row["model"]) == ("model_difference", "base.x", THREE[0].model)
    )
    assert float(row["value"]) == found[row["of"]]["value"]
    assert {row["model"] for row in rows if row["statistic"] == "only_right"} == {run.model for run in THREE}
    assert len([row for row in rows if row["statistic"] == "agreement_kappa"]) == 3 * 3


def test_many_models_have_rows_in_documents() -> None:
    six = [run_of(f"py/module:a_model_with_a_long_name_{k}", 0.3 + k / 10) for k in range(6)]
    report = Report(tuple(six), ReportOptions(published_rows=False))
    assert "| base (x) | py/module:a\\_model\\_with\\_a\\_long\\_name\\_0 | 48 |" in report.text(".md")


def test_wide_tables_of_a_document_are_scaled() -> None:
    twelve = [run_of(f"m/{k}", 0.1 + k / 20) for k in range(12)]
    wide, narrow = make_report(*twelve).text(".tex"), make_report(*THREE).text(".tex")
    assert wide.count(r"\resizebox{\textwidth}{!}{") == wide.count("\\end{tabular}}") == 1 + 3
    assert r"% \usepackage{graphicx}" in wide
    assert "resizebox" not in narrow
    assert "graphicx" not in narrow


def test_short_names_are_unique() -> None:
    names = ["hf/a/model", "hf/b/model", "hf/model", "model", "x" * 30 + "1", "y/" + "x" * 30 + "2"]
    assert short_model_names(names)[:4] == ("a/model", "b/model", "hf/model", "model")
    long = [f"{'a' * 20}{k}{'b' * 20}" for k in range(2)]
    assert short_model_names(long) == tuple(long), "what would be the same is not cut"
    assert len(set(short_model_names(names))) == len(names)


@pytest.mark.browser
def test_the_browser_shows_what_only_one_model_gets_right(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    few = run_of("few", 0.5, missing=1)
    runs = (*THREE[1:], few)
    report = make_report(*runs, options=ReportOptions(items="all"))
    page = open_page(report.save(tmp_path / "report.html"))
    found = {(each.test_set, each.model): each for each in only_one(report.results)}
    assert any(each.only_right for each in found.values())
    for number, name in enumerate(("base.x", "negation.x")):
        for model in range(len(runs)):
            for outcome in ("right", "wrong"):
                page.select_option("#set", str(number))
                page.select_option("#model", str(model))
                page.select_option("#outcome", f"alone-{outcome}")
                count = getattr(found[name, model], f"only_{outcome}")
                wanted = f"{count} item" + ("" if count == 1 else "s")
                page.wait_for_function(
                    "text => document.getElementById('count').textContent === text", arg=wanted
                )


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 400])
def test_twelve_models_fit_the_page(tmp_path: Path, open_page: Callable[..., Page], width: int) -> None:
    twelve = [run_of(f"py/module:a_model_with_a_long_name_{k}", 0.1 + k / 20) for k in range(12)]
    page = open_page(
        make_report(*twelve, options=ReportOptions(items=5)).save(tmp_path / "report.html"), width
    )
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = page.evaluate(
        "[...document.querySelectorAll('#ranks svg')].map((each) => each.getBoundingClientRect().width)"
    )
    assert 0 < max(widths) <= width - 32  # the margins of the page
