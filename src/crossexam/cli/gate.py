"""crossexam gate: whether a run keeps to the rules of a project, for continuous integration."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.cli import options
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.core.places import copy_path, work_path

if TYPE_CHECKING:
    from crossexam.gates.result import GateResult

_OPTION: Final = "--items"
_ITEMS: Final = 3
#: Of a line of the command, which ends with a backslash, under an indentation of two.
_COLUMNS: Final = 76
#: The variable that names the file to which a step of a workflow on GitHub appends its summary.
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"


class OpenChoice(StrEnum):
    """What becomes of open checks that may hide a loss."""

    undecided = "undecided"
    passes = "pass"
    fails = "fail"


def gate(
    run: Annotated[Path, typer.Argument(parser=copy_path, help="The run: a folder or URL.", metavar="RUN")],
    baseline: Annotated[
        Path | None,
        typer.Option(
            parser=copy_path, help="What `crossexam baseline` wrote, for rules against it.", metavar="FILE"
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(help="The rules: a TOML file (docs/gate.md). Default: crossexam.toml.", metavar="FILE"),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(parser=work_path, help="Write the checks as a JUnit file.", metavar="FILE"),
    ] = None,
    json: Annotated[
        Path | None, typer.Option(parser=work_path, help="Write the checks as JSON.", metavar="FILE")
    ] = None,
    open_checks: Annotated[
        OpenChoice,
        typer.Option(
            "--open",
            help="What becomes of checks that the data do not decide, unless no loss was seen: the gate is "
            "undecided (exit code 5), passes all the same, or fails.",
        ),
    ] = OpenChoice.undecided,
    alpha: Annotated[float, typer.Option(help="Two-sided level of all checks together.", metavar="P")] = 0.05,
    max_unanswered: options.MaxUnanswered = MAX_UNANSWERED,
    accept_unverified: Annotated[
        bool,
        typer.Option("--accept-unverified", help="Judge a model that failed the probe of its labels, too."),
    ] = False,
    items: Annotated[
        str,
        typer.Option(help="Items to show of each check that fails or is undecided.", metavar="N|all"),
    ] = str(_ITEMS),
) -> None:
    """Judge a run by rules: exit code 0 if it passes, 1 if it fails, 5 if that is undecided.

    It is 2 if the run cannot be judged, and 4 if it is not finished.  JUnit and JSON are written with 0, 1
    and 5, and with 2 if a check could not be judged; after an error there are none, nor any of earlier
    results.
    """
    from crossexam.cli.console import reader_may_leave, show, warn_of_gaps, written
    from crossexam.core.files import write_text
    from crossexam.core.outcome import check_max_unanswered
    from crossexam.core.transfers import put_file
    from crossexam.gates.baseline import read_baseline
    from crossexam.gates.behind import check_item_count
    from crossexam.gates.judge import judge
    from crossexam.gates.output import gate_json, gate_junit
    from crossexam.gates.rules import rules_from
    from crossexam.reports.results import check_level
    from crossexam.reports.text import terminal_text
    from crossexam.runs.saved import read_finished_run

    for path in (junit, json):
        if path is not None and path.is_file():
            path.unlink()  # an earlier result must not be taken for this one's, whatever happens below
    check_level(alpha)
    limit = check_max_unanswered(max_unanswered)
    count = check_item_count(int(items) if items.isdecimal() else items)
    known = rules_from(rules)
    stored = None if baseline is None else read_baseline(baseline)
    answers = read_finished_run(run)
    result = judge(
        answers,
        known,
        stored,
        alpha=alpha,
        max_unanswered=limit,
        open_checks=open_checks.value,
        accept_unverified=accept_unverified,
        items=count,
    )
    files = [(path, text) for path, text in ((junit, gate_junit), (json, gate_json)) if path is not None]
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
    from crossexam.gates.output import gate_markdown

    if path := os.environ.get(_SUMMARY):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(gate_markdown(result))
