"""Calibration, abstaining and people in reports: what is shown where, and what is said of the rest."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.reports.probabilities.charts import reliability_charts, risk_charts
from crossexam.reports.probabilities.tables import calibration_table, people_table, selective_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of

VOTES = {"label_distribution": [0.6, 0.4, 0.0], "votes": [6, 4, 0]}


def run_of(model: str, first: int = 0, info: dict[str, Any] | None = None, **manifest: Any) -> Run:
    """A run over 120 items whose model is right on three of four, with a confidence of 80 %."""
    golds = [LABELS[k % 3] for k in range(120)]
    items = tuple(
        Example(f"i{k}", f"Premise {k}.", "H.", gold, info=info or {}) for k, gold in enumerate(golds, first)
    )
    rows = np.full((120, 3), 0.1)
    for k in range(120):
        rows[k, (k + (k % 4 == 0)) % 3] = 0.8
    data = Dataset("base.own", items, {"construction": "base", "part": "own"})
    return Run(model, {data.name: data}, {data.name: rows}, manifest)


def labels_only(run: Run) -> Run:
    rows = (run.probabilities["base.own"] > 0.5).astype(np.float64)
    return Run("quiet", run.datasets, {"base.own": rows}, run.manifest)


def test_tables_are_on_the_page_and_elsewhere_on_request() -> None:
    titles = ("## Calibration\n", "## Selective prediction\n")
    plain, asked = make_report(run_of("mine")), make_report(run_of("mine"), calibration=True)
    assert not any(title in plain.text(".md") for title in titles)
    assert all(title in asked.text(".md") for title in titles)
    assert "after temperature scaling" not in asked.text(".md")


def test_a_temperature_is_named_with_what_it_was_fitted_on() -> None:
    text = make_report(run_of("mine"), temperature_from=[run_of("mine", first=110)]).text(".md")
    assert "## Calibration after temperature scaling" in text
    assert "on 110 items of another run (base.own), without 10 that share a premise" in text
    with pytest.raises(CrossexamError, match="of another model"):
        results_of([run_of("mine")], temperature_from=[run_of("other", first=200)])


def test_a_model_with_labels_only_is_refused_if_asked_for() -> None:
    quiet = labels_only(run_of("mine"))
    with pytest.raises(CrossexamError, match="'quiet' gives labels without probabilities"):
        _ = make_report(quiet, calibration=True).results
    results = results_of([quiet])
    assert not calibration_table(results).rows
    assert not selective_table(results).rows
    assert reliability_charts(results).figures == risk_charts(results).figures == []


def test_what_is_left_out_or_changed_is_said() -> None:
    run = run_of("mine", details={"threshold": 0.7})
    notes = calibration_table(results_of([run, labels_only(run)])).notes
    assert any(note.startswith("The probabilities of mine were stretched") for note in notes)
    assert any(note.endswith("have no calibration: quiet.") for note in notes)
    rows = run.probabilities["base.own"].copy()
    rows[0] = [0.0, 0.9, 0.1]  # the gold label is entailment
    impossible = Run("mine", run.datasets, {"base.own": rows})
    table = calibration_table(results_of([impossible]))
    assert any("Log loss is infinite" in note for note in table.notes)
    assert "∞" in make_report(impossible, calibration=True).text(".md")
    assert r"$\infty$" in make_report(impossible, calibration=True).text(".tex")


def test_references_of_people_are_shown_once() -> None:
    runs = [run_of("one", info=VOTES), run_of("two", info=VOTES)]
    rows = people_table(results_of(runs)).rows
    assert [row[3] for row in rows] == ["one", "two", "(uniform)", "(majority)", "(people)"]


def test_the_data_have_every_number() -> None:
    report = make_report(run_of("mine", info=VOTES))
    (found,) = json.loads(report.text(".json"))["models"][0]["test_sets"]
    assert found["calibration"]["ece"]["error"]["value"] == pytest.approx(0.05)
    assert found["calibration"]["bins"][0]["n"] == 120
    assert found["selective"]["risk_at_coverage"]["1.00"] == pytest.approx(0.25)
    assert found["people"][0]["references"]["majority"]["kl"]["value"] is None  # infinite
    rows = {
        (row["statistic"], row["of"]): row["value"]
        for row in csv.DictReader(io.StringIO(report.text(".csv")))
    }
    assert float(rows["ece", ""]) == pytest.approx(0.05)
    assert float(rows["selective_risk", ""]) == pytest.approx(0.25)
    assert float(rows["people_total_variation", "reference=majority"]) == pytest.approx(0.4)
