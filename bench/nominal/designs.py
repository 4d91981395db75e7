"""Populations whose truth is known, and samples of them: clusters of items, word pairs, sure models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate

Kind = Literal["coverage", "level", "gate", "power"]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Shares = NDArray[np.float64]

#: Items of a population whose truth is not known by a formula.
MANY: Final = 300_000


@dataclass(frozen=True)
class Cell:
    """A *number* in a *design*, and whether one sample of it, drawn with a generator, is a hit.

    A hit is an interval that holds the truth (*coverage*), a true null hypothesis that is rejected (*level*),
    a check that is wrongly decided (*gate*), or a detectable value that is found (*power*).
    """

    kind: Kind
    number: str
    design: str
    hit: Callable[[np.random.Generator], bool]


def holds(found: Estimate, truth: float) -> bool:
    """Return whether the interval of *found* holds the *truth*, up to rounding."""
    return found.low - 1e-12 <= truth <= found.high + 1e-12


def is_significant(p_value: float | None) -> bool:
    """Return whether a test with this *p_value* rejects at 5 %."""
    return p_value is not None and p_value <= 0.05


# ---- items in clusters


@dataclass(frozen=True)
class Clusters:
    """Items in clusters of the given *sizes*, alike to the intraclass correlation *icc*."""

    name: str
    sizes: tuple[int, ...]
    icc: float

    @property
    def n(self) -> int:
        """The number of items."""
        return sum(self.sizes)

    @property
    def codes(self) -> Codes:
        """The cluster of each item [n]."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def events(self, rng: np.random.Generator, *chances: float) -> list[Flags]:
        """Return which items have events of these *chances*, a cluster being alike in all of them."""
        m, codes = len(self.sizes), self.codes
        easy = rng.random(m)
        return [rng.random(len(codes)) < self.chances(easy, chance)[codes] for chance in chances]

    def pair(self, rng: np.random.Generator, first: float, second: float) -> tuple[Flags, Flags]:
        """Return which items have each of two events, as :meth:`events` does."""
        one, other = self.events(rng, first, second)
        return one, other

    def chances(self, easy: Shares, chance: float) -> Shares:
        """Return the chance of an event in clusters that are so *easy*, uniformly from 0 to 1 [m]."""
        if 0 < self.icc < 1 and 0 < chance < 1:
            rest = 1 / self.icc - 1
            return _beta_quantile(chance * rest, (1 - chance) * rest, easy)
        return (easy < chance).astype(np.float64) if self.icc == 1 else np.full(len(easy), chance)

    def normal(self, rng: np.random.Generator) -> Shares:
        """Return a standard normal number per item [n], of whose variance *icc* is that of the cluster."""
        common = np.sqrt(self.icc) * rng.standard_normal(len(self.sizes))[self.codes]
        own: Shares = common + np.sqrt(1 - self.icc) * rng.standard_normal(self.n)
        return own


def _beta_quantile(a: float, b: float, share: Shares) -> Shares:
    from scipy.special import betaincinv

    quantile: Shares = betaincinv(a, b, share)
    return quantile


def single(n: int) -> Clusters:
    """Return *n* independent items."""
    return Clusters(f"{n:,} items", (1,) * n, 0.0)


def equal(n: int, icc: float, size: int = 3) -> Clusters:
    """Return clusters of equal size."""
    return Clusters(f"{n:,} items, {size} a cluster, ICC {icc:g}", (size,) * (n // size), icc)


def zipf(n: int, clusters: int, icc: float) -> Clusters:
    """Return clusters whose sizes fall as 1, 1/2, 1/3 and so on."""
    weights = 1 / np.arange(1, clusters + 1)
    sizes = np.maximum(1, np.round(n * weights / weights.sum())).astype(int).tolist()
    return Clusters(f"{sum(sizes):,} items, {clusters} Zipf clusters, ICC {icc:g}", tuple(sizes), icc)


DESIGNS: Final = (
    single(50),
    single(100),
    single(300),
    single(1500),
    equal(150, 0.3),
    equal(150, 0.5),
    equal(900, 0.3),
    equal(1500, 0.5),
    equal(300, 0.5, size=10),
    zipf(1000, 100, 0.3),
    zipf(1000, 100, 0.5),
    zipf(1000, 100, 1.0),
)
#: Fewer designs, for numbers that take longer or that are made from the same intervals.
SOME: Final = (single(50), single(300), equal(150, 0.5), equal(900, 0.3), zipf(1000, 100, 0.5))
#: Clusters of the few items of a slice.
OF_SLICES: Final = (
    Clusters("12 items, 4 a cluster, ICC 0.3", (4,) * 3, 0.3),
    Clusters("50 items, 10 a cluster, ICC 0.3", (10,) * 5, 0.3),
    Clusters("100 items, 10 a cluster, ICC 0.5", (10,) * 10, 0.5),
    equal(30, 0.3),
    zipf(60, 10, 0.3),
)
