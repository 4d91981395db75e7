"""Findings of a paper as expressions, and their values in the paper and in our runs.

An expression is a sum of terms, ``ROWS:SET`` or ``ROWS:SET:MEASURE``, joined by `` + `` and `` - ``:

======================================  ============================================================
``esim:base - esim_bow:base``           the accuracy that ESIM loses with its recurrent layers
``esim,dam:so_swap:C``                  the mean share of "contradiction" that the two answer
``rc:negation.matched:false-neutral``   the share of false neutrals in the errors
``rc:negation.matched:wrong-neutral``   the share of false neutrals in all answers
======================================  ============================================================

SET is a column of the published tables without the corpus: a construction, or ``CONSTRUCTION.PART``.
``base.PART@CONSTRUCTION`` are the examples of the base that have an item of that construction, so that
``base.matched@negation - negation.matched`` compares the same examples.

The seeds of a row count as one model whose answers vary.  Intervals are of 95 %, over premises and not over
trainings: Wilson's for a term of one row (:func:`crossexam.stats.estimate.share_correct`), else the bootstrap
over premises, in which items of the same premise stay together, so that differences are paired.

Where a set tests a sample of word pairs, the items of a pair are not independent either, as in a report.  The
interval of one term then counts both, and any other is ``value -+ t sqrt(V)``:

- ``V = V_premise + V_pair - V_both``, or ``V_premise`` if that is more (Cameron, Gelbach & Miller 2011, J.
  Bus. Econ. Stat. 29:238), each variance from the jackknife over clusters (MacKinnon, Nielsen & Webb 2023,
  Econometrics Journal 26:C1).
- t has as many degrees of freedom as there are premises, or pairs if these are fewer, less one.

A system is the best if it is better than *every* other, not than their mean.  Such a statement has
``{other}`` in its expression, ``ch:negation - {other}:negation``, and is about the least of the values for
the rows that take its place, or about the largest if the value is to be low.  This interval covers the least
of *k* values in 95 % of samples, however they depend on each other:

- Below, it ends where the lowest of their 95 % intervals does.  That all values are above a bound is shown
  once each of them is, without a correction (the intersection-union principle: Berger 1982, Technometrics
  24:295).
- Above, it ends where the lowest of their intervals of confidence ``1 - 0.05/k`` does.  To refute the
  statement, one value below the bound is enough, but it was looked for among *k* (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.labels import LABEL_INDEX
from crossexam.stats.bootstrap import bootstrap_interval
from crossexam.stats.clusters import cluster_codes, student_quantile
from crossexam.stats.estimate import share_correct


class Answers(NamedTuple):
    """What the seeds of a row answered on a test set: *gold* [n], *predicted* [seeds, n], *premises* [n].

    *pairs* [n] are the numbers of the word pairs if the set tests a sample of them, -1 otherwise.
    """

    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    premises: NDArray[np.int64]
    pairs: NDArray[np.int64]


#: The answers by row and test set.
AllAnswers: TypeAlias = Mapping[str, Mapping[str, Answers]]
#: Returns of each prediction whether it counts and whether it is among those that are asked about.
Measure: TypeAlias = Callable[
    [NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.bool_], NDArray[np.bool_]]
]


def _share_predicted(label: str) -> Measure:
    return lambda gold, predicted: (predicted == LABEL_INDEX[label], np.ones_like(predicted, dtype=bool))


def _share_of_errors(label: str) -> Measure:
    return lambda gold, predicted: (predicted == LABEL_INDEX[label], predicted != gold)


def _wrong_answers(label: str) -> Measure:
    index = LABEL_INDEX[label]
    return lambda gold, predicted: (
        (predicted == index) & (gold != index),
        np.ones_like(predicted, dtype=bool),
    )


def _accuracy(
    gold: NDArray[np.int64], predicted: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return predicted == gold, np.ones_like(predicted, dtype=bool)


def _majority(
    gold: NDArray[np.int64], predicted: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    most_frequent = np.bincount(gold).argmax()
    return np.broadcast_to(gold == most_frequent, predicted.shape), np.ones_like(predicted, dtype=bool)


ACCURACY = "accuracy"
#: The confidence of all intervals, those of one of several values apart.
CONFIDENCE = 0.95
#: Stands in an expression for the rows with which another one is compared.
OTHER = "{other}"
MEASURES: Mapping[str, Measure] = {
    ACCURACY: _accuracy,
    "E": _share_predicted("entailment"),
    "C": _share_predicted("contradiction"),
    "N": _share_predicted("neutral"),
    "false-neutral": _share_of_errors("neutral"),
    "false-entailment": _share_of_errors("entailment"),
    "wrong-neutral": _wrong_answers("neutral"),
    "wrong-contradiction": _wrong_answers("contradiction"),
    "majority": _majority,
}


class Term(NamedTuple):
    """The mean of a *measure* over *rows* on a test set, added or subtracted."""

    sign: int
    rows: tuple[str, ...]
    test_set: str
    measure: str

    def single(self) -> list[tuple[float, str, str]]:
        """Return the parts of the sum that are of one row: their factor, their row and their cell."""
        cell = self.test_set if self.measure == ACCURACY else f"{self.test_set}:{self.measure}"
        return [(self.sign / len(self.rows), row, cell) for row in self.rows]


def parse(expression: str) -> tuple[Term, ...]:
    """Return the terms of *expression*; raises ValueError if it is malformed.

    >>> parse("a,b:base - a:negation:C")[1]
    Term(sign=-1, rows=('a',), test_set='negation', measure='C')
    """
    words = ["+", *expression.split()]
    terms = []
    for sign, text in zip(words[::2], words[1::2], strict=True):
        rows, _, rest = text.partition(":")
        test_set, _, measure = rest.partition(":")
        if sign not in {"+", "-"} or not test_set or (measure or ACCURACY) not in MEASURES:
            raise ValueError(f"'{sign} {text}' in '{expression}' is not a term")
        terms.append(Term(1 if sign == "+" else -1, tuple(rows.split(",")), test_set, measure or ACCURACY))
    return tuple(terms)


def cells_of(expression: str) -> set[tuple[str, str]]:
    """Return the rows that *expression* names, each with a test set.

    >>> sorted(cells_of("a,b:base - a:negation:C"))
    [('a', 'base'), ('a', 'negation'), ('b', 'base')]
    """
    return {(row, term.test_set) for term in parse(expression) for row in term.rows}


class _Counted(NamedTuple):
    """The predictions of one row on one test set that a measure asks about, and which of them count: [k]."""

    counts: NDArray[np.bool_]
    premises: NDArray[np.int64]
    pairs: NDArray[np.int64]


def _counted(answers: AllAnswers, row: str, cell: str) -> _Counted:
    test_set, _, measure = cell.partition(":")
    gold, predicted, premises, pairs = answers[row][test_set]
    counts, asked = MEASURES[measure or ACCURACY](gold, predicted)
    premises, pairs = (np.broadcast_to(each, predicted.shape)[asked] for each in (premises, pairs))
    return _Counted(counts[asked], premises, pairs)


def estimate(answers: AllAnswers, expression: str, confidence: float = CONFIDENCE) -> Estimate:
    """Return the value of *expression* in our runs with its interval."""
    parts = [part for term in parse(expression) for part in term.single()]
    counted = [_counted(answers, row, cell) for _, row, cell in parts]
    premises = np.concatenate([part.premises for part in counted])
    pairs = np.concatenate([part.pairs for part in counted])
    has_pairs = bool((pairs >= 0).any())
    units = np.stack([premises, np.where(pairs >= 0, pairs, -1 - premises)], axis=1)
    if len(parts) == 1 and parts[0][0] == 1:
        return share_correct(counted[0].counts, units if has_pairs else premises, confidence)
    factors = np.array([factor for factor, _, _ in parts])
    if has_pairs:
        return _two_ways(counted, factors, units, confidence)
    codes = cluster_codes(premises, len(premises))
    sums = _sums(counted, codes)
    value, low, high = bootstrap_interval(
        sums,
        lambda s: _combined(factors, s),
        np.arange(len(sums)),
        name=expression,
        confidence=confidence,
    )
    return Estimate(value, low, high, len(premises), len(sums))


def _two_ways(
    counted: Sequence[_Counted], factors: NDArray[np.float64], units: NDArray[np.int64], confidence: float
) -> Estimate:
    """Return the sum of *counted* by *factors*, clustered by both columns of *units*: [n, 2]."""
    by_premise, by_pair = cluster_codes(units, len(units)).T
    both = cluster_codes((by_pair.max() + 1) * by_premise + by_pair, len(units))
    every = [_sums(counted, codes) for codes in (by_premise, by_pair, both)]
    value = float(_combined(factors, every[0].sum(axis=0)[None])[0])
    first, second, shared = (_jackknife_variance(factors, sums) for sums in every)
    clusters = min(len(every[0]), len(every[1]))
    if clusters < 2 or not np.isfinite(first + second + shared):
        return Estimate(value, -inf, inf, len(units), clusters)
    half = student_quantile(clusters - 1, confidence) * sqrt(max(first, first + second - shared))
    return Estimate(value, value - half, value + half, len(units), clusters)


def _jackknife_variance(factors: NDArray[np.float64], sums: NDArray[np.float64]) -> float:
    """Return the variance of the combined *sums* [m, 2k] from its values without each of the m clusters."""
    whole = sums.sum(axis=0)
    pulls = _combined(factors, whole - sums) - _combined(factors, whole[None])
    return float((len(sums) - 1) / len(sums) * (pulls @ pulls))


def _sums(counted: Sequence[_Counted], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return by premise, for each part, how many predictions count and how many are asked about: [m, 2k]."""
    columns, start, m = [], 0, int(codes.max()) + 1
    for part in counted:
        own = codes[start : start + len(part.counts)]
        start += len(part.counts)
        columns += [np.bincount(own, weights=part.counts, minlength=m), np.bincount(own, minlength=m)]
    return np.column_stack(columns).astype(np.float64)


def _combined(factors: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):
        shares = sums[:, ::2] / sums[:, 1::2]
    combined: NDArray[np.float64] = shares @ factors
    return combined


#: Returns the published share of a row and cell; None if the paper has none.
Published: TypeAlias = Callable[[str, str], float | None]


def published_value(published: Published, expression: str) -> float | None:
    """Return the value of *expression* in the paper's tables, None if a figure is not in them."""
    parts = [part for term in parse(expression) for part in term.single()]
    figures = [published(row, cell) for _, row, cell in parts]
    if any(figure is None for figure in figures):
        return None
    return sum(factor * (figure or 0.0) for (factor, _, _), figure in zip(parts, figures, strict=True))


@dataclass(frozen=True)
class Finding:
    """A statement of the paper: the *value* of an expression lies in the range *expected*, in points.

    *each* are rows or test sets that take the place of ``{}`` in the expression, one after the other.  If
    there are *others*, rows that take the place of ``{other}``, the statement is that the value lies in the
    range for every one of them.  *deviation* names the deviations from the paper on which the value rests.
    Raises ValueError if there are *others* but no ``{other}``, or the reverse, or if the range then has two
    ends.
    """

    claim: str
    place: str
    value: str
    expected: tuple[float, float]
    each: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    deviation: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.others) != (OTHER in self.value):
            raise ValueError(
                f"'{self.claim}': others take the place of {OTHER}, and one is without the other"
            )
        if self.others and -inf < self.expected[0] and self.expected[1] < inf:
            raise ValueError(f"'{self.claim}': the range of what is true of every other has one end")

    def expressions(self) -> list[str]:
        """Return the expression, or one for each row or test set; with ``{other}``, if there are others."""
        return [self.value.replace("{}", each) for each in self.each] or [self.value]

    def single(self, expression: str) -> dict[str, str]:
        """Return what *expression* becomes with each of the others; itself, for no row, without them."""
        return {each: expression.replace(OTHER, each) for each in self.others} or {"": expression}

    def extreme(self, values: Mapping[str, float]) -> str:
        """Return the other row whose value is the nearest to the range's end, or the farthest beyond it."""
        return (min if self.expected[1] == inf else max)(values, key=lambda other: values[other])

    def in_paper(self, published: Published, expression: str) -> float | None:
        """Return the value of *expression* in the paper's tables, None if a figure is not in them."""
        values = {o: published_value(published, one) for o, one in self.single(expression).items()}
        known = {other: value for other, value in values.items() if value is not None}
        return known[self.extreme(known)] if len(known) == len(values) else None

    def here(self, answers: AllAnswers, expression: str) -> tuple[Estimate, str]:
        """Return the value of *expression* in our runs with its interval, and the other row that decides."""
        ones = self.single(expression)
        alone = {other: estimate(answers, one) for other, one in ones.items()}
        if not self.others:
            return alone[""], ""
        confidence = 1 - (1 - CONFIDENCE) / len(ones)
        together = {other: estimate(answers, one, confidence) for other, one in ones.items()}
        nearest = self.extreme({other: each.value for other, each in alone.items()})
        below, above, end = (alone, together, min) if self.expected[1] == inf else (together, alone, max)
        low, high = end(each.low for each in below.values()), end(each.high for each in above.values())
        return alone[nearest]._replace(low=low, high=high), nearest


def verdict(found: Estimate, expected: tuple[float, float]) -> str:
    """Return whether *found* lies in the range *expected*, in points, with its whole interval.

    An interval that touches an end of the range is not in it: two models that always agree do not differ.

    >>> verdict(Estimate(0.1, 0.05, 0.15, 100, 100), (0.0, float("inf")))
    'holds'
    """
    low, high = (bound / 100 for bound in expected)
    if low < found.low and found.high < high:
        return "holds"
    if found.high < low or found.low > high:
        return "does not hold"
    return "undecided"


@dataclass(frozen=True)
class Ordering:
    """A statement of the paper: the order of *rows* on a *cell*, a test set or ``SET:MEASURE``."""

    claim: str
    place: str
    cell: str
    rows: tuple[str, ...]

    def pairs(self, published: Published) -> list[tuple[str, str]]:
        """Return the pairs of rows that differ in the paper, the one with the higher figure first."""
        figures = {row: published(row, self.cell) for row in self.rows}
        known = [(row, figure) for row, figure in figures.items() if figure is not None]
        return [
            (a, b) if x > y else (b, a) for (a, x), (b, y) in combinations(known, 2) if x != y
        ]  # fmt: skip
