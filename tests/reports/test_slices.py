"""Accuracy by slices, and the published figures of the same slices beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from made_runs import dataset, run_of

from crossexam.core.dataset import Run
from crossexam.reports.analyses.slices import published_slice_tables, slice_tables
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, Results, results_of
from crossexam.reports.table import Table

TAGS = (["ANTO"], ["ANTO", "MODAL"], [], ["MODAL"], ["ANTO"], [])


def run_over(part: str) -> Run:
    """A run that is right on half of the pairs with MODAL, and on two of three with ANTO."""

    def info(k: int) -> dict[str, Any]:
        return {"annotations": TAGS[k]} if TAGS[k] else {}

    data = dataset(f"base.{part}", "ENCENC", None, info)
    return run_of({data.name: "ECEENC"}, data)


def by_annotation(results: Results) -> Table:
    (table,) = (each for each in slice_tables(results) if each.title.startswith("Accuracy by annotation"))
    return table


def test_a_pair_without_a_tag_counts_under_none_and_other_corpora_have_no_published_slice() -> None:
    results = results_of([run_over("mine")])
    table = by_annotation(results)
    assert [row[:2] for row in table.rows] == [("ANTO", 3), ("MODAL", 2)]
    assert [round(row[2].value, 3) for row in table.rows] == [0.667, 0.5]  # type: ignore[union-attr]
    assert len(table.columns) == 3
    assert not published_slice_tables(results)


def test_the_published_accuracy_on_antonyms_stands_beside_that_of_the_model(
    for_each: Callable[..., None],
) -> None:
    def check(part: str) -> None:
        results = results_of([run_over(part)])
        table = by_annotation(results)
        column = table.columns[3]
        assert (column.header, column.group) == ("baselines", "Published, Naik et al. 2018")
        assert [row[3] for row in table.rows] == [0.67, None]
        assert "neither which models nor of which split" in table.notes[0]
        (written,) = published_slice_tables(results)
        assert written.rows == table.rows
        assert not published_slice_tables(results_of([run_over(part)], ReportOptions(published_rows=False)))

    for_each(check, ["multinli_annotated_matched", "multinli_1_0_mismatched_annotations"])


def test_every_written_format_has_the_figure() -> None:
    run = run_over("multinli_annotated_matched")
    report = make_report(run)
    assert "## Accuracy by annotation: base (multinli annotated matched)" in report.text(".md")
    assert "| ANTO | 3 | 66.7 [" in report.text(".md")
    assert "Accuracy by annotation: base" in report.text(".tex")
    assert 'class="percent published">baselines<' in report.text(".html")
    found = json.loads(report.text(".json"))["references"]
    (baselines,) = (each for each in found if each["name"] == "baselines (published)")
    of = baselines["test_sets"][0]["figures"]["published_accuracy"]["of"]
    assert of == {"naik2018: annotation=ANTO": {"value": 0.67}}
    assert "published_accuracy" in report.text(".csv")
    (data,) = run.datasets.values()
    plain = replace(data, examples=tuple(replace(each, info={}) for each in data))
    assert "published_accuracy" not in make_report(replace(run, datasets={data.name: plain})).text(".csv")
