"""Terminal output: results go to standard output, progress and notes to standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.output.escapes import one_line, visible
from crossexam.core.places import with_urls
from crossexam.core.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from crossexam.core.dataset import Run
    from crossexam.corpora.trained import DevScores


def show(renderable: RenderableType) -> None:
    """Print to standard output, 160 columns wide if it is not a terminal and $COLUMNS does not say how wide.

    In texts and in cells of tables, nothing is interpreted: no markup, no emoji, no control character.
    """
    from rich.console import Console

    class Verbatim(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(visible(text), **how)

    console = Verbatim(soft_wrap=False, markup=False, emoji=False)
    if not (console.is_terminal or os.environ.get("COLUMNS")):
        console = Verbatim(width=160, markup=False, emoji=False)
    console.print(renderable)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Go on if the reader of the output, such as ``head``, has gone: the exit code is a verdict of its own.

    Without this, rich ends the command with 1.  Standard error may go to the same reader (``2>&1``).
    """
    try:
        yield
    except (BrokenPipeError, SystemExit):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        try:
            sys.stderr.flush()  # of what could not be written
        except BrokenPipeError:
            os.dup2(nowhere, sys.stderr.fileno())


def note(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(f"{visible(with_urls(text))}\n")


def say(text: str) -> None:
    """Print a line to standard output, as wide as it is."""
    sys.stdout.write(f"{visible(text)}\n")


#: Elsewhere than on a terminal, a line is printed after as many seconds without one.
QUIET_SECONDS: Final = 10.0
Clock = Callable[[], float]


class Timer:
    """Says whether *seconds* have passed since it last said so, or since it was made, by *clock*."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds, self._clock, self._last = seconds, clock, clock()

    def is_due(self) -> bool:
        """Return whether the time has passed, and if so begin anew."""
        now = self._clock()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True

    def begin(self) -> None:
        """Begin anew."""
        self._last = self._clock()


@contextmanager
def progress_bar(clock: Clock = time.monotonic) -> Iterator[Progress]:
    """Yield a Progress that draws a progress bar on standard error.

    If that is not a terminal, it prints a line every QUIET_SECONDS by *clock*, and the end of what has one.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with _bars(console) as progress:
            yield progress
        return
    timer = Timer(QUIET_SECONDS, clock)
    begun: set[str] = set()

    def progress_line(stage: str, done: int, total: int | None) -> None:
        if timer.is_due() or (done == total and stage in begun):
            note(f"{stage}: {_counted(done, total)}")
            (begun.discard if done == total else begun.add)(stage)

    yield progress_line


def _counted(done: int, total: int | None) -> str:
    return f"{done:,}" if total is None else f"{done:,} of {total:,}"


@contextmanager
def _bars(console: Console) -> Iterator[Progress]:
    from rich.progress import (
        BarColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(one_line(stage), total=total, counted="")
            bars.update(tasks[stage], completed=done, total=total, counted=_counted(done, total))

        yield progress


def table_of(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Container[int] = (),
    caption: str | None = None,
) -> Table:
    """Return a table for the terminal; *right* are the places of the columns that have numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def written(path: Path, folder: Path | None = None, *, what: str = "written") -> None:
    """Report on standard error that *path* was written, and the *folder* of items that it needs, if any."""
    note(f"{what}: {path}" + (f" and the folder {folder}, which has its items" if folder is not None else ""))


def warn_of_gaps(runs: Sequence[Run]) -> None:
    """Report on standard error what readers of *runs* must know if no report says it.

    These are test sets that were not read to the end or lack parses that are read, and what
    :func:`warn_of_conversion` reports.
    """
    from crossexam.evaluation.verified import by_status
    from crossexam.reports.analyses.parses import parse_warning
    from crossexam.reports.analyses.truncation import truncation_warning
    from crossexam.reports.results import ModelResults

    for run in runs:
        model = ModelResults(run.model, by_status(run), ())
        for warning in filter(None, (truncation_warning(model), parse_warning(model))):
            note(f"warning: {warning}")
    warn_of_conversion(runs)


def warn_of_conversion(runs: Sequence[Run]) -> None:
    """Report on standard error what reports on *runs* do not say.

    These are converted models that differ from what they were converted from, and what rounding changed where
    not float32 was computed.
    """
    from crossexam.evaluation.conversion import conversion_warnings
    from crossexam.models.precision import rounding_sentences

    for run in runs:
        for warning in conversion_warnings(run):
            note(f"warning: {warning}")
        for sentence in rounding_sentences(run.details):
            note(f"{run.model}: {sentence}")


def dev_line(scores: DevScores, model: str) -> str | None:
    """Return a line with the accuracies of which the dev accuracy of *model* is the mean, None for only one.

    >>> from crossexam.corpora.trained import DevScores
    >>> parts = {"suite/base.rte.parquet": 40.0, "snli:dev": 60.0}
    >>> dev_line(DevScores(dev_accuracy=50.0, dev_loss=1.0, dev=parts), "zoo/m")
    'zoo/m: dev accuracy 50.0 % is the mean of base.rte 40.0, snli:dev 60.0'
    """
    if scores.dev is None:
        return None
    short = {
        spec: Path(spec).stem if Path(spec).suffix in {".parquet", ".jsonl"} else spec for spec in scores.dev
    }
    names = short if len(set(short.values())) == len(short) else {spec: spec for spec in short}
    parts = ", ".join(f"{names[spec]} {accuracy:.1f}" for spec, accuracy in scores.dev.items())
    return f"{model}: dev accuracy {scores.dev_accuracy:.1f} % is the mean of {parts}"


def duration(seconds: float) -> str:
    """Return *seconds* in words.

    >>> duration(59.6), duration(125), duration(7_500)
    ('60 s', '2 min', '2 h 5 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
