"""What a test set can find out: the smallest drop that it would detect."""

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
