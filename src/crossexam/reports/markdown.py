"""Tables as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crossexam.reports.cells import Table, cell_text

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#&$])")


def escape(text: str) -> str:
    r"""Return *text* such that Markdown shows it as it is.

    >>> print(escape("base.dev_matched | <b>"))
    base.dev\_matched \| \<b\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _cell(table: Table, row: int, column: int) -> str:
    if table.shown_once(row, column):
        return ""
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = cell_text(cell, kind)
    if kind == "text" or isinstance(cell, str):
        return escape(text)
    return text.replace("<", "\\<")


def render_table(table: Table, *, level: int = 2) -> str:
    """Return *table* under a heading of *level*, its notes below it."""
    rule = ["---" if column.kind == "text" else "---:" for column in table.columns]
    lines = [[escape(column.header) for column in table.columns], rule]
    lines += [
        [_cell(table, row, column) for column in range(len(table.columns))] for row in range(len(table.rows))
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = [escape(note) for note in table.notes]
    return "\n\n".join([f"{'#' * level} {escape(table.title)}", body, *notes])


def render(title: str, tables: Sequence[Table]) -> str:
    """Return a document of *tables*."""
    return "\n\n".join([f"# {escape(title)}", *(render_table(table) for table in tables)]) + "\n"
