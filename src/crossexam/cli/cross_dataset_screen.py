"""Building the cross-dataset benchmark, and the table of what is in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.table import Table

CROSS_DATASET: Final = "cross-dataset"


def build_cross_dataset(
    corpora: Sequence[str] | None,
    output: Path,
    part: str,
    *,
    seed: int,
    limit: int | None,
    force: bool,
    file_format: str = "parquet",
) -> None:
    """Write the suite into *output* and show what is in it; raises CrossexamError."""
    from crossexam.cli.screen import note, progress_bar, show, written
    from crossexam.core.files import read_json
    from crossexam.suites.cross_dataset import CrossDatasetRequest, write_cross_dataset

    request = CrossDatasetRequest(tuple(corpora or ()), part, seed, file_format, limit)
    with progress_bar() as progress:
        built = write_cross_dataset(request, output, force=force, progress=progress)
    if not built.written:
        note(f"{output} holds this very suite already; nothing was built")
    show(_table(read_json(output / "manifest.json")["test_sets"]))
    if built.absent:
        note(f"not installed, so not in: {', '.join(built.absent)}; a partial benchmark is reported as one")
    written(output)


def _table(test_sets: Mapping[str, Mapping[str, Any]]) -> Table:
    from rich.table import Table

    table = Table(title="cross-dataset", title_justify="left")
    table.add_column("test set")
    table.add_column("items", justify="right")
    table.add_column("labels")
    table.add_column("not as in Table 4 of the paper")
    for name, entry in test_sets.items():
        about = entry["cross_dataset"]
        differences = "; ".join(about.get("differences", ())) or "–"
        if about.get("known") and about.get("differences"):
            differences += f" ({about['known']})"
        table.add_row(name, f"{entry['rows']:,}", entry.get("projection") or "three labels", differences)
    return table
