"""Random draws: bootstrap intervals of functions of sums over items, and p-values from samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf, nan
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crossexam.core.randomness import rng_for

#: Returns the statistic of each row of sums, [b, f] to [b]; nan if it is undefined.
Statistic: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]

#: The number of samples: the bounds of a 95 % interval are near the 50th and the 1951st.
DRAWS: Final = 2_000
#: The fewest draws for a p-value.
FEWEST_DRAWN: Final = 99_999
#: The most draws for a p-value, whatever the level: some seconds.
MOST_DRAWN: Final = 9_999_999
#: Drawing more than 99,999 ends with this many that are as extreme: a standard error of 3 %.
ENOUGH: Final = 1_000
#: How far below the level of significance the smallest p-value of a sample must lie after correction.
_BELOW_LEVEL: Final = 20
_AT_ONCE: Final = 4_000_000  # numbers in memory while sampling: 32 MB


def generator(seed: int, name: str) -> np.random.Generator:
    """Return a NumPy generator that depends on *seed* and *name* only.

    >>> generator(0, "a").random() == generator(0, "a").random() != generator(0, "b").random()
    True
    """
    return np.random.default_rng(rng_for(seed, name).getrandbits(128))


def bootstrap_interval(
    rows: NDArray[np.float64],
    statistic: Statistic,
    codes: NDArray[np.int64],
    *,
    name: str,
    confidence: float = 0.95,
) -> tuple[float, float, float]:
    """Return the *statistic* of the sums of *rows* [n, f], and the bounds of its bootstrap interval.

    Whole clusters of rows (*codes* [n], without gaps) are sampled with replacement.  The interval is Efron's
    BCa (1987, J. Am. Stat. Assoc. 82:171), which corrects the percentiles of the samples for bias, by the
    share of samples below the value, and for skewness, by the jackknife.  Samples in which the statistic is
    undefined are left out.

    If the value is undefined, or if there are fewer than two clusters, the bounds are -inf and inf.  If all
    samples give the same value, as when all annotators always agree, the bounds equal it: resampling cannot
    show variation that the sample does not have.

    >>> heads = np.column_stack([np.ones(50), np.arange(50) < 20])
    >>> interval = bootstrap_interval(heads, lambda s: s[:, 1] / s[:, 0], np.arange(50), name="heads")
    >>> [round(number, 1) for number in interval]
    [0.4, 0.3, 0.5]
    """
    m = int(codes.max()) + 1
    sums = np.zeros((m, rows.shape[1]))  # of clusters
    np.add.at(sums, codes, rows)
    whole = sums.sum(axis=0)
    value = float(statistic(whole[None])[0])
    if np.isnan(value) or m < 2:
        return value, -inf, inf
    drawn = np.concatenate([statistic(weights @ sums) for weights in _weights(m, generator(0, name))])
    drawn = drawn[~np.isnan(drawn)]
    low, high = _bca(value, drawn, statistic(whole - sums), confidence)
    return value, low, high


def _weights(m: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield how often each of *m* clusters is sampled, for batches of samples: [b, m]."""
    step = max(1, _AT_ONCE // m)
    for start in range(0, DRAWS, step):
        yield rng.multinomial(m, np.full(m, 1 / m), size=min(step, DRAWS - start))


def _bca(
    value: float, drawn: NDArray[np.float64], without: NDArray[np.float64], confidence: float
) -> tuple[float, float]:
    """Return the BCa bounds from the samples *drawn* and the jackknife values *without* each cluster."""
    from scipy.special import ndtr, ndtri

    below = float((drawn < value).mean() + (drawn == value).mean() / 2)
    bias = float(ndtri(below)) if 0 < below < 1 else 0.0
    pulls = np.nanmean(without) - without if not np.isnan(without).all() else np.array([nan])
    spread = float(np.nansum(pulls**2)) ** 1.5
    skewness = float(np.nansum(pulls**3)) / (6 * spread) if spread > 1e-30 else 0.0
    z = bias + ndtri(np.array([0.5 - confidence / 2, 0.5 + confidence / 2]))
    shares = ndtr(bias + z / (1 - skewness * z))
    low, high = np.quantile(drawn, shares)
    return float(low), float(high)


class SampledP(NamedTuple):
    """A p-value, and the number of *draws* that it is from; 0 if it is exact."""

    p: float
    draws: int


def draws_for(alpha: float, tests: int) -> int:
    """Return how many draws are needed so that *tests* corrected p-values can reach the level *alpha*.

    The smallest p-value of B draws is ``1 / (B + 1)``; after Bonferroni's correction it is at most a
    twentieth of *alpha*.  There are at most :data:`MOST_DRAWN`, which is enough for 16 tests at 0.000032.
    Raises ValueError if *alpha* is not between 0 and 1.

    >>> draws_for(0.05, 16), draws_for(0.0001, 16)
    (99999, 3199999)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}; it must be between 0 and 1")
    wanted = round(_BELOW_LEVEL * max(1, tests) / alpha) - 1
    return min(MOST_DRAWN, max(FEWEST_DRAWN, wanted))


def batch_sizes(draws: int, step: int) -> list[int]:
    """Return the sizes, at most *step*, of the batches in which *draws* are drawn.

    One batch ends with draw 99,999, so that the first 99,999 are the same for any *draws*.

    >>> batch_sizes(150_000, 60_000)
    [60000, 39999, 50001]
    """
    sizes: list[int] = []
    done = 0
    while done < draws:
        end = FEWEST_DRAWN if done < FEWEST_DRAWN else draws
        sizes.append(min(step, end - done, draws - done))
        done += sizes[-1]
    return sizes


def sampled_p(batches: Iterable[NDArray[np.bool_]]) -> SampledP:
    """Return the p-value from *batches* that say which draws are at least as extreme as what was observed.

    It is ``(1 + number of these) / (1 + number drawn)``, which is never 0 (Davison & Hinkley 1997, *Bootstrap
    Methods and their Application*, chapter 4; for permutations Hemerik & Goeman 2018, TEST 27:811).  After
    99,999 draws, it stops at the 1,000th of these; if this is beyond the first 99,999, the p-value is
    ``1,000 / number drawn`` (Besag & Clifford 1991, Biometrika 78:301).

    >>> sampled_p([np.array([True, False, False]), np.array([False, False, False, False])])
    SampledP(p=0.25, draws=7)
    """
    done = hits = 0
    for batch in batches:
        extreme = np.flatnonzero(batch)
        needed = ENOUGH - hits
        if done >= FEWEST_DRAWN and len(extreme) >= needed:
            done += int(extreme[needed - 1]) + 1
            return SampledP(ENOUGH / done, done)
        done, hits = done + len(batch), hits + len(extreme)
        if done >= FEWEST_DRAWN and hits >= ENOUGH:
            break
    return SampledP((1 + hits) / (1 + done), done)
