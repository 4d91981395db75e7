"""The options of commands that report on runs, compare and judge them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from crossexam.options.groups import ReadFrom, Shown, Unanswered, WriteTo
from crossexam.options.option import Count, NotNegative, argument, option, several, switch


@dataclass(frozen=True)
class Report(Shown):
    """The options of ``crossexam report``.

    Example: crossexam report runs/mine -o report.html
    """

    runs: tuple[ReadFrom, ...] = argument("RUN...", "What crossexam run wrote: folders or URLs.")
    output: tuple[WriteTo, ...] = several(
        "Output file or URL: .html, .md, .tex, .csv or .json; .yaml for a model card; .vl.json, .pdf or .svg "
        "(extra figures) for charts. Repeatable. Default: in brief on the terminal.",
        "-o",
        "--output",
        takes="FILE",
    )
    items: Literal["errors", "all"] | Count = option(
        "Items per test set on the HTML page: a number, those that a model got wrong, or all.",
        default=400,
    )
    relative_to: ReadFrom | None = option(
        "Show the relative improvement of the other models over this run on the cross-dataset benchmark.",
        takes="RUN",
    )
    calibration: bool = switch(
        "Show calibration and selective prediction in every format; by default they are in CSV and JSON only."
    )
    temperature_from: tuple[Path, ...] = several(
        "Also show the calibration after temperature scaling, fitted on this run (the same model, other "
        "items); repeatable.",
        takes="RUN",
    )
    threshold: tuple[str, ...] = several(
        "In fact checking, a claim counts as supported above this probability of entailment, or above the "
        "best one in this run over the development split; repeatable for several models. Default: 0.5.",
        takes="P|dev:RUN",
    )
    threshold_per_set: bool = switch("Choose the threshold of each data set on its own.")
    track: tuple[str, ...] = several(
        "Also write the report to an experiment tracker, mlflow or wandb; repeatable.", takes="NAME"
    )


@dataclass(frozen=True)
class Compare(Shown):
    """The options of ``crossexam compare``.

    Example: crossexam compare runs/mine runs/other
    """

    runs: tuple[ReadFrom, ...] = argument(
        "RUN...",
        "Two runs over the same test sets: folders or URLs, or one folder of both, where A is the older.",
    )
    output: tuple[WriteTo, ...] = several(
        "Output file or URL: .md, .tex, .csv or .json. Repeatable.", "-o", "--output", takes="FILE"
    )
    details: bool = switch("Print all tables, not just that of the accuracies.")
    common: bool = switch("Leave out test sets that only one of the runs has, and name them.")


@dataclass(frozen=True)
class Baseline:
    """The options of ``crossexam baseline``.

    Example: crossexam baseline runs/mine -o baseline.parquet
    """

    run: ReadFrom = argument("RUN", "The run: a folder or URL.")
    output: WriteTo = option("Output file or URL: .parquet.", "-o", "--output", takes="FILE", required=True)
    probabilities: bool = switch("Also store the probabilities, which rules about ece need.")


@dataclass(frozen=True)
class Gate(Unanswered):
    """The options of ``crossexam gate``.

    It is 2 if the run cannot be judged, and 4 if it is not finished.  JUnit and JSON are written with 0, 1
    and 5, and with 2 if a check could not be judged; after an error, none are left, not even earlier ones.

    Example: crossexam gate runs/mine --baseline baseline.parquet
    """

    run: ReadFrom = argument("RUN", "The run: a folder or URL.")
    baseline: ReadFrom | None = option("What `crossexam baseline` wrote, for rules against it.", takes="FILE")
    rules: Path | None = option(
        "The rules: a TOML file (docs/gate.md). Default: crossexam.toml.", takes="FILE"
    )
    junit: WriteTo | None = option("Write the checks as a JUnit file.", takes="FILE")
    json: WriteTo | None = option("Write the checks as JSON.", takes="FILE")
    open: Literal["undecided", "pass", "fail"] = option(
        "If a check is open and not marked 'no loss', the gate is undecided (exit code 5), passes, or fails.",
        default="undecided",
    )
    alpha: float = option("Two-sided level of all checks together.", default=0.05, takes="P")
    accept_unverified: bool = switch("Judge a model that failed the probe of its labels, too.")
    items: Literal["all"] | NotNegative = option(
        "Items to show of each check that fails or is undecided.", default=3
    )
