"""The area under the ROC curve of scores of two kinds of items, with an interval for clustered items."""

from __future__ import annotations

from math import inf, nan
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.estimate import Estimate
from crossexam.stats.clusters import Clusters, cluster_codes, freedom_of, jackknife, t_factor
from crossexam.stats.estimate import wilson

#: Weight of the shrinkage of the variance towards the worst case, in items of the rarer kind that are wrong.
_PRIOR_ITEMS: Final = 0.25


def _placements(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the placement of each item, *positive* or not, among those of the other kind by *scores*: [n].

    That of a positive item is the share of the negative ones that score lower, and that of a negative item
    the share of the positive ones that score higher; equal scores count half.  The mean of either kind is the
    area.  There must be items of both kinds.

    >>> _placements(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])).tolist()
    [1.0, 0.5, 0.75]
    """
    values = np.empty(len(scores))
    for kind, other, sign in ((positive, ~positive, 1), (~positive, positive, -1)):
        among = np.sort(sign * scores[other])
        own = sign * scores[kind]
        below = np.searchsorted(among, own, side="left") + np.searchsorted(among, own, side="right")
        values[kind] = below / (2 * len(among))
    return values


def roc_auc(
    scores: ArrayLike, positive: ArrayLike, clusters: Clusters = None, confidence: float = 0.95
) -> Estimate:
    """Return the probability that a *positive* item scores higher than another, with its interval.

    *scores* [n] are any numbers, infinite ones too; equal scores count half.  The interval is Wilson's for as
    many items as would have the variance of DeLong, DeLong & Clarke-Pearson (1988, Biometrics 44:837) with
    sums over clusters, which may have items of both kinds (Obuchowski 1997, Biometrics 53:567), by the
    jackknife of :mod:`crossexam.stats.clusters`, shrunk with the weight of a quarter of an item
    (docs/derivations.md#area-under-the-roc-curve).

    The value is nan and the interval 0 to 1 unless there are items of both kinds.  Raises ValueError if the
    lengths differ.

    >>> f"{roc_auc([0.9, 0.8, 0.3, 0.6, 0.2, 0.1], [1, 1, 1, 0, 0, 0])}"
    '88.9 [16.4, 99.7]'
    """
    given, kinds = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    n = len(given)
    if len(kinds) != n:
        raise ValueError(f"{len(kinds)} labels for {n} scores")
    codes = cluster_codes(clusters, n)
    m = int(codes.max(initial=-1)) + 1
    if kinds.all() or not kinds.any():
        return Estimate(nan, 0.0, 1.0, n, m)
    values = _placements(given, kinds)
    auc = float(values[kinds].mean())
    shares = [np.bincount(codes[kind], minlength=m) / np.count_nonzero(kind) for kind in (kinds, ~kinds)]
    fewest = min(int(np.count_nonzero(each)) for each in shares)
    if fewest < 2:
        return Estimate(auc, 0.0, 1.0, n, m)
    freedom = min(freedom_of(each) for each in shares)
    variance = _variance(values - auc, kinds, codes, shares)
    prior = _PRIOR_ITEMS / fewest
    size = (auc * (1 - auc) + prior) / (variance + prior / fewest)
    low, high = wilson(auc, max(1.0, size * t_factor(inf, freedom, confidence)), confidence)
    return Estimate(auc, low, high, n, m)


def roc_influences(scores: ArrayLike, positive: ArrayLike) -> NDArray[np.float64]:
    """Return values of the items [n] whose mean is the area, each as it influences that.

    They are ``A + n / n_k (v_i - A)`` with the area ``A`` and the placement ``v_i`` of an item among those of
    the other kind; its own has ``n_k`` items.  There must be items of both kinds.

    >>> roc_influences([0.9, 0.4, 0.4], [1, 1, 0]).tolist()
    [1.125, 0.375, 0.75]
    """
    given, kinds = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    values = _placements(given, kinds)
    auc = float(values[kinds].mean())
    sizes = np.where(kinds, np.count_nonzero(kinds), np.count_nonzero(~kinds))
    found: NDArray[np.float64] = auc + len(given) / sizes * (values - auc)
    return found


def _variance(
    residuals: NDArray[np.float64],
    positive: NDArray[np.bool_],
    codes: NDArray[np.int64],
    shares: list[NDArray[np.float64]],
) -> float:
    """Return the variance of the area, from *residuals* of placements [n] and cluster *codes* [n].

    *shares* are those of the clusters in the items of either kind [m] each.
    """
    total, together = 0.0, []
    for kind, held in zip((positive, ~positive), shares, strict=True):
        own = residuals[kind] / np.count_nonzero(kind)
        sums = np.bincount(codes[kind], weights=own, minlength=len(held)).astype(np.float64, copy=False)
        total += jackknife(sums[held > 0], held[held > 0])
        together.append(sums / (1 - held))
    m = len(shares[0])
    return max(0.0, total + 2 * (m - 1) / m * float(together[0] @ together[1]))
