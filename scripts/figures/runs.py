"""What models in the package do on published corpora."""

from __future__ import annotations

import json
import re
import runpy
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import Final
from unittest.mock import patch

from figures.pages import ROOT
from figures.records import Figures
from figures.shown import Shown, as_markdown, grouped, markdown_lines, markdown_table, transcript
from figures.workplace import Workplace


def report(place: Workplace, command: str, name: str = "report.md") -> str:
    """Run a command that writes a report in Markdown, and return it."""
    place.run(f"{command} -o {name}")
    return (place.folder / name).read_text(encoding="utf-8")


def align(place: Workplace, limit: int | None) -> Figures:
    """Return what the tutorial *Reproduce a table* shows of ALIGN."""
    with patch.object(sys, "path", [str(ROOT / "reproductions"), *sys.path]):
        from mismatched import EXACT, exact_labels  # type: ignore[import-not-found]
    exact_labels(place.folder)
    at_most = "" if limit is None else f" --limit {limit}"
    place.run(
        f"crossexam build stress-tests --base multinli:dev_matched --base multinli@{EXACT} "
        f'--tautology "green is not red" --as-published -o suite{at_most}'
    )
    place.run("crossexam run builtin/alignment suite -o runs/alignment")
    page = report(place, "crossexam report runs/alignment", "table3.md")
    table = markdown_table(page, "Accuracy")
    kept = (*_OF_TABLE_3, "base", "word overlap", "negation")
    halves = ["multinli dev matched"] * len(_OF_TABLE_3) + ["multinli dev mismatched"] * 3
    names = [_full_name(table, name, half) for name, half in zip(kept, halves, strict=True)]
    shown = table.only(("Test set", "Items", "builtin/alignment", "NB", "ALIGN"))
    rows = [next(row for row in shown.rows if row[0] == name) for name in (*names, shown.rows[-1][0])]
    return {
        "table": transcript(markdown_lines(shown.head, rows)),
        "hard": grouped(_hard(place)),
        "pairs": grouped(int(rows[6][1].replace(",", ""))),
    }


_OF_TABLE_3: Final = (
    *("base", "antonymy", "word overlap", "negation", "length mismatch"),
    "spelling error mixed content word",
)


def _full_name(table: Shown, name: str, half: str) -> str:
    """Return the name of the test set of *half* in the table, with its rules if it has some."""
    (found,) = (row for row in table.column("Test set") if re.fullmatch(rf"{name} \((\w+, )?{half}\)", row))
    return found


def _hard(place: Workplace) -> int:
    """Return how many of the pairs of mismatched are of the hard subset."""
    lines = (place.folder / "exact/multinli_dev_mismatched.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(bool(json.loads(line).get("hard")) for line in lines)


def minilm_card(place: Workplace, limit: int | None) -> Figures:
    """Return the tables of the card of ``builtin/minilm``: accuracies, and those of the stress tests."""
    import crossexam as cx

    first = 1000 if limit is None else limit
    rows = []
    for base in ("snli:test", "multinli:dev_matched"):
        suite = cx.build("stress-tests", f"{base}[:1000]", limit=first, word_problems="aqua:test", seed=0)
        found = cx.accuracy(cx.run("builtin/minilm", suite))
        rows += [(f"`{name}`", grouped(each.n), f"{each}") for name, each in found.items()]
    return {"stress": as_markdown(("test set", "items", "accuracy"), dict.fromkeys(rows))}


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
