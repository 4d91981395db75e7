"""Tables as text: LaTeX (booktabs), GitHub-flavoured Markdown, and for the terminal; all text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import Bounds
from crossexam.core.output.escapes import escape_latex, escape_markdown, one_line, visible
from crossexam.reports.table import (
    COUNT_MARK,
    INFINITE,
    MARK,
    NOTHING,
    Table,
    cell_text,
    interval_text,
    number_text,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

#: Tables with more columns are scaled to the width of the text; one with an interval counts as two.
_MOST_COLUMNS: Final = 12


def _latex_number(text: str) -> str:
    if text == NOTHING:
        return text
    if "e-" in text:  # a small p-value
        text = re.sub(r"(?<=\d)e(-\d+)", r"$\\cdot$10$^{\1}$", text)
    else:
        text = text.replace("-", r"$-$")
    for character in (MARK, COUNT_MARK, INFINITE):
        text = text.replace(character, escape_latex(character))
    return text.replace("<", r"$<$")


def _latex_cell(table: Table, row: int, column: int) -> str:
    if table.shown_once(row, column):
        return ""
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = number_text(cell, kind, table.columns[column].alpha)
    if kind == "text" or isinstance(cell, str):
        return escape_latex(text)
    interval = interval_text(cell, kind)
    number = "--" if text == NOTHING else _latex_number(text)
    return f"{number} {{\\scriptsize {_latex_number(interval)}}}" if interval else number


def _latex_heading(table: Table) -> list[str]:
    """Return the rows of the heading: groups of columns if there are any, and columns."""
    lines = []
    if any(column.group for column in table.columns):
        groups, rules, position = [], [], 1
        for group, members in groupby(table.columns, key=lambda column: column.group):
            width = len(list(members))
            groups.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_latex(group)}}}")
            if group:
                rules.append(rf"\cmidrule(lr){{{position}-{position + width - 1}}}")
            position += width
        lines += [" & ".join(groups) + r" \\", "".join(rules)]
    return [*lines, " & ".join(escape_latex(column.header) for column in table.columns) + r" \\"]


def latex_table(table: Table, label: str) -> str:
    """Return *table* as a float with *label*; its caption holds title and notes."""
    letters = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    body = []
    for row in range(len(table.rows)):
        if table.grouped and row and not table.shown_once(row, 0):
            body.append(r"\addlinespace")
        body.append(
            " & ".join(_latex_cell(table, row, column) for column in range(len(table.columns))) + r" \\"
        )
    caption = " ".join(f"{part.rstrip('.')}." for part in (table.title, *table.notes))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape_latex(caption)}}}",
            rf"\label{{{label}}}",
            *([r"\resizebox{\textwidth}{!}{"] if _is_wide(table) else []),
            rf"\begin{{tabular}}{{{letters}}}",
            r"\toprule",
            *_latex_heading(table),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}" + ("}" if _is_wide(table) else ""),
            r"\end{table}",
        ]
    )


def latex_labels(titles: Sequence[str]) -> list[str]:
    """Return a label for the table with each of *titles*, in which no character is special; all differ.

    >>> latex_labels(["Accuracy of hf/a_b", "Drop", "drop", "Drop 2"])
    ['tab:accuracy-of-hf-a-b', 'tab:drop', 'tab:drop-2', 'tab:drop-2-2']
    """
    labels: list[str] = []
    for title in titles:
        label = f"tab:{re.sub('[^a-z0-9]+', '-', title.lower()).strip('-')}"
        numbered = (f"{label}-{number}" for number in count(2))
        labels.append(label if label not in labels else next(each for each in numbered if each not in labels))
    return labels


def _is_wide(table: Table) -> bool:
    """Return whether *table* has to be scaled to the width of the text."""
    rows = range(len(table.rows))
    with_interval = sum(
        any(interval_text(table.rows[row][column], each.kind) for row in rows)
        for column, each in enumerate(table.columns)
        if each.kind != "text"
    )
    return len(table.columns) + with_interval > _MOST_COLUMNS


def render_latex(
    title: str, tables: Sequence[Table], warnings: Sequence[str] = (), findings: Sequence[str] = ()
) -> str:
    r"""Return *tables*, each a float, for a document with ``\usepackage{booktabs}``.

    Wide ones, such as matrices of many models, also need ``\usepackage{graphicx}``.  The *findings* are
    below the *title*, in comments as it is; the *warnings* also end the caption of the first table.
    """
    head = [one_line(text) for text in (title, *findings, *warnings)]
    head += [f"{len(tables)} tables, each a float of its own: keep those that you need"] * (len(tables) > 1)
    head += [r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}"]
    head += [r"\usepackage{graphicx}"] * any(map(_is_wide, tables))
    warned = [replace(table, notes=(*table.notes, *warnings)) for table in tables[:1]]
    comments = "\n".join(f"% {line}" for line in head)
    labels = latex_labels([table.title for table in tables])
    floats = map(latex_table, [*warned, *tables[1:]], labels)
    return "\n\n".join([comments, *floats]) + "\n"


def _markdown_cell(table: Table, row: int, column: int) -> str:
    if table.shown_once(row, column):
        return ""
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = cell_text(cell, kind, table.columns[column].alpha)
    if kind == "text" or isinstance(cell, str):
        return escape_markdown(text)
    return text.replace("<", "\\<").replace("*", "\\*")


def markdown_table(table: Table, *, level: int = 2) -> str:
    """Return *table* under a heading of *level*, with its notes below."""
    rule = ["---" if column.kind == "text" else "---:" for column in table.columns]
    lines = [[escape_markdown(column.header) for column in table.columns], rule]
    lines += [
        [_markdown_cell(table, row, column) for column in range(len(table.columns))]
        for row in range(len(table.rows))
    ]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = [escape_markdown(note) for note in table.notes]
    return "\n\n".join([f"{'#' * level} {escape_markdown(table.title)}", body, *notes])


def render_markdown(
    title: str, tables: Sequence[Table], warnings: Sequence[str] = (), findings: Sequence[str] = ()
) -> str:
    """Return a Markdown document of *tables*, with the *findings* and the *warnings* below its title."""
    below = [*map(escape_markdown, findings), *(f"**{escape_markdown(warning)}**" for warning in warnings)]
    parts = [f"# {escape_markdown(title)}", *below, *(markdown_table(table) for table in tables)]
    return "\n\n".join(parts) + "\n"


def terminal_text(text: str, style: str = "") -> Text:
    """Return *text* for `rich` to print as it is, neither markup nor control characters interpreted."""
    from rich.text import Text

    return Text(visible(text), style)


def _terminal_cell(table: Table, row: int, column: int) -> Text:
    from rich.text import Text

    if table.shown_once(row, column):
        return Text("")
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = terminal_text(number_text(cell, kind, table.columns[column].alpha))
    if isinstance(cell, Bounds) or (kind != "text" and text.plain.startswith("-")):
        text = Text(text.plain.replace("-", "−"))
    if interval := interval_text(cell, kind):
        text.append(f" {interval}".replace("-", "−"), style="dim")
    return text


def terminal_table(table: Table) -> RenderableType:
    """Return *table* for `rich` to print; names are not interpreted as markup."""
    from rich import box
    from rich.console import Group
    from rich.table import Table as RichTable

    title = terminal_text(table.title)
    shown = RichTable(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        collapse_padding=True,
        title=title,
        title_justify="left",
    )
    for column in table.columns:
        words = column.kind == "text"
        shown.add_column(terminal_text(column.header), justify="left" if words else "right", overflow="fold")
    for row in range(len(table.rows)):
        last = row + 1 == len(table.rows) or not table.shown_once(row + 1, 0)
        cells = (_terminal_cell(table, row, column) for column in range(len(table.columns)))
        shown.add_row(*cells, end_section=bool(table.grouped) and last)
    return Group(shown, *(terminal_text(note, "dim") for note in table.notes))


def render_terminal(tables: Sequence[Table]) -> RenderableType:
    """Return *tables*, one below the other, for `rich` to print."""
    from rich.console import Group

    return Group(*(terminal_table(table) for table in tables))
