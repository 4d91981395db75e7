"""Terminal output: results go to standard output, progress and notes to standard error.

Training shows a live progress line, a line per epoch, and a table of scores at the end.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
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
    from crossexam.core.manifest import TestSetEntry
    from crossexam.training.request import Status, TrainedModel, TrainingRequest


def show(renderable: RenderableType) -> None:
    """Print to standard output, 160 columns wide if it is not a terminal.

    In texts and in cells of tables, nothing is interpreted: no markup, no emoji, no control character.
    """
    from rich.console import Console

    class Verbatim(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(visible(text), **how)

    console = Verbatim(soft_wrap=False, markup=False, emoji=False)
    if not console.is_terminal:
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
#: The same for a training, which takes longer.
TRAINING_SECONDS: Final = 30.0
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

    If that is not a terminal, it prints a line every QUIET_SECONDS by *clock*.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with _bars(console) as progress:
            yield progress
        return
    timer = Timer(QUIET_SECONDS, clock)

    def progress_line(stage: str, done: int, total: int | None) -> None:
        if timer.is_due():
            note(f"{stage}: {_counted(done, total)}")

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


def items_table(test_sets: Mapping[str, TestSetEntry]) -> Table:
    """Return a line per test set, its name and its number of items; of one without items also why.

    Its caption says what can be done about that.
    """
    from rich.table import Table

    from crossexam.constructions.construction import ways_out

    table = Table(box=None, show_header=False, pad_edge=False, caption_justify="left")
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    rejected: dict[str, int] = {}
    for name, entry in test_sets.items():
        counts = (entry.yields or {}).get("rejected", {})
        rejected |= counts
        table.add_row(name, f"{entry.rows:,}", "" if entry.rows else _reasons(counts))
    table.caption = "\n".join(ways_out(rejected)) or None
    return table


def yield_summary(test_sets: Mapping[str, TestSetEntry]) -> Table:
    """Return a table with the numbers of items and, by reason, of rejected examples per test set.

    Its caption says what can be done about the rejections.
    """
    from crossexam.constructions.construction import ways_out
    from crossexam.core.manifest import REJECTED_NOTE

    rows = []
    rejected: dict[str, int] = {}
    for name, entry in test_sets.items():
        counts = entry.yields or {"examples": entry.rows, "items": entry.rows, "rejected": {}}
        reasons = _reasons(counts["rejected"])
        rows.append((name, f"{counts['examples']:,}", f"{counts['items']:,}", reasons))
        rejected |= counts["rejected"]
    caption = "\n".join([REJECTED_NOTE, *ways_out(rejected)]) if rejected else None
    columns = ("test set", "examples", "items", "rejected, by reason")
    return table_of("yield", columns, rows, right={1, 2}, caption=caption)


def _reasons(rejected: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count:,}" for reason, count in rejected.items())


def written(path: Path, folder: Path | None = None, *, what: str = "written") -> None:
    """Report on standard error that *path* was written, and the *folder* of items that it needs, if any."""
    note(f"{what}: {path}" + (f" and the folder {folder}, which has its items" if folder is not None else ""))


def warn_of_gaps(runs: Sequence[Run]) -> None:
    """Report on standard error what readers of *runs* must know.

    These are test sets that were not read to the end or lack parses that are read, converted models that
    differ from what they were converted from, and what rounding changed where not float32 was computed.
    """
    from crossexam.evaluation.conversion import conversion_warnings
    from crossexam.evaluation.verified import by_status
    from crossexam.models.precision import rounding_sentences
    from crossexam.reports.analyses.parses import parse_warning
    from crossexam.reports.analyses.truncation import truncation_warning
    from crossexam.reports.results import ModelResults

    for run in runs:
        model = ModelResults(run.model, by_status(run), ())
        for warning in (truncation_warning(model), parse_warning(model), *conversion_warnings(run)):
            if warning:
                note(f"warning: {warning}")
        for sentence in rounding_sentences(run.manifest.get("details")):
            note(f"{run.model}: {sentence}")


_SECONDS_PER_LINE: Final = 0.2


def training_table(request: TrainingRequest, models: Mapping[str, Sequence[TrainedModel]]) -> Table:
    """Return a row per trained model: its folder, best epoch, scores on the dev and test sets, bias model."""
    from crossexam.training.several import best_of_grid
    from crossexam.training.train import model_name

    tests = [test.spec for test in request.data.tests]
    biased = any("bias" in trained.manifest for group in models.values() for trained in group)
    last = ["bias model (majority)"] if biased else []
    columns = ("model", "best epoch", "dev accuracy", "dev loss", *tests, *last)
    best = best_of_grid(models) if len(models) > 1 else None
    rows = []
    for settings, group in models.items():
        mark = "  (best)" if settings == best else ""
        for trained in group:
            scores = trained.manifest["scores"]
            accuracies = (f"{trained.manifest['tests'][spec]['accuracy']:.1f} %" for spec in tests)
            dev = f"{scores['dev_accuracy']:.1f} %", f"{scores['dev_loss']:.3f}"
            bias = trained.manifest.get("bias")
            beside = [f"{bias['accuracy']:.1f} % ({bias['majority']:.1f} %)"] if bias else []
            name = f"{model_name(trained)}{mark}"
            rows.append((name, str(scores["best_epoch"]), *dev, *accuracies, *beside))
    title = f"{request.name} on {request.data.dev.name}"
    return table_of(title, columns, rows, right=range(1, len(columns)))


def warn_of_no_bias(models: Iterable[TrainedModel], method: str | None) -> None:
    """Print a warning for each of *models* whose bias model knows no more than the most frequent label."""
    from crossexam.training.train import model_name

    for trained in models:
        bias = trained.manifest.get("bias")
        if bias and bias["accuracy"] <= bias["majority"]:
            pairs = "held-out training pairs" if "best_epoch" in bias else "the training pairs"
            note(
                f"warning: {model_name(trained)}: the bias model is right for {bias['accuracy']:.1f} % of "
                f"{pairs}, and their most frequent label for {bias['majority']:.1f} %: it has learned no "
                f"bias that {method} could remove; train on more pairs or for more epochs (--epochs), "
                "or give the run of a model that is above the majority (--bias RUN)"
            )


def dev_line(scores: Mapping[str, Any], model: str) -> str | None:
    """Return a line with the accuracies of which the dev accuracy of *model* is the mean, None for only one.

    >>> dev_line({"dev_accuracy": 50.0, "dev": {"suite/base.rte.parquet": 40.0, "snli:dev": 60.0}}, "zoo/m")
    'zoo/m: dev accuracy 50.0 % is the mean of base.rte 40.0, snli:dev 60.0'
    """
    if "dev" not in scores:
        return None
    short = {
        spec: Path(spec).stem if Path(spec).suffix in {".parquet", ".jsonl"} else spec
        for spec in scores["dev"]
    }
    names = short if len(set(short.values())) == len(short) else {spec: spec for spec in short}
    parts = ", ".join(f"{names[spec]} {accuracy:.1f}" for spec, accuracy in scores["dev"].items())
    return f"{model}: dev accuracy {scores['dev_accuracy']:.1f} % is the mean of {parts}"


def spread_line(models: Sequence[TrainedModel]) -> str:
    """Return a line with the mean and the standard deviation of the dev accuracy over several seeds."""
    from crossexam.training.train import spread_of

    spread = spread_of([trained.accuracy for trained in models])
    return (
        f"dev accuracy {spread.mean:.1f} % on average over {spread.n} seeds, "
        f"standard deviation {spread.deviation:.1f}"
    )


@contextmanager
def training_progress(clock: Clock = time.monotonic) -> Iterator[Callable[[Status], None]]:
    """Yield a function that shows progress: a line per epoch, and how far the epoch is.

    On a terminal the latter is a live line, elsewhere a line every TRAINING_SECONDS by *clock*.
    """
    from rich.console import Console
    from rich.status import Status as Spinner

    console = Console(stderr=True)
    spinner = Spinner("reading", console=console) if console.is_terminal else None
    timer = Timer(TRAINING_SECONDS if spinner is None else _SECONDS_PER_LINE, clock)

    def watch(status: Status) -> None:
        if status.scores is not None:
            note(_epoch_line(status))
            timer.begin()
        elif timer.is_due():
            show_line = note if spinner is None else spinner.update
            show_line(_progress_line(status))

    if spinner is None:
        yield watch
        return
    with spinner:
        yield watch


def _progress_line(status: Status) -> str:
    return (
        f"epoch {status.epoch} of {status.epochs}: {status.done:,} of {status.total:,}, "
        f"loss {status.loss:.3f}, {status.examples_per_second:,.0f} examples/s, "
        f"{_time_left(status)}"
    )


def _time_left(status: Status) -> str:
    return f"at most {duration(status.seconds_left)} left" if status.seconds_left >= 1 else "done"


def _epoch_line(status: Status) -> str:
    scores = status.scores or {}
    return (
        f"epoch {status.epoch} of {status.epochs}: loss {scores['train_loss']:.3f}, "
        f"dev {scores['dev_accuracy']:.1f} %, {status.examples_per_second:,.0f} examples/s, "
        f"{_time_left(status)}"
    )


def duration(seconds: float) -> str:
    """Return *seconds* in words.

    >>> duration(59.6), duration(125), duration(7_500)
    ('60 s', '2 min', '2 h 5 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
