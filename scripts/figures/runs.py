"""What models in the package do on published corpora."""

from __future__ import annotations

import re
import runpy
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import Final
from unittest.mock import patch

from figures.pages import ROOT
from figures.records import Figures
from figures.shown import grouped, markdown_lines, markdown_table, transcript
from figures.workplace import Workplace


def report(place: Workplace, command: str, name: str = "report.md") -> str:
    """Run a command that writes a report in Markdown, and return it."""
    place.run(f"{command} -o {name}")
    return (place.folder / name).read_text(encoding="utf-8")


def align(place: Workplace, limit: int | None) -> Figures:
    """Return what the tutorial *Reproduce a table* shows of ALIGN."""
    at_most = "" if limit is None else f" --limit {limit}"
    place.run(f"crossexam build stress-tests --base multinli:dev_matched --as-published -o suite{at_most}")
    place.run("crossexam run builtin/alignment suite -o runs/alignment")
    table = markdown_table(report(place, "crossexam report runs/alignment", "table3.md"), "Accuracy")
    shown = table.only(("Test set", "Items", "builtin/alignment", "NB", "ALIGN"))
    names = [name for name in shown.column("Test set") if name.startswith(_OF_TABLE_3)]
    rows = [row for row in shown.rows if row[0] in names]
    return {"table": transcript(markdown_lines(shown.head, rows))}


_OF_TABLE_3: Final = (
    *("base", "antonymy", "word overlap", "negation", "length mismatch"),
    *("spelling error mixed content word", "numerical reasoning"),
)


def cluster(place: Workplace, limit: int | None) -> Figures:
    """Return what bench/scale.py computes for a cluster from times that were measured."""
    printed = StringIO()
    with patch.object(sys, "argv", ["scale.py", "--workers", "100"]), redirect_stdout(printed):
        runpy.run_path(str(ROOT / "bench/scale.py"), run_name="__main__")
    lines = printed.getvalue().splitlines()
    busy = dict(re.findall(r"^(.*): (\d+) CPUs keep the driver busy", printed.getvalue(), re.MULTILINE))
    (single,) = (count for name, count in busy.items() if "float32" in name)
    (half,) = (count for name, count in busy.items() if "bfloat16" in name)
    return {
        "table": "\n".join(line for line in lines if line.startswith("|")),
        "float32": grouped(int(single)),
        "bfloat16": grouped(int(half)),
    }
