"""A number with its confidence interval."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """A *value* with its confidence interval *low* to *high*, over *n* items in so many *clusters*.

    >>> f"{Estimate(0.5, 0.4, 0.6, 100, 34)}"
    '50.0 [40.0, 60.0]'
    """

    value: float
    low: float
    high: float
    n: int
    clusters: int

    def __format__(self, spec: str) -> str:
        """Return the value and the interval in percent, each formatted by *spec* (default ``.1f``)."""
        spec = spec or ".1f"
        return f"{100 * self.value:{spec}} [{100 * self.low:{spec}}, {100 * self.high:{spec}}]"
