"""Equally probable labels: which one is predicted, on two labels as on three, and how many are reported."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

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
    Gold,
    Projection,
    Ties,
    label_indices,
)
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.comparison import compare_runs
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


def test_a_threshold_is_a_tie() -> None:
    stated = np.array([0.2, 0.8, 0.81])
    predicted = label_indices(at_threshold(stated, 0.8), THREE_LABELS, two_labels=True)
    assert [GOLDS[k] for k in predicted] == ["not_entailment", "not_entailment", "entailment"]


def test_a_label_without_probabilities_is_no_tie() -> None:
    for projection in PROJECTIONS.values():
        assert projection.ties(np.eye(3), np.zeros(3, dtype=np.int8)).count == 0
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
    assert THREE_LABELS.ties(rows, np.array([0, 0], dtype=np.int8)).count == 0


def test_the_mean_of_members_ties_in_any_order() -> None:
    pairs = [("A man sleeps.", "A man sleeps."), ("A man sleeps.", "Nobody is here at all.")]
    members = [open_model(f"builtin/{name}") for name in ("overlap", "neutral", "majority")]
    found = [
        label_indices(Mean("mean", order).predict(pairs), THREE_LABELS).tolist()
        for order in permutations(members)
    ]
    assert found.count(found[0]) == len(found)


@given(st.lists(st.sampled_from([*TIED, (0.6, 0.3, 0.1), (0.1, 0.2, 0.7)]), min_size=1, max_size=9))
def test_the_order_of_the_columns_is_that_of_the_labels_alone(rows: list[tuple[float, ...]]) -> None:
    """Labels that change places with their probabilities give the same ties and the same bounds."""
    table, golds = np.array(rows), np.array([k % 3 for k in range(len(rows))], dtype=np.int8)
    here = THREE_LABELS.ties(table, golds)
    for order in permutations(range(3)):
        place = np.argsort(order)
        there = THREE_LABELS.ties(table[:, list(order)], place[golds].astype(np.int8))
        assert (there.n, there.count, there.possible) == (here.n, here.count, here.possible)
        if here.n:
            assert (there.least, there.most) == (here.least, here.most)


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
    assert len(hard(run.datasets["base.own"], WHOLE)["hard"]) == len(WHOLE)


def test_a_baseline_says_the_same_on_two_labels() -> None:
    rows = np.array([[0.4, 0.3, 0.3], [0.5, 0.25, 0.25], [0.6, 0.2, 0.2]])
    run = run_of(rows, "EEE")
    again = Baseline.of(run).over(run)
    for two_labels in (False, True):
        first, second = (
            score_run(each, two_labels=two_labels)["base.own"].predicted for each in (run, again)
        )
        assert first.tolist() == second.tolist() == ([N, N, E] if two_labels else [E, E, E])


# -- the count -------------------------------------------------------------------------------------------


def test_ties_are_counted_among_the_answered_items_with_a_gold_label() -> None:
    rows = np.array([[0.5, 0.5, 0.0]] * 3 + [[0.0, 0.5, 0.5], [np.nan] * 3, [0.7, 0.2, 0.1]])
    golds: tuple[Gold | None, ...] = ("entailment", "neutral", None, "entailment", "neutral", "entailment")
    items = tuple(Example(f"i{n}", f"P {n}.", "H.", gold) for n, gold in enumerate(golds))
    told = Outcomes.of([Outcome("refused" if n == 4 else "answered") for n in range(6)], 6)
    run = Run("m", {"base.own": Dataset("base.own", items)}, {"base.own": rows}, {}, {}, {"base.own": told})
    found = ties_of(run, "base.own")
    assert found == Ties(n=4, count=3, correct=2, right=1, possible=2)
    assert (found.least, found.most) == (1 / 4, 3 / 4)
    assert measure(run, max_unanswered=1.0)[0].ties == found


def test_the_bounds_hold_for_every_way_of_breaking_ties() -> None:
    golds: tuple[Gold, ...] = ("entailment", "neutral", "contradiction", "entailment")
    rows = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.4, 0.3, 0.3]])
    found = THREE_LABELS.ties(rows, np.array([LABEL_INDEX[gold] for gold in golds], dtype=np.int8))
    accuracies = {
        np.mean([label == LABEL_INDEX[gold] for label, gold in zip((*broken, E), golds, strict=True)])
        for broken in np.ndindex(2, 2, 2)
    }
    assert (min(accuracies), max(accuracies)) == (found.least, found.most) == (1 / 4, 3 / 4)


def test_ties_of_a_model_of_two_labels_are_those_of_two() -> None:
    run = run_of(np.array([[0.5, 0.3, 0.2], [0.2, 0.4, 0.4]]), "EN", two_label=True)
    assert measure(run)[0].ties == Ties(n=2, count=1, correct=1, right=0, possible=1)


def test_two_runs_are_compared_with_the_ties_of_each() -> None:
    (pair,) = compare_runs(run_of(rows_with(2, 4), "ENCC"), run_of(np.eye(3)[[E, N, C, C]], "ENCC", "py/b"))
    assert pair.ties_a == Ties(n=4, count=2, correct=3, right=1, possible=2)
    assert pair.ties_b is None


def test_ties_of_items_that_the_other_model_did_not_answer_are_left_out() -> None:
    told = Outcomes.of([Outcome("refused"), *[Outcome("answered")] * 3], 4)
    rows = np.array([[np.nan] * 3, *np.eye(3)])
    other = replace(run_of(rows, "ENCC", "py/b"), outcomes={"base.own": told})
    (pair,) = compare_runs(run_of(rows_with(2, 4), "ENCC"), other, max_unanswered=1.0)
    assert pair.ties_a == Ties(n=3, count=1, correct=3, right=1, possible=1)


# -- reports ---------------------------------------------------------------------------------------------


def test_a_report_warns_of_ties_in_more_than_one_percent() -> None:
    (warning,) = (
        w for w in warnings(results_of([run_of(rows_with(2, 100), "ENC" + "C" * 97)])) if "tie" in w
    )
    assert warning == (
        "py/m: 2 of 100 items of base (own) (2.0 %) have two or more equally probable labels, of which the "
        "first of neutral, contradiction, entailment is predicted. If ties were broken otherwise, its "
        "accuracy there would be between 98.0 and 100.0 %."
    )
    of_two = results_of([run_of(rows_with(1, 2), "EN", two_label=True)])
    assert any("labels, of which not_entailment is predicted." in each for each in warnings(of_two))


def test_accuracies_have_a_note_on_ties_if_there_are_any(tmp_path: Path) -> None:
    """One percent is noted without a warning, in a report as in a comparison."""
    golds = "ENC" + "C" * 97
    tied, plain = (run_of(rows_with(n, 100), golds, f"py/{n}") for n in (1, 0))
    note = (
        "Ties: of equally probable labels, the first of neutral, contradiction, entailment is predicted, and "
        "of two labels the one that is not entailment. Tied are, for {}: 1 of 100 items of base (own) "
        "(1.0 %)."
    )
    assert note.format("py/1") in make_report(tied).text(".md")
    assert "equally probable" not in make_report(plain).text(".md")
    assert not [warning for warning in warnings(results_of([tied])) if "equally probable" in warning]
    make_report(tied, plain).save_comparison(tmp_path / "c.md")
    assert note.format("A") in (tmp_path / "c.md").read_text()
