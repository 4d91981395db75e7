"""What the command line shows: results on standard output, progress and notes on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossexam.core.progress import Progress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def show(renderable: RenderableType) -> None:
    """Print to standard output; wide tables are not squeezed where the output is no terminal."""
    from rich.console import Console

    console = Console(soft_wrap=False)
    if not console.is_terminal:
        console = Console(width=160)
    console.print(renderable)


def note(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(f"{text}\n")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Give a Progress that draws a bar on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Bars(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield progress


def yield_table(test_sets: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return the table of what each construction made and why it rejected what it rejected."""
    from rich.table import Table

    table = Table(title="yield", title_justify="left")
    table.add_column("test set")
    for name in ("examples", "items"):
        table.add_column(name, justify="right")
    table.add_column("rejected, by reason")
    for name, entry in test_sets.items():
        counts = entry.get("yield")
        if counts is None:
            table.add_row(name, f"{entry['rows']:,}", f"{entry['rows']:,}", "")
            continue
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items())
        table.add_row(name, f"{counts['examples']:,}", f"{counts['items']:,}", reasons)
    return table


def written(path: Path) -> None:
    """Say on standard error where something was written."""
    note(f"written: {path}")
