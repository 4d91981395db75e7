"""Distances between two distributions over labels, item by item: how far a model is from what people say.

Conventions: *first* and *second* are distributions [n, k], each row with the sum 1; the results are [n].
Logarithms are natural except for :func:`entropy_bits`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def kl_divergence(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the Kullback-Leibler divergence KL(first || second), ``sum p ln(p / q)``.

    It is infinite where the second distribution excludes what the first does not (Kullback and Leibler 1951).

    >>> kl_divergence([[0.5, 0.5, 0.0], [1, 0, 0]], [[0.25, 0.75, 0.0], [0, 1, 0]]).round(3).tolist()
    [0.144, inf]
    """
    from scipy.special import rel_entr

    sums: NDArray[np.float64] = rel_entr(_floats(first), _floats(second)).sum(axis=1)
    return sums


def js_divergence(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the Jensen-Shannon divergence, ``KL(p || m) / 2 + KL(q || m) / 2`` with ``m = (p + q) / 2``.

    It is between 0 and ln 2 (Lin 1991, IEEE Trans. Inf. Theory 37:145).

    >>> js_divergence([[1, 0, 0]], [[0, 1, 0]]).round(3).tolist()
    [0.693]
    """
    p, q = _floats(first), _floats(second)
    middle = (p + q) / 2
    return np.maximum(0.0, (kl_divergence(p, middle) + kl_divergence(q, middle)) / 2)


def js_distance(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the Jensen-Shannon distance, the square root of the divergence (Endres and Schindelin 2003).

    This, in natural logarithms, is what ChaosNLI calls JSD, and ``scipy.spatial.distance.jensenshannon``.

    >>> js_distance([[1, 0, 0]], [[0, 1, 0]]).round(3).tolist()
    [0.833]
    """
    return np.sqrt(js_divergence(first, second))


def total_variation(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the total variation distance, ``sum |p - q| / 2``, the probability that would have to move.

    >>> total_variation([[0.5, 0.5, 0.0]], [[0.2, 0.5, 0.3]]).round(3).tolist()
    [0.3]
    """
    differences: NDArray[np.float64] = np.abs(_floats(first) - _floats(second)).sum(axis=1) / 2
    return differences


def entropy_bits(distributions: ArrayLike) -> NDArray[np.float64]:
    """Return the entropy of each of *distributions* in bits (logarithms to the base 2), as ChaosNLI has it.

    >>> entropy_bits([[0.5, 0.5, 0.0], [0.3, 0.7, 0.0]]).round(3).tolist()
    [1.0, 0.881]
    """
    from scipy.special import entr

    sums: NDArray[np.float64] = entr(_floats(distributions)).sum(axis=1) / np.log(2)
    return sums


def halves_of_votes(
    votes: ArrayLike, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distributions of two random halves of the *votes* [n, 3] of each item.

    The votes of an item are counts by label, and halves are drawn without replacement; of an odd number of
    votes, the second half has one more.  Raises ValueError if an item has fewer than two votes.

    >>> first, second = halves_of_votes([[4, 0, 0]], np.random.default_rng(0))
    >>> first.tolist(), second.tolist()
    ([[1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]])
    """
    counts = np.asarray(votes, dtype=np.int64)
    totals = counts.sum(axis=1)
    if (totals < 2).any():
        raise ValueError(f"item {int(np.argmin(totals))} has fewer than two votes")
    half = totals // 2
    first = rng.hypergeometric(counts[:, 0], totals - counts[:, 0], half)
    second = rng.hypergeometric(counts[:, 1], counts[:, 2], half - first)
    drawn = np.stack([first, second, half - first - second], axis=1)
    return drawn / half[:, None], (counts - drawn) / (totals - half)[:, None]


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
