"""The checks of a gate as text of at most 80 columns, in which no name is broken.

Checks stand under their rules.  A name that is too long for its column has a line of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from crossexam.core.output.escapes import one_line, visible
from crossexam.gates.behind import ItemsBehind, ShownItem
from crossexam.gates.checks import Check
from crossexam.gates.table import outcome_text, p_text, prospects, value_number, value_text

_WIDTH: Final = 80
_GAP: Final = "  "


def gate_text(
    summary: str, checks: Sequence[Check], names: Mapping[str, str], notes: Sequence[str], all_items: str
) -> str:
    """Return the *summary*, the *checks* under short *names*, the *notes*, and the items behind checks.

    *all_items* is a command or a call that shows all of these.
    """
    shown = {each.test_set: one_line(names.get(each.test_set, each.test_set)) for each in checks}
    parts = [
        _wrapped(summary),
        "\n".join(_rules(checks, shown)),
        "\n".join(_open_checks(checks, shown)),
        "\n".join(map(_wrapped, notes)),
        *_behind(checks, shown, all_items),
    ]
    return "\n\n".join(filter(None, parts))


def item_lines(item: ShownItem) -> list[str]:
    """Return an *item* as lines: its id, its labels, and its texts, of which long ones are cut.

    >>> for line in item_lines(ShownItem("a-1", "It rains.", "It pours.", "neutral", "entailment")):
    ...     print(line)
    a-1
      gold neutral, predicted entailment
      premise: It rains.
      hypothesis: It pours.
    """
    gold = "no gold label" if item.gold is None else f"gold {item.gold}"
    lines = [one_line(item.id), f"  {gold}, {_predicted(item)}"]
    for start, text in (("  premise: ", item.premise), ("  hypothesis: ", item.hypothesis)):
        lines.append(f"{start}{_cut(text, len(start))}")
    return lines if item.base is None else [*lines, _base_line(item, item.base)]


def _predicted(item: ShownItem) -> str:
    return f"predicted {item.now}" + ("" if item.before is None else f", by the baseline {item.before}")


def _base_line(item: ShownItem, base: ShownItem) -> str:
    """Return what was predicted for the *base* of an item, and its sentences as far as they differ."""
    texts = [(item.premise, base.premise), (item.hypothesis, base.hypothesis)]
    differ = " / ".join(text for own, text in texts if own != text)
    start = f"  base: {_predicted(base)}"
    return f"{start}: {_cut(differ, len(start) + 2)}" if differ else start


def behind_title(check: Check, behind: ItemsBehind, name: str) -> str:
    """Return which items are *behind* the value of *check* on the test set with this *name*, and how many."""
    are = f"{behind.count:,} item{' is' if behind.count == 1 else 's are'} {behind.what}"
    some = f"; {len(behind.shown):,} of them" if 0 < len(behind.shown) < behind.count else ""
    end = ":" if behind.shown else "."
    value = f"{check.rule.measure.name} {value_number(check)}"
    return f"Rule {check.rule.number}, {name} ({value}): {are}{some}{end}"


def _rules(checks: Sequence[Check], names: Mapping[str, str]) -> Iterator[str]:
    """Yield a heading per rule and limit, and below it a row per check."""
    rows = [(names[each.test_set], value_text(each), outcome_text(each), p_text(each)) for each in checks]
    lines = iter(_aligned([("Test set", "Value", "Outcome", "p"), *rows]))
    yield next(lines)
    for (rule, _), group in groupby(checks, key=lambda each: (each.rule.number, each.limit)):
        members = list(group)
        yield _wrapped(f"Rule {rule}: {members[0].rule.measure.name}, {members[0].wanted}")
        yield from (next(lines) for _ in members)


def _open_checks(checks: Sequence[Check], names: Mapping[str, str]) -> list[str]:
    """Return a row per open check: what could have been shown, and how many items would settle it."""
    rows = [
        (names[each.test_set], str(each.rule.number), *prospects(each))
        for each in checks
        if each.outcome == "open"
    ]
    return _aligned([("Open checks", "Rule", "Detectable", "Settled by"), *rows]) if rows else []


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return *rows* with their cells in columns; a first cell that is too long has a line of its own."""
    widths = [max(map(len, column)) for column in zip(*(row[1:] for row in rows), strict=True)]
    room = _WIDTH - len(_GAP) - sum(width + len(_GAP) for width in widths)
    first = max((len(row[0]) for row in rows if len(row[0]) <= room), default=0)
    lines = []
    for name, *cells in rows:
        rest = _GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        beside, above = (name, "") if len(name) <= first else ("", f"{_GAP}{name}\n")
        lines.append(f"{above}{_GAP}{beside.ljust(first)}{_GAP}{rest}".rstrip())
    return lines


def _behind(checks: Sequence[Check], names: Mapping[str, str], all_items: str) -> Iterator[str]:
    """Yield the items behind the checks that fail, or else the open ones, and at the end what shows all.

    If all items of all checks were asked for, those of open checks stand beside those of others.
    """
    found = [(each, each.behind) for each in checks if each.behind is not None and each.behind.count]
    is_whole = all(len(behind.shown) == behind.count for _, behind in found)
    failing = [] if is_whole else [each for each in found if each[0].fails]
    chosen = failing or found
    for check, behind in chosen:
        lines = [_wrapped(behind_title(check, behind, names[check.test_set]))]
        for item in behind.shown:
            lines += [_wrapped(f"{_GAP}{line}") for line in item_lines(item)]
        yield "\n".join(lines)
    if not is_whole:
        others = len(found) - len(chosen)
        more = f" and those of {others} open check{'s' if others > 1 else ''}" if others else ""
        yield f"To see all of these items{more}:\n{_GAP}{all_items}"


def _wrapped(text: str) -> str:
    """Return *text* as lines that are broken between words only."""
    return textwrap.fill(visible(text), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _cut(text: str, taken: int) -> str:
    """Return *text* as a line that is cut if it does not fit beside as many characters as are *taken*."""
    line, room = one_line(text), _WIDTH - len(_GAP) - taken
    return line if len(line) <= room else f"{line[: max(room - 1, 0)]}…"
