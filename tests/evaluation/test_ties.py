"""Equally probable labels: which one is predicted, on two labels as on three, and how many are reported."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from letters import dataset
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.labels import (
    ENTAILMENT_OR_NOT,
    GOLDS,
    LABEL_INDEX,
    PROJECTIONS,
    THREE_LABELS,
    TIE,
    TIE_ORDER,
    Projection,
    Ties,
    label_indices,
)
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_run, ties_of
from crossexam.evaluation.shares import shares_of
from crossexam.gates.baseline import Baseline
from crossexam.models.ensemble import Mean
from crossexam.models.table import open_model
from crossexam.models.threshold import at_threshold
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.suites.subsets import hard

E, N, C = range(3)
#: Probabilities with ties at the top, and the label that is predicted of the three.
TIED = {
    (0.5, 0.5, 0.0): N,
    (0.5, 0.0, 0.5): C,
    (0.0, 0.5, 0.5): N,
    (0.2, 0.4, 0.4): N,
    (0.4, 0.4, 0.2): N,
    (0.4, 0.2, 0.4): C,
    (1 / 3, 1 / 3, 1 / 3): N,
}
WHOLE = np.array(list(TIED))


def rows_with(tied: int, of: int) -> NDArray[np.float64]:
    return np.array([[0.5, 0.5, 0.0]] * tied + [[0.0, 0.0, 1.0]] * (of - tied))


@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_entailment_loses_every_tie_under_every_projection(projection: Projection) -> None:
    assert projection.labels[0] == "entailment"
    assert list(projection.labels[1:]) == [label for label in TIE_ORDER if label in projection.labels[1:]]
    shares = projection.shares(WHOLE)
    for predicted, row in zip(projection.predictions(WHOLE).tolist(), shares, strict=True):
        first = next(
            label
            for label in TIE_ORDER
            if label in projection.labels and row[projection.labels.index(label)] == row.max()
        )
        assert GOLDS[predicted] == first
        assert (first == "entailment") == (row[0] > row[1:].max())


@given(st.permutations([0.25, 0.25, 0.5]), st.floats(-TIE / 4, TIE / 4), st.integers(0, 2))
def test_a_prediction_does_not_depend_on_rounding(row: list[float], change: float, column: int) -> None:
    given_ = np.array([row])
    rounded = given_.copy()
    rounded[0, column] += change
    rounded /= rounded.sum()
    single = rounded.astype(np.float32).astype(np.float64)
    for projection in PROJECTIONS.values():
        assert (
            projection.predictions(given_).tolist()
            == projection.predictions(rounded).tolist()
            == projection.predictions(single).tolist()
        )


def test_the_mean_of_members_ties_in_any_order() -> None:
    pairs = [("A man sleeps.", "A man sleeps."), ("A man sleeps.", "Nobody is here at all.")]
    members = [open_model(f"builtin/{name}") for name in ("overlap", "neutral", "majority")]
    found = [
        label_indices(Mean("mean", order).predict(pairs), THREE_LABELS).tolist()
        for order in permutations(members)
    ]
    assert found.count(found[0]) == len(found)


def test_what_is_a_tie_and_what_a_model_can_mean() -> None:
    stated = np.array([0.2, 0.8, 0.81])  # at the threshold
    predicted = label_indices(at_threshold(stated, 0.8), THREE_LABELS, two_labels=True)
    assert [GOLDS[k] for k in predicted] == ["not_entailment", "not_entailment", "entailment"]
    # rounded to six decimals
    halves, thirds = np.array([[0.5, 0.123456, 0.376543]]), np.array([[0.333334, 0.333333, 0.333333]])
    assert [GOLDS[k] for k in ENTAILMENT_OR_NOT.predictions(halves)] == ["not_entailment"]
    assert [GOLDS[k] for k in THREE_LABELS.predictions(thirds)] == ["neutral"]
    apart = np.array([[0.50001, 0.49999, 0.0], [0.3, 0.34999, 0.35001]])
    for rows, labels in ((apart, [E, C]), (np.eye(3), [E, N, C])):
        assert THREE_LABELS.predictions(rows).tolist() == labels
        assert THREE_LABELS.ties(rows, np.zeros(len(rows), dtype=np.int8)).count == 0


def run_of(rows: NDArray[np.float64], golds: str, model: str = "py/m", **details: object) -> Run:
    data = dataset("base.own", golds)
    return Run(model, {data.name: data}, {data.name: rows}, {"model_key": model, "details": details})


def refused(run: Run, *places: int) -> Run:
    """A run that did not answer the items at these places."""
    (rows,) = run.probabilities.values()
    rows[list(places)] = np.nan
    told = [Outcome("refused" if k in places else "answered") for k in range(len(rows))]
    return replace(run, outcomes={"base.own": Outcomes.of(told, len(rows))})


def test_every_view_of_a_run_predicts_the_same() -> None:
    run = run_of(WHOLE, "E" * len(WHOLE))
    expected = list(TIED.values())
    assert [LABEL_INDEX[label] for label in run.predictions("base.own")] == expected
    assert [LABEL_INDEX[label] for label in run.to_frame()["predicted"]] == expected
    assert score_run(run)["base.own"].predicted.tolist() == expected
    (shares,) = shares_of(run)
    assert shares.predicted.tolist() == expected
    assert np.array_equal(shares.confidence, WHOLE[range(len(WHOLE)), expected])
    assert not shares.correct.any()
    assert Baseline.of(run).over(run).scored("base.own").predicted.tolist() == expected
    assert len(hard(run.datasets["base.own"], WHOLE)["hard"]) == len(WHOLE)
    three = run_of(np.array([[0.4, 0.3, 0.3], [0.5, 0.25, 0.25], [0.6, 0.2, 0.2]]), "EEE")
    for two_labels, labels in ((False, [E, E, E]), (True, [N, N, E])):
        for each in (three, Baseline.of(three).over(three)):
            assert score_run(each, two_labels=two_labels)["base.own"].predicted.tolist() == labels


def test_ties_are_counted_among_the_answered_items_with_a_gold_label() -> None:
    rows = np.array([[0.5, 0.5, 0.0]] * 3 + [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0], [0.7, 0.2, 0.1]])
    run = refused(run_of(rows, "EN-ENE"), 4)
    found = ties_of(run, "base.own")
    assert found == Ties(n=4, count=3, correct=2, right=1, possible=2)
    assert (found.least, found.most) == (1 / 4, 3 / 4)
    assert measure(run, max_unanswered=1.0)[0].ties == found
    of_two = run_of(np.array([[0.5, 0.3, 0.2], [0.2, 0.4, 0.4]]), "EN", two_label=True)
    assert measure(of_two)[0].ties == Ties(n=2, count=1, correct=1, right=0, possible=1)


def test_reports_note_ties_and_warn_of_more_than_one_percent() -> None:
    golds = "ENC" + "C" * 97
    many, tied, plain = (run_of(rows_with(n, 100), golds, f"py/{n}") for n in (2, 1, 0))
    (warning,) = (each for each in warnings(results_of([many])) if "tie" in each)
    assert "2 of 100 items of base (own) (2.0 %)" in warning
    assert "between 98.0 and 100.0 %" in warning
    of_two = results_of([run_of(rows_with(1, 2), "EN", two_label=True)])
    assert any("of which not_entailment is predicted" in each for each in warnings(of_two))
    assert not [warning for warning in warnings(results_of([tied])) if "equally probable" in warning]
    assert "1 of 100 items of base (own) (1.0 %)" in make_report(tied).text(".md")
    assert "equally probable" not in make_report(plain).text(".md")
