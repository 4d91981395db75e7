"""The checks of a gate as a wide table, and the words of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from crossexam.core.estimate import Bounds, p_value_text
from crossexam.gates.checks import Check
from crossexam.reports.table import Cell, Column, Table, cell_text, number_text

#: The words for outcomes in tables.
OUTCOMES: Final[Mapping[str, str]] = {
    "holds": "holds",
    "broken": "BROKEN",
    "open": "open",
    "not judged": "NOT JUDGED",
}


def check_table(title: str, checks: Sequence[Check], notes: Sequence[str] = ()) -> Table:
    """Return a table with a row per check, and the *notes* below it."""
    headers = ["Rule", "Test set", "Measure", "Value", "Wanted", "Outcome", "p"]
    rows = [_row(each) for each in checks]
    if any(each.outcome == "open" for each in checks):
        headers += ["Detectable", "Settled by"]
        rows = [(*row, *prospects(each)) for row, each in zip(rows, checks, strict=True)]
    return Table(title, tuple(map(Column, headers)), tuple(rows), tuple(notes))


def prospects(check: Check) -> tuple[str, str]:
    """Return what so many items would show, and how many would settle an open check; else empty cells."""
    if check.outcome != "open":
        return "", ""
    items = "" if check.items_needed is None else f"{check.items_needed:,} items"
    return check.detectable_text or "nothing", items or "not by more items"


def _row(check: Check) -> tuple[Cell, ...]:
    return (
        str(check.rule.number),
        check.test_set,
        check.rule.measure.name,
        value_text(check),
        check.wanted,
        outcome_text(check),
        p_text(check),
    )


def outcome_text(check: Check) -> str:
    """Return the outcome of *check*, as tables show it; of an open one also on which side the value is."""
    word = OUTCOMES[check.outcome]
    if check.outcome != "open":
        return word
    return f"{word}, no loss" if check.without_loss else word if check.keeps_to_limit else f"{word}, worse"


def p_text(check: Check) -> str:
    """Return the p-value of *check*, as tables show it, empty if there is none."""
    if check.observed:
        return "observed"
    if check.p_value is None:
        return ""
    return f"{'<' if check.p_at_floor else ''}{p_value_text(check.p_value)}"


def value_text(check: Check) -> str:
    """Return the value of *check* with its interval, as tables show it; differences have a sign."""
    return _signed(
        check, check.number(check.value.value) if check.observed else cell_text(check.value, "percent")
    )


def value_number(check: Check) -> str:
    """Return the value of *check* without its interval, as tables show it."""
    return _signed(check, number_text(check.value, "percent"))


def _signed(check: Check, text: str) -> str:
    is_rise = check.rule.against_baseline and not isinstance(check.value, Bounds) and check.value.value > 0
    return f"{'+' if is_rise else ''}{text}".replace("-", "−")


def explanations(checks: Sequence[Check], intervals: str, level: float) -> tuple[str, ...]:
    """Return what the columns of the table mean, as far as they need it, and why checks were not judged.

    A p-value of at most *level* decides a check; *intervals* says what they are.
    """
    notes = ["Percent; drops, and differences from the baseline, in points."]
    if not all(each.observed for each in checks):
        notes.append(
            f"Brackets: {intervals}. p: one-sided, for the side of the limit on which the value is, "
            f"Holm-corrected over all checks; a check is decided if p is at most {level:g}, and may be open "
            "although its interval lies wholly on one side."
        )
    if any(each.outcome == "open" for each in checks):
        notes.append(
            "Open: not shown either way; worse: the value itself is beyond the limit; no loss: nothing was "
            "lost from the baseline or the base. Detectable: the true value nearest to the limit at which "
            "these items would show that the rule is broken, with a power of 80 %, if any. Settled by: "
            "about how many items (and proportionally more word pairs, if they are made from these) would "
            "decide the check in half of the cases if the measured value were the true one."
        )
    if any(each.rule.must_be_shown for each in checks):
        numbers = sorted({each.rule.number for each in checks if each.rule.must_be_shown})
        notes.append(f"Must be shown to hold (require): rule {', '.join(map(str, numbers))}.")
    if any(each.observed for each in checks):
        notes.append("Observed: known exactly, so without an interval.")
    notes += [
        f"Rule {each.rule.number} on {each.test_set}: {each.remark}"
        for each in checks
        if each.outcome == "not judged"
    ]
    return tuple(notes)
