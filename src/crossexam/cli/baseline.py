"""crossexam baseline: write what later runs are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossexam.core.places import copy_path, work_path


def baseline(
    run: Annotated[Path, typer.Argument(parser=copy_path, help="The run: a folder or URL.", metavar="RUN")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", parser=work_path, help="Output file or URL: .parquet.", metavar="FILE"
        ),
    ],
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Also store the probabilities, which rules about ece need."),
    ] = False,
) -> None:
    """Write the answers of a run to a small file, with which `crossexam gate` compares later runs."""
    from crossexam.cli.console import note, written
    from crossexam.core.dataset import counted_items
    from crossexam.gates.baseline import chosen_baseline, write_baseline
    from crossexam.runs.saved import read_finished_run

    made = chosen_baseline(read_finished_run(run), probabilities=probabilities)
    write_baseline(made, output)
    items = sum(each.rows for each in made.sets.values())
    size = f"{output.stat().st_size / 1000:,.0f} kB"
    note(f"{counted_items(items, 'item')} in {counted_items(len(made.sets), 'test set')}, {size}")
    written(output)
