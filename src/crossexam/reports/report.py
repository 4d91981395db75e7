"""Write a report of runs in the form that the suffix of its file names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Run
from crossexam.core.errors import FormatError
from crossexam.core.files import write_text
from crossexam.evaluation.verified import by_status
from crossexam.reports.accuracy import (
    SUMMARY_NOTE,
    accuracy_of,
    answer_table,
    comparison_table,
    drop_table,
    error_table,
    projections,
    summary_table,
)
from crossexam.reports.behaviour import behaviour_table, crossed_tables, factor_table
from crossexam.reports.cross_dataset import corpus_table, score_table
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.headline import headline
from crossexam.reports.items import ITEMS_PER_SET
from crossexam.reports.lexically_misleading import misleading_table
from crossexam.reports.provenance import run_table, signature_table, yield_table
from crossexam.reports.results import Measured, loss_of, measured
from crossexam.reports.table import Table
from crossexam.reports.text import render_latex, render_markdown, render_terminal, terminal_table

if TYPE_CHECKING:
    from rich.console import RenderableType

REPORT_SUFFIXES: Final = (".html", ".md", ".tex", ".csv", ".json")
COMPARISON_SUFFIXES: Final = (".md", ".tex", ".csv", ".json")


@dataclass(frozen=True)
class Report:
    """A report of *runs*, measured once, in any form.

    *published_rows* puts the systems published for the same test sets beside the models; *items_per_set*
    is how many items of each test set the page shows (None: all).
    """

    runs: tuple[Run, ...]
    published_rows: bool = True
    items_per_set: int | None = ITEMS_PER_SET

    @cached_property
    def models(self) -> tuple[Measured, ...]:
        """The measures of each run; raises CrossexamError where the runs cannot stand in one report."""
        return measured(self.runs)

    def save(self, path: str | Path) -> Path:
        """Write the report to *path* and return it; raises FormatError for a suffix without a form."""
        path = Path(path)
        _known_suffix(path, REPORT_SUFFIXES)
        write_text(path, _encodable(self.text(path.suffix.lower())))
        return path

    def text(self, suffix: str) -> str:
        """Return the report in the form of *suffix* (``.md``)."""
        if suffix == ".html":
            from crossexam.reports import html

            return html.render(
                self.models, published_rows=self.published_rows, items_per_set=self.items_per_set
            )
        if suffix == ".csv":
            return render_csv(self.models)
        if suffix == ".json":
            return render_json(self.models, published_rows=self.published_rows)
        render = render_latex if suffix == ".tex" else render_markdown
        return render(headline(self.models), self.tables())

    def tables(self) -> list[Table]:
        """Return the tables of the report, those without rows left out."""
        tables = [
            accuracy_of(self.models, published_rows=self.published_rows),
            drop_table(self.models),
            error_table(self.models),
            answer_table(self.models, published_rows=self.published_rows),
            misleading_table(self.models),
            score_table(self.models, published_rows=self.published_rows),
            corpus_table(self.models),
            behaviour_table(self.models, published_rows=self.published_rows),
            factor_table(self.models),
            *crossed_tables(self.models),
            yield_table(self.runs),
            signature_table(self.runs),
            run_table(self.models),
        ]
        return [table for table in tables if table.rows]

    def terminal(self) -> RenderableType:
        """Return the headline, and accuracy and drop by test set, for a terminal."""
        from rich.console import Group
        from rich.text import Text

        tables = [summary_table(model) for model in self.models]
        if len(tables) > 1:
            lost = any(loss_of(result) for model in self.models for result in model.results)
            tables = [accuracy_of(self.models, published_rows=False), *(tables if lost else [])]
        more = [
            misleading_table(self.models),
            score_table(self.models, published_rows=False),
            behaviour_table(self.models, published_rows=False),
        ]
        tables += [table for table in more if table.rows]
        said = projections(self.models) if len(self.models) == 1 else []  # else under the first table
        notes = Text("\n".join([SUMMARY_NOTE, *said]), style="dim")
        return Group(Text(headline(self.models), style="bold"), Text(), render_terminal(tables), notes)


def report(*runs: Run, published_rows: bool = True, items_per_set: int | None = ITEMS_PER_SET) -> Report:
    """Return the report of one or more *runs*; ``report(run).save("report.html")`` writes it.

    Items whose labels are proposed, and verified ones, are test sets apart.
    """
    return Report(tuple(by_status(run) for run in runs), published_rows, items_per_set)


def write_report(
    runs: Sequence[Run], path: Path, *, published_rows: bool = True, items_per_set: int | None = ITEMS_PER_SET
) -> Path:
    """Write the report of *runs* to *path*, whole or not at all, in the form that its suffix names.

    Raises FormatError for any suffix but ``.html .md .tex .csv .json``.
    """
    return report(*runs, published_rows=published_rows, items_per_set=items_per_set).save(path)


def terminal_report(runs: Sequence[Run]) -> RenderableType:
    """Return the report of *runs* for `rich` to print."""
    return report(*runs).terminal()


def write_comparison(first: Run, second: Run, path: Path) -> Path:
    """Write the comparison of two runs to *path*.

    Raises FormatError for any suffix but ``.md .tex .csv .json``.
    """
    _known_suffix(path, COMPARISON_SUFFIXES)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        text = comparison_csv(first, second)
    elif suffix == ".json":
        text = comparison_json(first, second)
    else:
        table = comparison_table(first, second)
        text = (render_latex if suffix == ".tex" else render_markdown)("Comparison", [table])
    write_text(path, _encodable(text))
    return path


def terminal_comparison(first: Run, second: Run) -> RenderableType:
    """Return the comparison of two runs for `rich` to print."""
    return terminal_table(comparison_table(first, second))


def _known_suffix(path: Path, known: Sequence[str]) -> None:
    if path.suffix.lower() not in known:
        raise FormatError(
            f"no report has the suffix '{path.suffix}'",
            where=str(path),
            wanted=", ".join(known),
            hint=f"-o {path.with_suffix(known[0]).name}",
        )


def _encodable(text: str) -> str:
    """Return *text* with lone surrogates, which UTF-8 cannot hold, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
