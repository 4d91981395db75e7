"""Intervals and tests of shares, means and differences of items in clusters, by their formulas.

The formulas are those of docs/derivations.md and of ``clusters``, ``estimate``, ``paired``, ``unpaired`` and
``power`` of the package, none of which is imported: clusters are really left out, all signs are flipped, and
bounds are roots of what they bound.  *units* are one or two clusterings of items, each [n].
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import inf, isfinite, nan, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta, norm, t
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

#: An array of any type.
Array: TypeAlias = NDArray[Any]
LEVEL = 0.05  # of significance


def quantile(freedom: float, confidence: float) -> float:
    return float(t.ppf(0.5 + confidence / 2, freedom))


def kept_share(n: int, df: float, confidence: float = 0.95) -> float:
    """The share of *n* items that count where their spread is known from few clusters."""
    return (quantile(n - 1, confidence) / quantile(df, confidence)) ** 2


def sums_of(values: Array, clusters: Array, every: Array | None = None) -> Array:
    """The sums of *values* in each cluster; of weights, the shares of the clusters in these: h."""
    every = np.unique(clusters) if every is None else every
    return np.array([values[clusters == each].sum() for each in every])


def equal_weights(keys: Array) -> Array:
    """The weights under which all keys count the same."""
    return np.array([1 / (len(set(keys)) * (keys == each).sum()) for each in keys])


def covariance(values: Array, clusters: Array, weights: Array | None = None) -> Array:
    """The jackknife covariance of the means of *values* [n, b]: every cluster is left out in turn."""
    every = np.unique(clusters)
    w = np.ones(len(clusters)) if weights is None else weights
    means = [np.average(values[clusters != each], axis=0, weights=w[clusters != each]) for each in every]
    off = np.array(means) - np.average(values, axis=0, weights=w)
    joint: Array = (len(every) - 1) / len(every) * off.T @ off
    return joint


def ways(units: Sequence[Array]) -> list[tuple[Array, int]]:
    """The clusterings and their signs in a sum: two ways less that of both."""
    if len(units) == 1:
        return [(units[0], 1)]
    both = np.array([f"{one} {other}" for one, other in zip(*units, strict=True)])
    return [(units[0], 1), (units[1], 1), (both, -1)]


def variance(values: Array, units: Sequence[Array], weights: Array | None = None) -> float:
    """The variance of the mean of *values*, of items in one or two clusterings."""
    column = values.astype(float)[:, None]
    return float(sum(sign * covariance(column, way, weights).item() for way, sign in ways(units)))


def freedom(clusters: Array, weights: Array | None = None) -> float:
    """The effective number of clusters less 1."""
    h = sums_of(np.full(len(clusters), 1 / len(clusters)) if weights is None else weights, clusters)
    return max(1.0, 1 / float(h @ h) - 1)


def effective(
    values: Array,
    units: Sequence[Array],
    weights: Array | None = None,
    confidence: float = 0.95,
    *,
    may_gain: bool = False,
) -> tuple[float, float]:
    """The effective number of items behind the mean of *values*, and the design effect.

    It is that of independent items or larger, unless clusters *may gain* over them.
    """
    n, m = len(values), min(len(np.unique(each)) for each in units)
    if n < 2 or m < 2:  # nothing is known of how clusters differ
        return float(min(n, m)), inf
    if m == n and weights is None:
        return float(n), 1.0
    w = np.full(n, 1 / n) if weights is None else weights
    between = n * n * variance(values, units, w)
    shares = [(sums_of(w, way), sign) for way, sign in ways(units)]
    worst = n * sum(sign * float(h @ h) for h, sign in shares)
    within = n * n / (n - 1) * float(w @ (values - w @ values) ** 2)
    prior = (worst if len(units) == 1 else n / m) / 4  # items of a quarter of a cluster
    deff = (between + prior * worst) / (within + prior)
    deff = deff if may_gain else max(n * float(w @ w), deff)
    df = m - 1.0 if len(units) > 1 else freedom(units[0], w)
    return max(1.0, n / deff * kept_share(n, df, confidence)), deff


Figure = dict[str, float | None]


class Number(NamedTuple):
    """A value with its interval, over n items."""

    value: float
    low: float
    high: float
    n: int


#: A figure under its name: a number alone, with its interval, or with other parts.
Named = tuple[str, Number | Figure | float | None]


def figure_of(found: Number | Figure | float | None) -> Figure:
    if isinstance(found, Number):
        return found._asdict()
    return found if isinstance(found, dict) else {"value": found}


def between(least: Number, most: Number) -> Number:
    """What is shown of a number of which only bounds are known."""
    return Number(nan, least.low, most.high, least.n)


def wilson(p: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    low, high = proportion_confint(p * n, n, 1 - confidence, method="wilson")
    return 0.0 if p <= 0 else max(0.0, low), 1.0 if p >= 1 else min(1.0, high)


def exact(p: float, n: float, tail: float) -> tuple[float, float]:
    """The limits at which so few, and so many, have the probability *tail*."""
    hits, misses = p * n, (1 - p) * n
    low = 0.0 if p <= 0 else float(beta.ppf(tail, hits, misses + 1))
    return low, 1.0 if p >= 1 else float(beta.isf(tail, hits + 1, misses))


def widened(p: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's interval, or the one-sided exact limits at the whole error where these are wider."""
    low, high = wilson(p, n, confidence)
    low_exact, high_exact = exact(p, n, 1 - confidence)
    return min(low, low_exact), max(high, high_exact)


#: Returns the interval of a share of so many items at a confidence.
Limits = Callable[[float, float, float], tuple[float, float]]


def share(
    right: Array, units: Sequence[Array], weights: Array | None = None, limits: Limits = widened
) -> Number:
    if not len(right):
        return Number(nan, 0.0, 1.0, 0)
    p = float(np.average(right, weights=weights))
    low, high = limits(p, effective(right, units, weights)[0], 0.95)
    return Number(p, min(low, p), max(high, p), len(right))


def mean(
    values: Array, clusters: Array, bounds: tuple[float, float] = (-inf, inf), confidence: float = 0.95
) -> Number:
    """The mean with the clustered t interval."""
    value = float(values.mean())
    if not isfinite(value):
        return Number(value, *bounds, len(values))
    half = quantile(freedom(clusters), confidence) * sqrt(covariance(values[:, None], clusters).item())
    return Number(value, max(bounds[0], value - half), min(bounds[1], value + half), len(values))


def tango(b: float, c: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The differences that the score test does not reject, its nuisance by the greatest likelihood."""

    def statistic(d: float) -> float:
        least, most = max(0.0, -d), (1 - d) / 2

        def slope(q: float) -> float:  # of the logarithm of the likelihood
            terms = ((b, q + d), (c, q), (-2 * (n - b - c), 1 - 2 * q - d))
            return sum(count / max(chance, 1e-300) for count, chance in terms if count)

        inner = (least + 1e-15, most - 1e-15)
        rising = inner[0] < inner[1] and slope(inner[0]) > 0
        q = most if rising and slope(inner[1]) > 0 else brentq(slope, *inner, xtol=1e-16) if rising else least
        return float((b - c - n * d) / sqrt(max(n * (2 * q + d * (1 - d)), 1e-300)))

    z, here = norm.ppf(0.5 + confidence / 2), (b - c) / n
    low = -1.0 if here <= -1 else brentq(lambda d: statistic(d) - z, -1, here, xtol=1e-14)
    high = 1.0 if here >= 1 else brentq(lambda d: statistic(d) + z, here, 1, xtol=1e-14)
    return float(low), float(high)


def paired(one: Array, other: Array, units: Sequence[Array], weights: Array | None = None) -> Number:
    n = len(one)
    d = one.astype(float) - other
    b, c = (float(np.average(d == sign, weights=weights)) for sign in (1, -1))
    size = effective(d, units, weights)[0]
    low, high = tango(b * size, c * size, size)
    return Number(b - c, min(low, b - c), max(high, b - c), n)


def flipped(one: Array, other: Array, units: Sequence[Array]) -> tuple[float, float]:
    """The p-value and mid-p of all sign flips of clusters, at least that of the score test."""
    if len(units) > 1:
        return max((flipped(one, other, [each]) for each in units), key=lambda found: found[0])
    d = one.astype(int) - other
    m = len(np.unique(units[0]))
    sums = sums_of(d, units[0])
    sums = sums[sums != 0]
    if not len(sums):
        return 1.0, 1.0
    totals = np.abs(np.array(list(product((-1, 1), repeat=len(sums)))) @ np.abs(sums))
    p, equal = (totals >= abs(d.sum())).mean(), (totals == abs(d.sum())).mean()
    score = 0.0
    if m < len(d):
        z = abs(d.sum()) / sqrt(np.abs(d).sum() * effective(d, units, may_gain=True)[1])
        score = 2 * float(t.sf(z, max(1, m - 1)))
    return max(float(p), score), max(float(p - equal / 2), score)


def detectable(n: float, s: float, alpha: float, power: float = 0.8) -> float:
    """The drop that n pairs show, of which the share s is discordant: the root of Connor's formula."""
    u, v = norm.ppf(1 - alpha / 2), norm.ppf(power)

    def pairs(d: float, s: float) -> float:
        return float(((u * sqrt(s) + v * sqrt(max(0.0, s - d * d))) / d) ** 2)

    if s and pairs(s, s) <= n:
        return float(brentq(lambda d: pairs(d, s) - n, 1e-9, s, xtol=1e-15))
    return float(brentq(lambda d: pairs(d, d) - n, 1e-9, 1, xtol=1e-15)) if pairs(1, 1) <= n else nan


def scaled(products: Array) -> Array:
    """The correlations of what has these products; 0 if undefined."""
    lengths = np.sqrt(np.maximum(0.0, products.diagonal()))
    scale = np.outer(lengths, lengths)
    found: Array = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    return found


def correlations(parts: Sequence[tuple[Array, Sequence[Array]]]) -> Array:
    """Of the residuals of several means, summed over the clusters that they share; 0 if undefined.

    Of two clusterings, the sums of products by the first and by the second, less those by both.
    """
    k = len(parts)
    products = np.zeros((k, k))
    for a, b in product(range(k), repeat=2):
        (values, units), (others, other_units) = parts[a], parts[b]
        one, other = values - values.mean(), others - others.mean()
        alike = [np.equal.outer(units[way], other_units[way]) for way in (0, -1)]
        weight = alike[0].astype(float) + alike[1] - (alike[0] & alike[1])
        products[a, b] = one @ weight @ other
    return scaled(products)


def shrunk_correlation(one: Array, units: Array, other: Array, others: Array) -> float:
    """That of two means, as if a quarter of a cluster of typical size more were wrong in each."""
    every = np.unique(np.concatenate([units, others]))
    z = [sums_of(values - values.mean(), at, every) for values, at in ((one, units), (other, others))]
    alike = [sum((at == each).sum() ** 2 for each in every) / len(at) for at in (units, others)]
    scale = sqrt((z[0] @ z[0] + alike[0] ** 2 / 4) * (z[1] @ z[1] + alike[1] ** 2 / 4))
    return float(z[0] @ z[1] / scale)


def unpaired(one: Array, units: Sequence[Array], other: Array, others: Sequence[Array]) -> Number:
    a, b = share(one, units, limits=wilson), share(other, others, limits=wilson)
    r = shrunk_correlation(one.astype(float), units[0], other.astype(float), others[0])

    def combined(x: float, y: float) -> float:
        return sqrt(max(0.0, x * x - 2 * r * x * y + y * y))

    value = a.value - b.value
    low = value - combined(a.value - a.low, b.high - b.value)
    high = value + combined(a.high - a.value, b.value - b.low)
    return Number(value, max(-1.0, low), min(1.0, high), a.n + b.n)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Corrected for all planned tests, of which those that were not made count as 1."""
    corrected = multipletests([1.0 if p is None else p for p in p_values], method="holm")[1]
    return [None if p is None else float(each) for p, each in zip(p_values, corrected, strict=True)]
