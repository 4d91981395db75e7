"""A number with its confidence interval."""

from __future__ import annotations

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
