"""What so many items could show of an open check, and how many would settle it.

Both are computed from the tail that decides the check.  For a share this is the binomial one at the effective
number of items; for a difference of paired items the normal one, whose spread is that of the quantity; for
others the bounds of the interval at the level of the check.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil, exp, floor, inf, log, sqrt
from typing import Final, NamedTuple

from crossexam.core.estimate import Estimate
from crossexam.evaluation.quantities import Quantity
from crossexam.gates.rules import Limit
from crossexam.stats.chances import chance_of_reaching, improbable_count
from crossexam.stats.clusters import normal_quantile
from crossexam.stats.estimate import share_interval
from crossexam.stats.roots import crossing

_POWER: Final = 0.8
#: More items than this are not worth a number.
_COUNTABLE: Final = 1e7
#: What rounding may take from a whole number of items.
_ROUNDING: Final = 1e-6


class Prospects(NamedTuple):
    """The nearest value beyond the limit that would be *detectable*, and the *items_needed* to settle it.

    Either is None if there is none.
    """

    detectable: float | None
    items_needed: int | None


def prospects_of(quantity: Quantity, limit: Limit, level: float) -> Prospects:
    """Return what so many items of *quantity* could show of *limit* at the one-sided *level*."""
    z = normal_quantile(1 - 2 * level)
    if quantity.spread is None:
        estimate = quantity.tested.known(1 - 2 * level)
        found = quantity.tested.distances
        cut = (estimate.value - estimate.low, estimate.high - estimate.value)
        detectable, factor = _of_bounds(limit, estimate.value, *(found(1 - 2 * level) if found else cut), z)
    else:
        estimate = quantity.known(1 - 2 * level)
        is_share = quantity.exact is not None
        size = (_size_of_share if is_share else partial(_effective_number, quantity.spread))(estimate, z)
        if not 0 < size < inf:
            return Prospects(None, None)
        if is_share:
            detectable, needed = _of_share(limit, level, estimate, size)
        else:
            detectable, needed = _of_normal(quantity, limit, z, estimate, size)
        factor = needed / size
    if detectable is not None and not quantity.lowest <= detectable <= quantity.highest:
        detectable = None
    items = factor * estimate.n
    return Prospects(detectable, None if not items <= _COUNTABLE else ceil(items))


def _of_bounds(
    limit: Limit, value: float, below: float, above: float, z: float
) -> tuple[float | None, float]:
    """Return what bounds so far *below* and *above* *value*, of the quantile *z*, show of a quantity.

    The rule is shown to be broken if the bound towards the limit is beyond it; the true value has to be
    beyond it by the distance of that bound, and by the standard error, which the other bound shows, times the
    quantile of the power.  Both shrink as the square root of the number of items grows.  Returned are this
    value and the factor by which there must be more items to settle the value measured.
    """
    power = normal_quantile(2 * _POWER - 1) / z
    if limit.side == "above":
        detectable = limit.threshold - above - power * below
    else:
        detectable = limit.threshold + below + power * above
    distance = abs(value - limit.threshold)
    needed = below if value > limit.threshold else above
    return detectable, (needed / distance) ** 2 if distance else inf


def _size_of_share(estimate: Estimate, z: float) -> float:
    """Return how many independent items would have the interval of a share, whose quantile is *z*."""
    from scipy.special import ndtr

    confidence = 2 * float(ndtr(z)) - 1
    side = 0 if estimate.low > 0 else 1  # of the bounds, the one that is not cut off

    def excess(log_size: float) -> float:
        """Return how much nearer the bound of so many items is; it grows with their number."""
        bound = share_interval(estimate.value, exp(log_size), confidence)[side]
        return abs(estimate[1 + side] - estimate.value) - abs(bound - estimate.value)

    least, most = log(1e-2), log(1e3 * _COUNTABLE)
    log_size = crossing(excess, least, most, 1e-9)
    return exp(log_size) if least < log_size < most else 0.0


def _effective_number(spread: Callable[[float], float], estimate: Estimate, z: float) -> float:
    """Return how many independent items would have the interval of *estimate*, whose quantile is *z*.

    It is ``z^2 v(bound) / (bound - value)^2``, with ``v(x)``, the *spread*, the variance of an item if *x* is
    true.
    """
    sizes = [
        z * z * spread(bound) / (bound - estimate.value) ** 2
        for bound in (estimate.low, estimate.high)
        if bound != estimate.value and spread(bound) > 0
    ]
    return min(sizes, default=0.0)


def _of_share(limit: Limit, level: float, estimate: Estimate, size: float) -> tuple[float | None, float]:
    """Return the detectable share of *size* independent items, and the size that settles the share measured.

    Errors are counted: of what should be above the limit, those that are not right.  A count *c* shows that
    the rule is broken if as many are improbable at the limit, ``P(X >= c) <= level``; the detectable value is
    the one at which it is reached with the power.
    """
    from scipy.special import betaincinv

    above = limit.side == "above"
    allowed = 1 - limit.threshold if above else limit.threshold  # the largest share of errors
    measured = 1 - estimate.value if above else estimate.value
    n = max(1, floor(size + _ROUNDING))

    count = improbable_count(n, allowed, level)
    detectable = None
    if count <= n:
        errors = float(betaincinv(count, n - count + 1, _POWER))
        detectable = 1 - errors if above else errors

    def tail(of: float) -> float:
        """Return the p-value of so many items, if the share of errors stays as it is."""
        if measured > allowed:
            return chance_of_reaching(measured * of, of, allowed)
        return 1 - chance_of_reaching(measured * of + 1, of, allowed)

    return detectable, inf if measured == allowed else _smallest(tail, level, size)


def _smallest(tail: Callable[[float], float], level: float, size: float) -> float:
    """Return the number of items at which a falling *tail* is at most *level*; *size* is where to look."""
    most = log(1e3 * _COUNTABLE)
    log_items = crossing(lambda log_of: level - tail(exp(log_of)), log(max(1.0, size / 1e3)), most, 1e-12)
    return exp(log_items) if log_items < most else inf


def _of_normal(
    quantity: Quantity, limit: Limit, z: float, estimate: Estimate, size: float
) -> tuple[float | None, float]:
    """Return the detectable value of *size* independent items, and the size that settles the value measured.

    A true value *x* beyond the threshold *t* is shown with the power if ``|x - t| >= z_level sqrt(v(t)/n) +
    z_power sqrt(v(x)/n)``.  Whatever makes a difference another than the value is assumed to be further items
    that differ.  The number of items that settles a check is ``z^2 v(value) / (value - t)^2``.
    """
    spread = quantity.spread
    assert spread is not None
    z_power = normal_quantile(2 * _POWER - 1)
    side, threshold = limit
    sign = -1 if side == "above" else 1
    furthest = quantity.lowest if side == "above" else quantity.highest

    def variance(x: float) -> float:
        return spread(x) + abs(x - estimate.value)

    def exceeds(x: float) -> float:
        needed = z * sqrt(variance(threshold) / size) + z_power * sqrt(variance(x) / size)
        return sign * (x - threshold) - needed

    detectable = None if exceeds(furthest) < 0 else crossing(exceeds, threshold, furthest)
    distance = abs(estimate.value - threshold)
    widest = max(map(spread, (estimate.value, threshold)))
    return detectable, inf if distance == 0 else z * z * widest / distance**2
