"""What a test set can find out: the smallest drop, and the weakest association, that it would detect."""

from __future__ import annotations

from math import nan, sqrt

from crossexam.stats.clusters import normal_quantile


def minimum_detectable_drop(n: float, discordant: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true drop that McNemar's test finds with this *power*.

    *n* is the (effective) number of pairs, *discordant* the share of pairs of which one answer alone is
    right, ``s``.  Connor (1987, Biometrics 43:207) gives the pairs needed for a drop ``d`` (Miettinen
    1968, Biometrics 24:339, conditions on the discordant ones): ``n = ((u sqrt(s) + v sqrt(s - d^2)) / d)^2``
    with *u* the two-sided normal quantile of *alpha* and *v* that of *power*.  Solved for ``d``:
    ``d = sqrt(s) (u sqrt(n) + v sqrt(n + v^2 - u^2)) / (n + v^2)``.

    A drop of ``d`` needs ``s >= d``; where the solution is greater, ``s = d`` is taken (every discordant
    pair is a loss).  No drop at all is detectable in too few pairs: nan.

    >>> round(minimum_detectable_drop(1000, 0.2), 4)
    0.0396
    """
    if not 0 <= discordant <= 1:
        raise ValueError(f"the discordant share is {discordant}, wanted a share between 0 and 1")
    u, v = normal_quantile(1 - alpha), normal_quantile(2 * power - 1) if power > 0.5 else 0.0
    if n > 0 and n + v * v - u * u >= 0:
        drop = sqrt(discordant) * (u * sqrt(n) + v * sqrt(n + v * v - u * u)) / (n + v * v)
        if 0 < drop <= discordant:
            return drop
    return _one_sided(n, u, v)


def _one_sided(n: float, u: float, v: float) -> float:
    """Return the drop ``d`` with ``n d = (u + v sqrt(1 - d))^2``, by bisection; nan where it exceeds 1."""
    if n < u * u:
        return nan
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if n * middle < (u + v * sqrt(1 - middle)) ** 2:
            low = middle
        else:
            high = middle
    return high


def association_power(effect: float, n: float, freedom: int = 1, alpha: float = 0.05) -> float:
    """Return the chance that a test of association of *n* items finds a true *effect*, Cohen's w.

    ``w = sqrt(sum (p - p0)^2 / p0)`` over the cells, *p* their true shares and *p0* those without association
    (Cohen 1988, *Statistical Power Analysis*, section 7.2): 0.1 is small, 0.3 medium, 0.5 large; it is
    Cramer's V times ``sqrt(min(r, c) - 1)``.  The statistic, G or Pearson's without Yates' correction, is
    noncentral chi-square with ``n w^2`` (ibid., section 12.7), so this says a little too much where
    that correction is made.

    >>> round(association_power(0.3, 87), 2)  # Cohen 1992, A power primer, Table 2: 87 items for 0.80
    0.8
    """
    from scipy.special import chdtri, chndtr

    check_shares(alpha=alpha)
    if effect < 0 or n < 0 or freedom < 1:
        raise ValueError(f"an effect of {effect}, {n} items and {freedom} degrees of freedom: none is known")
    return 1 - float(chndtr(chdtri(freedom, alpha), freedom, n * effect**2))


def minimum_detectable_association(
    n: float, freedom: int = 1, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest effect, Cohen's w, that a test of *n* items finds with this *power*; else nan.

    The inverse of :func:`association_power`.  With one degree of freedom w is at most 1: where the solution
    is greater no association at all is detectable in so few items, and it is nan.  With more, w is at
    most ``sqrt(min(r, c) - 1)``, which the caller knows.

    >>> round(minimum_detectable_association(87), 2)
    0.3
    """
    if not n > 0:
        return nan
    effect = sqrt(_noncentrality(freedom, alpha, power) / n)
    return nan if freedom == 1 and effect > 1 else effect


def _noncentrality(freedom: int, alpha: float, power: float) -> float:
    """Return the noncentrality ``n w^2`` at which a chi-square test at *alpha* has this *power*."""
    from scipy.special import chdtri, chndtr

    check_shares(alpha=alpha, power=power)
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom: one or more are wanted")
    critical = chdtri(freedom, alpha)
    low, high = 0.0, 1.0
    while 1 - chndtr(critical, freedom, high) < power:
        low, high = high, 2 * high
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - chndtr(critical, freedom, middle) < power else (low, middle)
    return high


def check_shares(**shares: float) -> None:
    """Raise ValueError where one of the named *shares* is not between 0 and 1."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise ValueError(f"{name} is {share}, wanted a share between 0 and 1")
