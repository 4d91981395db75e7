"""Violations of the rules that connect a model's answers, which needs no gold labels (Li et al., 2019).

A rule is an implication between the labels that a model predicts for the items of one example: if its
condition holds, so must its conclusion (arXiv 1909.00126).  There are two rates of violations:

- of all items (the paper's global violation), which is small if the condition rarely holds;
- of the items whose condition holds (its conditional violation).

An equivalence, such as that of symmetry, counts as its two implications: its condition holds if either side
does.  Identity and the negations always apply, so their two rates are the same.  Intervals are clustered by
premise.  An item is left out if the model did not answer it or another item of its rule; if more than a share
of the items are, the rates are bounds (:mod:`crossexam.evaluation.quantities`).

p is the premise, h the hypothesis, z the hypothesis with an antonym; E(p, h) means that the model predicts
entailment for premise p and hypothesis h.  A model of two labels is only held to the rules that can be stated
without contradiction and neutral.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import Places, examples_at, info_values
from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import CHAIN, HYPOTHESIS_TO_Z, LINK, PREMISE_TO_Z
from crossexam.core.labels import GOLDS, LABEL_INDEX, THREE_LABELS, Gold, label_indices
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.quantities import Flags, Quantity, difference_of, share_of
from crossexam.stats.estimate import share_correct

_E, _N, _C = (LABEL_INDEX[label] for label in ("entailment", "neutral", "contradiction"))
#: By label, that of the same premise with the negated hypothesis.
_OPPOSITE: Final = np.array([{_E: _C, _N: _N, _C: _E}[label] for label in range(len(LABEL_INDEX))])


class JoinedLabels(NamedTuple):
    """The labels that were predicted, as indices in ``GOLDS`` [n each]; -1 without an answer.

    *base* is the label of (p, h), *item* that of the item and *link* that of (h, z).  What a rule does not
    read is that of the item.
    """

    base: NDArray[np.int64]
    item: NDArray[np.int64]
    link: NDArray[np.int64]


_Holds = Callable[[JoinedLabels], NDArray[np.bool_]]


@dataclass(frozen=True)
class ConsistencyRule:
    """A rule on the items of the construction *made_by*: if its *condition* holds, so must its *conclusion*.

    *says* is the rule in words.  *two_labels*: it can be stated with entailment and not_entailment alone.
    *reads_base*: it reads the label of (p, h).
    """

    name: str
    made_by: str
    says: str
    condition: _Holds
    conclusion: _Holds
    two_labels: bool = False
    reads_base: bool = True

    @property
    def always_applies(self) -> bool:
        """Whether the condition holds of every item."""
        return self.condition is _always


def _always(a: JoinedLabels) -> NDArray[np.bool_]:
    return np.ones(len(a.item), dtype=np.bool_)


_ALL: Final = (
    ConsistencyRule(
        "identity",
        "identity",
        "E(p, p)",
        _always,
        lambda a: a.item == _E,
        two_labels=True,
        reads_base=False,
    ),
    ConsistencyRule(
        "symmetry",
        "symmetry",
        "C(p, h) if and only if C(h, p)",
        lambda a: (a.base == _C) | (a.item == _C),
        lambda a: a.base == a.item,
    ),
    ConsistencyRule(
        "negated_hypothesis",
        "negated_hypothesis",
        "(p, not h): C for E(p, h), N for N(p, h), E for C(p, h)",
        _always,
        lambda a: a.item == _OPPOSITE[a.base],
    ),
    ConsistencyRule(
        "double_negation",
        "double_negation",
        "(p, not not h) has the label of (p, h)",
        _always,
        lambda a: a.item == a.base,
        two_labels=True,
    ),
    ConsistencyRule(
        "conjunction",
        "conjunction",
        "E(p, h) implies E(p, h and p)",
        lambda a: a.base == _E,
        lambda a: a.item == _E,
        two_labels=True,
    ),
    ConsistencyRule(
        "transitivity_ee",
        "transitivity",
        "E(p, h) and E(h, z) imply E(p, z)",
        lambda a: (a.base == _E) & (a.link == _E),
        lambda a: a.item == _E,
        two_labels=True,
    ),
    ConsistencyRule(
        "transitivity_ec",
        "transitivity",
        "E(p, h) and C(h, z) imply C(p, z)",
        lambda a: (a.base == _E) & (a.link == _C),
        lambda a: a.item == _C,
    ),
    ConsistencyRule(
        "transitivity_ne",
        "transitivity",
        "N(p, h) and E(h, z) imply not C(p, z)",
        lambda a: (a.base == _N) & (a.link == _E),
        lambda a: a.item != _C,
    ),
    ConsistencyRule(
        "transitivity_nc",
        "transitivity",
        "N(p, h) and C(h, z) imply not E(p, z)",
        lambda a: (a.base == _N) & (a.link == _C),
        lambda a: a.item != _E,
    ),
)

RULES: Final[dict[str, ConsistencyRule]] = {rule.name: rule for rule in _ALL}


@dataclass(frozen=True, repr=False)
class Violations:
    """The violations of *rule* on *test_set*: per item whether it was answered, and what holds of it.

    *rows* are the positions of the items in the test set, and *base* the labels predicted for (p, h), as
    indices in ``GOLDS``; all arrays are [n].  An item is *answered* if all that the rule reads of it is;
    *condition* and *violated* are false elsewhere.  *unjoined* items are not among the n, since the run lacks
    what belongs to them.  If more than the share *limit* is not answered, the rates are Bounds.
    """

    rule: ConsistencyRule
    test_set: str
    part: str
    rows: NDArray[np.int64]
    base: NDArray[np.int64]
    answered: NDArray[np.bool_]
    condition: NDArray[np.bool_]
    violated: NDArray[np.bool_]
    clusters: NDArray[np.uint64]
    unjoined: int
    limit: float

    def __repr__(self) -> str:
        """Return the rule and its two rates."""
        return f"Violations({self.rule.name!r}, {self.count} of {self.n}: {self.of_all}, {self.of_condition})"

    @property
    def n(self) -> int:
        """The number of items that were answered."""
        return int(self.answered.sum())

    @property
    def unanswered(self) -> int:
        """The number of items that were left out because they or their partners were not answered."""
        return len(self.rows) - self.n

    @property
    def count(self) -> int:
        """The number of violations."""
        return int(self.violated.sum())

    @property
    def conditions(self) -> int:
        """The number of items whose condition holds."""
        return int(self.condition.sum())

    @property
    def only_bounds(self) -> bool:
        """Whether so many items were not answered that the rates are bounds."""
        return self.rate.only_bounds

    @property
    def flags(self) -> Flags:
        """Which items violate the rule; an unanswered one may or may not."""
        return Flags(self.violated, self.violated | ~self.answered, self.answered, (self.clusters,))

    @cached_property
    def rate(self) -> Quantity:
        """The share of the items that violate the rule, at any confidence."""
        return share_of(self.flags, self.limit)

    @cached_property
    def of_all(self) -> Estimate:
        """The share of the items that violate the rule."""
        return self.rate.value()

    @cached_property
    def where_it_applies(self) -> Quantity:
        """The share of the items whose condition holds that violate the rule.

        The condition may hold of what was not answered.  Its bounds are the result if too many of all items
        were not answered.
        """
        found = share_of(self.flags.at(self.condition | ~self.answered), self.limit)
        return replace(found, only_bounds=self.only_bounds)

    @cached_property
    def of_condition(self) -> Estimate | None:
        """The share of the items whose condition holds that violate the rule; None if it holds of none."""
        return self.where_it_applies.value() if self.condition.any() else None

    @cached_property
    def by_base(self) -> dict[Gold, Estimate]:
        """The share of the items that violate the rule, by the label predicted for (p, h).

        It has the labels with which the condition can hold.  Empty if the rule does not read that label, or
        if there are only bounds.
        """
        if not self.rule.reads_base or self.only_bounds:
            return {}
        groups = {
            GOLDS[label]: self.answered & (self.base == label)
            for label in np.unique(self.base[self.condition]).tolist()
        }
        return {
            label: share_correct(self.violated[kept], self.clusters[kept]) for label, kept in groups.items()
        }


def consistency_of(
    run: Run, *, max_unanswered: float = MAX_UNANSWERED, two_labels: bool | None = None
) -> dict[str, Violations]:
    """Return the violations of each rule by *run*, under names such as ``symmetry.snli_dev``.

    Empty without test sets of the consistency suite.  Rules that read (p, h) are left out if the run lacks
    the base, and those that need three labels if the model has two (*two_labels*, by default what the run
    says).
    """
    reduced = run.two_labels if two_labels is None else two_labels
    labels = _Labels(run, reduced)
    found = {}
    for rule in RULES.values():
        for name, dataset in _sets_of(run, rule):
            if _why_left_out(rule, dataset, run, reduced) is None:
                key = f"{rule.name}.{dataset.entry.part}"
                found[key] = _violations(rule, name, run, labels, max_unanswered)
    return found


#: Why rules are left out (:func:`rules_left_out`).
NEEDS_THREE_LABELS: Final = "needs three labels"
LACKS_BASE: Final = "the run lacks the base"


def rules_left_out(run: Run) -> dict[str, list[ConsistencyRule]]:
    """Return the rules whose items *run* has, but which do not apply to it, by the reason."""
    reasons: dict[str, list[ConsistencyRule]] = {}
    for rule in RULES.values():
        of_sets = [_why_left_out(rule, dataset, run, run.two_labels) for _, dataset in _sets_of(run, rule)]
        reason = next(filter(None, of_sets), None)
        if reason is not None:
            reasons.setdefault(reason, []).append(rule)
    return reasons


def _why_left_out(rule: ConsistencyRule, dataset: Dataset, run: Run, two_labels: bool) -> str | None:
    """Return why *rule* does not apply to the items of *dataset* in *run*; None if it does."""
    if two_labels and not rule.two_labels:
        return NEEDS_THREE_LABELS
    return LACKS_BASE if rule.reads_base and dataset.entry.base_set not in run.datasets else None


def _sets_of(run: Run, rule: ConsistencyRule) -> Iterator[tuple[str, Dataset]]:
    for name, dataset in run.datasets.items():
        if dataset.entry.construction == rule.made_by:
            yield name, dataset


@dataclass(frozen=True)
class _Labels:
    """The labels that *run* predicted, by test set: its own, whatever labels the corpus has."""

    run: Run
    two_labels: bool
    _known: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    _places: dict[str, Places] = field(default_factory=dict)

    def of(self, name: str) -> NDArray[np.int64]:
        """Return the labels of test set *name* as indices in ``GOLDS``, -1 without an answer: [n]."""
        if name not in self._known:
            answers = self.run.answers(name)
            self._known[name] = label_indices(answers, THREE_LABELS, two_labels=self.two_labels)
        return self._known[name]

    def places(self, base: str) -> Places:
        """Return where the examples of *base* are."""
        if base not in self._places:
            self._places[base] = Places(self.run.datasets[base].examples)
        return self._places[base]


def _violations(rule: ConsistencyRule, name: str, run: Run, labels: _Labels, limit: float) -> Violations:
    dataset = run.datasets[name]
    own = labels.of(name)
    rows, links = _joined(dataset)
    total = len(rows)
    at = rows  # the item itself, where the base is not read
    if rule.reads_base:
        base = str(dataset.entry.base_set)
        at = labels.places(base).of_bases(examples_at(dataset.examples, rows))
    kept = (links >= 0) & (at >= 0)
    rows, links, at = rows[kept], links[kept], at[kept]
    first = labels.of(base)[at] if rule.reads_base else own[rows]
    answers = JoinedLabels(first, own[rows], own[links])
    answered = (answers.base >= 0) & (answers.item >= 0) & (answers.link >= 0)
    condition = answered & rule.condition(answers)
    return Violations(
        rule=rule,
        test_set=name,
        part=dataset.entry.part,
        rows=rows,
        base=answers.base,
        answered=answered,
        condition=condition,
        violated=condition & ~rule.conclusion(answers),
        clusters=dataset.clusters()[rows],
        unjoined=total - len(rows),
        limit=limit,
    )


def _joined(dataset: Dataset) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of the items that rules are about, and for each that of its (h, z), -1 if missing.

    Without chains every item is, and is its own link.
    """
    every = np.arange(len(dataset), dtype=np.int64)
    info = info_values(dataset.examples, (CHAIN, LINK))
    if not info[CHAIN].stated.any():
        return every, every
    link = info[LINK].each()
    rows, sources = np.flatnonzero(link == PREMISE_TO_Z), np.flatnonzero(link == HYPOTHESIS_TO_Z)
    chains = info[CHAIN].codes
    source_of = np.full(len(info[CHAIN].values) + 1, -1, dtype=np.int64)  # the last is that of no chain
    source_of[chains[sources]] = sources
    source_of[-1] = -1
    return rows, source_of[chains[rows]]


@dataclass(frozen=True)
class ConsistencyComparison:
    """The violations of *rule* by two models, on the *n* items that both answered.

    *of_a* and *of_b* are the shares of all these items that violate the rule, and *difference* is the first
    minus the second, paired item by item; they are Bounds if more than a share of the items is *unanswered*.
    """

    rule: ConsistencyRule
    test_set: str
    n: int
    of_a: Estimate
    of_b: Estimate
    difference: Estimate
    unanswered: int


def compare_consistency(
    first: Run, second: Run, *, max_unanswered: float = MAX_UNANSWERED
) -> dict[str, ConsistencyComparison]:
    """Return the difference in violations of two runs over the same items, by rule as in consistency_of.

    If one of the models has two labels, both are held to the rules for two.  The conditions of a rule hold of
    different items for different models, so only the rates of all items can be paired.
    """
    two_labels = first.two_labels or second.two_labels
    a, b = (
        consistency_of(run, max_unanswered=max_unanswered, two_labels=two_labels) for run in (first, second)
    )
    return {name: _compared(each, b[name], max_unanswered) for name, each in a.items() if name in b}


def _compared(a: Violations, b: Violations, limit: float) -> ConsistencyComparison:
    both = a.answered & b.answered
    one, other = (each.flags._replace(answered=both) for each in (a, b))
    difference = difference_of(one, other, limit)
    return ConsistencyComparison(
        a.rule,
        a.test_set,
        int(both.sum()),
        share_of(one, limit).value(),
        share_of(other, limit).value(),
        difference.value(),
        difference.missing,
    )
