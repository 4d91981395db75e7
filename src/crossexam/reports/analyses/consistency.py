"""Violations of the rules of consistency: the tables of models and of two models, and the same as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import counted_items
from crossexam.core.labels import GOLDS
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Column, Table, adjusted_for, number_text
from crossexam.stats.p_values import ALPHA

if TYPE_CHECKING:
    from crossexam.evaluation.consistency import ConsistencyRule, Violations

_TITLE: Final = "Consistency"
_NOTES: Final = (
    "How often the model contradicts itself; no gold labels are needed. E(p, h): it predicts entailment for "
    "premise p and hypothesis h; z: h with an antonym. Of all: the share of the items that violate the rule. "
    "Of condition: of those whose condition holds, of an equivalence either side (Li et al. 2019). "
    "With 95 % confidence intervals clustered by premise.",
    "Read it beside the accuracy: a model that gives every pair the same label violates few rules.",
)
_BY_BASE_NOTE: Final = (
    "The share of the items that violate the rule, by the label predicted for (p, h); only labels for "
    "which its condition holds on some item."
)
_COMPARISON_NOTE: Final = (
    "The share of the items that both models answered that violate the rule, and the paired difference, with "
    "95 % confidence intervals clustered by premise. Positive: A contradicts itself more often."
)
_RATES: Final = ("of_all", "of_condition")


def _found(results: Results) -> Iterator[tuple[str, ModelResults, Violations]]:
    """Yield short name of the test set, model and violations, ordered by test set and rule."""
    names = dict.fromkeys(name for model in results.models for name in model.consistency)
    for name in sorted(names, key=lambda name: _order(results, name)):
        for model in results.models:
            if (each := model.consistency.get(name)) is not None:
                yield results.short_names[each.test_set], model, each


def _order(results: Results, name: str) -> tuple[int, int]:
    from crossexam.evaluation.consistency import RULES

    test_set = next(m.consistency[name].test_set for m in results.models if name in m.consistency)
    return list(results.test_sets).index(test_set), list(RULES).index(name.partition(".")[0])


def consistency_table(results: Results) -> Table:
    """Return the two rates of violations by rule and model; may have no rows."""
    found = list(_found(results))
    some_missing = any(each.unanswered for _, _, each in found)
    rows = tuple(
        (
            name,
            each.rule.says,
            model.name,
            each.n,
            each.count,
            each.of_all,
            each.conditions,
            each.of_condition,
            *((each.unanswered,) if some_missing else ()),
        )
        for name, model, each in found
    )
    columns = (
        Column("Test set"),
        Column("Rule"),
        Column("Model"),
        Column("Items", "count"),
        Column("Violations", "count"),
        Column("Of all, %", "percent"),
        Column("Condition holds", "count"),
        Column("Of condition, %", "percent"),
        *((Column("Unanswered", "count"),) if some_missing else ()),
    )
    notes = (*_NOTES, *_missing_notes(found), *left_out_notes(results.models))
    return Table(_TITLE, columns, rows, notes, grouped=2)


def violations_table(results: Results) -> Table:
    """Return the share of items that violate each rule, a column per model; may have no rows."""
    found = list(_found(results))
    rates: dict[tuple[str, str], dict[str, Violations]] = {}
    for name, model, each in found:
        rates.setdefault((name, each.rule.says), {})[model.name] = each
    models = [model.name for model in results.models]
    rows = []
    for rule, of_rule in rates.items():
        shares = (of_rule[model].of_all if model in of_rule else None for model in models)
        rows.append((*rule, max(each.n for each in of_rule.values()), *shares))
    columns = (
        *(Column("Test set"), Column("Rule"), Column("Items", "count")),
        *(Column(name, "percent") for name in results.short_models),
    )
    note = "Violations in percent of the items, with 95 % confidence intervals clustered by premise."
    notes = (note, _NOTES[-1], *_missing_notes(found), *left_out_notes(results.models))
    return Table("Consistency: violations of each rule", columns, tuple(rows), notes, grouped=1)


def _missing_notes(found: Sequence[tuple[str, ModelResults, Violations]]) -> list[str]:
    notes = []
    if any(each.unanswered for _, _, each in found):
        notes.append(
            "Unanswered: items that are left out because the model did not answer them or another item of "
            "their rule. A range has the bounds of a rate of which too many are missing."
        )
    unjoined = {f"{name}: {each.unjoined:,}" for name, _, each in found if each.unjoined}
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


def most_violated(model: ModelResults, rates: int) -> str:
    """Return in a sentence which rule *model* violates most often; empty if none was measured.

    The interval is simultaneous over the *rates* of all rules and models, which it is the largest of.
    """
    known = [each for each in model.consistency.values() if each.n and not each.only_bounds]
    if not known:
        return ""
    worst = max(known, key=lambda each: each.of_all.value)
    if not worst.count:
        return "It violates none of the consistency rules."
    of_all = worst.of_all_at(1 - ALPHA / rates)
    share, low, high = (number_text(each, "percent") for each in of_all[:3])
    return (
        f"Of the consistency rules, it violates {_listed([worst.rule])} most often: on {share} % of "
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


def violations_by_label_table(results: Results) -> Table:
    """Return the violations by rule, model and the label predicted for (p, h); may have no rows."""
    rows = tuple(
        (name, each.rule.says, model.name, label, of_label.n, of_label)
        for name, model, each in _found(results)
        for label, of_label in sorted(each.by_base.items(), key=lambda pair: GOLDS.index(pair[0]))
    )
    columns = (
        Column("Test set"),
        Column("Rule"),
        Column("Model"),
        Column("Label of (p, h)"),
        Column("Items", "count"),
        Column("Of these, %", "percent"),
    )
    folded = "Show the violations by the label of (p, h)"
    return Table("Violations by the label of (p, h)", columns, rows, (_BY_BASE_NOTE,), 3, folded)


def consistency_against_table(results: Results) -> Table:
    """Return the paired comparison of violations of exactly two models; else it has no rows."""
    pairs, names = results.consistency_comparison, results.short_names
    some_missing = any(each.unanswered for each in pairs.values())
    columns = (
        Column("Test set"),
        Column("Rule"),
        Column("Items", "count"),
        Column("A, %", "percent"),
        Column("B, %", "percent"),
        Column("A minus B", "points"),
        *((Column("Unanswered", "count"),) if some_missing else ()),
    )
    rows = tuple(
        (
            names[each.test_set],
            each.rule.says,
            each.n,
            each.of_a,
            each.of_b,
            each.difference,
            *((each.unanswered,) if some_missing else ()),
        )
        for each in pairs.values()
    )
    folded = "Show the differences in consistency"
    return Table("A minus B in violations", columns, rows, (_COMPARISON_NOTE,), 1, folded)


def compared_violations(results: Results) -> list[dict[str, object]]:
    """Return the differences in violations of two models as data, a rule per row."""
    rows: list[dict[str, object]] = []
    for each in results.consistency_comparison.values():
        row: dict[str, object] = {"name": each.test_set, "rule": each.rule.name, "n": each.n}
        for key, rate in (
            ("violations_a", each.of_a),
            ("violations_b", each.of_b),
            ("violations_difference", each.difference),
        ):
            row |= {key: rate.value, f"{key}_low": rate.low, f"{key}_high": rate.high}
        rows.append({**row, "unanswered": each.unanswered})
    return rows


def consistency_rows(model: ModelResults) -> Iterator[dict[str, object]]:
    """Yield every number on consistency, one per row; ``of`` names the rule, and the label of (p, h)."""
    for each in model.consistency.values():
        entry = model.run.datasets[each.test_set].entry
        known = {
            "model": model.name,
            "test_set": each.test_set,
            "construction": entry.construction,
            "rules": entry.rules,
            "part": entry.part,
            "base_set": entry.base_set,
            "of": each.rule.name,
        }
        for key, value in (("count", each.count), ("condition_holds", each.conditions)):
            yield {**known, "statistic": f"violations_{key}", "value": value, "n": each.n}
        for key in ("unanswered", "unjoined"):
            yield {**known, "statistic": f"violations_{key}", "value": getattr(each, key)}
        for key in _RATES:
            if (rate := getattr(each, key)) is not None:
                yield {**known, "statistic": f"violations_{key}", **rate._asdict()}
        for label, rate in each.by_base.items():
            of = f"{each.rule.name}: {label}"
            yield {**known, "statistic": "violations_by_base", **rate._asdict(), "of": of}


def consistency_object(model: ModelResults) -> dict[str, Any]:
    """Return the violations of each rule by name, with what was left out."""
    from crossexam.evaluation.consistency import rules_left_out

    return {
        "rules": {
            name: {
                "test_set": each.test_set,
                "rule": each.rule.says,
                "n": each.n,
                "violations": each.count,
                "condition_holds": each.conditions,
                "unanswered": each.unanswered,
                "unjoined": each.unjoined,
                **{key: getattr(each, key) for key in _RATES},
                "only_bounds": each.only_bounds,
                "by_base": each.by_base,
            }
            for name, each in model.consistency.items()
        },
        "left_out": {
            reason: [rule.name for rule in rules] for reason, rules in rules_left_out(model.run).items()
        },
    }
