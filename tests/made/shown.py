"""What reports show: on terminals and pages, and in tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from rich.console import Console

from crossexam.reports.results import Results
from crossexam.reports.sections import ANALYSES
from crossexam.reports.table import Table, cell_text

if TYPE_CHECKING:
    from playwright.sync_api import Page

#: The sections of all analyses.
SECTIONS = tuple(section for analysis in ANALYSES for section in analysis.sections)


def terminal(shown: Any, width: int = 250, *, details: bool = False) -> str:
    """What a report, or anything that Rich shows, is on a terminal."""
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(shown.terminal(details=details) if hasattr(shown, "terminal") else shown)
    return console.export_text()


def page_of(report: Any) -> str:
    """The page of a report, with blanks that break."""
    text: str = report.text(".html")
    return text.replace("\N{NO-BREAK SPACE}", " ")


def settled(page: Page) -> str:
    """Return how many items a page says that it has found, once they are there."""
    page.locator("#list[aria-busy=false]").wait_for(state="attached")
    return page.locator("#count").inner_text()


def wait_for_count(page: Page, text: str) -> None:
    page.wait_for_function("text => document.getElementById('count').textContent === text", arg=text)


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def headers(table: Table) -> list[str]:
    return [column.header for column in table.columns]


def tables_of(results: Results, key: str) -> list[Table]:
    """The tables of the section with this key, without drawings."""
    (section,) = (section for section in SECTIONS if section.key == key)
    return [table.in_words for table in section.tables_of(results)]


def cells_of(results: Results, key: str) -> list[dict[str, str]]:
    """The rows of the tables of a section as they are shown, by the headers of the columns."""
    return [
        {column.header: cell_text(cell, column.kind) for column, cell in zip(table.columns, row, strict=True)}
        for table in tables_of(results, key)
        for row in table.rows
    ]
