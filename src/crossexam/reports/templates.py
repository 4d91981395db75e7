"""How much a model's results depend on the prompt template."""

from __future__ import annotations

from typing import Final

from crossexam.reports.results import Results
from crossexam.reports.table import Column, Table

_NOTES: Final = (
    "Accuracy in percent of the items that were answered with all templates, with 95 % intervals clustered "
    "by premise. Spread: the highest accuracy minus the lowest, which is above zero by chance alone.",
    "Sensitivity in percent: the entropy of an item's predictions over the templates, divided by that of all "
    "labels being equally frequent, and averaged (Errica et al. 2024). It is 0 if no prediction depends on "
    "the template. Intervals of spread and sensitivity are bootstrapped by premise.",
)


def template_table(results: Results) -> Table:
    """Return what the template decides for the models that were asked with several."""
    found = results.by_template
    short = results.short_names
    some_missing = any(each.unanswered for each in found)
    rows = [
        (
            each.model,
            short[each.test_set],
            len(each.accuracies),
            each.accuracies[each.lowest],
            each.lowest,
            each.accuracies[each.highest],
            each.highest,
            each.spread,
            each.sensitivity,
            *((each.unanswered,) if some_missing else ()),
        )
        for each in found
    ]
    columns = (
        Column("Model"),
        Column("Test set"),
        Column("Templates", "count"),
        Column("Lowest accuracy", "percent"),
        Column("with"),
        Column("Highest accuracy", "percent"),
        Column("with "),
        Column("Spread", "percent"),
        Column("Sensitivity", "percent"),
        *((Column("Unanswered", "count"),) if some_missing else ()),
    )
    return Table("Prompt templates", columns, tuple(rows), _NOTES, grouped=1)
