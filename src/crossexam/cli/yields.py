"""Tables of what test sets have, and of why examples gave no item."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from crossexam.cli.console import table_of
from crossexam.constructions.construction import ways_out
from crossexam.core.manifest import REJECTED_NOTE, TestSetEntry


def items_table(test_sets: Mapping[str, TestSetEntry]) -> Table:
    """Return a line per test set, its name and its number of items; of one without items also why.

    Its caption says what can be done about that.
    """
    table = Table(box=None, show_header=False, pad_edge=False, caption_justify="left")
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    rejected: dict[str, int] = {}
    for name, entry in test_sets.items():
        counts = (entry.yields or {}).get("rejected", {})
        rejected |= counts
        table.add_row(name, f"{entry.rows:,}", "" if entry.rows else _reasons(counts))
    table.caption = "\n".join(ways_out(rejected)) or None
    return table


def yield_summary(test_sets: Mapping[str, TestSetEntry]) -> Table:
    """Return a table with the numbers of items and, by reason, of rejected examples per test set.

    Its caption says what can be done about the rejections.
    """
    rows = []
    rejected: dict[str, int] = {}
    for name, entry in test_sets.items():
        counts = entry.yields or {"examples": entry.rows, "items": entry.rows, "rejected": {}}
        reasons = _reasons(counts["rejected"])
        rows.append((name, f"{counts['examples']:,}", f"{counts['items']:,}", reasons))
        rejected |= counts["rejected"]
    caption = "\n".join([REJECTED_NOTE, *ways_out(rejected)]) if rejected else None
    columns = ("test set", "examples", "items", "rejected, by reason")
    return table_of("yield", columns, rows, right={1, 2}, caption=caption)


def _reasons(rejected: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in rejected.items())
