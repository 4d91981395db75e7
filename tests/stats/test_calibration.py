"""Calibration against torchmetrics and a second formula."""

import numpy as np
import pytest
from figure_formulas import probabilities as formulas
from numpy.typing import NDArray

from crossexam.stats.calibration import (
    calibration_error,
    equal_mass_bins,
    equal_width_bins,
    fit_temperature,
    tempered,
)


def sample(seed: int, n: int = 400, k: int = 3) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Random shares of k labels and gold labels that agree with them more often than not."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.7] * k, n)
    gold = np.array([rng.choice(k, p=0.7 * row + 0.3 / k) for row in shares])
    return shares, gold


def test_the_error_is_that_of_torchmetrics() -> None:
    torch = pytest.importorskip("torch")
    classification = pytest.importorskip("torchmetrics.classification")
    shares, gold = sample(1)
    stated, right = shares.max(axis=1), shares.argmax(axis=1) == gold
    theirs = classification.MulticlassCalibrationError(num_classes=3, n_bins=15, norm="l1")
    expected = float(theirs(torch.tensor(shares, dtype=torch.float64), torch.tensor(gold)))
    found = calibration_error(stated, right, equal_width_bins(stated, 15)).error.value
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_interval_is_that_of_the_second_formula() -> None:
    shares, gold = sample(2, 200)
    sure, right, codes = shares.max(axis=1), shares.argmax(axis=1) == gold, np.arange(200) // 2
    found = calibration_error(sure, right, equal_width_bins(sure), codes)
    expected, if_calibrated = formulas.calibration_error(sure, right * 1.0, formulas.by_width(sure), codes)
    assert found.error.low == pytest.approx(expected["low"], abs=expected["low_within"])
    assert (found.error.value, found.error.high) == pytest.approx((expected["value"], expected["high"]))
    assert found.if_calibrated == pytest.approx(if_calibrated)


def test_equal_probabilities_share_a_bin_of_equal_mass() -> None:
    stated = np.array([1.0] * 90 + [0.5] * 10)
    assert np.unique(equal_mass_bins(stated)[:90]).tolist() == [1]


def test_a_temperature_is_found_again() -> None:
    rng = np.random.default_rng(3)
    true = rng.dirichlet([1, 1, 1], 20_000)
    gold = (rng.random((20_000, 1)) > np.cumsum(true, axis=1)).sum(axis=1)
    sharp = tempered(true, 1 / 2.5)  # too confident by 2.5
    found = fit_temperature(sharp, gold[:, None] == np.arange(3))
    assert found == pytest.approx(2.5, rel=0.03)
    assert tempered(sharp, 2.5) == pytest.approx(true)
    with pytest.raises(ValueError, match="it must be above 0"):
        tempered([[0.5, 0.5]], 0.0)
    with pytest.raises(ValueError, match="no items"):
        fit_temperature(np.zeros((0, 3)), np.zeros((0, 3), dtype=bool))


def test_answers_that_are_all_right_and_those_that_say_nothing() -> None:
    found = calibration_error([0.9] * 60, [True] * 60, equal_width_bins([0.9] * 60)).error
    assert found.value == found.high == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1 - 0.06, abs=0.005)  # Wilson: 94.0 % or more are right
    one_cluster = calibration_error([0.9] * 4, [True] * 4, np.zeros(4, dtype=np.int64), ["x"] * 4).error
    assert (one_cluster.low, one_cluster.high, one_cluster.clusters) == (0.0, 1.0, 1)
    nothing = calibration_error([], [], np.zeros(0, dtype=np.int64))
    assert np.isnan([nothing.error.value, nothing.if_calibrated]).all()
