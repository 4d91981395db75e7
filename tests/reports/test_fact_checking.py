"""Fact checking as data: the CSV and the JSON of a report and of a comparison have what the table shows."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from made_runs import csv_rows, dataset

from crossexam.core.dataset import Run
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.reports.data import comparison_csv, render_csv, render_json
from crossexam.reports.results import ReportOptions, results_of

SCORES = [0.2, 0.3, 0.1, 0.4, 0.2, 0.9, 0.95, 0.05]


def run_of(split: str, scores: list[float] = SCORES) -> Run:
    """Two data sets of eight claims, of which the first six have scores in the order of their labels."""
    sets = {}
    for name in ("frank", "polytope"):
        place = {"benchmark": "summac", "title": "SummaC", "data_set": name, "split": split}
        made = dataset(f"base.{name}", "nE" * 4, projection="two labels", fact_checking=place)
        items = [
            replace(item, premise=f"{name} {k // 2}.", hypothesis=f"{split} {k}.")
            for k, item in enumerate(made)
        ]
        sets[made.name] = replace(made, examples=items)
    answers = np.array([[score, 1 - score, 0.0] for score in scores])
    return Run("mine", sets, dict.fromkeys(sets, answers), {"model_key": "k"})


def test_the_data_have_each_figure_the_threshold_and_the_mean() -> None:
    options = ReportOptions(threshold=ThresholdChoice(chosen_on=(run_of("dev"),)))
    found = csv_rows(render_csv(results_of([run_of("test")], options)))
    rows = {(row["test_set"], row["statistic"]): row for row in found}
    # at 0.25, three of four supported claims are above, and one of four others
    for statistic, value in (("balanced_accuracy", 0.75), ("false_support", 0.25), ("missed_support", 0.25)):
        row = rows["base.frank", statistic]
        assert float(row["value"]) == value
        assert float(row["low"]) < value < float(row["high"])
        assert row["signature"].endswith("|threshold:0.25")
        assert float(rows["(mean of SummaC)", statistic]["value"]) == value
    threshold = rows["base.frank", "threshold"]
    assert float(threshold["value"]) == pytest.approx(0.25)
    assert (threshold["of"], threshold["n"]) == ("base.frank+base.polytope", "16")
    # 0.3, 0.4 and 0.9 are above three of the four others, 0.05 above none
    assert float(rows["base.frank", "roc_auc"]["value"]) == 9 / 16
    assert rows["(mean of SummaC)", "roc_auc"]["of"] == "frank+polytope"
    document = json.loads(render_json(results_of([run_of("test")])))["models"][0]
    sets = {each["name"]: each for each in document["test_sets"]}
    facts, figures = sets["base.frank"]["facts"]["fact_checking"], sets["base.frank"]["figures"]
    assert figures["threshold"]["of"]["fixed"]["value"] == 0.5
    assert (facts["data_set"], facts["split"]) == ("frank", "test")
    assert (figures["documents"]["value"], figures["documents"]["n"]) == (4, 8)
    assert figures["missed_support"]["value"] == 0.75
    mean = sets["(mean of SummaC)"]["figures"]
    assert mean["false_support"]["of"]["frank+polytope"]["value"] == 0.25


def test_a_comparison_has_the_difference() -> None:
    better = replace(run_of("test", [0.2, 0.7, *SCORES[2:]]), model="better")
    rows = csv_rows(comparison_csv(results_of((better, run_of("test")))))
    first, _ = (row for row in rows if row["statistic"] == "difference_balanced_accuracy")
    assert float(first["value"]) == pytest.approx(1 / 8)
