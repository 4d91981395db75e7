"""How far choices from the same items agree: two of true or false, or any number of judges' labels.

Conventions: *votes* are counts of judges by item and label [n, k], as in :mod:`crossexam.stats.human`.
"""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.bootstrap import Statistic, bootstrap_interval
from crossexam.stats.clusters import Clusters, cluster_codes


class Agreement(NamedTuple):
    """Of *n* items, *found* were chosen, *wanted* should have been, *both* were: precision, recall, kappa.

    nan where nothing was found, nothing wanted, or where both choices are all or nothing (kappa).
    """

    precision: float
    recall: float
    kappa: float
    found: int
    wanted: int
    both: int
    n: int


def agreement(found: ArrayLike, wanted: ArrayLike) -> Agreement:
    """Return precision and recall of *found* against *wanted* [n], and Cohen's kappa of the two.

    ``kappa = (p_o - p_e) / (1 - p_e)``: ``p_o`` is the share of items on which both say the same, ``p_e``
    what that share would be by chance, from how often each says true (Cohen 1960, Educational and
    Psychological Measurement 20:37).

    >>> here, there = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    >>> round(agreement(here, there).kappa, 2)  # (0.7 - 0.5) / (1 - 0.5)
    0.4
    """
    ours, theirs = np.asarray(found, dtype=bool), np.asarray(wanted, dtype=bool)
    if ours.shape != theirs.shape:
        raise ValueError(f"{ours.size} choices against {theirs.size}")
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
    """Return the votes [n, k] of *ratings* [n, judges]: codes 0 to k - 1, -1 where a judge said nothing.

    Raises ValueError for another code.

    >>> votes_of([[0, 0, 2], [1, -1, 1]], 3).tolist()
    [[2, 0, 1], [0, 2, 0]]
    """
    codes = np.asarray(ratings, dtype=np.int64)
    if codes.ndim != 2 or (codes.size and not (codes.min() >= -1 and codes.max() < k)):
        raise ValueError(f"a table of codes is wanted, items by judges, each from 0 to {k - 1} or -1")
    votes = np.zeros((len(codes), k + 1), dtype=np.int64)  # the last column takes the -1
    np.add.at(votes, (np.arange(len(codes))[:, None], codes), 1)
    return votes[:, :k]


def fleiss_kappa(
    votes: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """Return Fleiss' kappa of *votes* [n, k], every item by the same number of judges ``j``.

    ``kappa = (mean of P_i - P_e) / (1 - P_e)``: ``P_i = (sum_c v_ic^2 - j) / (j (j - 1))`` is the share of
    pairs of judges that agree about item *i*, ``P_e = sum_c p_c^2`` what it would be by chance, with ``p_c``
    the share of all votes that go to label *c* (Fleiss 1971, Psychological Bulletin 76:378).  The interval
    is that of :func:`crossexam.stats.bootstrap.bootstrap_interval` over items, or clusters: of the sample
    of items, the judges being these.  Where all votes go to one label kappa is nan, between -1 and 1.

    Raises ValueError where items have unequal numbers of votes, or fewer than two.

    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1]]).value, 3)  # (7/9 - 41/81) / (1 - 41/81)
    0.55
    """
    counts = _checked_votes(votes)
    each = counts.sum(axis=1)
    if len(counts) and (each != each[0]).any():
        raise ValueError(
            f"{each.min()} to {each.max()} votes an item: Fleiss' kappa wants the same number on each;"
            " krippendorff_alpha takes any"
        )
    judges = int(each[0]) if len(counts) else 2
    if judges < 2:
        raise ValueError(f"{judges} vote an item: agreement wants two or more")
    agreeing = ((counts**2).sum(axis=1) - judges) / (judges * (judges - 1))  # P: (n,)
    rows = np.column_stack([np.ones(len(counts)), agreeing, counts])  # (n, 2 + k)

    def kappa(sums: NDArray[np.float64]) -> NDArray[np.float64]:  # (b, 2 + k) to (b,)
        n, shares = sums[:, :1], sums[:, 2:] / (judges * sums[:, :1])
        chance = (shares**2).sum(axis=1)
        return _beyond_chance(1 - sums[:, 1] / n[:, 0], 1 - chance)

    return _estimate(rows, kappa, clusters, "fleiss_kappa", seed, confidence)


def krippendorff_alpha(
    votes: ArrayLike, clusters: Clusters = None, *, seed: int = 0, confidence: float = 0.95
) -> Estimate:
    """Return Krippendorff's alpha for labels without order, of *votes* [n, k]; judges may leave items out.

    With ``m_i`` votes on item *i* and ``m`` on all, of items with two or more: observed disagreement
    ``D_o = 1/m sum_i sum_c v_ic (m_i - v_ic) / (m_i - 1)``, expected
    ``D_e = sum_c m_c (m - m_c) / (m (m - 1))``, ``alpha = 1 - D_o / D_e`` (Krippendorff 2011, Computing
    Krippendorff's Alpha-Reliability, section C; Hayes & Krippendorff 2007, Communication Methods and
    Measures 1:77).  Items with fewer than two votes pair nothing and are not counted in *n*.

    The interval is that of :func:`crossexam.stats.bootstrap.bootstrap_interval` over items, or clusters.
    Krippendorff's own resamples single disagreements instead, and takes those within an item to be
    independent; with several votes an item they are not.  Where all votes go to one label alpha is nan,
    between -1 and 1.

    >>> round(krippendorff_alpha([[3, 0], [0, 2], [1, 1], [1, 0]]).value, 3)  # 1 - 2 / (24 / 6)
    0.5
    """
    counts = _checked_votes(votes)
    each = counts.sum(axis=1)  # m: (n,)
    paired = each >= 2
    codes = cluster_codes(clusters, len(counts))[paired]
    counts, each = counts[paired], each[paired]
    apart = (counts * (each[:, None] - counts)).sum(axis=1) / (each - 1)
    rows = np.column_stack([apart, each, counts])  # (n, 2 + k)

    def alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:  # (b, 2 + k) to (b,)
        total, by_label = sums[:, 1], sums[:, 2:]
        expected = (by_label * (total[:, None] - by_label)).sum(axis=1) / (total - 1)
        return _beyond_chance(sums[:, 0], expected)

    return _estimate(rows, alpha, codes, "krippendorff_alpha", seed, confidence)


def _checked_votes(votes: ArrayLike) -> NDArray[np.int64]:
    counts = np.asarray(votes, dtype=np.int64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError(f"votes are wanted, counts of items by labels, not {counts.shape}")
    return counts


def _beyond_chance(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 less *observed* disagreement over what is *expected* by chance; nan where none is."""
    varied = expected > 1e-12  # 1 - chance is 0 but for rounding
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
