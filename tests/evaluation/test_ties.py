"""Equally probable labels: which one is predicted, on two labels as on three."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import (
    ENTAILMENT_OR_NOT,
    GOLDS,
    LABEL_INDEX,
    LABELS,
    PROJECTIONS,
    THREE_LABELS,
    TIE,
    TIE_ORDER,
    Projection,
    label_indices,
)
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.shares import shares_of
from crossexam.gates.baseline import Baseline
from crossexam.models.ensemble import Mean
from crossexam.models.table import open_model
from crossexam.models.threshold import at_threshold
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


def run_of(rows: NDArray[np.float64], golds: str, model: str = "py/m", **details: object) -> Run:
    names = {letter: label for label in LABELS for letter in label[0].upper()}
    items = tuple(Example(f"i{n}", f"P {n}.", "H.", names[letter]) for n, letter in enumerate(golds))
    tests = {"base.own": Dataset("base.own", items, {"construction": "base.v1", "part": "own"})}
    return Run(model, tests, {"base.own": rows}, {"model_key": model, "details": details})


def rows_with(tied: int, of: int) -> NDArray[np.float64]:
    return np.array([[0.5, 0.5, 0.0]] * tied + [[0.0, 0.0, 1.0]] * (of - tied))


# -- the rule --------------------------------------------------------------------------------------------


def test_of_equally_probable_labels_the_first_of_the_order_is_predicted() -> None:
    assert TIE_ORDER == ("neutral", "contradiction", "not_entailment", "entailment")
    assert THREE_LABELS.predictions(WHOLE).tolist() == list(TIED.values())


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


@pytest.mark.parametrize("other", [PROJECTIONS["two labels"], PROJECTIONS["no contradiction"]])
def test_two_labels_and_three_agree_on_a_tie_with_entailment(other: Projection) -> None:
    rows = np.array([[0.5, 0.5, 0.0]])
    said = {GOLDS[each.predictions(rows)[0]] == "entailment" for each in (THREE_LABELS, other)}
    assert said == {False}


def test_a_threshold_is_a_tie() -> None:
    stated = np.array([0.2, 0.8, 0.81])
    predicted = label_indices(at_threshold(stated, 0.8), THREE_LABELS, two_labels=True)
    assert [GOLDS[k] for k in predicted] == ["not_entailment", "not_entailment", "entailment"]


def test_a_label_without_probabilities_is_no_tie() -> None:
    assert THREE_LABELS.predictions(np.eye(3)).tolist() == [E, N, C]


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


def test_what_was_rounded_to_six_decimals_is_still_tied() -> None:
    halves, thirds = np.array([[0.5, 0.123456, 0.376543]]), np.array([[0.333334, 0.333333, 0.333333]])
    assert [GOLDS[k] for k in ENTAILMENT_OR_NOT.predictions(halves)] == ["not_entailment"]
    assert [GOLDS[k] for k in THREE_LABELS.predictions(thirds)] == ["neutral"]


def test_a_difference_that_a_model_can_mean_is_no_tie() -> None:
    rows = np.array([[0.50001, 0.49999, 0.0], [0.3, 0.34999, 0.35001]])
    assert THREE_LABELS.predictions(rows).tolist() == [E, C]


def test_the_mean_of_members_ties_in_any_order() -> None:
    pairs = [("A man sleeps.", "A man sleeps."), ("A man sleeps.", "Nobody is here at all.")]
    members = [open_model(f"builtin/{name}") for name in ("overlap", "neutral", "majority")]
    found = [
        label_indices(Mean("mean", order).predict(pairs), THREE_LABELS).tolist()
        for order in permutations(members)
    ]
    assert found.count(found[0]) == len(found)


# -- every place where a label is predicted --------------------------------------------------------------


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
    baseline = Baseline.of(run)
    again = baseline.over(run).scored("base.own")
    assert again.predicted.tolist() == expected
    assert len(hard(run.datasets["base.own"], WHOLE)) == len(WHOLE)


def test_a_baseline_says_the_same_on_two_labels() -> None:
    rows = np.array([[0.4, 0.3, 0.3], [0.5, 0.25, 0.25], [0.6, 0.2, 0.2]])
    run = run_of(rows, "EEE")
    again = Baseline.of(run).over(run)
    for two_labels in (False, True):
        first, second = (
            score_run(each, two_labels=two_labels)["base.own"].predicted for each in (run, again)
        )
        assert first.tolist() == second.tolist() == ([N, N, E] if two_labels else [E, E, E])
