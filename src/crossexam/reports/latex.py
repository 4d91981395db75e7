r"""Tables as LaTeX for the booktabs package, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from crossexam.reports.cells import NOTHING, Table, interval_text, number_text

# fmt: off
_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--",
    "·": r"\textperiodcentered{}",
}
# fmt: on


def escape(text: str) -> str:
    r"""Return *text* such that LaTeX sets it as it is.

    >>> print(escape(r"50% of base_set \input{x}"))
    50\% of base\_set \textbackslash{}input\{x\}
    """
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _number(text: str) -> str:
    return text if text == NOTHING else text.replace("-", r"$-$").replace("<", r"$<$")


def _cell(table: Table, row: int, column: int) -> str:
    if table.shown_once(row, column):
        return ""
    cell, kind = table.rows[row][column], table.columns[column].kind
    text = number_text(cell, kind)
    if kind == "text" or isinstance(cell, str):
        return escape(text)
    interval = interval_text(cell)
    number = "--" if text == NOTHING else _number(text)
    return f"{number} {{\\scriptsize {_number(interval)}}}" if interval else number


def _heading(table: Table) -> list[str]:
    """Return the rows of the heading: one for the groups of columns where there are any, one for columns."""
    lines = []
    if any(column.group for column in table.columns):
        groups, rules, position = [], [], 1
        for group, members in groupby(table.columns, key=lambda column: column.group):
            width = len(list(members))
            groups.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}")
            if group:
                rules.append(rf"\cmidrule(lr){{{position}-{position + width - 1}}}")
            position += width
        lines += [" & ".join(groups) + r" \\", "".join(rules)]
    return [*lines, " & ".join(escape(column.header) for column in table.columns) + r" \\"]


def render_table(table: Table) -> str:
    """Return *table* as a floating table whose caption is its title and notes."""
    letters = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    body = []
    for row in range(len(table.rows)):
        if table.grouped and row and not table.shown_once(row, 0):
            body.append(r"\addlinespace")
        body.append(" & ".join(_cell(table, row, column) for column in range(len(table.columns))) + r" \\")
    caption = " ".join(f"{part.rstrip('.')}." for part in (table.title, *table.notes))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(caption)}}}",
            rf"\begin{{tabular}}{{{letters}}}",
            r"\toprule",
            *_heading(table),
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def render(title: str, tables: Sequence[Table]) -> str:
    r"""Return *tables*, each a float; the document that reads them wants ``\usepackage{booktabs}``."""
    head = f"% {' '.join(title.split())}\n% \\usepackage[T1]{{fontenc}}\n% \\usepackage{{booktabs}}"
    return "\n\n".join([head, *(render_table(table) for table in tables)]) + "\n"
