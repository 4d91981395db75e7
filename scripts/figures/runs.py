"""What models in the package do on published corpora."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final
from unittest.mock import patch
from xml.etree import ElementTree
from zipfile import ZipFile

from figures.pages import ROOT
from figures.records import Figures
from figures.shown import Shown, as_markdown, grouped, markdown_lines, markdown_table, transcript
from figures.workplace import Workplace


def report(place: Workplace, command: str, name: str = "report.md") -> str:
    """Run a command that writes a report in Markdown, and return it."""
    place.run(f"{command} -o {name}")
    return (place.folder / name).read_text(encoding="utf-8")


def consistency(place: Workplace, limit: int | None) -> Figures:
    """Return the violations of ``builtin/minilm``."""
    place.run('crossexam build consistency --base "snli:dev[:300]" -o consistency')
    place.run("crossexam run builtin/minilm consistency -o runs/minilm")
    page = report(place, "crossexam report runs/minilm")
    table = markdown_table(page, "Consistency")
    columns = ("Test set", "Rule", "Items", "Violations", "Of all, %", "Condition holds", "Of condition, %")
    shown = ("identity", "symmetry", "negated hypothesis", "double negation", "conjunction")
    by_label = markdown_table(page, "Violations by the label of (p, h)")
    return {
        "violations": as_markdown(tuple(map(_small, columns)), table.only(columns, shown).rows),
        "contradictions": _contradictions(by_label),
        "accuracy": markdown_table(page, "Accuracy").rows[0][2].split()[0],
    }


def _small(name: str) -> str:
    return name[0].lower() + name[1:]


def _contradictions(table: Shown) -> str:
    """Return how many hypotheses are called contradictions; the negations of all of them violate the rule."""
    label, items, share = (table.head.index(name) for name in ("Label of (p, h)", "Items", "Of these, %"))
    rows = table.rows[table.column(table.head[0]).index("negated hypothesis") :]
    negated = next(row for row in rows if row[label] == "contradiction")
    assert negated[share].startswith("100.0 ")
    return negated[items]


def _challenges(place: Workplace) -> Workplace:
    """Write the first three PASCAL challenges, as they come with NLTK, in the format of LLM-AggreFact."""
    folder = place.folder / "data"
    folder.mkdir()
    with ZipFile(Path(str(place.data)) / "nltk_data/corpora/rte.zip") as archive:
        for split in ("dev", "test"):
            rows = [row for name in ("rte1", "rte2", "rte3") for row in _claims(archive, name, split)]
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"aggrefact_{split}.jsonl").write_text(text, encoding="utf-8")
    return replace(place, data=folder)


def _claims(archive: ZipFile, name: str, split: str) -> Iterator[dict[str, str | int | None]]:
    """Yield the pairs of a challenge as documents and claims."""
    with archive.open(f"rte/{name}_{split}.xml") as file:
        for pair in ElementTree.parse(file).getroot().iter("pair"):
            supported = (pair.get("value") or pair.get("entailment")) in ("TRUE", "YES")
            yield {
                "dataset": name,
                "doc": pair.findtext("t"),
                "claim": pair.findtext("h"),
                "label": int(supported),
            }


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
