"""What the commands of the tutorials print, over the corpus in the package."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import crossexam as cx
from figures.pages import ROOT
from figures.records import Figures
from figures.shown import Shown, as_text, markdown_lines, markdown_table, printed_table, transcript
from figures.workplace import Workplace

#: Where a line of a transcript is broken.
_WIDTH = 140


def your_model(place: Workplace, limit: int | None = None) -> Figures:
    """Return what docs/tutorials/test-your-model.md shows and says."""
    place.run("crossexam build stress-tests --base builtin:demo -o tests")
    checked = place.said("crossexam check tests")
    printed = place.run("crossexam run builtin/minilm tests -o runs/minilm")
    place.run("crossexam run builtin/bag-of-words tests -o runs/bag-of-words")
    place.run("crossexam report runs/minilm runs/bag-of-words -o report.md")
    compared = place.run("crossexam compare runs/minilm runs/bag-of-words")
    page = (place.folder / "report.md").read_text(encoding="utf-8")
    accuracy = printed_table(printed, "Test set")
    difference = printed_table(compared, "Test set")
    return {
        "items": checked.strip().splitlines()[-1].split()[0],
        "accuracy": transcript(_accuracy(printed, accuracy)),
        "difference": transcript(
            [
                compared.splitlines()[0].strip(),
                "",
                *as_text(
                    difference.only(
                        ("Test set", "Items", "A minus B", "p (Holm)", "Only A", "Only B"),
                        difference.column("Test set")[:2],
                    ),
                    cut=True,
                ),
            ]
        ),
        **_in_sentences(page, accuracy, difference.cell("base (builtin demo)", "B")),
    }


def _accuracy(printed: str, table: Shown) -> list[str]:
    shown = table.only(table.head, table.column("Test set")[:4])
    return [*headline(printed), "", *as_text(shown, cut=True)]


def headline(printed: str) -> list[str]:
    """Return the first sentences that a report prints, up to an empty line, in lines of the pages."""
    return wrapped(" ".join(printed.strip().partition("\n\n")[0].split()))


def wrapped(text: str) -> list[str]:
    """Return *text* in lines that a page shows without scrolling."""
    from textwrap import wrap

    return wrap(text, _WIDTH, break_on_hyphens=False)


def _in_sentences(page: str, accuracy: Shown, baseline: str) -> Figures:
    """Return the figures of sentences; *baseline* is the accuracy of the second model on the base."""
    drops, predictions = (
        markdown_table(page, "Drop from the base"),
        markdown_table(page, "Predictions by label"),
    )
    models = [row for row in drops.rows if row[0] == "spelling error function word"]
    column = drops.head.index
    (always,) = (row for row in predictions.rows if row[0] == "antonymy")
    return {
        "entailed": always[predictions.head.index("Entailment")].split()[0],
        "small_drop": models[0][column("Drop")].split()[0],
        "small_detectable": models[0][column("Smallest detectable drop")],
        "baseline": baseline.split()[0],
        "majority": accuracy.cell("majority baseline", "Accuracy"),
    }


def an_llm(place: Workplace, limit: int | None = None) -> Figures:
    """Return what docs/tutorials/test-an-llm.md shows before a server is asked."""
    built = place.said('crossexam build negation --base "builtin:demo[::10]" -o tests')
    asked = "crossexam run api/Qwen/Qwen3-4B tests -o runs/qwen --endpoint http://127.0.0.1:8080/v1"
    whole = place.said(f"{asked} --dry-run").strip().splitlines()
    priced = _options("What it costs")
    plain, thinking = (place.said(f"crossexam run {each}") for each in priced)
    return {
        "built": transcript([next(line for line in built.splitlines() if line.startswith("builtin:demo"))]),
        "sent": transcript(whole[:4]),
        "price": f"{_cost(plain)}",
        "times": f"{_cost(thinking) / _cost(plain):.0f}",
    }


def _options(section: str) -> list[str]:
    """Return the commands ``crossexam run`` of a section of the page, without these two words."""
    page = (ROOT / "docs/tutorials/test-an-llm.md").read_text(encoding="utf-8")
    text = page[page.index(f"## {section}") :].replace("\\\n", " ")
    return re.findall(r"^\$ crossexam run (.*--dry-run)$", text, re.MULTILINE)[:2]


def _cost(printed: str) -> float:
    return float(re.findall(r"cost: at most about ([\d.]+\d)", printed)[0])


def new_test(place: Workplace, limit: int | None = None) -> Figures:
    """Return what docs/tutorials/new-stress-test.md shows, with the construction of the page as a plug-in."""
    with _plug_in(place):
        place.run("crossexam build not_the_case --base builtin:demo -o denied")
        checked = place.said("crossexam check denied").strip().splitlines()[-1]
        with place.inside():
            items = list(cx.load_suite("denied")["not_the_case.builtin_demo"].examples)[:6:3]
        shown = [f"{item.label} | {item.premise} | {item.hypothesis}" for item in items]
        place.run("crossexam run builtin/minilm denied -o runs/minilm")
        place.run("crossexam run builtin/bag-of-words denied -o runs/bag-of-words")
        place.run("crossexam validate sample denied -o study --per-set 20 --judges 1")
        place.run("crossexam validate export study -o sheet.csv --judge judge-1")
        _judge(place)
        place.run("crossexam validate import study sheet.csv")
        verdict = place.said("crossexam validate verdict study --apply confirm --suite denied").rstrip()
        place.run("crossexam report runs/minilm runs/bag-of-words --verified -o denied.md")
    page = (place.folder / "denied.md").read_text(encoding="utf-8")
    table = markdown_table(page, "Accuracy")
    kept = [row for row in table.rows if not row[0].startswith("majority")]
    agreed = re.search(r"20 of 20 │ 100\.0 \[(\d+)", verdict)
    assert agreed is not None
    return {
        "built": transcript([checked]),
        "items": transcript(shown),
        "verdict": transcript(_verdict(verdict)),
        "agreed_low": agreed[1],
        "verified": transcript(markdown_lines(table.head, kept)),
    }


def _verdict(printed: str) -> list[str]:
    """Return the first table of what *printed* has without its last columns, and the last sentence."""
    rows = [
        tuple(cell.strip() for cell in re.split("[┃│]", line)[1:8])
        for line in printed.splitlines()
        if re.match("[┃│]", line)
    ]
    (said,) = (line for line in printed.splitlines() if line.startswith("not_the_case.builtin_demo:"))
    return [*as_text(Shown(rows[0], rows[1:2]), ruled=False), "", said]


@contextmanager
def _plug_in(place: Workplace) -> Iterator[None]:
    """Install the construction of the page for as long as the context lasts."""
    from crossexam.constructions.table import CONSTRUCTIONS, KNOWN

    page = (ROOT / "docs/tutorials/new-stress-test.md").read_text(encoding="utf-8")
    (code,) = re.findall(r'```python title="not_the_case.py"\n(.*?)```', page, re.DOTALL)
    (place.folder / "not_the_case.py").write_text(code, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "not_the_case"}
    exec(compile(code, "not_the_case.py", "exec"), names)
    construction = names["NOT_THE_CASE"]
    with patch.dict(CONSTRUCTIONS, not_the_case=construction), patch.dict(KNOWN, not_the_case=construction):
        yield


def _judge(place: Workplace) -> None:
    """Fill in the sheet of one judge, who agrees with the labels."""
    items = cx.load_suite(place.folder / "denied")["not_the_case.builtin_demo"].examples
    labels = {(item.premise, item.hypothesis): str(item.label) for item in items}
    path = place.folder / "sheet.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    with path.open("w", encoding="utf-8", newline="") as file:
        answered = ([name, *pair, labels[pair[0], pair[1]]] for name, *pair, _ in rows)
        csv.writer(file).writerows([head, *answered])


def many_requests(place: Workplace, limit: int | None = None) -> Figures:
    """Return how many requests the stress tests from SNLI dev are, without AQuA."""
    at_most = "" if limit is None else f" --limit {limit}"
    place.run(f"crossexam build stress-tests --base snli:dev --word-problems base -o tests{at_most}")
    asked = place.said("crossexam run api/gpt-5.1 tests -o runs/gpt --price 1.25,10 --dry-run")
    found = re.findall(r"requests to \S+: at most ([\d,]+)", asked)[0].rstrip(",")
    with place.inside():
        pairs = len(cx.load_suite("tests")["base.snli_dev"])
    return {"without": found, "pairs": f"{pairs:,}"}
