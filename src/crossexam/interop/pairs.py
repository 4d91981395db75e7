"""The distinct pairs of a suite in one file, for programs of your own; ``file/`` reads their predictions.

Each row has the texts exactly as they are, without gold label, and an id by which it stands for all items
with its pair.  A program reads the file, not a spreadsheet: unlike our reports, no cell is escaped.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.output.escapes import json_text
from crossexam.models.prediction_columns import NAMING_ROLES, pair_id
from crossexam.runs.pair_hashes import DistinctPairs
from crossexam.runs.run import stretches_of

_STEM: Final = "pairs"


def _rows(datasets: Sequence[Dataset]) -> Iterator[tuple[str, str, str]]:
    """Yield id, premise and hypothesis of each distinct pair of *datasets*, in the order of the items."""
    for pairs, _ in DistinctPairs(stretches_of(datasets), sum(map(len, datasets))):
        for premise, hypothesis in pairs:
            yield pair_id((premise, hypothesis)), premise, hypothesis


def write_pairs_csv(datasets: Sequence[Dataset], folder: Path) -> dict[str, int]:
    """Write the distinct pairs of *datasets* as CSV; return their number by the name of the file.

    All cells are in quotes, so that ends of lines within texts stay what they are.  Raises CrossexamError.
    """
    path, count = folder / f"{_STEM}.csv", 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(NAMING_ROLES)
        for row in _rows(datasets):
            writer.writerow(row)
            count += 1
    return {path.name: count}


def write_pairs_json_lines(datasets: Sequence[Dataset], folder: Path) -> dict[str, int]:
    """Write the distinct pairs of *datasets* as JSON lines; return their number by the name of the file."""
    path, count = folder / f"{_STEM}.jsonl", 0
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in _rows(datasets):
            stream.write(json_text(dict(zip(NAMING_ROLES, row, strict=True))) + "\n")
            count += 1
    return {path.name: count}
