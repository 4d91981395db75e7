"""A statistic of what was answered, at any confidence; if too much is missing, its bounds over all items.

Missing answers are neither right nor wrong.  A statistic is therefore of the items that were answered, in a
paired measure on both sides.  With it come the two statistics over all items that have a gold label, with the
missing answers taken so that it is least, and most.  No other answers give results beyond these bounds
(Manski 2003, *Partial Identification of Probability Distributions*, chapter 1).  If more than a share of the
items are missing, by default :data:`~crossexam.core.outcome.MAX_UNANSWERED`, only the bounds are the result:
whoever leaves out that many chooses what to be measured on.

A report shows a quantity at a confidence of 95 %; a gate asks for others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Bounds, Estimate
from crossexam.stats.estimate import exact_share, share_correct, wilson_share
from crossexam.stats.p_values import AtConfidence
from crossexam.stats.paired import difference_of_drops, paired_difference
from crossexam.stats.unpaired import difference, difference_of_unpaired_drops

#: The confidence of the intervals of a report.
CONFIDENCE: Final = 0.95


def too_many(missing: int, count: int, limit: float) -> bool:
    """Return whether *missing* of *count* are a larger share than *limit*.

    >>> too_many(5, 100, 0.05), too_many(6, 100, 0.05), too_many(0, 0, 0.05)
    (False, True, False)
    """
    return missing > limit * count


class Flags(NamedTuple):
    """What is true of each item [n], such as that the model got it right.

    *least* and *most* take the missing answers so that it is true of as few and of as many as possible;
    *answered* says which are not missing.  *columns* are the arrays [n] that an estimate also needs, the last
    of which are the units that are independent.
    """

    least: NDArray[np.bool_]
    most: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    columns: tuple[NDArray[Any], ...]

    def at(self, kept: NDArray[Any]) -> Flags:
        """Return the flags of the items that are *kept*, a mask or positions."""
        columns = tuple(each[kept] for each in self.columns)
        return Flags(self.least[kept], self.most[kept], self.answered[kept], columns)


@dataclass(frozen=True)
class Quantity:
    """A measure at any confidence: as it is *known*, and the *least* and *most* that it could be.

    It is of *n* items, of which *missing* are not measured; with *only_bounds*, they are too many.  *spread*
    returns the variance of an independent item if a value is true, up to a constant factor, None if it is not
    a mean of items; *distances* are then those of the bounds at a confidence, before they are cut off, unless
    that is never done; values are from *lowest* to *highest*.
    An *observed* quantity is known without error.  *exact* is the same with the interval from which p-values
    are computed, if that is another than the one that is shown.  *alike* are the measures with the missing
    answers taken as wrong, and as right, in whatever is compared; without any, *least* and *most* stand for
    them.
    """

    known: AtConfidence
    least: AtConfidence
    most: AtConfidence
    n: int
    missing: int
    only_bounds: bool
    spread: Callable[[float], float] | None = None
    distances: Callable[[float], tuple[float, float]] | None = None
    lowest: float = 0.0
    highest: float = 1.0
    observed: bool = False
    exact: Quantity | None = None
    alike: tuple[AtConfidence, ...] = ()

    def with_missing(self) -> tuple[float, ...]:
        """Return what the value may be if missing answers are counted; nothing if there are none."""
        return (
            tuple(at(CONFIDENCE).value for at in self.alike or (self.least, self.most))
            if self.missing
            else ()
        )

    @property
    def tested(self) -> Quantity:
        """The measure with the interval from which p-values are computed."""
        return self.exact or self

    def bounds(self, confidence: float = CONFIDENCE) -> Bounds:
        """Return the least and the most that the measure could be."""
        return Bounds(self.least(confidence), self.most(confidence))

    def value(self, confidence: float = CONFIDENCE) -> Estimate:
        """Return the measure with its interval; bounds if these are all that is known."""
        return self.bounds(confidence) if self.only_bounds else self.known(confidence)


def quantity(
    estimate: Callable[..., Estimate],
    flags: Sequence[Flags],
    limit: float,
    *,
    signs: Sequence[int] = (1,),
    columns: Sequence[NDArray[Any]] | None = None,
    spread: Callable[[float], float] | None = None,
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Quantity:
    """Return what *estimate* makes of *flags* of the same items, of their *columns*, and of a confidence.

    It grows with the flags whose sign is 1, and falls with those whose sign is -1.  The columns are those of
    the last flags if they are not given.
    """
    answered = np.logical_and.reduce([each.answered for each in flags])
    missing, by = int((~answered).sum()), flags[-1].columns if columns is None else columns
    least = [each.least if sign > 0 else each.most for each, sign in zip(flags, signs, strict=True)]
    most = [each.most if sign > 0 else each.least for each, sign in zip(flags, signs, strict=True)]

    def at(chosen: Sequence[NDArray[np.bool_]], rows: NDArray[np.bool_] | slice) -> AtConfidence:
        given = [each[rows] for each in (*chosen, *by)]
        return cache(lambda confidence: estimate(*given, confidence))

    whole = slice(None)
    known = at(least, answered if missing else whole)
    return Quantity(
        known=known,
        least=at(least, whole) if missing else known,
        most=at(most, whole) if missing else known,
        n=len(answered),
        missing=missing,
        only_bounds=too_many(missing, len(answered), limit),
        spread=spread,
        lowest=lowest,
        highest=highest,
        alike=tuple(at([getattr(each, end) for each in flags], whole) for end in ("least", "most"))
        if missing
        else (),
    )


def _of_share(share: float) -> float:
    return max(0.0, share * (1 - share))


def _of_differences(differences: NDArray[Any]) -> Callable[[float], float]:
    """Return the variance of *differences* of items if their mean is another, which may need more of them."""
    squares = float(np.square(differences, dtype=np.float64).mean()) if len(differences) else 0.0
    return lambda mean: max(squares, abs(mean), mean**2) - mean**2


def _changes(first: Flags, second: Flags, both: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.subtract(first.least[both], second.least[both], dtype=np.int8)


#: A share with the interval that is shown, and with the one that is exact, from which p-values are.
SHARE: Final = (share_correct, exact_share)


def share_of(flags: Flags, limit: float, estimates: Sequence[Callable[..., Estimate]] = SHARE) -> Quantity:
    """Return the share of items for which a flag is true, whose p-values are exact."""
    shown, exact = (quantity(estimate, [flags], limit, spread=_of_share) for estimate in estimates)
    return replace(shown, exact=exact)


def difference_of(
    first: Flags, second: Flags, limit: float, estimate: Callable[..., Estimate] = paired_difference
) -> Quantity:
    """Return the share of *first* minus that of *second*, flags of the same items, item by item."""
    both = first.answered & second.answered
    return quantity(
        estimate,
        [first, second],
        limit,
        signs=(1, -1),
        columns=first.columns,
        spread=_of_differences(_changes(first, second, both)),
        lowest=-1.0,
    )


def difference_of_changes(new: tuple[Flags, Flags], old: tuple[Flags, Flags], limit: float) -> Quantity:
    """Return how much more of the first flags than of the second there is in *new* than in *old*."""
    answered = np.logical_and.reduce([each.answered for each in (*new, *old)])
    return quantity(
        lambda b, s, b2, s2, units, confidence: difference_of_drops((b, s), (b2, s2), units, confidence),
        [*new, *old],
        limit,
        signs=(1, -1, -1, 1),
        columns=new[1].columns,
        spread=_of_differences(_changes(*new, answered) - _changes(*old, answered)),
        lowest=-2.0,
        highest=2.0,
    )


def unpaired_drop(models: Sequence[tuple[Flags, Flags]], limit: float) -> Quantity:
    """Return the drop of a model, or that of the first minus that of the second, if items are not paired.

    Of each of the *models* are the flags of the base, and of the test set.
    """
    shown, exact = (_unpaired(models, limit, share) for share in (wilson_share, exact_share))
    return replace(shown, exact=exact) if len(models) == 1 else shown


def _unpaired(
    models: Sequence[tuple[Flags, Flags]], limit: float, share: Callable[..., Estimate]
) -> Quantity:
    """Return the unpaired drop; the interval of that of one model is from those of *share*."""
    sets = [[each[place] for each in models] for place in (0, 1)]
    answered = [np.logical_and.reduce([each.answered for each in flags]) for flags in sets]
    missing = [int((~each).sum()) for each in answered]
    sizes = [len(each) for each in answered]

    def at(turn: int, rows: Sequence[NDArray[np.bool_] | slice]) -> AtConfidence:
        """Return the least (0) or the most (1); the other set, or model, swaps them."""
        right = [
            [(each.least, each.most)[(turn + place + which) % 2][part] for which, each in enumerate(flags)]
            for place, (flags, part) in enumerate(zip(sets, rows, strict=True))
        ]
        one, other = (flags[0].columns[-1][part] for flags, part in zip(sets, rows, strict=True))
        if len(models) == 1:
            ((before,), (after,)) = right
            return lambda confidence: difference(before, after, one, other, confidence, share)
        a, b = ((first, second) for first, second in right)
        return lambda confidence: difference_of_unpaired_drops(a, b, one, other, confidence)

    def distances(confidence: float) -> tuple[float, float]:
        """Return the distance of the bound further away, twice: at another value it may be on either side."""
        known = at(0, answered)(confidence)
        furthest = max(known.value - known.low, known.high - known.value)
        return furthest, furthest

    whole = (slice(None), slice(None))
    before = float(sets[0][0].least[answered[0]].mean()) if answered[0].any() else 0.0
    return Quantity(
        known=at(0, answered),
        least=at(0, whole),
        most=at(1, whole),
        n=min(sizes) and sum(sizes),
        missing=sum(missing),
        only_bounds=any(too_many(*counts, limit) for counts in zip(missing, sizes, strict=True)),
        distances=distances,
        lowest=before - 1 if len(models) == 1 else -2.0,
        highest=before if len(models) == 1 else 2.0,
    )


def observed(value: float, n: int) -> Quantity:
    """Return a quantity that is known without error."""

    def at(_: float) -> Estimate:
        return Estimate(value, value, value, n, n)

    return Quantity(at, at, at, n, 0, False, observed=True)
