"""Truncated items in a report: the numbers, and the warning that nobody can miss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import pytest
from made_runs import dataset, page_of, run_of, terminal
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.dataset import Reading, Run
from crossexam.core.example import Example
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.core.test_sets import write_test_set
from crossexam.evaluation.measures import measure
from crossexam.evaluation.truncation import truncations
from crossexam.reports.analyses.truncation import truncation_warnings
from crossexam.reports.report import make_report

MENDED = "To have every item read to the end, run the model with --chunk, as in --chunk words:300."


def run(truncated: str, unseen: str, said: str, golds: str = "", *names: str) -> Run:
    """A run over items, neutral unless *golds* say otherwise; x marks what is truncated or unseen."""
    sets = [dataset(name, golds or "N" * len(said)) for name in names or ["made.x"]]
    reading = Reading(*(np.array([mark == "x" for mark in marks]) for marks in (truncated, unseen)))
    made = run_of({each.name: said for each in sets}, *sets, model="mine")
    return replace(made, reading=dict.fromkeys(made.datasets, reading))


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
MARKS = "....xxxx", "......xx", "NNNNNEEE"
LONG, WHOLE = run(*MARKS), run("...", "...", "NNN")
SAID = (
    "mine did not read 4 of 8 items to the end (50.0 %): made.x 50.0 %. "
    f"For 2 of them it read none of the changed text. {MENDED}"
)


def test_accuracy_with_and_without_what_was_not_read() -> None:
    (found,) = truncations(LONG)
    assert (found.items, found.truncated, found.edit_unseen, found.share) == (8, 4, 2, 0.5)
    accuracies = (found.accuracy, found.accuracy_seen, found.accuracy_read)
    assert [(each.value, each.n) for each in accuracies if each] == [(5 / 8, 8), (5 / 6, 6), (4 / 4, 4)]
    (none,) = truncations(run("xxx", "xxx", "NNN"))
    assert (none.accuracy_read, none.accuracy_seen) == (None, None)
    (fewer,) = truncations(run(*MARKS, golds="-NNNNNNN"))  # an item without a gold label shifts nothing
    assert fewer.truncated == 4
    assert fewer.accuracy_read is not None
    assert (fewer.accuracy_read.value, fewer.accuracy_read.n) == (1.0, 3)


def test_truncated_and_unseen_are_slices() -> None:
    (result,) = measure(LONG)
    assert {name: each.value for name, each in result.slices["truncated"].items()} == {"no": 1, "yes": 1 / 4}
    assert {name: each.n for name, each in result.slices["edit unseen"].items()} == {"no": 6, "yes": 2}
    (whole,) = measure(WHOLE)
    assert whole.slices == {}


def test_the_warning_is_at_the_head_of_every_report() -> None:
    report = make_report(LONG)
    assert f'<p class="warning">{escape(SAID)}</p>' in page_of(report).partition("</section>")[0]
    first, second, *_ = report.text(".md").split("\n\n")
    assert (first[:2], second) == ("# ", f"**{escape_markdown(SAID)}**")
    assert f"% {SAID}" in report.text(".tex").splitlines()
    assert escape_latex(SAID) in report.text(".tex")
    assert SAID in terminal(report, 400).splitlines()[1]
    for each in (WHOLE, replace(WHOLE, reading={})):
        assert "did not read" not in make_report(each).text(".md")
        assert 'class="warning"' not in make_report(each).text(".html")


def test_the_warning_says_what_is_known_and_what_helps(for_each: Callable[..., None]) -> None:
    """Few truncated items need no chunks; of many test sets those that were read least are named."""

    def check(of: Run, said: str, unsaid: str = "nothing") -> None:
        text = " ".join(truncation_warnings(make_report(of).results))
        assert said in text
        assert unsaid not in text

    few = "x" + "." * 99, "." * 100, "N" * 100
    many = run(*MARKS, "", *"abcde")
    cut = {name: np.arange(8) < k for k, name in enumerate(many.datasets, 1)}
    partly = {name: Reading(each, np.zeros(8, dtype=bool)) for name, each in cut.items()}
    too_long = "The chunks are too long for the model: choose smaller ones than words:500."
    least = ": e 62.5 %, d 50.0 %, c 37.5 %, and less of 2 other test sets."
    rows = [
        (run(*few), "mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %.", "chunk"),
        (replace(LONG, manifest={"details": {"max_length": 128}}), "as in --chunk words:70."),
        (replace(LONG, manifest={"chunk": "words:500"}), too_long),
        (replace(LONG, reading={}), "", "did not read"),
        (replace(many, reading=partly), f"15 of 40 items to the end (37.5 %){least}"),
    ]
    for_each(check, rows)


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
