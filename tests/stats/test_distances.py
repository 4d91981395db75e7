"""Distances between distributions, against scipy."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from crossexam.stats.distances import (
    entropy_bits,
    halves_of_votes,
    js_distance,
    js_divergence,
    kl_divergence,
    total_variation,
)

RNG = np.random.default_rng(0)
P, Q = RNG.dirichlet([0.5] * 3, 40), RNG.dirichlet([0.5] * 3, 40)
P[0] = [1.0, 0.0, 0.0]


def test_they_are_those_of_scipy() -> None:
    assert js_distance(P, Q) == pytest.approx(jensenshannon(P, Q, axis=1))
    assert js_divergence(P, Q) == pytest.approx(jensenshannon(P, Q, axis=1) ** 2)
    assert kl_divergence(P, Q) == pytest.approx(entropy(P, Q, axis=1))
    assert entropy_bits(P) == pytest.approx(entropy(P, axis=1, base=2))
    assert total_variation(P, Q) == pytest.approx(np.maximum(P - Q, 0).sum(axis=1))


def test_halves_are_without_replacement() -> None:
    votes = np.array([[3, 2, 0]] * 2000)
    first, second = halves_of_votes(votes, np.random.default_rng(1))
    assert (first * 2 + second * 3).tolist() == votes.tolist()
    # two of five: both of the first kind in 3 of 10 splits, hypergeometric (with replacement, 36 of 100)
    assert (first[:, 0] == 1).mean() == pytest.approx(0.3, abs=0.03)
    with pytest.raises(ValueError, match="item 1 has fewer than two votes"):
        halves_of_votes([[2, 0, 0], [1, 0, 0]], np.random.default_rng(0))
