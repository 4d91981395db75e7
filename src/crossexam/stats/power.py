"""Power: the smallest drop or association that a test set can detect.

"Not significant" says little for a small test set; these functions compute how large an effect would have
been detected, in paired items (McNemar's test) and in contingency tables (G or chi-square).

*alpha* is the two-sided level of the test, *power* the probability of a significant result; both are between
0 and 1.
"""

from __future__ import annotations

from math import nan, sqrt

from crossexam.stats.clusters import normal_quantile


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


def minimum_detectable_association(
    n: float, freedom: int = 1, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Return the smallest effect, Cohen's w, that a test of association detects with this *power*.

    ``w = sqrt(sum (p - p0)^2 / p0)`` over the cells, *p* their true shares and *p0* those without association
    (Cohen 1988, *Statistical Power Analysis*, section 7.2): 0.1 is small, 0.3 medium, 0.5 large; it is
    Cramer's V times ``sqrt(min(r, c) - 1)``.  The statistic, G or Pearson's without Yates' correction, has a
    noncentral chi-square distribution with *freedom* degrees of freedom and noncentrality ``n w^2`` (ibid.,
    section 12.7); with that correction the power is slightly lower.

    With one degree of freedom w is at most 1; if the solution is greater, no association is detectable with
    so few items: nan.  With more degrees w is at most ``sqrt(min(r, c) - 1)``, which the caller has to check.
    Raises ValueError if an argument is out of range.

    >>> round(minimum_detectable_association(87), 2)  # Cohen 1992, A power primer, Table 2: 87 items for 0.3
    0.3
    """
    from scipy.special import chdtri, chndtrinc

    for name, share in (("alpha", alpha), ("power", power)):
        if not 0 < share < 1:
            raise ValueError(f"{name} is {share}; it must be between 0 and 1")
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom: there must be at least one")
    if not n > 0:
        return nan
    effect = sqrt(float(chndtrinc(chdtri(freedom, alpha), freedom, 1 - power)) / n)
    return nan if freedom == 1 and effect > 1 else effect
