"""What models in the package do on published corpora."""

from __future__ import annotations

import re
import runpy
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final
from unittest.mock import patch
from zipfile import ZipFile

from figures.pages import ROOT
from figures.records import Figures
from figures.shown import Shown, as_markdown, grouped, markdown_lines, markdown_table, transcript
from figures.workplace import Workplace


def report(place: Workplace, command: str, name: str = "report.md") -> str:
    """Run a command that writes a report in Markdown, and return it."""
    place.run(f"{command} -o {name}")
    return (place.folder / name).read_text(encoding="utf-8")


def _mean(cell: str) -> str:
    return cell.split()[0]


def consistency(place: Workplace, limit: int | None) -> Figures:
    """Return the violations of ``builtin/minilm``."""
    place.run('crossexam build consistency --base "snli:dev[:300]" -o consistency')
    place.run("crossexam run builtin/minilm consistency -o runs/minilm")
    page = report(place, "crossexam report runs/minilm")
    table = markdown_table(page, "Consistency")
    columns = ("Test set", "Rule", "Items", "Violations", "Of all, %", "Condition holds", "Of condition, %")
    by_label = markdown_table(page, "Violations by the label of (p, h)")
    return {
        "violations": as_markdown(tuple(map(_small, columns)), table.only(columns).rows),
        **_negations(by_label),
        "accuracy": markdown_table(page, "Accuracy").rows[0][2].split()[0],
    }


def _small(name: str) -> str:
    return name[0].lower() + name[1:]


def _negations(table: Shown) -> Figures:
    """Return what is said of negations by the label of the example."""
    tests = [row[0] for row in table.rows]
    label, items, share = (table.head.index(name) for name in ("Label of (p, h)", "Items", "Of these, %"))

    def of(test: str, wanted: str) -> tuple[str, ...]:
        return next(row for row in table.rows[tests.index(test) :] if row[label] == wanted)

    negated, doubled = of("negated hypothesis", "contradiction"), of("double negation", "entailment")
    assert negated[share].startswith("100.0 ")
    return {
        "contradictions": negated[items],
        "entailed": doubled[items],
        "doubled": doubled[share].split()[0],
    }


def _challenges(place: Workplace) -> Workplace:
    """Write the first three PASCAL challenges in the format of LLM-AggreFact, by the script of the page."""
    page = (ROOT / "docs/studies/fact-checking.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(import json, sys, xml.*?)```", page, re.DOTALL)
    folder = place.folder / "data"
    folder.mkdir()
    with ZipFile(Path(str(place.data)) / "nltk_data/corpora/rte.zip") as archive:
        archive.extractall(place.folder)
    with patch.object(sys, "argv", ["rte.py", str(place.folder / "rte"), str(folder)]):
        exec(compile(script, "rte.py", "exec"), {"__name__": "rte"})
    return replace(place, data=folder)


def fact_checking(place: Workplace, limit: int | None) -> Figures:
    """Return how ``builtin/minilm`` does on the PASCAL challenges as claims and documents."""
    place = _challenges(place)
    at_most = "" if limit is None else f" --limit {limit}"
    for split in ("dev", "test"):
        place.run(f"crossexam build fact-checking --only aggrefact --split {split} -o rte-{split}{at_most}")
        place.run(f"crossexam run builtin/minilm rte-{split} -o runs/{split}")
    command, chosen = "crossexam report runs/test", " --threshold dev:runs/dev"
    reports = [report(place, command + more) for more in ("", chosen, f"{chosen} --threshold-per-set")]
    tables = [markdown_table(page, "Fact checking") for page in reports]
    columns = (
        "Claims",
        "Supported",
        "Documents",
        "Balanced accuracy",
        "ROC AUC",
        "False support",
        "Missed support",
    )
    means = [dict(zip(table.head, table.rows[-1], strict=True)) for table in tables]
    (together,) = re.findall(
        r"A claim counts as supported .*? exceeds ([\d.]+)\..*? on ([\d,]+) claims", reports[1]
    )
    each = tables[2]
    chosen_on = [", ".join(each.column(name)[:-1]) for name in ("Threshold", "Chosen on")]
    sources = (
        ("0.5", "fixed"),
        (together[0], f"{together[1]} claims"),
        (chosen_on[0], f"{chosen_on[1]} claims"),
    )
    rows = [
        (*source, *(mean[name] for name in ("Balanced accuracy", "False support", "Missed support")))
        for source, mean in zip(sources, means, strict=True)
    ]
    head = (
        *("threshold", "chosen on", "balanced accuracy (mean)"),
        *("false support (mean)", "missed support (mean)"),
    )
    names = ("data set", *(name if name == "ROC AUC" else _small(name) for name in columns))
    return {
        "sets": as_markdown(names, tables[0].only(("Data set", *columns)).rows),
        "thresholds": as_markdown(head, rows),
    }


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
    table, errors = markdown_table(page, "Accuracy"), markdown_table(page, "Errors")
    kept = (*_OF_TABLE_3, "base", "word overlap", "negation")
    halves = ["multinli dev matched"] * len(_OF_TABLE_3) + ["multinli dev mismatched"] * 3
    names = [_full_name(table, name, half) for name, half in zip(kept, halves, strict=True)]
    shown = table.only(("Test set", "Items", "builtin/alignment", "NB", "ALIGN"))
    rows = [next(row for row in shown.rows if row[0] == name) for name in (*names, shown.rows[-1][0])]
    ours = dict(zip(kept[:-3], (row[2] for row in rows), strict=False))
    theirs = dict(zip(kept[:-3], (row[4] for row in rows), strict=False))
    return {
        "table": transcript(markdown_lines(shown.head, rows)),
        "hard": grouped(_hard(place)),
        "pairs": grouped(int(rows[6][1].replace(",", ""))),
        **{name.replace(" ", "_"): _mean(ours[name]) for name in _OF_TABLE_3[:4]},
        **{f"{name.replace(' ', '_')}_paper": theirs[name] for name in _OF_TABLE_3[:4]},
        **_false_neutrals(errors),
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
    import json

    lines = (place.folder / "exact/multinli_dev_mismatched.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(bool(json.loads(line).get("hard")) for line in lines)


def _false_neutrals(errors: Shown) -> Figures:
    """Return the shares of false neutrals among the errors on matched, and the published ones."""
    figures = {}
    place = errors.head.index("False neutral")
    for name in ("base", "word overlap", "length mismatch"):
        start = errors.column("Test set").index(_full_name(errors, name, "multinli dev matched"))
        key = f"{name.replace(' ', '_')}_neutral"
        figures[key] = errors.rows[start][place]
        after = errors.rows[start + 1 :]
        published_row = next(
            (row for row in after if row[1] == "ALIGN (published)" or row[0]), errors.rows[0]
        )
        figures[f"{key}_paper"] = published_row[place]
    return figures


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
