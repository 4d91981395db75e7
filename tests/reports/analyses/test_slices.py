"""Slices in reports, and the published figures beside them."""

from typing import Any

from crossexam.reports.analyses.slices import slice_tables
from crossexam.reports.results import results_of
from made.runs import dataset, run_of


def test_a_pair_without_a_tag_counts_under_none_and_tags_of_one_corpus_have_published_figures() -> None:
    """The run is right on half of the pairs with MODAL, and on two of three with ANTO."""
    tags = (["ANTO"], ["ANTO", "MODAL"], [], ["MODAL"], ["ANTO"], [])

    def by_annotation(part: str) -> Any:
        data = dataset(
            f"base.{part}", "ENCENC", info=[{"annotations": each} if each else {} for each in tags]
        )
        tables = slice_tables(results_of([run_of({data.name: "ECEENC"}, data)]))
        return next(each.rows for each in tables if each.title.startswith("Accuracy by annotation"))

    rows = by_annotation("mine")
    assert [row[:2] for row in rows] == [("ANTO", 3), ("MODAL", 2)]
    assert [round(row[2].value, 3) for row in rows] == [0.667, 0.5]
    assert [row[3] for row in by_annotation("multinli_1_0_mismatched_annotations")] == [0.67, None]
