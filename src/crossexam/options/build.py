"""The options of the commands that build test sets, and of those that also run models over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from crossexam.options.groups import (
    Building,
    FromBases,
    ModelOptions,
    ReadingOptions,
    ServerOptions,
    Unanswered,
    Where,
    WriteTo,
)
from crossexam.options.option import Count, argument, option, several, switch

_FOLDER: Final[dict[str, Any]] = {"takes": "DIR", "required": True, "first": True}


@dataclass(frozen=True)
class Build(Where, ReadingOptions, Building):
    """The options of ``crossexam build``.

    Example: crossexam build stress-tests --base builtin:demo -o tests
    """

    suite: str = argument("SUITE|CONSTRUCTION", "A suite or a construction: see crossexam ls.")
    output: WriteTo = option("Folder for the test sets, or a URL.", "-o", "--output", **_FOLDER)
    file_format: str = option(
        "The format of the files.", "--format", default="parquet", takes="parquet|jsonl", first=True
    )
    details: bool = switch("Also show why examples gave no item.", first=True)


@dataclass(frozen=True)
class Subset(ReadingOptions, FromBases):
    """The options of ``crossexam subset``.

    Equivalent to crossexam build cs-subsets and crossexam build hard-subsets.

    Example: crossexam subset cs --base builtin:demo --lambda 0.7 -o cs
    """

    kind: Literal["cs", "hard"] = argument(
        "KIND",
        "cs: examples that mislead a bag-of-words model. hard: those that a hypothesis-only model "
        "misclassifies.",
    )
    base: tuple[str, ...] = several(
        "What to build from: CORPUS:SPLIT or a file. Repeatable.",
        takes="CORPUS:SPLIT|FILE",
        required=True,
        first=True,
    )
    output: WriteTo = option("Folder for the test sets, or a URL.", "-o", "--output", **_FOLDER)


@dataclass(frozen=True)
class Examine(Where, ServerOptions, Unanswered, ModelOptions, ReadingOptions, Building):
    """The options of ``crossexam examine``.

    The same command resumes an interrupted examination: finished test sets and predictions are reused.
    --dry-run builds the test sets and shows what a server would be sent; it is for models behind an endpoint.

    Example: crossexam examine builtin/minilm --base builtin:demo -o out
    """

    models: tuple[str, ...] = argument("MODEL...", "Models: see crossexam ls models.")
    output: WriteTo = option(
        "Folder for all output, or a URL.",
        "-o",
        "--output",
        default=Path("crossexam-out"),
        takes="DIR",
        first=True,
    )
    suite: str | None = option(
        "Suite or construction. Default: the stress tests.", takes="SUITE|CONSTRUCTION", first=True
    )
    labels: Mapping[Any, str | None] | str | None = option(
        "What the labels of a tabular file mean: yes=entailment,no=not_entailment. Numbers always need this; "
        "VALUE=- means no gold label. Answers of py/, file/ and api/ models may use these words, too (--set "
        "py.labels=... for other words of theirs, none for the usual names alone).",
        takes="VALUE=LABEL,...",
        group="How to read files",
        first=True,
    )
    seed: int = option(
        "Seed of all random choices in building (that which a server gets: --set api.seed=N).",
        default=0,
        group="How to build",
    )
    items: Literal["errors", "all"] | Count = option(
        "Items per test set on the HTML page: a number, those that a model got wrong, or all.", default=400
    )


@dataclass(frozen=True)
class Demo:
    """The options of ``crossexam demo``.

    Example: crossexam demo -o crossexam-demo
    """

    output: Path = option(
        "Folder for all output.", "-o", "--output", default=Path("crossexam-demo"), takes="DIR"
    )
    open: bool = switch("Open the page in the browser.")
    force: bool = switch("Replace another suite in the folder.")
