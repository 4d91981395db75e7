"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crossexam.reports.cells import Table, interval_text, number_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text


def _cell(table: Table, row: int, column: int) -> Text:
    from rich.text import Text

    if table.shown_once(row, column):
        return Text("")
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = Text(number_text(cell, kind))
    if kind != "text" and text.plain.startswith("-"):
        text = Text("−" + text.plain[1:])
    if interval := interval_text(cell):
        text.append(f" {interval}".replace("-", "−"), style="dim")
    return text


def render_table(table: Table) -> RenderableType:
    """Return *table* as a renderable; names are never read as markup."""
    from rich import box
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, title=Text(table.title), title_justify="left")
    for column in table.columns:
        words = column.kind == "text"
        shown.add_column(Text(column.header), justify="left" if words else "right", overflow="fold")
    for row in range(len(table.rows)):
        last = row + 1 == len(table.rows) or not table.shown_once(row + 1, 0)
        cells = (_cell(table, row, column) for column in range(len(table.columns)))
        shown.add_row(*cells, end_section=bool(table.grouped) and last)
    return Group(shown, *(Text(note, style="dim") for note in table.notes))


def render(tables: Sequence[Table]) -> RenderableType:
    """Return *tables* below each other."""
    from rich.console import Group

    return Group(*(render_table(table) for table in tables))
