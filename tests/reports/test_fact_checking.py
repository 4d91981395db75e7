"""Fact checking as data: the CSV and the JSON of a report and of a comparison have what the table shows."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.reports.data import comparison_csv, render_csv, render_json
from crossexam.reports.results import ReportOptions, results_of


def run_of(split: str) -> Run:
    """Two data sets of eight claims, of which the first six have scores in the order of their labels."""
    datasets, answers = {}, {}
    for name in ("frank", "polytope"):
        place = {"benchmark": "summac", "title": "SummaC", "data_set": name, "split": split}
        items = tuple(
            Example(f"{k}", f"{name} {k // 2}.", f"{split} {k}.", "entailment" if k % 2 else "not_entailment")
            for k in range(8)
        )
        about = {"construction": "base", "part": name, "projection": "two labels", "fact_checking": place}
        scores = [0.2, 0.3, 0.1, 0.4, 0.2, 0.9, 0.95, 0.05]
        datasets[f"base.{name}"] = Dataset(f"base.{name}", items, about)
        answers[f"base.{name}"] = np.array([[p, 1 - p, 0.0] for p in scores])
    return Run("mine", datasets, answers, {"model_key": "k"})


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_each_figure_the_threshold_and_the_mean() -> None:
    results = results_of(
        [run_of("test")], ReportOptions(threshold=ThresholdChoice(chosen_on=(run_of("dev"),)))
    )
    rows = {(row["test_set"], row["statistic"]): row for row in rows_of(render_csv(results))}
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


def test_the_json_has_the_same() -> None:
    results = results_of([run_of("test")])
    document: dict[str, Any] = json.loads(render_json(results))["models"][0]
    sets = {each["name"]: each for each in document["test_sets"]}
    facts, found = sets["base.frank"]["facts"]["fact_checking"], sets["base.frank"]["figures"]
    assert found["threshold"]["of"]["fixed"]["value"] == 0.5
    assert (facts["data_set"], facts["split"]) == ("frank", "test")
    assert (found["documents"]["value"], found["documents"]["n"]) == (4, 8)
    assert found["missed_support"]["value"] == 0.75
    mean = sets["(mean of SummaC)"]["figures"]
    assert mean["false_support"]["of"]["frank+polytope"]["value"] == 0.25


def test_a_comparison_has_the_difference() -> None:
    run = run_of("test")
    better = {name: rows.copy() for name, rows in run.probabilities.items()}
    for rows in better.values():
        rows[1] = [0.7, 0.3, 0.0]
    rows = rows_of(comparison_csv(results_of((replace(run, model="better", probabilities=better), run))))
    first, _ = (row for row in rows if row["statistic"] == "difference_balanced_accuracy")
    assert float(first["value"]) == pytest.approx(1 / 8)
