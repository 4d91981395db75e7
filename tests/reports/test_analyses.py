"""Analyses in reports: items that were truncated, slices, and fact checking as data."""

from dataclasses import replace
from typing import Any

import numpy as np

from crossexam.core.dataset import ReadItems, Run
from crossexam.core.manifest import RunManifest
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.evaluation.measures import measure
from crossexam.evaluation.truncation import truncations
from crossexam.reports.analyses.slices import slice_tables
from crossexam.reports.analyses.truncation import truncation_warnings
from crossexam.reports.data import render_csv
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of
from made.claims import claims
from made.runs import dataset, run_of
from made.shown import csv_rows

# Items that were truncated


def read_of(truncated: str, unseen: str, said: str, golds: str = "") -> Run:
    """A run over items, neutral unless *golds* say otherwise; x marks what is truncated or unseen."""
    reading = ReadItems(*(np.array([mark == "x" for mark in marks]) for marks in (truncated, unseen)))
    made = run_of({"made.x": said}, dataset("made.x", golds or "N" * len(said)), model="mine")
    return replace(made, reading={"made.x": reading})


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
MARKS = "....xxxx", "......xx", "NNNNNEEE"
LONG = read_of(*MARKS)


def test_accuracy_with_and_without_what_was_not_read() -> None:
    def numbers(run: Run) -> tuple[list[Any], list[Any]]:
        (found,) = truncations(run)
        accuracies = (found.accuracy, found.accuracy_seen, found.accuracy_read)
        counts = [found.items, found.truncated, found.edit_unseen, found.share]
        return counts, [each and (each.value, each.n) for each in accuracies]

    assert numbers(LONG) == ([8, 4, 2, 0.5], [(5 / 8, 8), (5 / 6, 6), (4 / 4, 4)])
    assert numbers(read_of("xxx", "xxx", "NNN"))[1][1:] == [None, None]
    # an item without a gold label shifts nothing
    counts, accuracies = numbers(read_of(*MARKS, golds="-NNNNNNN"))
    assert (counts[1], accuracies[2]) == (4, (1.0, 3))
    (result,) = measure(LONG)
    assert {name: each.value for name, each in result.slices["truncated"].items()} == {"no": 1, "yes": 1 / 4}
    assert {name: each.n for name, each in result.slices["edit unseen"].items()} == {"no": 6, "yes": 2}


def test_the_warning_says_how_much_was_not_read_and_what_helps() -> None:
    """Few truncated items need no chunks."""
    few = read_of("x" + "." * 99, "." * 100, "N" * 100)
    runs = (few, replace(LONG, manifest=RunManifest(details={"max_length": 128})), replace(LONG, reading={}))
    of_few, of_many, of_none = (truncation_warnings(make_report(each).results) for each in runs)
    assert of_few == ["mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %."]
    assert "as in --chunk words:70." in of_many[0]
    assert of_none == []


# Slices, and the published figures beside them


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


# Fact checking


def claims_of(split: str) -> Run:
    """Two data sets of eight claims, of which the first six have scores in the order of their labels."""
    scores = [0.2, 0.3, 0.1, 0.4, 0.2, 0.9, 0.95, 0.05]
    rows = [(str(k // 2), k % 2, score) for k, score in enumerate(scores)]
    return claims(split, frank=rows, polytope=rows)


def test_the_data_have_each_figure_the_threshold_and_the_mean() -> None:
    options = ReportOptions(threshold=ThresholdChoice(chosen_on=(claims_of("dev"),)))
    found = csv_rows(render_csv(results_of([claims_of("test")], options)))
    rows = {(row["test_set"], row["statistic"]): row for row in found}
    # at 0.25, three of four supported claims are above, and one of four others
    for statistic, value in (("balanced_accuracy", 0.75), ("false_support", 0.25), ("missed_support", 0.25)):
        row = rows["base.frank", statistic]
        assert float(row["value"]) == value
        assert row["signature"].endswith("|threshold:0.25")
        assert float(rows["(mean of SummaC)", statistic]["value"]) == value
    threshold, documents = rows["base.frank", "threshold"], rows["base.frank", "documents"]
    assert (threshold["of"], threshold["n"]) == ("base.frank+base.polytope", "16")
    # 0.3, 0.4 and 0.9 are above three of the four others, 0.05 above none
    assert float(rows["base.frank", "roc_auc"]["value"]) == 9 / 16
    assert (documents["value"], documents["n"]) == ("4", "8")
