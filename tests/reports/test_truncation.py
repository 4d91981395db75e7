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


def run(truncated: str, unseen: str, said: str, golds: str = "") -> Run:
    """A run over items, neutral unless *golds* say otherwise; x marks what is truncated or unseen."""
    data = dataset("made.x", golds or "N" * len(said))
    reading = Reading(*(np.array([mark == "x" for mark in marks]) for marks in (truncated, unseen)))
    return replace(run_of({"made.x": said}, data, model="mine"), reading={"made.x": reading})


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
MARKS = "....xxxx", "......xx", "NNNNNEEE"
LONG, WHOLE = run(*MARKS), run("...", "...", "NNN")
SAID = (
    "mine did not read 4 of 8 items to the end (50.0 %): made.x 50.0 %. "
    "For 2 of them it read none of the changed text."
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
    said = f"{SAID} {MENDED}"
    assert f'<p class="warning">{escape(said)}</p>' in page_of(report).partition("</section>")[0]
    first, second, *_ = report.text(".md").split("\n\n")
    assert (first[:2], second) == ("# ", f"**{escape_markdown(said)}**")
    assert f"% {said}" in report.text(".tex").splitlines()
    assert escape_latex(said) in report.text(".tex")
    assert said in terminal(report, 400).splitlines()[1]


def test_a_model_that_read_all_is_not_warned_of() -> None:
    for each in (WHOLE, replace(WHOLE, reading={})):
        assert "did not read" not in make_report(each).text(".md")
        assert 'class="warning"' not in make_report(each).text(".html")


def test_the_warning_says_what_is_known_and_what_helps(for_each: Callable[..., None]) -> None:
    """Few truncated items need no chunks."""

    def check(of: Run, said: str, unsaid: str = "nothing") -> None:
        text = make_report(of).text(".md").partition("##")[0]
        assert escape_markdown(said) in text
        assert unsaid not in text

    few = "x" + "." * 99, "." * 100, "N" * 100
    for_each(
        check,
        [
            (run(*few), "mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %.", "chunk"),
            (replace(LONG, manifest={"details": {"max_length": 128}}), "as in --chunk words:70."),
            (
                replace(LONG, manifest={"chunk": "words:500"}),
                "The chunks are too long for the model: choose smaller ones than words:500.",
            ),
            (replace(LONG, reading={}), "", "did not read"),
        ],
    )


def test_of_many_test_sets_those_that_were_read_least_are_named() -> None:
    one = next(iter(LONG.datasets.values()))
    count = len(one)
    sets = {f"made.x{k}": replace(one, name=f"made.x{k}") for k in range(1, 6)}
    cut = {name: np.arange(count) < k for k, name in enumerate(sets, 1)}
    many = replace(
        LONG,
        datasets=sets,
        probabilities=dict.fromkeys(sets, next(iter(LONG.probabilities.values()))),
        reading={name: Reading(each, np.zeros(count, dtype=bool)) for name, each in cut.items()},
    )
    (said,) = truncation_warnings(make_report(many).results)
    shares = [f"made.x{k} {100 * k / count:.1f} %" for k in (5, 4, 3)]
    assert f": {', '.join(shares)}, and less of 2 other test sets." in said


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
