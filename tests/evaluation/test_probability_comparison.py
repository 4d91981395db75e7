"""Two models by their probabilities; tests and intervals: tests/stats/test_paired_probabilities.py."""

import numpy as np
import pytest

from crossexam.evaluation.probability_comparison import probability_comparisons
from made.runs import stating


def test_both_are_compared_on_two_labels_if_one_has_two() -> None:
    rows, others = np.random.default_rng(1).dirichlet([1, 1, 1], (2, 90))
    fewer = others @ [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    both = stating("ENC" * 30, rows), stating("ENC" * 30, fewer, details={"two_label": True})
    expected = 2 * ((rows[:, 0] - (np.arange(90) % 3 == 0)) ** 2).mean()
    for place, pair in enumerate((both, both[::-1])):
        (found,) = probability_comparisons(*pair)
        assert found.measured.brier[place] == pytest.approx(expected)
