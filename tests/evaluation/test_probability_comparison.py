"""The comparison of the probabilities of two runs: which items are measured, and on which labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.manifest import RunManifest
from crossexam.evaluation import probability_comparison
from crossexam.evaluation.probability_comparison import probability_comparisons
from made.runs import dataset

N = 90


def rows(seed: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).dirichlet([1, 1, 1], N)


def run_of(model: str, shares: NDArray[np.float64], **said: Any) -> Run:
    """A run over 90 items, of which the k-th and the k+30-th share a premise, and so on."""
    data = dataset("own", "ENC" * 30, premises=[*range(30)] * 3)
    return Run(model, {"own": data}, {"own": shares}, RunManifest(**said))


def test_small_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The items of a premise are 30 places apart, so that parts of 7 items must be gathered first."""
    first, second = run_of("a", rows(1)), run_of("b", rows(2))
    (whole,) = probability_comparisons(first, second)
    monkeypatch.setattr(probability_comparison, "_AT_ONCE", 7)
    (parted,) = probability_comparisons(first, second)
    for measure, (difference, _) in whole.differences.items():
        assert parted.differences[measure][0].difference == pytest.approx(difference.difference)


def test_both_are_measured_on_two_labels_if_one_has_two() -> None:
    fewer = rows(2)
    fewer[:, 1] += fewer[:, 2]
    fewer[:, 2] = 0.0
    both = [run_of("a", rows(1)), run_of("b", fewer, details={"two_label": True})]
    expected = 2 * ((rows(1)[:, 0] - (np.arange(N) % 3 == 0)) ** 2).mean()
    for place, pair in enumerate((both, both[::-1])):
        (found,) = probability_comparisons(*pair)
        assert found.measured.brier[place] == pytest.approx(expected)
