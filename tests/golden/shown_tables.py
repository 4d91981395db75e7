"""The tables of each format as text: what a reader sees, with one spelling of minus signs and escapes."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from lxml import html

NUMBER = re.compile(r"-?(?:\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?|∞)")


class Shown(NamedTuple):
    """A table: its *title*, the line under which the page folds it away, its *header* and its *rows*."""

    title: str
    folded: str
    header: list[str]
    rows: list[list[str]]


def plain(text: str) -> str:
    return " ".join(text.replace("−", "-").split())


def filled(title: str, folded: str, header: list[str], rows: list[list[str]]) -> Shown:
    """Return the table with the cells that are shown once repeated; a cell without a number has a dash."""
    for above, row in pairwise(rows):
        row[:] = [cell or above[number] for number, cell in enumerate(row)]
    return Shown(title, folded, header, rows)


def text_of(element: Any) -> str:
    return plain(element.text_content())


def in_html(text: str) -> list[Shown]:
    """Return the tables of a page, each under its caption or label, without drawings and rows of items."""
    found = []
    for table in html.fromstring(f"<div>{text}</div>").iter("table"):
        captions, labels = [text_of(each) for each in table.xpath("caption")], table.xpath("../@aria-label")
        folds = table.xpath("ancestor::details[not(@class='section')]/summary")
        header, *rows = (
            [text_of(cell) for cell in row if cell.get("class") != "drawing"]
            for row in table.xpath(".//tr[not(@class='opens')]")
        )
        folded = text_of(folds[-1]) if folds else ""
        found.append(filled((captions or labels or [""])[0], folded, header, rows))
    return found


def in_markdown(text: str) -> list[Shown]:
    found, title, lines = [], "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("## "):
            title = _unescaped(line[3:])
        elif line.startswith("| "):
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            lines.append([_unescaped(cell.strip()) for cell in cells])
        elif lines:
            found.append(filled(title, "", lines[0], lines[2:]))
            lines = []
    return found


def _unescaped(text: str) -> str:
    return plain(re.sub(r"\\(.)", r"\1", text))


def in_latex(text: str) -> list[Shown]:
    found = []
    for body in text.split(r"\begin{table}")[1:]:
        caption = body.partition(r"\caption{")[2]
        title = _without_tex(re.split(r"\.(?: |\})", caption, maxsplit=1)[0])
        inside = body.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
        lines = inside.replace(r"\addlinespace", "").replace(r"\midrule", "").split(r"\\")[:-1]
        header, *rows = ([_without_tex(cell) for cell in re.split(r"(?<!\\)&", line)] for line in lines)
        found.append(filled(title, "", header, rows))
    return found


def _without_tex(text: str) -> str:
    text = re.sub(r"\{\\scriptsize (.*)\}", r"\1", text.replace("$-$", "-").replace("$<$", "<"))
    text = re.sub(r"\$\\cdot\$10\$\^\{(-\d+)\}\$", r"e\1", text.replace(r"$\infty$", "∞"))
    return plain(re.sub(r"\\(.)", r"\1", re.sub("^ *--$", "–", text.strip())))


def in_terminal(shown: Any) -> list[Shown]:
    """Return the tables within what is given to rich."""
    return list(_rich_tables(shown))


def _rich_tables(shown: Any) -> Iterator[Shown]:
    from rich.table import Table

    if isinstance(shown, Table):
        header = [plain(str(column.header)) for column in shown.columns]
        rows = [list(row) for row in zip(*(map(str, column.cells) for column in shown.columns), strict=True)]
        yield filled(str(shown.title), "", header, [[plain(cell) for cell in row] for row in rows])
    for each in getattr(shown, "renderables", ()):
        yield from _rich_tables(each)


class Wanted(NamedTuple):
    """What a cell should show: a text in which {} are numbers, and for each its value, decimals and error."""

    text: str
    numbers: Sequence[tuple[float, int, float]] = ()


def differs(shown: str, right: Wanted) -> bool:
    """Return whether a cell shows anything else, but for what is rounded away."""
    found = NUMBER.findall(shown)
    if not right.numbers:
        return shown != right.text
    if NUMBER.sub("{}", shown) != right.text or len(found) != len(right.numbers):
        return True
    for token, (value, decimals, within) in zip(found, right.numbers, strict=True):
        number = float(token.replace("∞", "inf").replace(",", ""))
        places = len(token.partition(".")[2])
        far = number != value and not abs(number - value) <= 0.5 * 10**-decimals + 1e-6 + within
        if far or (number not in {inf, -inf} and places != decimals):
            return True
    return False
