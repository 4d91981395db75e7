"""Whether a run keeps to rules: each is shown to hold, shown to be broken, or open.

A check compares a value with a limit.  It *holds* if the value is shown to keep to the limit, and is *broken*
if it is shown not to; each is a one-sided test by an interval (:func:`crossexam.stats.p_values.one_sided_p`)
at half the level alpha, corrected by Holm's method over all checks.  The interval is that of the report, and
for shares the exact one.  So the chance that any check which is not broken is called so is at most alpha / 2.

Missing answers never help: a rule is shown to hold only if it also holds with the missing answers taken
against it.  If only bounds are known, it is broken only if it is with the missing answers taken in its
favour, and cannot be judged if the bounds do not decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from math import isnan
from typing import Any

from crossexam.constructions.keys import keys_are_sampled
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import PROPOSED, VERIFIED
from crossexam.core.manifest import CONSISTENCY
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.quantities import Quantity
from crossexam.evaluation.verified import by_status
from crossexam.gates.baseline import Baseline
from crossexam.gates.behind import ITEMS_PER_CHECK, items_behind
from crossexam.gates.checks import Check, CheckOutcome
from crossexam.gates.items import JudgedRun
from crossexam.gates.prospects import prospects_of
from crossexam.gates.result import UNDECIDED, GateResult, OpenChecks
from crossexam.gates.rules import GateRule, Limit, Side
from crossexam.models.ensemble import MEMBERS
from crossexam.reports.names import short_names
from crossexam.reports.significance import intervals_of
from crossexam.stats.p_values import ALPHA, LEAST_P, holm, one_sided_p


def judge(
    run: Run,
    rules: Sequence[GateRule],
    baseline: Baseline | None = None,
    *,
    alpha: float = ALPHA,
    max_unanswered: float = MAX_UNANSWERED,
    open_checks: OpenChecks = UNDECIDED,
    accept_unverified: bool = False,
    items: int | None = ITEMS_PER_CHECK,
) -> GateResult:
    """Return whether *run* keeps to *rules*, some of which may be about its difference from a *baseline*.

    Raises CrossexamError if that cannot be judged: the run has other items than the baseline, lacks one of
    its test sets that a rule is about, or failed the probe of its labels (unless their order was declared, or
    *accept_unverified* is true); or a rule is about no test set, or about something that the run or the
    baseline does not have.
    Checks that fail or are undecided have the *items* behind their value, all if it is None.
    """
    notes = _check_probe(run, accept_unverified)
    parts = by_status(run)
    lacking = [] if baseline is None else [name for name in baseline.sets if name not in run.datasets]
    rules = _named_in_full(rules, [*parts.datasets.values(), *(Dataset(name, ()) for name in lacking)])
    if baseline is not None:
        unused = [name for name in lacking if not _is_needed(name, rules, run)]
        baseline = baseline.without(unused)
        baseline.check(run)
        notes += _notes(run, baseline, unused)
    sides = _Sides(run, parts, baseline, max_unanswered)
    measured = [each for rule in rules for each in _measured(rule, sides)]
    checks = tuple(_with_items(check, sides, items) for check in _decided(measured, alpha))
    model = None if baseline is None else baseline.model
    names = short_names(parts.datasets)
    intervals = _intervals(checks, parts.datasets, names)
    return GateResult(run.model, model, checks, alpha, open_checks, notes, names, intervals)


def _named_in_full(rules: Sequence[GateRule], datasets: Sequence[Dataset]) -> list[GateRule]:
    """Return *rules*, those that name one of *datasets* as tables do with its full name.

    A name or pattern that is about any of them stays as it is.  No two short names are the same.
    """
    full = {short: name for name, short in short_names({each.name: each for each in datasets}).items()}
    return [
        rule
        if rule.set not in full or any(rule.matches(each.name) for each in datasets)
        else replace(rule, set=full[rule.set])
        for rule in rules
    ]


def _is_needed(name: str, rules: Sequence[GateRule], run: Run) -> bool:
    """Return whether one of *rules* is about the test set *name*, or *run* has a test set made from it."""
    parts = (name, *(f"{name} ({status})" for status in (VERIFIED, PROPOSED)))
    is_base = any(dataset.entry.base_set == name for dataset in run.datasets.values())
    return is_base or any(rule.matches(each) for rule in rules for each in parts)


def _intervals(checks: Sequence[Check], datasets: Mapping[str, Dataset], names: Mapping[str, str]) -> str:
    """Return what the intervals of the values of *checks* are."""
    clustered = intervals_of({each.test_set: datasets[each.test_set] for each in checks}, names)
    fixed = any(
        each.rule.measure.name == "ece" and keys_are_sampled(datasets[each.test_set].entry.construction)
        for each in checks
    )
    return f"{clustered}; of ece by premise alone" if fixed else clustered


def _with_items(check: Check, sides: _Sides, most: int | None) -> Check:
    """Return *check* with the items behind its value, if it fails or is undecided."""
    if not (check.fails or check.undecided):
        return check
    new, old = (sides.alone, None) if not check.rule.against_baseline or sides.both is None else sides.both
    behind = items_behind(
        check.rule.measure.sought,
        check.test_set,
        new,
        old,
        if_true=check.limit.side == "below",
        most=most,
    )
    return replace(check, behind=behind)


def _notes(run: Run, baseline: Baseline, unused: Sequence[str]) -> tuple[str, ...]:
    """Return a note if *run* and *baseline* are of the same model, which cannot be worse than itself.

    Another names the *unused* test sets of the baseline.
    """
    key, notes = run.manifest.model_key, []
    if key is not None and key == baseline.model_key:
        notes.append(
            f"Run and baseline come from the same model (key {key}): this only tests the gate itself, and "
            "does not show how far two models differ."
        )
    if unused:
        notes.append(f"The run lacks test sets of the baseline that no rule is about: {', '.join(unused)}.")
    return tuple(notes)


def _check_probe(run: Run, accept_unverified: bool) -> tuple[str, ...]:
    """Return a note per model whose labels could not be verified by the probe, and who vouches for them.

    Raises CrossexamError if nobody does: their order was not declared, and *accept_unverified* is false.
    """
    notes = []
    for name, details in _details(run.model, run.details):
        probe = details.get("probe")
        if not isinstance(probe, Mapping) or "warning" not in probe or "right" not in probe:
            continue
        if details.get("label_order_from") == "declared":
            notes.append(f"{name}: the class order was declared with --label-order; {probe['warning']}.")
        elif accept_unverified:
            notes.append(f"{name}: accepted with --accept-unverified; {probe['warning']}.")
        else:
            ordered = "label_order_from" in details
            check = "check the class order of the model" if ordered else "read some answers of the model"
            declared = "run it with --label-order, which declares it, or " if ordered else ""
            raise CrossexamError(
                f"the model failed the probe of its labels: {probe['warning']}",
                where=name,
                wanted="a model whose labels are known to mean what they say",
                hint=f"{check}; then {declared}give --accept-unverified (in Python, accept_unverified=True)",
            )
    return tuple(notes)


def _details(name: str, details: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the *details* of a model, and of the members of an ensemble, with their names."""
    if isinstance(details, Mapping):
        yield name, details
        members = details.get(MEMBERS)
        for member, of_member in members.items() if isinstance(members, Mapping) else ():
            yield from _details(str(member), of_member)


@dataclass(frozen=True)
class _Sides:
    """A *run* and its *baseline*, as rules need them.

    *parts* is the run with items whose labels are only proposed as test sets of their own.
    """

    run: Run
    parts: Run
    baseline: Baseline | None
    limit: float

    @cached_property
    def alone(self) -> JudgedRun:
        """The run, scored as in its report."""
        return JudgedRun(self.parts, self.parts.two_labels, self.limit)

    @cached_property
    def both(self) -> tuple[JudgedRun, JudgedRun] | None:
        """The run and the baseline, scored on two labels if one of the models has two."""
        if self.baseline is None:
            return None
        two_labels = self.run.two_labels or self.baseline.two_labels
        new = JudgedRun(self.parts, two_labels, self.limit)
        labels, shares = (self.baseline.over(self.run, probabilities=each) for each in (False, True))
        return new, JudgedRun(by_status(labels), two_labels, self.limit, by_status(shares))


@dataclass(frozen=True)
class _Measured:
    """A limit of a rule, and what was measured on a test set."""

    rule: GateRule
    limit: Limit
    test_set: str
    quantity: Quantity

    @property
    def p_values(self) -> tuple[float, float]:
        """The p-values of the claims that the limit is kept to, and that it is not, without correction."""
        found, (side, threshold) = self.quantity.tested, self.limit
        other: Side = "below" if side == "above" else "above"
        worst, best = (found.least, found.most) if side == "above" else (found.most, found.least)
        holds = one_sided_p(worst, threshold, side, inclusive=True)
        only_bounds = self.quantity.only_bounds
        if not only_bounds and found.missing:
            holds = max(holds, one_sided_p(found.known, threshold, side, inclusive=True))
        return holds, one_sided_p(best if only_bounds else found.known, threshold, other)


def _measured(rule: GateRule, sides: _Sides) -> Iterator[_Measured]:
    """Yield what *rule* limits on each test set that it is about; raises CrossexamError if there is none."""
    names = [name for name in sides.parts.datasets if rule.matches(name)]
    found = 0
    for name in names:
        if _is_left_out(rule, sides, name) or (name != rule.set and not len(sides.parts.datasets[name])):
            continue
        quantity = _located(rule, sides, name)
        if quantity is None:  # such as the drop of a base
            continue
        if not quantity.n or (isnan(quantity.value().value) and not quantity.only_bounds):
            raise CrossexamError(
                f"'{rule.measure.name}' cannot be measured on this test set: none of its items can be used",
                where=f"{rule.where}, test set {name}",
                wanted=rule.measure.needs,
                hint="leave the test set out of 'set'",
            )
        found += 1
        for limit in rule.limits:
            yield _Measured(rule, limit, name, quantity)
    if not found:
        what = f"'{rule.measure.name}' is not defined for" if names else "no test set is called"
        raise CrossexamError(
            f"{what} '{rule.set}'",
            where=rule.where,
            wanted=f"a name or pattern of test sets of the run: {', '.join(_defined(rule, sides))}",
            hint=None if names else _pattern_meant(rule.set, sides.parts.datasets),
        )


def _defined(rule: GateRule, sides: _Sides) -> list[str]:
    """Return the test sets for which the measure of *rule* is defined; all if it is for none."""
    found = []
    for name in sides.parts.datasets:
        try:
            left_out = _is_left_out(rule, sides, name) or _quantity_of(rule, sides, name) is None
        except CrossexamError:
            left_out = True
        found += [] if left_out else [name]
    return found or list(sides.parts.datasets)


def _pattern_meant(name: str, names: Iterable[str]) -> str | None:
    """Return a hint if *names* of test sets begin with *name*, which is written as tables show it."""
    pattern = f"{name.rstrip('.').replace(' ', '_')}.*"
    return f"did you mean '{pattern}'?" if any(fnmatchcase(each, pattern) for each in names) else None


def _is_left_out(rule: GateRule, sides: _Sides, name: str) -> bool:
    """Return whether a pattern meant test sets with gold labels, which this one was not made to have."""
    dataset = sides.parts.datasets[name]
    if rule.measure.of_answers or rule.set == name or dataset.entry.test_class != CONSISTENCY:
        return False
    return not bool((dataset.labels() >= 0).any())


def _located(rule: GateRule, sides: _Sides, name: str) -> Quantity | None:
    """Return what *rule* measures on a test set; errors say which rule it was."""
    try:
        return _quantity_of(rule, sides, name)
    except CrossexamError as error:
        if (error.where or "").startswith(rule.where):
            raise
        places = ", ".join(each for each in (rule.where, error.where) if each)
        raise CrossexamError(error.what, where=places, wanted=error.wanted, hint=error.hint) from None


def _quantity_of(rule: GateRule, sides: _Sides, name: str) -> Quantity | None:
    if not rule.against_baseline:
        return rule.measure.alone(sides.alone, name)
    if sides.both is None:
        raise CrossexamError(
            "the rule is against a baseline, and none is given",
            where=rule.where,
            wanted="--baseline FILE (in Python, baseline=)",
            hint="crossexam baseline RUN -o FILE writes one",
        )
    new, old = sides.both
    if name not in old.run.datasets:
        raise CrossexamError(
            "the baseline lacks a test set that the rule is about",
            where=f"{rule.where}, test set {name}",
            wanted="a baseline over the same test sets",
            hint="write the baseline anew, or leave the test set out of 'set'",
        )
    return rule.measure.against(new, old, name)


def _decided(measured: Sequence[_Measured], alpha: float) -> tuple[Check, ...]:
    """Return the checks, with p-values corrected over all that have any."""
    tested = [each for each in measured if not each.quantity.observed]
    found = [each.p_values for each in tested]
    corrected = zip(holm([p for p, _ in found]).tolist(), holm([p for _, p in found]).tolist(), strict=True)
    decided = iter(zip(found, corrected, strict=True))
    level = alpha / 2
    checks = []
    for each in measured:
        if each.quantity.observed:
            check = _check(each, "open")
            checks.append(replace(check, outcome="holds" if check.keeps_to_limit else "broken"))
            continue
        alone, (p_holds, p_broken) = next(decided)
        outcome = _outcome(each, p_holds, p_broken, level)
        floors = alone[0] <= LEAST_P, alone[1] <= LEAST_P
        check = replace(_check(each, outcome), p_holds=p_holds, p_broken=p_broken, p_floors=floors)
        if outcome == "open":
            open_check = prospects_of(each.quantity, each.limit, level / len(tested))
            check = replace(check, **open_check._asdict())
        checks.append(check)
    return tuple(checks)


def _check(each: _Measured, outcome: CheckOutcome) -> Check:
    quantity = each.quantity
    return Check(
        each.rule,
        each.limit,
        each.test_set,
        quantity.value(),
        quantity.n,
        quantity.missing,
        outcome,
        with_missing=quantity.with_missing() if outcome == "open" else (),
    )


def _outcome(each: _Measured, p_holds: float, p_broken: float, level: float) -> CheckOutcome:
    if p_broken <= level:
        return "broken"
    if p_holds <= level:
        return "holds"
    return "not judged" if each.quantity.only_bounds else "open"
