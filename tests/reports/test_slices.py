"""Accuracy by slices, and the published figures of the same slices beside it."""

from __future__ import annotations

import json
from typing import Final

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.reports.analyses.slices import published_slice_tables, slice_tables
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.table import Table

#: The tags of the pairs, and whether the model is right.
PAIRS: Final[tuple[tuple[list[str], bool], ...]] = (
    (["ANTO"], True),
    (["ANTO", "MODAL"], False),
    ([], False),
    (["MODAL"], True),
    (["ANTO"], True),
    ([], True),
)


def run_over(part: str) -> Run:
    name = f"base.{part}"
    items = [
        Example(f"{k}", f"Tom has {k} cats.", f"Tom has {k}.", LABELS[k % 3], info=info)
        for k, info in enumerate({"annotations": tags} if tags else {} for tags, _ in PAIRS)
    ]
    answers = np.eye(3)[[(k if right else k + 1) % 3 for k, (_, right) in enumerate(PAIRS)]]
    return Run("mine", {name: Dataset(name, items, {"part": part})}, {name: answers}, {})


def by_annotation(tables: list[Table]) -> Table:
    (table,) = (each for each in tables if each.title.startswith("Accuracy by annotation"))
    return table


def test_a_pair_without_a_tag_counts_under_none() -> None:
    table = by_annotation(slice_tables(results_of([run_over("mine")])))
    assert [row[:2] for row in table.rows] == [("ANTO", 3), ("MODAL", 2)]
    assert [round(row[2].value, 3) for row in table.rows] == [0.667, 0.5]  # type: ignore[union-attr]
    assert len(table.columns) == 3


@pytest.mark.parametrize("part", ["multinli_annotated_matched", "multinli_1_0_mismatched_annotations"])
def test_the_published_accuracy_on_antonyms_stands_beside_that_of_the_model(part: str) -> None:
    results = results_of([run_over(part)])
    table = by_annotation(slice_tables(results))
    assert (table.columns[3].header, table.columns[3].group) == ("baselines", "Published, Naik et al. 2018")
    assert [row[3] for row in table.rows] == [0.67, None]
    assert table.notes[0].startswith("Published: section 5 of Naik")
    assert "neither which models nor of which split" in table.notes[0]
    (written,) = published_slice_tables(results)
    assert written.rows == table.rows
    assert not published_slice_tables(results_of([run_over(part)], published_rows=False))


def test_every_written_format_has_the_figure() -> None:
    report = make_report(run_over("multinli_annotated_matched"))
    assert "## Accuracy by annotation: base (multinli annotated matched)" in report.text(".md")
    assert "| ANTO | 3 | 66.7 [" in report.text(".md")
    assert "| 67.0 |" in report.text(".md")
    assert "Accuracy by annotation: base" in report.text(".tex")
    assert 'class="percent published">baselines<' in report.text(".html")
    (model,) = json.loads(report.text(".json"))["models"]
    (test_set,) = model["test_sets"]
    assert test_set["published_slices"] == {"naik2018": {"annotation": {"ANTO": {"baselines": 0.67}}}}


def test_other_corpora_have_no_published_slice() -> None:
    results = results_of([run_over("my_pairs")])
    assert len(by_annotation(slice_tables(results)).columns) == 3
    assert not published_slice_tables(results)
