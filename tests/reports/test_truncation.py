"""Truncated items in a report: the numbers, and the warning that nobody can miss."""

from __future__ import annotations

import io
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Reading, Run
from crossexam.core.example import Example
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.core.test_sets import write_test_set
from crossexam.evaluation.measures import measure
from crossexam.evaluation.truncation import truncations
from crossexam.reports.report import make_report

MENDED = "To have every item read to the end, run the model with --chunk, as in --chunk words:300."


def run_of(truncated: list[bool], unseen: list[bool], right: list[bool], *, known: bool = True) -> Run:
    """A run over items that are all neutral, each with a premise of its own."""
    items = tuple(Example(str(k), f"Premise {k}.", "It rains.", "neutral") for k in range(len(right)))
    rows = np.array([[0.0, 1.0, 0.0] if each else [1.0, 0.0, 0.0] for each in right])
    reading = {"made.x": Reading(np.array(truncated), np.array(unseen))} if known else {}
    return Run("mine", {"made.x": Dataset("made.x", items)}, {"made.x": rows}, {}, reading)


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
LONG = run_of([False] * 4 + [True] * 4, [False] * 6 + [True] * 2, [True] * 4 + [True, False, False, False])
SAID = (
    "mine did not read 4 of 8 items to the end (50.0 %): made.x 50.0 %. "
    "For 2 of them it read none of the changed text."
)


def test_accuracy_with_and_without_what_was_not_read() -> None:
    (found,) = truncations(LONG)
    assert (found.items, found.truncated, found.edit_unseen, found.share) == (8, 4, 2, 0.5)
    assert (found.accuracy.value, found.accuracy.n) == (5 / 8, 8)
    assert found.accuracy_seen is not None
    assert found.accuracy_read is not None
    assert (found.accuracy_seen.value, found.accuracy_seen.n) == (5 / 6, 6)
    assert (found.accuracy_read.value, found.accuracy_read.n) == (4 / 4, 4)


def test_nothing_left_is_no_accuracy() -> None:
    (found,) = truncations(run_of([True] * 3, [True] * 3, [True] * 3))
    assert (found.accuracy_read, found.accuracy_seen) == (None, None)


def test_items_without_a_gold_label_do_not_shift_what_was_read() -> None:
    first, *rest = LONG.datasets["made.x"].examples
    dataset = Dataset("made.x", (replace(first, label=None), *rest))
    (found,) = truncations(replace(LONG, datasets={"made.x": dataset}))
    assert found.truncated == 4
    assert found.accuracy_read is not None
    assert (found.accuracy_read.value, found.accuracy_read.n) == (1.0, 3)


def test_truncated_and_unseen_are_slices() -> None:
    (result,) = measure(LONG)
    assert {name: each.value for name, each in result.slices["truncated"].items()} == {"no": 1, "yes": 1 / 4}
    assert {name: each.n for name, each in result.slices["edit unseen"].items()} == {"no": 6, "yes": 2}
    (whole,) = measure(run_of([False] * 3, [False] * 3, [True] * 3))
    assert whole.slices == {}


def test_the_warning_is_at_the_head_of_every_report() -> None:
    report = make_report(LONG)
    said = f"{SAID} {MENDED}"
    page = report.text(".html").replace("\N{NO-BREAK SPACE}", " ")
    assert f'<p class="warning">{escape(said)}</p>' in page.partition("</section>")[0]
    first, second, *_ = report.text(".md").split("\n\n")
    assert (first[:2], second) == ("# ", f"**{escape_markdown(said)}**")
    assert f"% {said}" in report.text(".tex").splitlines()
    assert escape_latex(said) in report.text(".tex")
    console = Console(width=400, file=io.StringIO(), record=True)
    console.print(report.terminal())
    assert said in console.export_text().splitlines()[1]


def test_a_model_that_read_all_is_not_warned_of() -> None:
    for run in (run_of([False] * 3, [False] * 3, [True] * 3), run_of([], [], [True] * 3, known=False)):
        assert "did not read" not in make_report(run).text(".md")
        assert 'class="warning"' not in make_report(run).text(".html")


def test_few_truncated_items_need_no_chunks_and_chunks_may_be_too_long() -> None:
    few = run_of([True] + [False] * 99, [False] * 100, [True] * 100)
    said = "mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %."
    assert escape_markdown(said) in make_report(few).text(".md")
    assert "chunk" not in make_report(few).text(".md").partition("##")[0]
    short = replace(LONG, manifest={"details": {"max_length": 128}})
    assert "as in --chunk words:70." in make_report(short).text(".md")
    long_chunks = replace(LONG, manifest={"chunk": "words:500"})
    said = "The chunks are too long for the model: choose smaller ones than words:500."
    assert said in make_report(long_chunks).text(".md")


def test_a_run_of_an_earlier_version_says_what_it_knows() -> None:
    old = replace(LONG, reading={}, manifest={"truncated_pairs": 3, "distinct_pairs": 1200})
    said = "mine did not read 3 of 1,200 distinct pairs to the end. This run does not say which: repeat"
    assert said in make_report(old).text(".md")
    assert "did not read" not in make_report(replace(old, manifest={"truncated_pairs": 0})).text(".md")


@pytest.mark.parametrize("length", [16, 128])
def test_run_ends_with_the_warning(length: int, tiny_checkpoint: Path, tmp_path: Path) -> None:
    premise = "A man is playing a guitar on the stage in the rain. " * 2
    items = tuple(Example(str(k), premise, f"A man is {k}.", "neutral") for k in range(3))
    write_test_set(tmp_path / "long.parquet", items)
    line = ["run", f"hf/{tiny_checkpoint}", str(tmp_path / "long.parquet"), "-o", str(tmp_path / "run")]
    done = CliRunner().invoke(app, [*line, "--max-length", str(length), "--device", "cpu"])
    assert done.exit_code == 0, done.stderr
    last = done.stderr.splitlines()[-1]
    said = f"warning: hf/{tiny_checkpoint} did not read 3 of 3 items to the end (100.0 %): long 100.0 %."
    assert (last == f"{said} {MENDED.replace('300', '10')}") == (length == 16)
    assert last.startswith("written: ") == (length == 128)
