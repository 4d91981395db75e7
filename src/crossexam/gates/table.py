"""The checks of a gate as a table, for the terminal, Markdown and errors of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from crossexam.core.estimate import Bounds, p_value_text
from crossexam.gates.checks import Check
from crossexam.reports.table import Cell, Column, Table, cell_text

#: The words for outcomes in tables.
OUTCOMES: Final[Mapping[str, str]] = {
    "holds": "holds",
    "broken": "BROKEN",
    "open": "open",
    "not judged": "NOT JUDGED",
}


def check_table(title: str, checks: Sequence[Check], level: float, notes: Sequence[str] = ()) -> Table:
    """Return a table with a row per check, and below it what it means and the *notes*.

    A p-value of at most *level* decides a check.
    """
    headers = ["Rule", "Test set", "Measure", "Value", "Wanted", "Outcome", "p"]
    rows = [_row(each) for each in checks]
    if any(each.outcome == "open" for each in checks):
        headers += ["Detectable", "Settled by"]
        rows = [(*row, *_prospects(each)) for row, each in zip(rows, checks, strict=True)]
    unjudged = [
        f"Rule {each.rule.number} on {each.test_set}: {each.remark}"
        for each in checks
        if each.outcome == "not judged"
    ]
    return Table(
        title, tuple(map(Column, headers)), tuple(rows), (*_explanations(checks, level), *unjudged, *notes)
    )


def _prospects(check: Check) -> tuple[Cell, ...]:
    """Return what so many items would show, and how many would settle an open check; else empty cells."""
    if check.outcome != "open":
        return "", ""
    items = "" if check.items_needed is None else f"{check.items_needed:,} items"
    return check.detectable_text or "nothing", items or "no number of items"


def _row(check: Check) -> tuple[Cell, ...]:
    p_value = check.p_value
    return (
        str(check.rule.number),
        check.test_set,
        check.rule.measure.name,
        value_text(check),
        check.wanted,
        OUTCOMES[check.outcome],
        "observed" if check.observed else "" if p_value is None else p_value_text(p_value),
    )


def value_text(check: Check) -> str:
    """Return the value of *check* with its interval, as tables show it; differences have a sign."""
    text = check.number(check.value.value) if check.observed else cell_text(check.value, "percent")
    is_rise = check.rule.against_baseline and not isinstance(check.value, Bounds) and check.value.value > 0
    return f"{'+' if is_rise else ''}{text}".replace("-", "−")


def _explanations(checks: Sequence[Check], level: float) -> list[str]:
    """Return what the columns of the table mean, as far as they need it."""
    notes = ["Percent; differences from the baseline in points."]
    if not all(each.observed for each in checks):
        notes.append(
            "Brackets: 95 % intervals by cluster. p: one-sided, for the side of the limit on which the value "
            f"is, Holm-corrected over all checks; a check is decided if p is at most {level:g}, and may "
            "therefore be open although its interval lies wholly on one side."
        )
    if any(each.outcome == "open" for each in checks):
        notes.append(
            "Detectable: the true value nearest to the limit at which so many items would show that the rule "
            "is broken, with a power of 80 %. Settled by: about how many items would decide the check if the "
            "value stayed as it is."
        )
    if any(each.rule.must_be_shown for each in checks):
        numbers = sorted({each.rule.number for each in checks if each.rule.must_be_shown})
        notes.append(f"Must be shown to hold (require): rule {', '.join(map(str, numbers))}.")
    if any(each.observed for each in checks):
        notes.append("Observed: known exactly, so that there is no interval.")
    return notes


def plain_text(table: Table) -> str:
    """Return *table*, whose cells are texts, as lines of plain text with its notes.

    >>> print(plain_text(Table("gate", (Column("Rule"), Column("p")), (("1", "0.02"), ("12", "")))))
    gate
    Rule  p
    1     0.02
    12
    """
    rows = [[column.header for column in table.columns], *([str(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([table.title, *lines, *table.notes])
