"""crossexam gate: whether a run keeps to the rules of a project, for continuous integration."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from crossexam.cli.console import reader_may_leave, show, warn_of_gaps, written
from crossexam.core.files import write_text
from crossexam.core.outcome import check_max_unanswered
from crossexam.core.transfers import put_file
from crossexam.gates.baseline import read_baseline
from crossexam.gates.behind import check_item_count
from crossexam.gates.judge import judge
from crossexam.gates.output import gate_json, gate_junit, gate_markdown
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.options.results import Gate
from crossexam.reports.results import check_level
from crossexam.reports.text import terminal_text
from crossexam.runs.saved import read_finished_run

_OPTION: Final = "--items"
#: Of a line of the command, which ends with a backslash, under an indentation of two.
_COLUMNS: Final = 76
#: The variable that names the file to which a step of a workflow on GitHub appends its summary.
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"


def gate(options: Gate) -> None:
    """Judge a run by rules; exit with the code of the verdict unless it passes."""
    for path in (options.junit, options.json):
        if path is not None and path.is_file():
            path.unlink()  # an earlier result must not be taken for this one's, whatever happens below
    check_level(options.alpha)
    limit = check_max_unanswered(options.max_unanswered)
    known = rules_from(options.rules)
    stored = None if options.baseline is None else read_baseline(options.baseline)
    answers = read_finished_run(options.run)
    result = judge(
        answers,
        known,
        stored,
        alpha=options.alpha,
        max_unanswered=limit,
        open_checks=options.open,
        accept_unverified=options.accept_unverified,
        items=check_item_count(options.items),
    )
    pairs = ((options.junit, gate_junit), (options.json, gate_json))
    files = [(path, text) for path, text in pairs if path is not None]
    for path, text in files:
        write_text(path, text(result))
        put_file(path)
    _append_summary(result)
    with reader_may_leave():
        warn_of_gaps([answers])
        show(terminal_text(result.text(_with_all_items(sys.argv[1:]))))
    with reader_may_leave():
        for path, _ in files:
            written(path)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _with_all_items(arguments: Sequence[str]) -> str:
    r"""Return the command with these *arguments* that shows all items, on lines that a shell reads as one.

    >>> print(_with_all_items(["gate", "my run", "--items", "1", "--baseline", "baseline.parquet"]))
    crossexam gate 'my run' --baseline baseline.parquet --items all
    >>> print(_with_all_items(["gate", "runs/a-model-with-a-long-name", "--rules", "our-rules.toml"]))
    crossexam gate runs/a-model-with-a-long-name --rules our-rules.toml \
        --items all
    """
    kept = [each for each in arguments if not each.startswith("--items=")]
    if _OPTION in kept:
        place = kept.index(_OPTION)
        del kept[place : place + 2]
    lines = ["crossexam"]
    for word in (*map(shlex.quote, kept), f"{_OPTION} all"):
        if len(lines[-1]) + 1 + len(word) <= _COLUMNS:
            lines[-1] += f" {word}"
        else:
            lines.append(f"    {word}")
    return " \\\n".join(lines)


def _append_summary(result: GateResult) -> None:
    """Append the checks to the summary of the step, if this is one of a workflow on GitHub."""
    if path := os.environ.get(_SUMMARY):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(gate_markdown(result))
