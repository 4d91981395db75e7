"""Tables that commands print and tables of the pages: read, cut and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_RULE: Final = re.compile(r"^\s*─+\s*$")
_CELLS: Final = re.compile(r"\s{2,}")


class Shown(NamedTuple):
    """A table: its *head* and its *rows*, all of texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column."""
        return tuple(row[self.head.index(name)] for row in self.rows)

    def only(self, columns: Sequence[str], rows: Sequence[str] | None = None) -> Shown:
        """Return the table with these *columns*, and with the *rows* that begin with these cells."""
        places = [self.head.index(name) for name in columns]
        kept = [row for row in self.rows if rows is None or row[0] in rows]
        return Shown(tuple(columns), tuple(tuple(row[place] for place in places) for row in kept))

    def cell(self, row: str, column: str) -> str:
        """Return the cell of the one row that begins with *row*."""
        (found,) = (each for each in self.rows if each[0] == row)
        return found[self.head.index(column)]


def printed_table(printed: str, first: str, *, after: str = "") -> Shown:
    """Return the table of a terminal whose head begins with the cell *first*, the first one below *after*.

    All cells have a text, and no line is a continuation.
    """
    lines = printed[printed.index(after) :].splitlines()
    start = next(n for n, line in enumerate(lines) if line.strip().startswith(f"{first}  "))
    head = tuple(_CELLS.split(lines[start].strip()))
    rows = []
    for line in lines[start + 1 :]:
        cells = tuple(_CELLS.split(line.strip()))
        if _RULE.match(line):
            continue
        if len(cells) != len(head):
            break
        rows.append(cells)
    return Shown(head, tuple(rows))


def markdown_table(page: str, heading: str) -> Shown:
    """Return the first table below the line that ends with *heading* in a report in Markdown."""
    lines = page[re.search(rf"^#*\s*{re.escape(heading)}$", page, re.MULTILINE).end() :].splitlines()  # type: ignore[union-attr]
    start = next(n for n, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
        rows.append(tuple(re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells))
    return Shown(rows[0], tuple(rows[2:]))


def as_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table for a page."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|" for cells in lines)


def as_text(table: Shown, *, cut: bool = False, ruled: bool = True, indent: str = " ") -> list[str]:
    """Return the lines of a table, narrower than on a terminal; *cut*: rows are left out."""
    width = [max(map(len, cells)) for cells in zip(table.head, *table.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = (cell.rjust(size) for cell, size in zip(cells, width, strict=True))
        return indent + "  ".join([cells[0].ljust(len(first)), *others]).rstrip()

    rule = [indent + "─" * (sum(width) + 2 * (len(width) - 1))] if ruled else []
    return [line(table.head), *rule, *map(line, table.rows), *([f"{indent}..."] if cut else [])]


def markdown_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table in Markdown with cells of equal width, as a transcript has it."""
    lines = [head, *rows]
    width = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return [
        "| "
        + " | ".join(
            cell.rjust(size) if n else cell.ljust(size)
            for n, (cell, size) in enumerate(zip(line, width, strict=True))
        )
        + " |"
        for line in lines
    ]


def transcript(lines: Iterable[str]) -> str:
    """Return a block of text for a page."""
    return "\n".join(["```text", *lines, "```"])


def grouped(number: int) -> str:
    """Return a whole number as in ``9,842``."""
    return f"{number:,}"
