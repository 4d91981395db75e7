"""Violations of the rules of consistency: their rates for each model, and the differences of two models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLDS, Gold
from crossexam.reports.analysis import Analysis, Section
from crossexam.reports.figures import MODEL, TEST_SET, Figure, FigureColumn, FigureTable, Row
from crossexam.reports.results import ModelResults, Results, once
from crossexam.reports.table import Column, Table, adjusted_for, number_text
from crossexam.stats.p_values import ALPHA

if TYPE_CHECKING:
    from crossexam.evaluation.consistency import ConsistencyComparison, ConsistencyRule, Violations

_TITLE: Final = "Consistency"
_NOTES: Final = (
    "How often the model contradicts itself; no gold labels are needed. Of all: the share of the items that "
    "violate the rule. Of condition: of those whose condition holds, of an equivalence either side (Li et "
    "al. 2019). With 95 % confidence intervals clustered by premise.",
    "E(p, h): the model predicts entailment for premise p and hypothesis h; C: contradiction, N: neutral; z: "
    "h with an antonym. Read it beside the accuracy: a model that gives every pair the same label violates "
    "few rules.",
)
_BY_BASE_NOTE: Final = (
    "The share of the items that violate the rule, by the label predicted for (p, h); only labels for "
    "which its condition holds on some item."
)
_COMPARISON_NOTE: Final = (
    "Of items that both models answered, the share that violates the rule, and the paired difference, with "
    "95 % confidence intervals clustered by premise. Positive: A contradicts itself more often."
)


@once
def consistency(model: ModelResults) -> dict[str, Violations]:
    """Return the violations of each rule of consistency; empty without items of the consistency suite."""
    from crossexam.evaluation.consistency import consistency_of

    return consistency_of(model.run, max_unanswered=model.options.max_unanswered)


@once
def _differences(results: Results) -> dict[str, ConsistencyComparison]:
    """Return the difference in violations of exactly two models; empty if they share no rule."""
    from crossexam.evaluation.consistency import compare_consistency

    return compare_consistency(*results.runs, max_unanswered=results.options.max_unanswered)


def _found(results: Results) -> Iterator[Row[Violations]]:
    """Yield the violations, ordered by test set and rule."""
    names = dict.fromkeys(name for model in results.models for name in consistency(model))
    for name in sorted(names, key=lambda name: _order(results, name)):
        for model in results.models:
            if (each := consistency(model).get(name)) is not None:
                yield Row(model.name, each.test_set, each)


def _order(results: Results, name: str) -> tuple[int, int]:
    from crossexam.evaluation.consistency import RULES

    test_set = next(consistency(m)[name].test_set for m in results.models if name in consistency(m))
    return list(results.test_sets).index(test_set), list(RULES).index(name.partition(".")[0])


class _OfLabel(NamedTuple):
    """The *share* of violations among the items for which the *label* of (p, h) was predicted."""

    rule: ConsistencyRule
    label: Gold
    share: Estimate


def _by_label(results: Results) -> Iterator[Row[_OfLabel]]:
    for model, test_set, each in _found(results):
        for label, share in sorted(each.by_base.items(), key=lambda pair: GOLDS.index(pair[0])):
            yield Row(model, test_set, _OfLabel(each.rule, label, share))


def _of_pair(results: Results) -> Iterator[Row[ConsistencyComparison]]:
    return (Row(results.pair, each.test_set, each) for each in _differences(results).values())


_TABLE: Final = FigureTable["Violations"](
    _TITLE,
    _found,
    (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn("Violations", "count", lambda each: each.count, "violations_count"),
        FigureColumn("Of all, %", "percent", lambda each: each.of_all, "violations_of_all"),
        FigureColumn("Condition holds", "count", lambda each: each.conditions, "violations_condition_holds"),
        FigureColumn("Of condition, %", "percent", lambda each: each.of_condition, "violations_of_condition"),
        FigureColumn(
            "Unanswered", "count", lambda each: each.unanswered, "violations_unanswered", optional=True
        ),
        FigureColumn("", "count", lambda each: each.unjoined, "violations_unjoined"),
    ),
    lambda results, rows: (*_NOTES, *_missing_notes(results, rows), *left_out_notes(results.models)),
    first=(TEST_SET, FigureColumn("Rule", "text", lambda each: each.rule.says), MODEL),
    grouped=2,
    n=lambda each: each.n,
    of=lambda each: each.rule.name,
)
_LABELS: Final = FigureTable["_OfLabel"](
    "Violations by the label of (p, h)",
    _by_label,
    (
        FigureColumn("Label of (p, h)", "text", lambda each: each.label),
        FigureColumn("Items", "count", lambda each: each.share.n),
        FigureColumn("Of these, %", "percent", lambda each: each.share, "violations_by_base"),
    ),
    lambda _, __: (_BY_BASE_NOTE,),
    first=(TEST_SET, FigureColumn("Rule", "text", lambda each: each.rule.says), MODEL),
    grouped=3,
    folded="Show the violations by the label of (p, h)",
    of=lambda each: f"{each.rule.name}: {each.label}",
)
_AGAINST: Final = FigureTable["ConsistencyComparison"](
    "A minus B in violations",
    _of_pair,
    (
        FigureColumn("Items", "count", lambda each: each.n),
        FigureColumn("A, %", "percent", lambda each: each.of_a, "violations_a"),
        FigureColumn("B, %", "percent", lambda each: each.of_b, "violations_b"),
        FigureColumn("A minus B", "points", lambda each: each.difference, "violations_difference"),
        FigureColumn(
            "Unanswered", "count", lambda each: each.unanswered, "violations_unanswered", optional=True
        ),
    ),
    lambda _, __: (_COMPARISON_NOTE,),
    first=(TEST_SET, FigureColumn("Rule", "text", lambda each: each.rule.says)),
    folded="Show the differences in consistency",
    n=lambda each: each.n,
    of=lambda each: each.rule.name,
)


def violations_table(results: Results) -> Table:
    """Return the share of items that violate each rule, a column per model; may have no rows."""
    found = list(_found(results))
    rates: dict[tuple[str, str], dict[str, Violations]] = {}
    for model, test_set, each in found:
        rates.setdefault((results.short_names[test_set], each.rule.says), {})[model] = each
    models = [model.name for model in results.models]
    rows = []
    for rule, of_rule in rates.items():
        shares = (of_rule[model].of_all if model in of_rule else None for model in models)
        rows.append((*rule, max(each.n for each in of_rule.values()), *shares))
    columns = (
        *(Column("Test set"), Column("Rule"), Column("Items", "count")),
        *(Column(name, "percent") for name in results.short_models),
    )
    note = (
        "Violations in percent of all items, whether or not the condition of the rule holds, with 95 % "
        "confidence intervals clustered by premise."
    )
    notes = (note, _NOTES[-1], *_missing_notes(results, found), *left_out_notes(results.models))
    return Table("Consistency: violations of each rule", columns, tuple(rows), notes, grouped=1)


def _missing_notes(results: Results, found: Sequence[Row[Violations]]) -> list[str]:
    notes = []
    if any(row.measured.unanswered for row in found):
        notes.append(
            "Unanswered: items that are left out because the model did not answer them or another item of "
            "their rule. A range gives the bounds of a rate with too many missing answers."
        )
    unjoined = {f"{results.short_names[name]}: {each.unjoined:,}" for _, name, each in found if each.unjoined}
    if unjoined:
        listed = "; ".join(sorted(unjoined))
        notes.append(f"Left out because the run lacks their base or another item of their rule: {listed}.")
    return notes


def left_out_notes(models: Sequence[ModelResults]) -> list[str]:
    """Return per model which rules are left out, and why."""
    from crossexam.evaluation.consistency import rules_left_out

    return [
        f"{model.name}: {reason}, so left out: {_listed(rules)}."
        for model in models
        for reason, rules in rules_left_out(model.run).items()
    ]


def most_violated(model: ModelResults, names: Mapping[str, str], rates: int) -> str:
    """Return in a sentence which rule *model* violates most often; empty if none was measured.

    *names* are those of the test sets for readers.

    The interval is simultaneous over the *rates* of all rules and models, which it is the largest of.
    """
    known = [each for each in consistency(model).values() if each.n and not each.only_bounds]
    if not known:
        return ""
    worst = max(known, key=lambda each: each.of_all.value)
    if not worst.count:
        return "It violates none of the consistency rules."
    of_all = worst.rate.value(1 - ALPHA / rates)
    share, low, high = (number_text(each, "percent") for each in of_all[:3])
    return (
        f"Of the consistency rules, it violates {names[worst.test_set]} most often: on {share} % of "
        f"{counted_items(worst.n, 'item')} (95 % interval {low} to "
        f"{high}{adjusted_for(rates, 'rates')})."
    )


def consistency_warnings(results: Results) -> list[str]:
    """Return a warning per model that was asked about items of rules, but not about the base of these."""
    from crossexam.evaluation.consistency import LACKS_BASE, rules_left_out

    return [
        f"{model.name} was not asked about the base, without which {_listed(rules)} cannot be measured: run "
        "it over the whole suite."
        for model in results.models
        if (rules := rules_left_out(model.run).get(LACKS_BASE))
    ]


def _listed(rules: Sequence[ConsistencyRule]) -> str:
    return ", ".join(rule.name.replace("_", " ") for rule in rules)


def _left_out(results: Results) -> Iterator[Figure]:
    """Yield the rules that are left out for each model; the figure names the reason."""
    from crossexam.evaluation.consistency import rules_left_out

    for model in results.models:
        for reason, rules in rules_left_out(model.run).items():
            for rule in rules:
                yield Figure(model.name, "", "violations_left_out", 1, f"{rule.name}: {reason}")


def has_consistency(results: Results) -> bool:
    """Return whether there are items of consistency rules."""
    from crossexam.evaluation.consistency import RULES

    made = {rule.made_by for rule in RULES.values()}
    return any(dataset.entry.construction in made for dataset in results.test_sets.values())


CONSISTENCY: Final = Analysis(
    "consistency",
    (
        Section("consistency", "Consistency", _TABLE, figures=_left_out),
        Section("by_label", "By label", _LABELS, within="consistency"),
        Section("violations", "In violations", _AGAINST, within="against", models=2),
    ),
    has_consistency,
    warnings=consistency_warnings,
)
