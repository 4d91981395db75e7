"""Calibration, abstaining and people in reports: what is shown where, and what is said of the rest."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.data import comparison_csv
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import compared_tables
from made.runs import dataset
from made.runs import run_of as run_over
from made.shown import csv_rows, headers, tables_of

NAME = "base.own"
ASKED = ReportOptions(calibration=True)


def run_of(model: str, first: int = 0, **details: Any) -> Run:
    """A run over 120 items whose model is right on three of four, with a confidence of 80 %."""
    data = dataset(NAME, "ENC" * 40, premises=range(first, first + 120))
    return run_over({NAME: "NNCECCENEENC" * 10}, data, model=model, sure=0.8, **details)


MINE = run_of("mine")
UNSURE = replace(MINE, model="unsure", probabilities={NAME: MINE.probabilities[NAME] * 0.5 + 1 / 6})
#: A model that gives labels only.
QUIET = replace(MINE, model="quiet", probabilities={NAME: (MINE.probabilities[NAME] > 0.5).astype(float)})


def with_answers(model: str, first: Any, told: Mapping[int, Outcome] | None = None) -> Run:
    """The run with another answer to the *first* item, and what became of some."""
    answers = np.concatenate([[first], MINE.probabilities[NAME][1:]])
    found = {NAME: Outcomes.of([(told or {}).get(k, Outcome()) for k in range(120)], 120)} if told else {}
    return replace(MINE, model=model, probabilities={NAME: answers}, outcomes=found)


IMPOSSIBLE = with_answers("strict", [0.0, 0.9, 0.1])  # the gold label is entailment


def test_tables_are_on_the_page_and_elsewhere_on_request() -> None:
    titles = ("## Calibration\n", "## Selective prediction\n", "## Brier score and log loss: A against B\n")
    plain, asked = (make_report(MINE, UNSURE, options=each).text(".md") for each in (ReportOptions(), ASKED))
    assert [title in plain for title in titles] == [False] * 3
    assert [title in asked for title in titles] == [True] * 3
    text = make_report(MINE, options=ReportOptions(temperature_from=[run_of("mine", first=110)])).text(".md")
    assert "on 110 items of another run (base.own), without 10 that share a premise" in text
    with pytest.raises(CrossexamError, match="of another model"):
        results_of([MINE], ReportOptions(temperature_from=[run_of("other", first=200)]))


def test_a_model_with_labels_only_is_refused_if_asked_for() -> None:
    with pytest.raises(CrossexamError, match="'quiet' gives labels without probabilities"):
        _ = make_report(QUIET, options=ASKED).results
    assert not tables_of(results_of([QUIET]), "calibration")
    tables = compared_tables(results_of([MINE, QUIET]))
    assert not any("Brier" in table.title for table in tables)
    assert any(note.startswith("quiet gives labels without probabilities") for note in tables[0].notes)


def test_what_is_left_out_or_changed_is_said() -> None:
    notes = tables_of(results_of([run_of("mine", threshold=0.7), QUIET]), "calibration")[0].notes
    assert any(note.startswith("The probabilities of mine were stretched") for note in notes)
    assert any(note.endswith("have no calibration: quiet.") for note in notes)
    notes = tables_of(results_of([IMPOSSIBLE]), "calibration")[0].notes
    assert any("Log loss is infinite" in note for note in notes)


def test_an_impossible_gold_label_is_said_and_not_tested() -> None:
    scores = compared_tables(results_of([MINE, IMPOSSIBLE]))[-2]
    assert (scores.rows[1][4], scores.rows[1][6]) == (np.inf, None)
    assert any("B for 1 item of base (own)" in note for note in scores.notes)
    rows = csv_rows(comparison_csv(results_of((MINE, IMPOSSIBLE))))
    found = {row["statistic"]: row["value"] for row in rows}
    of_loss = [found[f"log_loss_{name}"] for name in ("b", "difference", "impossible_b")]
    assert of_loss == ["", "", "1"]


def test_a_comparison_leaves_out_what_only_one_answered() -> None:
    partial = with_answers("partial", [np.nan] * 3, {0: Outcome("refused"), 5: Outcome(label_mass=0.1)})
    scores = compared_tables(results_of([UNSURE, partial]))[-2]
    assert headers(scores)[:4] == ["Test set", "Items", "Unanswered", "Low label mass"]
    assert scores.rows[0][1:4] == (118, 1, 1)


def test_what_became_of_log_probabilities_is_in_the_data() -> None:
    counts = {"aligned": 100, "disagree": 17, "low_mass": 3, "mass_median": 0.97}
    report = make_report(run_of("mine", parse={"exact": 117}, logprobs=counts))
    rows = [row for row in csv_rows(report.text(".csv")) if "answers" in row["test_set"]]
    found = {(row["statistic"], row["of"]): float(row["value"]) for row in rows}
    expected = {("answers_logprobs", kind): value for kind, value in counts.items()}
    assert found == expected | {("answers_parse", "exact"): 117}
