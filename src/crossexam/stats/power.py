"""Power: the smallest drop, association or difference between groups that a test set can detect.

"Not significant" says little for a small test set; these functions compute how large an effect would have
been detected.  Three designs are covered: paired items (McNemar's test), contingency tables (G or
chi-square), and two groups of independent items whose sizes are fixed, one of which may be small, such as 40
unseen word pairs.

*alpha* is the two-sided level of the test, *power* the probability of a significant result; both are between
0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.stats.association import SMALL
from crossexam.stats.chances import binomial_chances, hypergeometric_chances
from crossexam.stats.clusters import normal_quantile
from crossexam.stats.roots import crossing


def minimum_detectable_drop(n: float, discordant: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true drop, a share, that McNemar's test detects with this *power*.

    *n* is the (effective) number of pairs, *discordant* the share ``s`` of pairs in which exactly one
    prediction is correct.  Connor (1987, Biometrics 43:207) gives the number of pairs for a drop ``d``
    (Miettinen 1968, Biometrics 24:339, conditions on the discordant ones): ``n = ((u sqrt(s) + v sqrt(s -
    d^2)) / d)^2`` with *u* the two-sided normal quantile of *alpha* and *v* that of *power*.  Solved for
    ``d``: ``d = sqrt(s) (u sqrt(n) + v sqrt(n + v^2 - u^2)) / (n + v^2)``.

    A drop of ``d`` requires ``s >= d``; if the solution is greater, ``s = d`` is assumed (every discordant
    pair is a loss).  With too few pairs no drop is detectable: nan.  Raises ValueError if *discordant* is not
    a share.

    >>> round(minimum_detectable_drop(1000, 0.2), 4)
    0.0396
    """
    if not 0 <= discordant <= 1:
        raise ValueError(f"the discordant share is {discordant}; it must be between 0 and 1")
    u, v = normal_quantile(1 - alpha), normal_quantile(2 * power - 1) if power > 0.5 else 0.0
    if n > 0 and n + v * v - u * u >= 0:
        drop = sqrt(discordant) * (u * sqrt(n) + v * sqrt(n + v * v - u * u)) / (n + v * v)
        if 0 < drop <= discordant:
            return drop
    return _one_sided(n, u, v)


def _one_sided(n: float, u: float, v: float) -> float:
    """Return the drop ``d`` with ``n d = (u + v sqrt(1 - d))^2``; nan if it exceeds 1."""
    if n < u * u:
        return nan
    root = (sqrt(u * u * v * v + (n + v * v) * (n - u * u)) - u * v) / (n + v * v)  # of 1 - d
    return 1 - root * root


def association_power(effect: float, n: float, freedom: int = 1, alpha: float = 0.05) -> float:
    """Return the power of a test of association of *n* items against a true *effect*, Cohen's w.

    ``w = sqrt(sum (p - p0)^2 / p0)`` over the cells, *p* their true shares and *p0* those without association
    (Cohen 1988, *Statistical Power Analysis*, section 7.2): 0.1 is small, 0.3 medium, 0.5 large; it is
    Cramer's V times ``sqrt(min(r, c) - 1)``.  The statistic, G or Pearson's without Yates' correction, has a
    noncentral chi-square distribution with *freedom* degrees of freedom and noncentrality ``n w^2`` (ibid.,
    section 12.7); with that correction the power is slightly lower.  Raises ValueError if an argument is out
    of range.

    >>> round(association_power(0.3, 87), 2)  # Cohen 1992, A power primer, Table 2: 87 items for 0.80
    0.8
    """
    from scipy.special import chdtri, chndtr

    check_shares(alpha=alpha)
    if effect < 0 or n < 0 or freedom < 1:
        raise ValueError(
            f"an effect of {effect} with {n} items and {freedom} degrees of freedom is impossible"
        )
    return 1 - float(chndtr(chdtri(freedom, alpha), freedom, n * effect**2))


def minimum_detectable_association(
    n: float, freedom: int = 1, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest effect, Cohen's w, that a test of association detects with this *power*.

    The inverse of :func:`association_power` (Cohen 1988, section 7.2).  With one degree of freedom w is at
    most 1; if the solution is greater, no association is detectable with so few items: nan.  With more
    degrees w is at most ``sqrt(min(r, c) - 1)``, which the caller has to check.  Raises ValueError if an
    argument is out of range.

    >>> round(minimum_detectable_association(87), 2)
    0.3
    """
    from scipy.special import chdtri, chndtrinc

    check_shares(alpha=alpha, power=power)
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom: there must be at least one")
    if not n > 0:
        return nan
    effect = sqrt(float(chndtrinc(chdtri(freedom, alpha), freedom, 1 - power)) / n)
    return nan if freedom == 1 and effect > 1 else effect


def check_shares(**shares: float) -> None:
    """Raise ValueError if one of the named *shares* is not strictly between 0 and 1."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise ValueError(f"{name} is {share}; it must be between 0 and 1")


#: Up to this many tables, ``(n_first + 1) (n_second + 1)``, are enumerated; beyond it power is approximate.
MOST_TABLES: Final = 1_000_000


def power_of_two_groups(
    n_first: int, n_second: int, share_first: float, share_second: float, alpha: float = 0.05
) -> float:
    """Return the power to detect the difference between two groups with these true shares of correct items.

    The probability, summed over all ``(n_first + 1) (n_second + 1)`` tables with binomial counts, that
    :func:`crossexam.stats.association.association` (G with Yates' correction; Fisher's test if an expected
    count is below 5) gives p below *alpha*.

    With more than a million tables the noncentral chi-square distribution is used: with ``s = n_first / n``,
    *q* the overall share and *d* the difference, ``w^2 = s (1 - s) (d - y)^2 / (q (1 - q))``, where ``y = (1
    / n_first + 1 / n_second) / 2`` is the effect of Yates' correction on the difference (Fleiss, Levin & Paik
    2003, *Statistical Methods for Rates and Proportions*).  It is wrong for small groups: for 580 and 40
    items with shares of 0.97 and 0.871 it gives 0.8 instead of 0.71.  Raises ValueError if a share is not
    between 0 and 1 or a group is empty.

    >>> round(power_of_two_groups(580, 40, 0.97, 0.871), 2)
    0.71
    """
    for share in (share_first, share_second):
        if not 0 <= share <= 1:
            raise ValueError(f"the share is {share}; it must be between 0 and 1")
    return _power_at(n_first, n_second, alpha)(share_first, share_second)


def minimum_detectable_difference(
    n_first: int, n_second: int, share: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return by how much the second group's share must be below *share* to be detected with this *power*.

    The inverse of :func:`power_of_two_groups`, to 0.00001; nan if even a share of 0 in the second group would
    not be detected, or if a group is empty.  Raises ValueError if *share* is not between 0 and 1.

    >>> round(minimum_detectable_difference(580, 40, 0.97), 2)  # 40 unseen pairs
    0.12
    """
    check_shares(power=power)
    if not 0 <= share <= 1:
        raise ValueError(f"the share is {share}; it must be between 0 and 1")
    if not n_first or not n_second:
        return nan
    at = _power_at(n_first, n_second, alpha)
    if at(share, 0.0) < power:
        return nan
    return crossing(lambda difference: at(share, share - difference) - power, 0.0, share, 1e-5)


def _power_at(n_first: int, n_second: int, alpha: float) -> Callable[[float, float], float]:
    """Return power as a function of the two true shares."""
    check_shares(alpha=alpha)
    if n_first < 1 or n_second < 1:
        raise ValueError(f"groups of {n_first} and {n_second} items: neither may be empty")
    if (n_first + 1) * (n_second + 1) <= MOST_TABLES:
        found = _found(n_first, n_second, alpha)
        return lambda first, second: _power(found, first, second)
    n, lost = n_first + n_second, (1 / n_first + 1 / n_second) / 2

    def by_chi_square(first: float, second: float) -> float:
        pooled = (n_first * first + n_second * second) / n
        spread = pooled * (1 - pooled)
        seen = max(0.0, abs(first - second) - lost) * sqrt(n_first * n_second / spread) / n if spread else 0.0
        return association_power(seen, n, 1, alpha)

    return by_chi_square


def _power(found: NDArray[np.bool_], share_first: float, share_second: float) -> float:
    first, second = (
        binomial_chances(size - 1, share)
        for size, share in zip(found.shape, (share_first, share_second), strict=True)
    )
    return float(first @ found @ second)


def _found(n_first: int, n_second: int, alpha: float) -> NDArray[np.bool_]:
    """Return whether the test is significant, by the numbers correct in the groups: [n1 + 1, n2 + 1]."""
    from scipy.special import chdtri, xlogy

    n = n_first + n_second
    first, second = np.arange(n_first + 1.0)[:, None], np.arange(n_second + 1.0)[None, :]
    right = first + second  # (n1 + 1, n2 + 1)
    gap = n_first * right / n - first  # expected minus observed, in all cells up to the sign
    moved = first + np.sign(gap) * np.minimum(0.5, np.abs(gap))
    half_g = np.zeros_like(right)
    for size, count in ((n_first, moved), (n_second, right - moved)):
        for observed, total in ((count, right), (size - count, n - right)):
            expected = size * total / n
            half_g += xlogy(observed, observed / np.where(expected > 0, expected, 1.0))
    found: NDArray[np.bool_] = 2 * half_g > chdtri(1, alpha)
    totals = np.arange(n + 1)
    small = np.minimum(totals, n - totals) * min(n_first, n_second) < SMALL * n
    for number in np.flatnonzero(small).tolist():
        _by_fisher(found, number, alpha)
    return found


def _by_fisher(found: NDArray[np.bool_], total: int, alpha: float) -> None:
    """Set *found* by Fisher's exact test for the tables with *total* correct items."""
    n_first, n_second = found.shape[0] - 1, found.shape[1] - 1
    second = np.arange(max(0, total - n_first), min(total, n_second) + 1)
    chances = hypergeometric_chances(second, n_first + n_second, n_second, total)
    no_likelier = chances[None, :] <= chances[:, None] * (1 + 1e-7)
    found[total - second, second] = no_likelier @ chances < alpha
