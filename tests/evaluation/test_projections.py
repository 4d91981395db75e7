"""Labels that are projected and tied: what is predicted, scored, written and refused."""

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossexam.core import test_sets
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import (
    GOLD_INDEX,
    GOLDS,
    LABEL_INDEX,
    LABELS,
    PROJECTIONS,
    THREE_LABELS,
    TIE,
    TIE_ORDER,
    Projection,
    projection_of,
)
from crossexam.core.test_sets import write_test_set
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.shares import shares_of
from crossexam.gates.baseline import Baseline
from crossexam.suites.subsets import hard
from made.runs import stating

TWO = PROJECTIONS["two labels"]
NO_CONTRADICTION = PROJECTIONS["no contradiction"]
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
shares = st.lists(st.floats(0.001, 1.0), min_size=3, max_size=3).map(lambda row: np.array([row]) / sum(row))


def labels_of(projection: Projection, rows: NDArray[np.float64]) -> list[str]:
    return [GOLDS[k] for k in projection.predictions(rows)]


@given(shares)
def test_two_labels_go_by_the_sum_and_three_by_the_most_probable(row: NDArray[np.float64]) -> None:
    entailed = row[0, 0] > row[0, 1] + row[0, 2] + TIE
    assert TWO.predictions(row).tolist() == [GOLD_INDEX["entailment" if entailed else "not_entailment"]]
    assert np.allclose(TWO.shares(row).sum(axis=1), 1.0)
    left = NO_CONTRADICTION.shares(row)[0]  # the others keep their ratio
    assert left[0] * row[0, 1] == pytest.approx(left[1] * row[0, 0])
    second, first = np.sort(row[0])[1:]
    (predicted,) = THREE_LABELS.predictions(row).tolist()
    assert predicted == row.argmax() or first - second <= TIE


def test_a_declared_projection_goes_before_the_labels() -> None:
    rows, declared = [[0.3, 0.2, 0.5], [0.2, 0.3, 0.5]], "no contradiction"
    assert measure(stating("EN", rows))[0].accuracy.value == 0.0
    assert measure(stating("EN", rows, facts={"projection": declared}))[0].accuracy.value == 1.0
    with pytest.raises(CrossexamError, match=f"gold labels outside the projection '{declared}': contradict"):
        score_run(stating("EC", rows, facts={"projection": declared}))
    assert projection_of(None, ["entailment", "not_entailment"]) is TWO
    assert projection_of(None, list(LABELS)) is THREE_LABELS


def test_a_late_fourth_label_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_sets, "ROWS_PER_GROUP", 50)
    three = (Example(str(number), "P.", "H.", "neutral") for number in range(50))
    late = [Example("late", "P.", "H.", "not_entailment")]
    with pytest.raises(FormatError, match="'not_entailment' appears after 50 or more"):
        write_test_set(tmp_path / "late.parquet", chain(three, late))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("projection", PROJECTIONS.values(), ids=PROJECTIONS)
def test_entailment_loses_every_tie_under_every_projection(projection: Projection) -> None:
    shares = projection.shares(WHOLE)
    for predicted, row in zip(labels_of(projection, WHOLE), shares, strict=True):
        best = {label for label, share in zip(projection.labels, row, strict=True) if share == row.max()}
        assert predicted == next(label for label in TIE_ORDER if label in best)
        assert (predicted == "entailment") == (best == {"entailment"})


@given(st.permutations([0.25, 0.25, 0.5]), st.floats(-TIE / 4, TIE / 4), st.integers(0, 2))
def test_a_prediction_does_not_depend_on_rounding(row: list[float], change: float, column: int) -> None:
    given_ = np.array([row])
    rounded = given_.copy()
    rounded[0, column] += change
    rounded /= rounded.sum()
    single = rounded.astype(np.float32).astype(np.float64)
    for projection in PROJECTIONS.values():
        labels = labels_of(projection, given_)
        assert labels == labels_of(projection, rounded) == labels_of(projection, single)


def test_every_view_of_a_run_predicts_the_same() -> None:
    run = stating("E" * len(WHOLE), WHOLE)
    expected = list(TIED.values())
    assert [LABEL_INDEX[label] for label in run.predictions("base.own")] == expected
    assert [LABEL_INDEX[label] for label in run.to_arrow()["predicted"].to_pylist()] == expected
    assert score_run(run)["base.own"].predicted.tolist() == expected
    (shares,) = shares_of(run)
    assert shares.predicted.tolist() == expected
    assert Baseline.of(run).over(run).scored("base.own").predicted.tolist() == expected
    assert len(hard(run.datasets["base.own"], WHOLE)["hard"]) == len(WHOLE)
    three = stating("EEE", [[0.4, 0.3, 0.3], [0.5, 0.25, 0.25], [0.6, 0.2, 0.2]])
    for two_labels, labels in ((False, [E, E, E]), (True, [N, N, E])):
        for each in (three, Baseline.of(three).over(three)):
            assert score_run(each, two_labels=two_labels)["base.own"].predicted.tolist() == labels
