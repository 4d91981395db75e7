"""Where a function crosses 0, without scipy.optimize, which takes 0.4 s to import."""

from __future__ import annotations

from collections.abc import Callable


def crossing(rising: Callable[[float], float], low: float, high: float, tolerance: float = 1e-14) -> float:
    """Return where a *rising* function crosses 0 between *low* and *high*, to within *tolerance*.

    It is *high* if the function is nowhere above 0, and *low* if it is nowhere below.  The method is
    Chandrupatla's (1997, Advances in Engineering Software 28:145): an inverse parabola through the last three
    points, or the middle where these do not allow it, such as next to a jump or an infinite value.

    >>> round(crossing(lambda x: x**3 - 2, 0.0, 2.0), 12)
    1.259921049895
    >>> crossing(lambda x: x - 3, 0.0, 2.0), crossing(lambda x: x + 3, 0.0, 2.0)
    (2.0, 0.0)
    """
    a, b = high, low  # the crossing is between these
    if (of_a := rising(a)) <= 0:
        return high
    if (of_b := rising(b)) >= 0:
        return low
    share = 0.5  # of the way from a to b
    while True:
        x = a + share * (b - a)
        of_x = rising(x)
        if (of_x > 0) == (of_a > 0):
            c, of_c = a, of_a
        else:
            b, of_b, c, of_c = a, of_a, b, of_b
        a, of_a = x, of_x
        least = tolerance / abs(b - a) / 2
        if least > 0.5 or of_a == 0:
            return a if abs(of_a) < abs(of_b) else b
        along, risen = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
        share = 0.5
        if risen**2 < along and (1 - risen) ** 2 < 1 - along:
            share = of_a / (of_b - of_a) * of_c / (of_b - of_c)
            share += (c - a) / (b - a) * of_a / (of_c - of_a) * of_b / (of_c - of_b)
            share = min(1 - least, max(least, share))
