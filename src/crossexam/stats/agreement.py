"""Agreement of annotators with each other, and with the gold label, on the same items.

Conventions: *votes* are counts of annotators by item and label [n, k], *gold* indices of labels [n].
Kappa and alpha are ``1 - D_o / D_e``, with the observed disagreement and that expected by chance: 1 for
perfect agreement and 0 for agreement by chance.

Their intervals are by linearization (Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72:323).  With the
disagreement ``d_i`` of an item, 0 to 1, and ``e_i``, what it adds to ``D_e``, it changes kappa by ``u_i =
-(d_i - D_o) / D_e + e_i D_o / D_e^2``.  The interval is ``kappa -+ t[g-1] sqrt(B) / n`` for ``u_i``, with *B*
and *g* of :mod:`crossexam.stats.clusters`, or wider: annotators who agree on all items may not on the next,
so that it is at least ``1 - d / D_e`` for the bounds *d* of ``D_o``
(:func:`crossexam.stats.estimate.mean_as_share`).  It reflects the sampling of items, not of annotators, and
is cut off at -1 and 1.  If ``D_e`` is 0, because all labels are the same, kappa is nan with the interval -1
to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.labels import LABEL_INDEX, LABELS, parse_label
from crossexam.core.randomness import rng_for
from crossexam.stats.clusters import Clusters, cluster_codes, clustered_mean
from crossexam.stats.estimate import mean_as_share, nonnegative_mean, share_correct


def votes_of(ratings: ArrayLike, k: int) -> NDArray[np.int64]:
    """Return the votes [n, k] of *ratings* [n, annotators]: codes 0 to k - 1, -1 for a missing label.

    Raises ValueError for any other code.

    >>> votes_of([[0, 0, 2], [1, -1, 1]], 3).tolist()
    [[2, 0, 1], [0, 2, 0]]
    """
    codes = np.asarray(ratings, dtype=np.int64)
    if codes.ndim != 2 or (codes.size and not (codes.min() >= -1 and codes.max() < k)):
        raise ValueError(f"ratings must be a table of codes, items by annotators, from 0 to {k - 1} or -1")
    votes = np.zeros((len(codes), k + 1), dtype=np.int64)  # the last column counts the -1
    np.add.at(votes, (np.arange(len(codes))[:, None], codes), 1)
    return votes[:, :k]


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


def fleiss_kappa(votes: ArrayLike, clusters: Clusters = None, confidence: float = 0.95) -> Estimate:
    """Return Fleiss' kappa of *votes* [n, k], with the same number ``j`` of annotators on every item.

    ``D_o`` is the mean of ``d_i = 1 - (sum_c v_ic^2 - j) / (j (j - 1))``, the share of pairs of annotators
    that disagree on item *i*, and ``D_e = 1 - sum_c p_c^2``, with ``p_c`` the share of all votes for label
    *c* (Fleiss 1971, Psychological Bulletin 76:378).

    Raises ValueError if items have unequal numbers of votes, or fewer than two.

    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1]]).value, 3)  # 1 - (2/9) / (40/81)
    0.55
    """
    counts = _checked_votes(votes)
    per_item = counts.sum(axis=1)
    if len(counts) and (per_item != per_item[0]).any():
        raise ValueError(
            f"{per_item.min()} to {per_item.max()} votes per item: Fleiss' kappa needs the same number "
            "for every item; krippendorff_alpha accepts any number"
        )
    if len(counts) and per_item[0] < 2:
        raise ValueError(f"agreement needs two or more votes per item, not {per_item[0]}")
    return _of_votes(counts, 1.0, cluster_codes(clusters, len(counts)), confidence)


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return Cohen's kappa of two annotators, whose labels are the codes *first* and *second*, from 0: [n].

    ``D_o`` is the share of items with different labels, and ``D_e = 1 - sum_c p_1c p_2c``, with ``p_jc`` how
    often annotator *j* gives label *c* (Cohen 1960, Educational and Psychological Measurement 20:37).

    Raises ValueError if the lengths differ.

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> f"{cohen_kappa(here, there):.0f}"
    '40 [12, 66]'
    """
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if one.shape != other.shape:
        raise ValueError(f"cannot compare {one.size} labels with {other.size}")
    n = len(one)
    k = int(max(one.max(), other.max())) + 1 if n else 1
    ours, theirs = (np.bincount(labels, minlength=k) / max(n, 1) for labels in (one, other))
    alike = float(ours @ theirs)
    added = 2 * alike - theirs[one] - ours[other]
    return _beyond_chance(one != other, 1 - alike, added, cluster_codes(clusters, n), confidence)


def krippendorff_alpha(votes: ArrayLike, clusters: Clusters = None, confidence: float = 0.95) -> Estimate:
    """Return Krippendorff's alpha of *votes* [n, k] for nominal labels; votes may be missing.

    With ``m_i`` votes on item *i* and ``m`` on all, of items with two or more: ``D_o`` is the mean, weighted
    by ``m_i``, of ``d_i = sum_c v_ic (m_i - v_ic) / (m_i (m_i - 1))``, and ``D_e = sum_c m_c (m - m_c) / (m
    (m - 1))`` (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section C; Hayes & Krippendorff
    2007, Communication Methods and Measures 1:77).  Items with fewer than two votes form no pairs and are not
    counted in *n*.

    Krippendorff's own interval resamples single disagreements and assumes that those within an item are
    independent, which does not hold for more than two votes per item.

    >>> round(krippendorff_alpha([[3, 0], [0, 2], [1, 1], [1, 0]]).value, 3)  # 1 - 2 / (24 / 6)
    0.5
    """
    counts = _checked_votes(votes)
    paired = counts.sum(axis=1) >= 2
    total = max(2, int(counts[paired].sum()))
    codes = cluster_codes(clusters, len(counts))[paired]
    return _of_votes(counts[paired], total / (total - 1), cluster_codes(codes, len(codes)), confidence)


def _checked_votes(votes: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(votes, dtype=np.int64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError(
            f"votes must be a table of counts, items by labels, not an array of shape {counts.shape}"
        )
    return counts


def _of_votes(
    counts: NDArray[np.int64], drawn: float, codes: NDArray[np.int64], confidence: float
) -> Estimate:
    """Return the agreement of votes [n, k]; *drawn* is the factor of the disagreement of two random votes."""
    per_item = counts.sum(axis=1)
    apart = (counts * (per_item[:, None] - counts)).sum(axis=1) / (per_item * (per_item - 1))
    weights = per_item / max(1, int(per_item.sum()))
    shares = counts / per_item[:, None]
    overall = weights @ shares  # p: (k,)
    alike = float(overall @ overall)
    added = 2 * drawn * (alike - shares @ overall)
    return _beyond_chance(apart, drawn * (1 - alike), added, codes, confidence, weights)


def _beyond_chance(
    apart: NDArray[Any],
    expected: float,
    added: NDArray[np.float64],
    codes: NDArray[np.int64],
    confidence: float,
    weights: NDArray[np.float64] | None = None,
) -> Estimate:
    """Return 1 minus the mean of *apart* [n] over what is *expected*, to which items *added* so much [n]."""
    n, m = len(apart), int(codes.max(initial=-1)) + 1
    if not n or expected < 1e-12:  # 0 except for rounding
        return Estimate(nan, -1.0, 1.0, n, m)
    observed = mean_as_share(apart, codes, confidence=confidence, weights=weights)
    kappa = 1 - observed.value / expected
    if m < 2:
        return Estimate(kappa, -1.0, 1.0, n, m)
    pulls = (observed.value - apart + added * observed.value / expected) / expected
    half = clustered_mean(pulls, codes, weights).half(confidence)
    low, high = (1 - bound / expected for bound in (observed.high, observed.low))
    return Estimate(kappa, max(-1.0, min(low, kappa - half)), min(1.0, max(high, kappa + half)), n, m)


class HumanAccuracy(NamedTuple):
    """The accuracy of one annotator *drawn* per item, and its expectation over all draws."""

    drawn: Estimate
    expected: Estimate


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
