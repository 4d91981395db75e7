"""Reports and comparisons of runs, written in the format that the suffix of the file names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.arguments import path_of, required
from crossexam.core.dataset import Run, counted_items
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import finished_or_absent, write_text
from crossexam.core.notebook import html_notes, html_table
from crossexam.core.outcome import MAX_UNANSWERED, check_max_unanswered
from crossexam.core.transfers import put_file
from crossexam.evaluation.verified import by_status
from crossexam.reports import vega_lite
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.headline import headlines, warnings
from crossexam.reports.html import render_html
from crossexam.reports.model_card import render_card
from crossexam.reports.parts import parts_beside
from crossexam.reports.results import ITEMS_PER_SET, ItemChoice, Results, item_choice, results_of
from crossexam.reports.sections import tables_in
from crossexam.reports.table import Table, cell_text
from crossexam.reports.text import render_latex, render_markdown, render_terminal, terminal_text
from crossexam.stats.p_values import ALPHA

if TYPE_CHECKING:
    from rich.console import RenderableType

    from crossexam.evaluation.fact_checking import ThresholdChoice
    from crossexam.evaluation.seen_pairs import TrainingPairs

COMPARISON_SUFFIXES: Final = (".md", ".tex", ".csv", ".json")


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
#: What is no text.
_BINARY: Final[Mapping[str, Callable[[Results], bytes]]] = {".pdf": vega_lite.pdf}
_SUFFIXES: Final = (*RENDERERS, *_BINARY)


@dataclass(frozen=True, repr=False)
class Report:
    """A report of *runs*, measured once, in any format.

    *published_rows* adds the systems published for the same test sets; *items* says which items of each
    test set the page shows: a number of them, ``"errors"`` (those that some model got wrong) or ``"all"``.
    *relative_to* is the number of the run over which the relative improvement of the others is shown.
    Corrected p-values of at most *alpha* are significant.  The word pairs of two runs are looked up in
    *training*.  If more than the share *max_unanswered* of a test set was not answered, there are only bounds
    of its results.  *calibration*, *temperature_from* and *threshold* are those of
    :func:`~crossexam.reports.results.results_of`.  Raises CrossexamError if *items* is anything else, *alpha*
    is not between 0 and 1, or *max_unanswered* not from 0 to 1.
    """

    runs: tuple[Run, ...]
    published_rows: bool = True
    items: ItemChoice = ITEMS_PER_SET
    relative_to: int | None = None
    alpha: float = ALPHA
    training: TrainingPairs | None = None
    max_unanswered: float = MAX_UNANSWERED
    calibration: bool = False
    temperature_from: tuple[Run, ...] = ()
    threshold: ThresholdChoice | None = None

    def __post_init__(self) -> None:
        check_level(self.alpha)
        check_max_unanswered(self.max_unanswered)
        item_choice(self.items)

    def __repr__(self) -> str:
        """Return the models, and the number of test sets."""
        sets = {name for run in self.runs for name in run.datasets}
        models = ", ".join(repr(run.model) for run in self.runs)
        return f"Report({models}: {counted_items(len(sets), 'test set')})"

    def _repr_html_(self) -> str:
        """Return the headlines and the tables of :meth:`terminal`, for notebooks."""
        results = replace(self.results, published_rows=False)
        tables = tables_in("terminal", results)
        found = html_notes([*headlines(results), *warnings(results)])
        return found + "".join(_table_html(table) + html_notes(list(table.notes)) for table in tables)

    @cached_property
    def results(self) -> Results:
        """The measures of each run; raises CrossexamError if the runs do not fit into one report."""
        return results_of(
            self.runs,
            published_rows=self.published_rows,
            items=self.items,
            relative_to=self.relative_to,
            alpha=self.alpha,
            training=self.training,
            max_unanswered=self.max_unanswered,
            calibration=self.calibration,
            temperature_from=self.temperature_from,
            threshold=self.threshold,
        )

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

    def terminal(self, *, details: bool = False) -> RenderableType:
        """Return the headlines, and a table per suite, for a terminal; all tables with *details*."""
        from rich.console import Group

        results = replace(self.results, published_rows=False)
        found = [terminal_text(text, "bold") for text in headlines(results)]
        warned = [terminal_text(warning, "yellow") for warning in warnings(results)]
        tables = render_terminal(tables_in("md" if details else "terminal", results))
        return Group(*found, *warned, terminal_text(""), tables)


def _table_html(table: Table) -> str:
    header = [column.header for column in table.columns]
    rows = [
        [cell_text(cell, column.kind, column.alpha) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    return html_table(table.title, header, rows)


def make_report(
    *runs: Run,
    published_rows: bool = True,
    items: ItemChoice = ITEMS_PER_SET,
    relative_to: int | None = None,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
    calibration: bool = False,
    temperature_from: Sequence[Run] = (),
    threshold: ThresholdChoice | None = None,
) -> Report:
    """Return the report of one or more *runs*; ``report(run).save("report.html")`` writes it.

    Items with proposed labels and verified items are scored as separate test sets.  *calibration*,
    *temperature_from* and *threshold* are those of :func:`~crossexam.reports.results.results_of`.
    """
    chosen = tuple(by_status(run) for run in runs)
    return Report(
        chosen,
        published_rows,
        items,
        relative_to,
        alpha,
        training,
        max_unanswered,
        calibration,
        tuple(temperature_from),
        threshold,
    )


def write_report(
    runs: Sequence[Run],
    path: Path,
    *,
    published_rows: bool = True,
    items: ItemChoice = ITEMS_PER_SET,
    relative_to: int | None = None,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
    calibration: bool = False,
    temperature_from: Sequence[Run] = (),
    threshold: ThresholdChoice | None = None,
) -> Path:
    """Write the report of *runs* to *path*, completely or not at all, in the format of its suffix.

    Raises FormatError for any suffix but ``.html .md .tex .csv .json .yaml .vl.json .svg .pdf``.
    """
    made = make_report(
        *runs,
        published_rows=published_rows,
        items=items,
        relative_to=relative_to,
        alpha=alpha,
        training=training,
        max_unanswered=max_unanswered,
        calibration=calibration,
        temperature_from=temperature_from,
        threshold=threshold,
    )
    return made.save(path)


def terminal_report(
    runs: Sequence[Run],
    *,
    relative_to: int | None = None,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
    calibration: bool = False,
    temperature_from: Sequence[Run] = (),
    threshold: ThresholdChoice | None = None,
) -> RenderableType:
    """Return the report of *runs* for `rich` to print."""
    made = make_report(
        *runs,
        relative_to=relative_to,
        alpha=alpha,
        training=training,
        max_unanswered=max_unanswered,
        calibration=calibration,
        temperature_from=temperature_from,
        threshold=threshold,
    )
    return made.terminal()


def write_comparison(
    first: Run,
    second: Run,
    path: Path,
    *,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
) -> Path:
    """Write the comparison of two runs to *path*; p-values of at most *alpha* are significant.

    Raises FormatError for any suffix but ``.md .tex .csv .json``.
    """
    check_level(alpha)
    limit = check_max_unanswered(max_unanswered)
    suffix = _known_suffix(path, COMPARISON_SUFFIXES)
    if suffix == ".csv":
        text = comparison_csv(first, second, alpha=alpha, training=training, max_unanswered=limit)
    elif suffix == ".json":
        text = comparison_json(first, second, alpha=alpha, training=training, max_unanswered=limit)
    else:
        tables = comparison_tables(first, second, alpha=alpha, training=training, max_unanswered=limit)
        text = (render_latex if suffix == ".tex" else render_markdown)("Comparison", tables)
    write_text(path, text)
    put_file(path)
    return path


def terminal_comparison(
    first: Run,
    second: Run,
    *,
    alpha: float = ALPHA,
    training: TrainingPairs | None = None,
    max_unanswered: float = MAX_UNANSWERED,
) -> RenderableType:
    """Return the comparison of two runs for `rich` to print."""
    check_level(alpha)
    limit = check_max_unanswered(max_unanswered)
    tables = comparison_tables(first, second, alpha=alpha, training=training, max_unanswered=limit)
    return render_terminal(tables)


def check_level(alpha: float) -> None:
    """Raise CrossexamError if the level of significance *alpha* is not between 0 and 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise CrossexamError(
            f"the level of significance (alpha) is {alpha}", wanted="a number between 0 and 1, such as 0.05"
        )


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
