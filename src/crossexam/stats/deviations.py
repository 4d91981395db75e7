"""The deviations of the bins of a calibration error, and how far chance may have moved them.

The deviation of a bin is the sum of ``happened - stated`` over its items, divided by the number of all items:
``d = delta + e`` with the error *e*.  Its distances to the bounds of *delta* are those of the t interval from
the variance of sums over clusters, or those of the interval of the share of events in the bin, if wider: a
bin in which all answers are right shows no variance.  As elsewhere (:mod:`crossexam.stats.combined`), a
distance stands for the standard error on its side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossexam.core.stretches import stretches
from crossexam.stats.bootstrap import generator
from crossexam.stats.clusters import ClusterSums, design_effect, normal_quantile, student_quantile, t_factor
from crossexam.stats.estimate import share_interval

_SUMS_AT_ONCE: Final = 2**21  # of clusters by bin, which are held at a time
_DRAWS: Final = 20_000
_COLUMNS: Final = 16  # of random numbers that are drawn together
_CERTAIN: Final = 4.0  # standard errors from 0 at which the sign of a deviation is certain
_ANCHOR: Final = 0.005  # share of the draws in the tail, beyond which the tail is bounded instead of counted


class BinSums:
    """What items add to the bins of k columns of probabilities: those of k labels, or of two models.

    Each column has *width* bins of its own.  Items come in parts; all items of a cluster are in one part.
    """

    def __init__(self, n: int, k: int, width: int) -> None:
        """Begin with none of the *n* items."""
        self.n = n
        self.counts = np.zeros((k, width), dtype=np.int64)  # of items
        self.stated, self.events = np.zeros((k, width)), np.zeros((k, width))
        self._squares = np.zeros(k)  # of happened - stated
        self.clusters = ClusterSums(n, k * width)

    def add(
        self,
        stated: NDArray[np.float64],
        happened: NDArray[Any],
        bins: NDArray[np.integer[Any]],
        codes: NDArray[np.int64],
    ) -> None:
        """Add items: probabilities *stated*, what *happened*, *bins* [n, k] and *codes* of clusters [n]."""
        k, width = self.counts.shape
        for column in range(k):
            for part in stretches(len(codes)):
                p, y = np.ascontiguousarray(stated[part, column]), happened[part, column]
                own = bins[part, column].astype(np.int64)
                self.counts[column] += np.bincount(own, minlength=width)
                self.events[column] += np.bincount(own, y, width)
                np.add.at(self.stated[column], own, p)
                off = y - p
                self._squares[column] += off @ off
        sizes = np.bincount(codes)
        block = max(1, _SUMS_AT_ONCE // (k * width))  # of clusters
        order = None if len(sizes) <= block else np.argsort(codes, kind="stable")
        ends = np.cumsum(sizes)
        for first in range(0, len(sizes), block):
            last = min(first + block, len(sizes))
            sums = np.zeros((last - first) * k * width)
            for part in stretches(int(ends[last - 1]), int(ends[first - 1]) if first else 0):
                items = part if order is None else order[part]
                starts = (codes[items] - first) * (k * width)  # of the bins of a cluster
                for column in range(k):
                    places = starts + bins[items, column] + column * width
                    np.add.at(sums, places, happened[items, column] - stated[items, column])
            self.clusters.add(sizes[first:last], sums.reshape(-1, k * width))

    @property
    def values(self) -> NDArray[np.float64]:
        """The sums of ``happened - stated`` over the items of each bin: [k, width]."""
        return self.events - self.stated

    @property
    def design_effects(self) -> NDArray[np.float64]:
        """The design effect of ``happened - stated`` of each column, whatever the bins: [k]."""
        n, totals = self.n, self.values.sum(axis=1)
        within = n / max(1, n - 1) * np.maximum(0.0, self._squares - totals**2 / n)
        whole = self.clusters.variance(slice(None)).reshape(2 * self.counts.shape)
        between = np.maximum(0.0, whole.sum(axis=(1, 3)).diagonal())
        return design_effect(between, within, self.clusters.worst)

    def deviations(self, of: int, effects: ArrayLike) -> Deviations:
        """Return the deviations of the bins with items, divided by *of*, at the design *effects* [k]."""
        used = self.counts > 0
        flat = used.ravel()
        return Deviations(
            self.values[used] / of,
            self.clusters.variance(slice(None))[np.ix_(flat, flat)] / of**2,
            self.clusters.freedom,
            self.counts[used] / of,
            self.events[used] / self.counts[used],
            (self.counts / np.broadcast_to(effects, len(used))[:, None])[used],
            self.n,
        )


@dataclass(frozen=True)
class Deviations:
    """The deviations of bins, *values* [b], with their *covariance* [b, b] and its degrees of *freedom*.

    A bin has the share *weights* of all *n* items [b], of which *shares* are events [b], and counts as
    *sizes* independent items [b].
    """

    values: NDArray[np.float64]
    covariance: NDArray[np.float64]
    freedom: float
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    sizes: NDArray[np.float64]
    n: int

    def reach(self, confidence: float) -> Reach:
        """Return how far chance may have moved the deviations, at this *confidence*."""
        spread = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        wald = student_quantile(self.freedom, confidence) * spread
        sizes = self.sizes * t_factor(self.n - 1, self.freedom, confidence)
        ends = np.array(
            [
                share_interval(share, size, confidence)
                for share, size in zip(self.shares.tolist(), sizes.tolist(), strict=True)
            ]
        )
        below = np.maximum(wald, self.weights * (self.shares - ends[:, 0]))
        above = np.maximum(wald, self.weights * (ends[:, 1] - self.shares))
        scale = np.outer(spread, spread)
        correlations = np.divide(self.covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        np.fill_diagonal(correlations, 1.0)
        return Reach(self.values, below, above, correlations, confidence)


class Reach(NamedTuple):
    """How far *below* and *above* its value [b] each deviation may truly lie at a *confidence*."""

    values: NDArray[np.float64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    correlations: NDArray[np.float64]
    confidence: float

    @property
    def certain_signs(self) -> NDArray[np.float64]:
        """The signs of the deviations [b], 0 unless they are more than 4 standard errors from 0."""
        towards_0 = np.where(self.values > 0, self.below, self.above)
        errors = towards_0 / normal_quantile(self.confidence)
        return np.where(np.abs(self.values) > _CERTAIN * errors, np.sign(self.values), 0.0)

    def outwards(self) -> float:
        """Return how far above the sum of the absolute values that of the true deviations may lie.

        A deviation near 0 may be larger with the other sign.
        """
        signs = np.where(self.values < 0, -1.0, 1.0)
        outer, inner = np.where(signs > 0, (self.above, self.below), (self.below, self.above))
        furthest = np.maximum(outer, inner - 2 * np.abs(self.values))
        correlations = self.correlations * np.outer(signs, signs)
        return sqrt(max(0.0, float(furthest @ correlations @ furthest)))

    def exceeded(self, signs: NDArray[np.float64]) -> float:
        """Return what chance adds with a probability of (1 - *confidence*) / 2 or less.

        It adds up over the bins: the error *e* with its sign in *signs* [b], or its absolute value where that
        is 0.  It is a quantile of 20,000 draws.  Beyond the 0.5 % of these that are largest, the tail is not
        counted but bounded: of a function of independent normal variables whose slope is nowhere above *L*,
        the quantiles grow by at most *L* per unit of the normal quantile (the Gaussian isoperimetric
        inequality: Borell 1975, Inventiones Mathematicae 30:207).
        """
        values, vectors = np.linalg.eigh(self.correlations)
        roots = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        normal = _normal_numbers(-(-len(values) // _COLUMNS))[:, : len(values)]
        z = normal_quantile(self.confidence)
        # An error above 0 is z times *below*, one under it z times *above*: linear in z and its absolute
        # value.
        middle, skew = (self.below + self.above) / (2 * z), (self.below - self.above) / (2 * z)
        plain = np.where(signs == 0, skew, signs * middle)
        absolute = np.where(signs == 0, middle, signs * skew)
        sizes = np.abs(normal @ roots.astype(np.float32))
        chance = normal @ (roots @ plain).astype(np.float32) + sizes @ absolute.astype(np.float32)
        tail = (1 - self.confidence) / 2
        if tail >= _ANCHOR:
            return float(np.quantile(chance, 1 - tail))
        widest = np.maximum(self.below, self.above) / z
        slope = sqrt(float(widest @ np.abs(self.correlations) @ widest))
        return float(np.quantile(chance, 1 - _ANCHOR)) + slope * (z - normal_quantile(1 - 2 * _ANCHOR))


@lru_cache(maxsize=4)
def _normal_numbers(blocks: int) -> NDArray[np.float32]:
    """Return standard normal numbers for so many blocks of columns: [draws, columns]."""
    drawn = generator(0, "calibration error").standard_normal((blocks * _COLUMNS, _DRAWS), np.float32)
    numbers = drawn.T
    numbers.flags.writeable = False
    return numbers
