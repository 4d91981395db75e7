"""crossexam baseline: write what later runs are compared with."""

from __future__ import annotations

from crossexam.cli.console import note, written
from crossexam.core.dataset import counted_items
from crossexam.gates.baseline import chosen_baseline, write_baseline
from crossexam.options.results import Baseline
from crossexam.runs.saved import read_finished_run


def baseline(options: Baseline) -> None:
    """Write the answers of a run to a small file."""
    made = chosen_baseline(read_finished_run(options.run), probabilities=options.probabilities)
    write_baseline(made, options.output)
    items = sum(each.rows for each in made.sets.values())
    size = f"{options.output.stat().st_size / 1000:,.0f} kB"
    note(f"{counted_items(items, 'item')} in {counted_items(len(made.sets), 'test set')}, {size}")
    written(options.output)
