"""The paired comparison of two runs over the same items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from crossexam.core.dataset import Run, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate, p_value_text
from crossexam.core.labels import Ties
from crossexam.core.notebook import html_table
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.quantities import Quantity, difference_of, share_of
from crossexam.evaluation.scores import (
    Scored,
    describe_projection,
    on_both_answered,
    score_pair,
    ties_of,
    with_accuracy,
)
from crossexam.stats.p_values import holm_of_planned
from crossexam.stats.paired import clustered_mcnemar

if TYPE_CHECKING:
    from crossexam.evaluation.keys import KeyedComparison
    from crossexam.evaluation.probability_comparison import ProbabilityComparison
    from crossexam.evaluation.seen_pairs import SeenWordPairs, TrainingPairs
    from crossexam.evaluation.several.joint import JointOutcome


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two models on one test set; *difference* is positive if the first is better.

    Only the first model is right on *b* items, only the second on *c*; *p_value* and *p_mid* come from the
    sign-flip form of McNemar's test whose unit is the cluster; *p_holm* is *p_value* corrected over the test
    sets, tested or not.  All are of the *n* items that both models answered.  *unanswered* says what is
    missing; if that is too much, the accuracies and the difference are Bounds, over all items with a gold
    label, and *b*, *c* and the p-values are None.  *ties_a* and *ties_b* are the items, of those that both
    answered, for which the first and the second model find several labels most probable; None without any.
    """

    name: str
    n: int
    accuracy_a: Estimate
    accuracy_b: Estimate
    difference: Estimate
    projection: str | None
    p_value: float | None = None
    p_mid: float | None = None
    p_holm: float | None = None
    b: int | None = None
    c: int | None = None
    unanswered: UnansweredByEither | None = None
    ties_a: Ties | None = None
    ties_b: Ties | None = None

    def __repr__(self) -> str:
        """Return the difference with its interval in points, and the corrected p-value, in one line."""
        missing = f", {self.unanswered.missing:,} unanswered" if self.unanswered is not None else ""
        return (
            f"Comparison({self.name!r}, {counted_items(self.n, 'item')}{missing}, "
            f"first minus second {self.difference}, p_holm={self.p_text})"
        )

    @property
    def only_bounds(self) -> bool:
        """Whether so many items are missing that the accuracies and the difference are bounds."""
        return self.unanswered is not None and self.unanswered.only_bounds

    @property
    def items(self) -> int:
        """The number of items that the accuracies and the difference are of: all labelled ones for bounds."""
        return self.unanswered.labelled if self.unanswered is not None and self.only_bounds else self.n

    @property
    def p_text(self) -> str:
        """The corrected p-value as text."""
        return "none" if self.p_holm is None else p_value_text(self.p_holm)


@dataclass(frozen=True)
class UnansweredByEither:
    """What two models did not answer of the *labelled* items of a test set, those with a gold label.

    The first did not answer *a* items, the second *b*, and one of them or both *missing*.  *difference* has
    the bounds of the difference over all labelled items.  With *only_bounds*, so many are missing that the
    bounds are the result.
    """

    labelled: int
    a: int
    b: int
    missing: int
    difference: Bounds
    only_bounds: bool


class Comparisons(tuple[Comparison, ...]):
    """The comparisons of two *runs*, in the order of the test sets that both have.

    What else is compared is measured when it is asked for.  *scored* are the scores of both on these test
    sets, answered or not; of test sets of which more than the share *max_unanswered* is missing, nothing else
    is compared.  *training* are word pairs in training corpora, if these are to be looked up.
    """

    runs: tuple[Run, Run]
    scored: tuple[dict[str, Scored], dict[str, Scored]]
    max_unanswered: float
    training: TrainingPairs | None

    @classmethod
    def of(
        cls,
        run_a: Run,
        run_b: Run,
        *,
        max_unanswered: float = MAX_UNANSWERED,
        training: TrainingPairs | None = None,
    ) -> Self:
        """Return the comparisons on the test sets that both runs have, which hold the same items.

        Those of which accuracy says nothing, those of the consistency suite, have none.  If one of the models
        has two labels, both are scored on two.  Holm's correction is over the test sets with items, those
        with only bounds included.
        """
        names = [name for name in run_a.datasets if name in run_b.datasets]
        first, second = (with_accuracy(run.restricted_to(names)) for run in (run_a, run_b))
        scored = score_pair(first, second)
        found = cls(_compared(first, second, scored, max_unanswered))
        found.runs, found.scored, found.max_unanswered, found.training = (
            (run_a, run_b),
            scored,
            max_unanswered,
            training,
        )
        return found

    @cached_property
    def answered(self) -> tuple[Run, Run]:
        """The runs over the test sets of which more than bounds is known."""
        from crossexam.evaluation.unanswered import answered_part

        return answered_part(*self.runs, self.max_unanswered)

    @cached_property
    def both(self) -> tuple[dict[str, Scored], dict[str, Scored]]:
        """The scores of both runs on the items that both answered."""
        return on_both_answered(*self.scored)

    @cached_property
    def over_keys(self) -> tuple[KeyedComparison, ...]:
        """The differences over keys, such as word pairs."""
        from crossexam.evaluation.keys import keyed_comparisons

        return keyed_comparisons(self.answered[0].datasets, *self.both)

    @cached_property
    def joint(self) -> tuple[JointOutcome, ...]:
        """What both models get right and wrong together."""
        from crossexam.evaluation.several.joint import joint_outcomes

        return joint_outcomes(self.answered[0].datasets, *self.both)

    @cached_property
    def probabilities(self) -> tuple[ProbabilityComparison, ...]:
        """The differences in what the probabilities are worth."""
        from crossexam.evaluation.probability_comparison import probability_comparisons

        return probability_comparisons(*self.runs, max_unanswered=self.max_unanswered)

    @cached_property
    def seen(self) -> tuple[SeenWordPairs, ...]:
        """The word pairs that were in training; empty unless these were to be looked up."""
        from crossexam.evaluation.seen_pairs import seen_pairs

        if self.training is None:
            return ()
        return seen_pairs(self.answered[0].datasets, *self.both, self.training)

    @cached_property
    def mean_of_benchmark(self) -> Estimate | None:
        """The difference in the mean over the corpora of the cross-dataset benchmark; None without any."""
        from crossexam.evaluation.cross_dataset import mean_difference

        return mean_difference(self.answered[0].datasets, *self.both)

    def __repr__(self) -> str:
        """Return a line per comparison."""
        return "\n".join(map(repr, self)) or "Comparisons()"

    def _repr_html_(self) -> str:
        """Return the comparisons as a table, for notebooks."""
        header = ["test set", "items", "first", "second", "first minus second", "p (Holm)"]
        rows = [
            [
                each.name,
                each.items,
                f"{each.accuracy_a}",
                f"{each.accuracy_b}",
                f"{each.difference}",
                each.p_text,
            ]
            for each in self
        ]
        notes = ["Percent and points, with 95 % confidence intervals clustered by premise."]
        scored = dict.fromkeys(each.projection for each in self if each.projection)
        notes += [f"Scored with the projection {each}." for each in scored]
        return html_table("First run against second", header, rows, notes=notes)


def one_sided_sets(
    run_a: Run, run_b: Run, names: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Return a line for each of the two runs that has test sets which the other lacks, with their names.

    *names* are those of the test sets for readers, if they are to be shown.
    """
    sides = ("first", run_a, run_b), ("second", run_b, run_a)
    return tuple(
        f"only the {side} run ({one.model}) has: "
        + _listed(names.get(name, name) for name in one.datasets.keys() - other.datasets.keys())
        for side, one, other in sides
        if one.datasets.keys() - other.datasets.keys()
    )


def common_part(run_a: Run, run_b: Run) -> tuple[Run, Run]:
    """Return the two runs without the test sets that only one has; raises CrossexamError if none is left."""
    names = [name for name in run_a.datasets if name in run_b.datasets]
    if not names:
        raise CrossexamError(
            f"'{run_a.model}' and '{run_b.model}' have no test set in common: "
            f"{_listed(run_a.datasets)} against {_listed(run_b.datasets)}",
            hint=_one_suite(run_a, run_b),
        )
    return run_a.restricted_to(names), run_b.restricted_to(names)


def _one_suite(run_a: Run, run_b: Run) -> str:
    return way_to_same_sets(contents_of(run_a), contents_of(run_b), "run both models over the same suite")


def way_to_same_sets(ours: Mapping[str, str], theirs: Mapping[str, str], usual: str) -> str:
    """Return how two suites get the same test sets, given their content hashes by name.

    If one of *ours* is among *theirs* under another name, that is said; otherwise it is the *usual* way.

    >>> way_to_same_sets({"base.a": "feed"}, {"base.b": "feed"}, "build one suite")
    "'base.a' has the items of 'base.b', the same rows under another file name: build both suites from ..."
    """
    names = {content: name for name, content in theirs.items() if name not in ours}
    for name, content in ours.items():
        if name not in theirs and content in names:
            return (
                f"'{name}' has the items of '{names[content]}', the same rows under another file name: build "
                "both suites from a file of one name, and run the model over what is built anew"
            )
    return usual


def contents_of(run: Run) -> dict[str, str]:
    """Return the content hashes of the test sets of *run* that have items, by name."""
    return {name: each.stated_hash for name, each in run.datasets.items() if len(each)}


def check_same_sets(run_a: Run, run_b: Run) -> None:
    """Raise CrossexamError if one of two runs has a test set that the other lacks, or if they share none."""
    shared, _ = common_part(run_a, run_b)
    one_sided = one_sided_sets(run_a, run_b)
    if one_sided:
        raise CrossexamError(
            f"the runs have different test sets; {'; '.join(one_sided)}",
            wanted="two runs over the same test sets",
            hint=f"{_one_suite(run_a, run_b)}; --common (in Python, common=True) compares the "
            f"{len(shared.datasets)} that both have",
        )


def compare_runs(
    run_a: Run,
    run_b: Run,
    *,
    common: bool = False,
    max_unanswered: float = MAX_UNANSWERED,
    training: TrainingPairs | None = None,
) -> Comparisons:
    """Return the comparison of two runs on every test set, in the order of the first.

    If one or both did not answer more than the share *max_unanswered* of a test set, only bounds are given.
    Raises CrossexamError if one run has a test set that the other lacks, unless *common* restricts the
    comparison to those that both have; if they share none; or if a test set holds different items.
    """
    if not common:
        check_same_sets(run_a, run_b)
    run_a, run_b = common_part(run_a, run_b)
    for name in run_a.datasets:
        check_same_items(name, run_a, run_b)
    return Comparisons.of(run_a, run_b, max_unanswered=max_unanswered, training=training)


def _compared(
    run_a: Run, run_b: Run, scored: tuple[dict[str, Scored], dict[str, Scored]], limit: float
) -> list[Comparison]:
    two_labels = run_a.two_labels or run_b.two_labels
    first, second = scored
    pairs = []
    for name in run_a.datasets:
        ties = [
            ties_of(run, name, two_labels=two_labels, beside=beside)
            for run, beside in ((run_a, run_b), (run_b, run_a))
        ]
        pairs.append(_compare_one(name, first[name], second[name], two_labels, ties, limit))
    planned = [index for index, pair in enumerate(pairs) if pair.items]
    corrected = holm_of_planned([pairs[index].p_value for index in planned])
    for index, adjusted in zip(planned, corrected, strict=True):
        pairs[index] = replace(pairs[index], p_holm=adjusted)
    return pairs


def _compare_one(
    name: str, a: Scored, b: Scored, two_labels: bool, ties: Sequence[Ties | None], limit: float
) -> Comparison:
    both = a.answered & b.answered
    one, other = (each.right._replace(answered=both) for each in (a, b))
    difference = difference_of(one, other, limit)
    found = Comparison(
        name=name,
        n=int(both.sum()),
        accuracy_a=share_of(one, limit).value(),
        accuracy_b=share_of(other, limit).value(),
        difference=difference.value(),
        projection=describe_projection(a.projection, two_labels),
        unanswered=_unanswered(a, b, difference),
    )
    if difference.only_bounds or not found.n:
        return found
    test = clustered_mcnemar(one.least[both], other.least[both], a.units[both])
    return replace(
        found,
        p_value=test.p_exact,
        p_mid=test.p_mid,
        b=test.b,
        c=test.c,
        ties_a=ties[0],
        ties_b=ties[1],
    )


def _unanswered(a: Scored, b: Scored, difference: Quantity) -> UnansweredByEither | None:
    """Return what two models did not answer; None if both answered all."""
    if not difference.missing:
        return None
    return UnansweredByEither(
        len(a.gold),
        int((~a.answered).sum()),
        int((~b.answered).sum()),
        difference.missing,
        difference.bounds(),
        difference.only_bounds,
    )


def check_same_items(name: str, run_a: Run, run_b: Run) -> None:
    """Raise CrossexamError if the two runs have other items in the test set *name*, which both have."""
    one, other = run_a.datasets[name], run_b.datasets[name]
    if one is other or (len(one) == len(other) and one.stated_hash == other.stated_hash):
        return
    raise CrossexamError(
        f"'{run_a.model}' and '{run_b.model}' were run on different items "
        f"({len(one)} with content {one.stated_hash}, {len(other)} with {other.stated_hash})",
        where=f"test set {name}",
        wanted="the same items in the same order",
        hint="build the suite once and run both models over it, with the same --limit",
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
