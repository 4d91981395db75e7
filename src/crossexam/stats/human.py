"""Human accuracy: the labels of single annotators against the gold label.

Conventions: *votes* are counts of annotators by item and label [n, k], *gold* indices of labels [n].
Accuracies are shares between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.labels import LABEL_INDEX, LABELS, parse_label
from crossexam.core.randomness import rng_for
from crossexam.stats.clusters import Clusters, cluster_codes
from crossexam.stats.estimate import nonnegative_mean, share_correct


class HumanAccuracy(NamedTuple):
    """The accuracy of one annotator *drawn* per item, and its expectation over all draws."""

    drawn: Estimate
    expected: Estimate


def vote_counts(annotator_labels: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """Return the votes [n, 3] of label names, columns in the order of LABELS; other names are ignored.

    >>> vote_counts([["entailment", "neutral", "entailment"], ["contradiction", "-"]]).tolist()
    [[2, 1, 0], [0, 0, 1]]
    """
    votes = np.zeros((len(annotator_labels), len(LABELS)), dtype=np.int64)
    for row, names in enumerate(annotator_labels):
        for name in names:
            label = parse_label(name)
            if label is not None:
                votes[row, LABEL_INDEX[label]] += 1
    return votes


def human_accuracy(
    votes: ArrayLike, gold: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> HumanAccuracy:
    """Return annotators' accuracy against the gold label, by one random draw per item and in expectation.

    The literature approximates human performance by such a draw (Nie et al. 2019, footnote 10: one of five
    labels against the gold label); its interval is that of :func:`crossexam.stats.estimate.share_correct`.
    The expectation over all draws is the mean of ``s_i = votes[i, gold[i]] / sum_j votes[i, j]``, with the
    interval of :func:`crossexam.stats.estimate.nonnegative_mean`; for a single cluster it is 0 to 1.

    The gold label is the majority of these same votes, so that both are higher than the accuracy of a new
    annotator.  Raises ValueError if an item has no votes, or if the lengths differ.

    >>> human_accuracy([[5, 0, 0], [1, 3, 1]], [0, 1]).expected.value == (5 / 5 + 3 / 5) / 2
    True
    """
    counts, labels = np.asarray(votes, dtype=np.int64), np.asarray(gold, dtype=np.int64)
    n = len(labels)
    if len(counts) != n:
        raise ValueError(f"votes on {len(counts)} items for {n} gold labels")
    if n == 0:
        nothing = Estimate(nan, 0.0, 1.0, 0, 0)
        return HumanAccuracy(nothing, nothing)
    totals = counts.sum(axis=1)  # (n,)
    if (totals == 0).any():
        raise ValueError(f"item {int(np.argmin(totals))} has no votes")
    codes = cluster_codes(clusters, n)
    rng = rng_for(seed, "human_accuracy")
    chosen = np.array([rng.randrange(total) for total in totals.tolist()])
    drawn = (np.cumsum(counts, axis=1) <= chosen[:, None]).sum(axis=1)  # the label of vote number *chosen*
    shares = counts[np.arange(n), labels] / totals
    expected = nonnegative_mean(shares, codes, confidence=confidence)
    return HumanAccuracy(share_correct(drawn == labels, codes, confidence), expected)
