"""The paired comparison of two runs over the same items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from crossexam.core.dataset import Dataset, Run, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate, p_value_text
from crossexam.core.notebook import html_table
from crossexam.evaluation.scores import Scored, describe_projection, score_run
from crossexam.stats.estimate import share_correct
from crossexam.stats.multiple_testing import holm
from crossexam.stats.paired import clustered_mcnemar, paired_difference

if TYPE_CHECKING:
    from crossexam.evaluation.joint import JointOutcome
    from crossexam.evaluation.keys import KeyedComparison
    from crossexam.evaluation.seen_pairs import SeenPairs


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two models on one test set; *difference* is positive if the first is better.

    Only the first model is right on *b* items, only the second on *c*; *p_value* (exact) and *p_mid* come
    from the sign-flip form of McNemar's test whose unit is the cluster; *p_holm* is *p_value* corrected over
    the test sets.
    """

    name: str
    n: int
    accuracy_a: Estimate
    accuracy_b: Estimate
    difference: Estimate
    p_value: float
    p_mid: float
    p_holm: float
    b: int
    c: int
    projection: str | None

    def __repr__(self) -> str:
        """Return the difference with its interval in points, and the corrected p-value, in one line."""
        return (
            f"Comparison({self.name!r}, {counted_items(self.n, 'item')}, "
            f"first minus second {self.difference}, p_holm={p_value_text(self.p_holm)})"
        )


class Comparisons(tuple[Comparison, ...]):
    """The comparisons of two runs, in the order of the test sets.

    *over_keys* are the differences over keys and *joint* what both get right and wrong together; *seen* says
    which of the word pairs were in training, and is empty unless that was asked for.
    """

    over_keys: tuple[KeyedComparison, ...]
    joint: tuple[JointOutcome, ...]
    seen: tuple[SeenPairs, ...]

    def __new__(
        cls,
        comparisons: Iterable[Comparison],
        *,
        over_keys: tuple[KeyedComparison, ...] = (),
        joint: tuple[JointOutcome, ...] = (),
        seen: tuple[SeenPairs, ...] = (),
    ) -> Self:
        """Return the *comparisons* with the other results of the same two runs."""
        made = super().__new__(cls, comparisons)
        made.over_keys, made.joint, made.seen = over_keys, joint, seen
        return made

    def __repr__(self) -> str:
        """Return a line per comparison."""
        return "\n".join(map(repr, self)) or "Comparisons()"

    def _repr_html_(self) -> str:
        """Return the comparisons as a table, for notebooks."""
        header = ["test set", "items", "first", "second", "first minus second", "p (Holm)"]
        rows = [
            [
                each.name,
                each.n,
                f"{each.accuracy_a}",
                f"{each.accuracy_b}",
                f"{each.difference}",
                p_value_text(each.p_holm),
            ]
            for each in self
        ]
        notes = ["Percent and points, with 95 % confidence intervals clustered by premise."]
        scored = dict.fromkeys(each.projection for each in self if each.projection)
        notes += [f"Scored with the projection {each}." for each in scored]
        return html_table("First run against second", header, rows, notes=notes)


def one_sided_sets(run_a: Run, run_b: Run) -> tuple[str, ...]:
    """Return a line for each of the two runs that has test sets which the other lacks, with their names."""
    sides = ("first", run_a, run_b), ("second", run_b, run_a)
    return tuple(
        f"only the {side} run ({one.model}) has: {_listed(one.datasets.keys() - other.datasets.keys())}"
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
            hint="run both models over the same suite",
        )
    return _with_sets(run_a, names), _with_sets(run_b, names)


def _with_sets(run: Run, names: Iterable[str]) -> Run:
    datasets = {name: run.datasets[name] for name in names}
    return replace(run, datasets=datasets, probabilities={name: run.probabilities[name] for name in datasets})


def compare_runs(run_a: Run, run_b: Run, *, common: bool = False) -> tuple[Comparison, ...]:
    """Return the comparison of two runs on every test set, in the order of the first.

    If one of the models has two labels, both are scored on two.  Holm's correction is over the test sets.
    Raises CrossexamError if one run has a test set that the other lacks, unless *common* restricts the
    comparison to those that both have; if they share none; or if a test set holds different items.
    """
    shared_a, shared_b = common_part(run_a, run_b)
    one_sided = one_sided_sets(run_a, run_b)
    if one_sided and not common:
        raise CrossexamError(
            f"the runs have different test sets; {'; '.join(one_sided)}",
            wanted="two runs over the same test sets",
            hint=f"run both models over the same suite; --common (in Python, common=True) compares the "
            f"{len(shared_a.datasets)} that both have",
        )
    run_a, run_b, names = shared_a, shared_b, list(shared_a.datasets)
    for name in names:
        _check_same_items(name, run_a, run_b)
    two_labels = run_a.two_labels or run_b.two_labels
    first, second = score_run(run_a, two_labels=two_labels), score_run(run_b, two_labels=two_labels)
    pairs = [_compare_one(name, first[name], second[name], two_labels) for name in names]
    adjusted = holm([pair.p_value for pair in pairs]).tolist()
    return tuple(replace(pair, p_holm=p) for pair, p in zip(pairs, adjusted, strict=True))


def _compare_one(name: str, a: Scored, b: Scored, two_labels: bool) -> Comparison:
    test = clustered_mcnemar(a.correct, b.correct, a.clusters)
    return Comparison(
        name=name,
        n=len(a.gold),
        accuracy_a=share_correct(a.correct, a.clusters),
        accuracy_b=share_correct(b.correct, b.clusters),
        difference=paired_difference(a.correct, b.correct, a.clusters),
        p_value=test.p_exact,
        p_mid=test.p_mid,
        p_holm=test.p_exact,
        b=test.b,
        c=test.c,
        projection=describe_projection(a.projection, two_labels),
    )


def _check_same_items(name: str, run_a: Run, run_b: Run) -> None:
    one, other = run_a.datasets[name], run_b.datasets[name]
    if one is other or (len(one) == len(other) and content_hash_of(one) == content_hash_of(other)):
        return
    raise CrossexamError(
        f"'{run_a.model}' and '{run_b.model}' were run on different items "
        f"({len(one)} with content {content_hash_of(one)}, {len(other)} with {content_hash_of(other)})",
        where=f"test set {name}",
        wanted="the same items in the same order",
        hint="build the suite once and run both models over it, with the same --limit",
    )


def content_hash_of(dataset: Dataset) -> str:
    """Return the content hash of *dataset*: that of the manifest, unless --limit cut the test set."""
    entry = dataset.entry
    known = entry.content_hash if entry.rows == len(dataset) else None
    return known or dataset.content_hash()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
