"""Agreement on the same items: of two binary choices, or of the labels of any number of annotators.

Conventions: *votes* are counts of annotators by item and label [n, k], as in :mod:`crossexam.stats.human`.
Kappa and alpha are 1 for perfect agreement and 0 for agreement by chance.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.bootstrap import Statistic, bootstrap_interval
from crossexam.stats.clusters import Clusters, cluster_codes, freedom_of, jackknife, student_quantile
from crossexam.stats.estimate import share_correct


class Agreement(NamedTuple):
    """Precision, recall and kappa of choosing *found* of *n* items, *wanted* of them relevant, *both* chosen.

    Precision is nan if nothing was chosen, recall if nothing is relevant, kappa if both choices are the same
    and consist of all items or of none.
    """

    precision: float
    recall: float
    kappa: float
    found: int
    wanted: int
    both: int
    n: int


def agreement(found: ArrayLike, wanted: ArrayLike) -> Agreement:
    """Return precision and recall of *found* against *wanted*, Boolean [n], and Cohen's kappa of the two.

    ``kappa = (p_o - p_e) / (1 - p_e)``: ``p_o`` is the share of items on which both agree, ``p_e`` the share
    expected by chance, given how often each is true (Cohen 1960, Educational and Psychological Measurement
    20:37).  Raises ValueError if the lengths differ.

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(agreement(here, there).kappa, 2)  # (0.7 - 0.5) / (1 - 0.5)
    0.4
    """
    ours, theirs = np.asarray(found, dtype=bool), np.asarray(wanted, dtype=bool)
    if ours.shape != theirs.shape:
        raise ValueError(f"cannot compare {ours.size} choices with {theirs.size}")
    n, chosen, due = len(ours), int(ours.sum()), int(theirs.sum())
    both = int((ours & theirs).sum())
    if not n:
        return Agreement(nan, nan, nan, 0, 0, 0, 0)
    observed = float((ours == theirs).mean())
    chance = (chosen * due + (n - chosen) * (n - due)) / n**2
    return Agreement(
        both / chosen if chosen else nan,
        both / due if due else nan,
        (observed - chance) / (1 - chance) if chance < 1 else nan,
        chosen,
        due,
        both,
        n,
    )


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


def fleiss_kappa(
    votes: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """Return Fleiss' kappa of *votes* [n, k], with the same number ``j`` of annotators on every item.

    ``kappa = (mean of P_i - P_e) / (1 - P_e)``: ``P_i = (sum_c v_ic^2 - j) / (j (j - 1))`` is the share of
    pairs of annotators that agree on item *i*, ``P_e = sum_c p_c^2`` the share expected by chance, with
    ``p_c`` the share of all votes for label *c* (Fleiss 1971, Psychological Bulletin 76:378).  The interval
    is that of :func:`crossexam.stats.bootstrap.bootstrap_interval` over items or clusters; it reflects the
    sampling of items, not of annotators.  If all votes are for one label, kappa is nan with the interval
    -1 to 1.

    Raises ValueError if items have unequal numbers of votes, or fewer than two.

    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1]]).value, 3)  # (7/9 - 41/81) / (1 - 41/81)
    0.55
    """
    counts = _checked_votes(votes)
    per_item = counts.sum(axis=1)
    if len(counts) and (per_item != per_item[0]).any():
        raise ValueError(
            f"{per_item.min()} to {per_item.max()} votes per item: Fleiss' kappa needs the same number "
            "for every item; krippendorff_alpha accepts any number"
        )
    annotators = int(per_item[0]) if len(counts) else 2
    if annotators < 2:
        raise ValueError(f"agreement needs two or more votes per item, not {annotators}")
    agreeing = ((counts**2).sum(axis=1) - annotators) / (annotators * (annotators - 1))  # P: (n,)
    rows = np.column_stack([np.ones(len(counts)), agreeing, counts])  # (n, 2 + k)

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:  # (b, 2 + k) to (b,)
        n, shares = sums[:, :1], sums[:, 2:] / (annotators * sums[:, :1])
        chance = (shares**2).sum(axis=1)
        return _beyond_chance(1 - sums[:, 1] / n[:, 0], 1 - chance)

    return _estimate(rows, kappa, clusters, "fleiss_kappa", seed, confidence)


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """Return Cohen's kappa of two annotators, whose labels are the codes *first* and *second*, from 0: [n].

    ``kappa = (p_o - p_e) / (1 - p_e)``: ``p_o`` is the share of items with the same label, ``p_e = sum_c
    p_1c p_2c`` the share expected by chance, with ``p_jc`` how often annotator *j* gives label *c* (Cohen
    1960, Educational and Psychological Measurement 20:37).  The interval is that of
    :func:`crossexam.stats.bootstrap.bootstrap_interval` over items or clusters.  If both give the same label
    to all items, kappa is nan with the interval -1 to 1.

    Raises ValueError if the lengths differ.

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(cohen_kappa(here, there).value, 2)  # (0.7 - 0.5) / (1 - 0.5)
    0.4
    """
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if one.shape != other.shape:
        raise ValueError(f"cannot compare {one.size} labels with {other.size}")
    k = int(max(one.max(), other.max())) + 1 if one.size else 1
    given = [np.eye(k)[codes] for codes in (one, other)]  # (n, k) each
    rows = np.column_stack([np.ones(len(one)), one == other, *given])  # (n, 2 + 2k)

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:  # (b, 2 + 2k) to (b,)
        shares = sums[:, 1:] / sums[:, :1]
        chance = (shares[:, 1 : 1 + k] * shares[:, 1 + k :]).sum(axis=1)
        return _beyond_chance(1 - shares[:, 0], 1 - chance)

    return _estimate(rows, kappa, clusters, "cohen_kappa", seed, confidence)


def linear_kappa(
    first: ArrayLike, second: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return Cohen's kappa as :func:`cohen_kappa`, with an interval by linearization, which draws nothing.

    With ``p_o``, ``p_e`` and ``p_jc`` as there, an item with the labels *a* and *b* changes kappa by ``u_i =
    (o_i - p_o) / (1 - p_e) - (1 - p_o) (p_2a + p_1b - 2 p_e) / (1 - p_e)^2``, where ``o_i`` says whether *a*
    is *b* (Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72:323).  The interval is ``kappa -+ t[g-1]
    sqrt(B) / n`` for ``u_i``, with *B* and *g* of :mod:`crossexam.stats.clusters`, or wider: models that
    agree on all items may not on the next, so that it is at least ``1 - (1 - p) / (1 - p_e)`` for the bounds
    *p* of ``p_o`` (:func:`crossexam.stats.estimate.share_correct`).  It is cut off at -1 and 1, and for many
    pairs of models on many items.  If both give the same label to all items, kappa is nan with the interval
    -1 to 1.

    Raises ValueError if the lengths differ.

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> f"{linear_kappa(here, there):.0f}"
    '40 [12, 66]'
    """
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if one.shape != other.shape:
        raise ValueError(f"cannot compare {one.size} labels with {other.size}")
    n = len(one)
    codes = cluster_codes(clusters, n)
    m = int(codes.max(initial=-1)) + 1
    k = int(max(one.max(), other.max())) + 1 if n else 1
    ours, theirs = (np.bincount(labels, minlength=k) / max(n, 1) for labels in (one, other))
    beyond = 1 - float(ours @ theirs)  # 1 - p_e
    if not n or beyond < 1e-12:
        return Estimate(nan, -1.0, 1.0, n, m)
    same = (one == other).astype(np.float64)
    apart = 1 - float(same.mean())
    kappa = 1 - apart / beyond
    if m < 2:
        return Estimate(kappa, -1.0, 1.0, n, m)
    pull = (same - 1 + apart) / beyond
    pull -= apart * (theirs[one] + ours[other] - 2 * (1 - beyond)) / beyond**2
    sums: NDArray[np.float64] = np.bincount(codes, weights=pull).astype(np.float64)
    shares = np.bincount(codes) / n
    half = student_quantile(freedom_of(shares), confidence) * sqrt(jackknife(sums, shares)) / n
    alike = share_correct(same, codes, confidence)
    low, high = (1 - (1 - bound) / beyond for bound in alike[1:3])
    return Estimate(kappa, max(-1.0, min(low, kappa - half)), min(1.0, max(high, kappa + half)), n, m)


def krippendorff_alpha(
    votes: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """Return Krippendorff's alpha of *votes* [n, k] for nominal labels; votes may be missing.

    With ``m_i`` votes on item *i* and ``m`` on all, of items with two or more: observed disagreement
    ``D_o = 1/m sum_i sum_c v_ic (m_i - v_ic) / (m_i - 1)``, expected
    ``D_e = sum_c m_c (m - m_c) / (m (m - 1))``, ``alpha = 1 - D_o / D_e`` (Krippendorff 2011, Computing
    Krippendorff's Alpha-Reliability, section C; Hayes & Krippendorff 2007, Communication Methods and
    Measures 1:77).  Items with fewer than two votes form no pairs and are not counted in *n*.

    The interval is that of :func:`crossexam.stats.bootstrap.bootstrap_interval` over items or clusters.
    Krippendorff's own interval resamples single disagreements and assumes that those within an item are
    independent, which does not hold for more than two votes per item.  If all votes are for one label, alpha
    is nan with the interval -1 to 1.

    >>> round(krippendorff_alpha([[3, 0], [0, 2], [1, 1], [1, 0]]).value, 3)  # 1 - 2 / (24 / 6)
    0.5
    """
    counts = _checked_votes(votes)
    per_item = counts.sum(axis=1)  # m: (n,)
    paired = per_item >= 2
    codes = cluster_codes(clusters, len(counts))[paired]
    counts, per_item = counts[paired], per_item[paired]
    apart = (counts * (per_item[:, None] - counts)).sum(axis=1) / (per_item - 1)
    rows = np.column_stack([apart, per_item, counts])  # (n, 2 + k)

    def alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:  # (b, 2 + k) to (b,)
        total, by_label = sums[:, 1], sums[:, 2:]
        expected = (by_label * (total[:, None] - by_label)).sum(axis=1) / (total - 1)
        return _beyond_chance(sums[:, 0], expected)

    return _estimate(rows, alpha, codes, "krippendorff_alpha", seed, confidence)


def _checked_votes(votes: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(votes, dtype=np.int64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError(
            f"votes must be a table of counts, items by labels, not an array of shape {counts.shape}"
        )
    return counts


def _beyond_chance(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 minus *observed* over *expected* disagreement; nan if none is expected."""
    varied = expected > 1e-12  # 0 except for rounding
    return np.where(varied, 1 - observed / np.where(varied, expected, 1.0), nan)


def _estimate(
    rows: NDArray[np.float64],
    statistic: Statistic,
    clusters: Clusters,
    name: str,
    seed: int,
    confidence: float,
) -> Estimate:
    codes = cluster_codes(clusters, len(rows))
    if not len(rows):
        return Estimate(nan, -1.0, 1.0, 0, 0)
    value, low, high = bootstrap_interval(rows, statistic, codes, name=name, seed=seed, confidence=confidence)
    return Estimate(value, max(-1.0, low), min(1.0, high), len(rows), int(codes.max()) + 1)
