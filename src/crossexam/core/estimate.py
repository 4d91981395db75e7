"""A number with its confidence interval, and p-values as text."""

from __future__ import annotations

from math import nan
from typing import NamedTuple


class Estimate(NamedTuple):
    """A *value* with its confidence interval *low* to *high*, over *n* items in so many *clusters*.

    >>> Estimate(1 / 3, 0.25, 0.5, 100, 34)
    Estimate(value=0.3333, low=0.25, high=0.5, n=100, clusters=34)
    >>> f"{Estimate(0.5, 0.4, 0.6, 100, 34)}"
    '50.0 [40.0, 60.0]'
    """

    value: float
    low: float
    high: float
    n: int
    clusters: int

    def __repr__(self) -> str:
        """Return the fields, the shares rounded to four digits."""
        shares = ", ".join(f"{name}={getattr(self, name):.4g}" for name in ("value", "low", "high"))
        return f"Estimate({shares}, n={self.n}, clusters={self.clusters})"

    def __format__(self, spec: str) -> str:
        """Return the value and the interval in percent, each formatted by *spec* (default ``.1f``)."""
        spec = spec or ".1f"
        return f"{100 * self.value:{spec}} [{100 * self.low:{spec}}, {100 * self.high:{spec}}]"


class Bounds(Estimate):
    """A number of which only bounds are known: it is *least* or more, and *most* or less.

    As an Estimate it has no value (nan); its interval is from the lower end of that of *least* to the upper
    end of that of *most*.

    >>> Bounds(Estimate(0.5, 0.4, 0.6, 100, 34), Estimate(0.625, 0.525, 0.725, 100, 34))
    Bounds(least=0.5, most=0.625, low=0.4, high=0.725, n=100, clusters=34)
    """

    least: Estimate
    most: Estimate

    def __new__(cls, least: Estimate, most: Estimate) -> Bounds:
        """Return the bounds *least* and *most*, of the same items."""
        made = super().__new__(cls, nan, least.low, most.high, least.n, least.clusters)
        made.least, made.most = least, most
        return made

    def __getnewargs__(self) -> tuple[Estimate, Estimate]:
        """Return what a copy is made from."""
        return self.least, self.most

    def __repr__(self) -> str:
        """Return the bounds and the interval, rounded to four digits."""
        numbers = {"least": self.least.value, "most": self.most.value, "low": self.low, "high": self.high}
        shares = ", ".join(f"{name}={number:.4g}" for name, number in numbers.items())
        return f"Bounds({shares}, n={self.n}, clusters={self.clusters})"

    def __format__(self, spec: str) -> str:
        """Return the bounds and the interval in percent, each formatted by *spec* (default ``.1f``)."""
        spec = spec or ".1f"
        least, most, low, high = (
            f"{100 * share:{spec}}" for share in (self.least.value, self.most.value, self.low, self.high)
        )
        return f"{least} to {most} [{low}, {high}]"


class PBound(float):
    """A p-value that is as small as can be computed, and may be smaller."""


def p_value_text(p: float) -> str:
    """Return a p-value as text, in three decimals or, if it is smaller than 0.001, in its own magnitude.

    0 is the probability of an event too rare for a floating-point number, and the smallest numbers are
    bounds, which a correction may have multiplied.

    >>> [p_value_text(p) for p in (0.0421, 0.00004, 1.3668e-19, 0.0, PBound(2.6e-11))]
    ['0.042', '4.0e-5', '1.4e-19', '<1e-290', '<2.6e-11']
    """
    if isinstance(p, PBound):
        return f"<{p_value_text(float(p))}"
    if p >= 0.001:
        return f"{p:.3f}"
    if p < 1e-290:
        return "<1e-290"
    digits, _, exponent = f"{p:.1e}".partition("e")
    return f"{digits}e{int(exponent)}"
