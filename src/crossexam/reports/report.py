"""Reports and comparisons of runs, written in the format that the suffix of the file names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.arguments import path_of, required
from crossexam.core.dataset import Run, counted_items
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import finished_or_absent, write_text
from crossexam.core.notebook import html_notes, html_table
from crossexam.core.transfers import put_file
from crossexam.evaluation.verified import by_status
from crossexam.reports import vega_lite
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.html import render_html
from crossexam.reports.model_card import render_card
from crossexam.reports.parts import parts_beside
from crossexam.reports.results import DEFAULTS, ReportOptions, Results, results_of, without_published
from crossexam.reports.sections import compared_tables, tables_in, warnings
from crossexam.reports.sentences.headline import headlines
from crossexam.reports.table import Table, cell_text
from crossexam.reports.text import render_latex, render_markdown, render_terminal, terminal_text

if TYPE_CHECKING:
    from rich.console import RenderableType


def _markdown(results: Results) -> str:
    first, *others = headlines(results)
    return render_markdown(first, tables_in("md", results), warnings(results), others)


def _latex(results: Results) -> str:
    first, *others = headlines(results)
    return render_latex(first, tables_in("tex", results), warnings(results), others)


#: What writes a report, by the suffix of its file.
RENDERERS: Final[Mapping[str, Callable[[Results], str]]] = {
    ".html": render_html,
    ".md": _markdown,
    ".tex": _latex,
    ".csv": render_csv,
    ".json": render_json,
    ".yaml": render_card,
    vega_lite.SUFFIX: vega_lite.vega_lite,
    ".svg": vega_lite.svg,
}
#: What writes the comparison of two runs alone, by the suffix of its file.
COMPARISONS: Final[Mapping[str, Callable[[Results], str]]] = {
    ".md": lambda results: render_markdown("Comparison", compared_tables(results)),
    ".tex": lambda results: render_latex("Comparison", compared_tables(results)),
    ".csv": comparison_csv,
    ".json": comparison_json,
}
#: What is not text.
_BINARY: Final[Mapping[str, Callable[[Results], bytes]]] = {".pdf": vega_lite.pdf}
_SUFFIXES: Final = (*RENDERERS, *_BINARY)


@dataclass(frozen=True, repr=False)
class Report:
    """A report of *runs* with these *options*, measured once, in any format."""

    runs: tuple[Run, ...]
    options: ReportOptions = DEFAULTS

    def __repr__(self) -> str:
        """Return the models, and the number of test sets."""
        sets = {name for run in self.runs for name in run.datasets}
        models = ", ".join(repr(run.model) for run in self.runs)
        return f"Report({models}: {counted_items(len(sets), 'test set')})"

    def _repr_html_(self) -> str:
        """Return the headlines and the tables of :meth:`terminal`, for notebooks."""
        results = without_published(self.results)
        tables = tables_in("terminal", results)
        found = html_notes([*headlines(results), *warnings(results)])
        return found + "".join(_table_html(table) + html_notes(list(table.notes)) for table in tables)

    @cached_property
    def results(self) -> Results:
        """The measures of each run; raises CrossexamError if the runs do not fit into one report."""
        return results_of(self.runs, self.options)

    def save(self, path: str | Path) -> Path:
        """Write the report to *path* and return it; raises FormatError for an unknown suffix.

        A page (``x.html``) with over 20,000 items has them in the folder ``x_items`` beside it.  A path that
        is a URL (``s3://bucket/x.html``) is written there.
        """
        path = path_of(path, "the path of the report")
        suffix = _known_suffix(path, _SUFFIXES)
        if suffix == ".html":
            with parts_beside(path) as folder:
                write_text(path, render_html(self.results, folder))
                folder.copy()
                put_file(path)
            return path
        if suffix in _BINARY:
            made = _BINARY[suffix](self.results)
            with finished_or_absent(path) as temporary:
                temporary.write_bytes(made)
        else:
            write_text(path, self.text(suffix))
        put_file(path)
        return path

    def text(self, suffix: str) -> str:
        """Return the report in the format of *suffix* (``.md``); raises UnknownNameError.

        A page (``.html``) has all of its items inside, however many.
        """
        if required(suffix, str, "suffix", wanted=" or ".join(RENDERERS)) not in RENDERERS:
            raise UnknownNameError("report format", suffix, RENDERERS)
        return RENDERERS[suffix](self.results)

    def save_comparison(self, path: str | Path) -> Path:
        """Write the comparison of the two runs alone to *path*; raises FormatError for an unknown suffix."""
        self._check_two()
        path = path_of(path, "the path of the comparison")
        write_text(path, COMPARISONS[_known_suffix(path, tuple(COMPARISONS))](self.results))
        put_file(path)
        return path

    def terminal(self, *, details: bool = False) -> RenderableType:
        """Return the headlines, and a table per suite, for a terminal; all tables with *details*."""
        from rich.console import Group

        results = without_published(self.results)
        found = [terminal_text(text, "bold") for text in headlines(results)]
        warned = [terminal_text(warning, "yellow") for warning in warnings(results)]
        tables = render_terminal(tables_in("md" if details else "terminal", results))
        return Group(*found, *warned, terminal_text(""), tables)

    def terminal_comparison(self, *, details: bool = False) -> RenderableType:
        """Return the main table of the comparison of the two runs, for a terminal; all with *details*."""
        self._check_two()
        return render_terminal(compared_tables(self.results, details=details))

    def _check_two(self) -> None:
        if len(self.runs) != 2:
            raise CrossexamError(
                f"a comparison is of two runs, and these are {len(self.runs)}", wanted="two runs"
            )


def _table_html(table: Table) -> str:
    header = [column.header for column in table.columns]
    rows = [
        [cell_text(cell, column.kind, column.alpha) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    return html_table(table.title, header, rows)


def make_report(*runs: Run, options: ReportOptions = DEFAULTS) -> Report:
    """Return the report of one or more *runs*; ``report(run).save("report.html")`` writes it.

    Items with proposed labels and verified items are scored as separate test sets.
    """
    return Report(tuple(by_status(run) for run in runs), options)


def check_formats(paths: Iterable[Path], *, of_comparison: bool = False) -> None:
    """Raise FormatError if a report, or a comparison, cannot be written to one of *paths*, by its suffix.

    Raises MissingExtraError if one is to be drawn, and what draws it is not installed.
    """
    for path in paths:
        if _known_suffix(path, tuple(COMPARISONS) if of_comparison else _SUFFIXES) in {".svg", ".pdf"}:
            vega_lite.converter()


def _known_suffix(path: Path, known: Sequence[str]) -> str:
    """Return the suffix of *path*; raises FormatError if it is not *known*."""
    name = path.name.lower()
    found = next((suffix for suffix in sorted(known, key=len, reverse=True) if name.endswith(suffix)), None)
    if found is None:
        raise FormatError(
            f"'{path.suffix}' is not a supported report format",
            where=str(path),
            wanted=", ".join(known),
            hint=f"-o {path.with_suffix(known[0]).name}",
        )
    return found
