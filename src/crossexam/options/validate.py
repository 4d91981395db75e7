"""The options of the commands with which people judge items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from crossexam.core.settings import Within
from crossexam.options.groups import Here, ReadFrom
from crossexam.options.option import argument, option, several, switch
from crossexam.validation.verdict import Apply

_STUDY: Final = ("STUDY", "Folder written by validate sample.")


@dataclass(frozen=True)
class Sample:
    """The options of ``crossexam validate sample``.

    Example: crossexam validate sample tests -o study
    """

    suite: ReadFrom | None = argument(
        "SUITE", "Suite (a folder) or test set (a file), or its URL.", required=False
    )
    output: Here = option("Folder for the study.", "-o", "--output", takes="STUDY", required=True)
    per_set: int = option("Number of items per test set.", default=100)
    seed: int = option("Seed of the sample and of the orders of items.", default=0)
    judges: int = option("Number of judges.", default=3)
    question: tuple[str, ...] = several(
        "label, grammatical, trivial, sensible, grammar_kept, antonym_kind or category; repeatable. "
        "Default: the questions for each construction.",
        takes="QUESTION",
    )
    test_set: tuple[str, ...] = several("Sample only this test set; repeatable.", "--set", takes="NAME")
    errors: tuple[ReadFrom, ...] = several(
        "Sample from the errors of this run, and ask what misled the model. Repeatable: from the items that "
        "all of these runs get wrong.",
        takes="RUN",
    )
    right_in: tuple[ReadFrom, ...] = several(
        "Sample from the items that this run gets right. Repeatable; with --errors, from those that also are "
        "errors.",
        takes="RUN",
    )


@dataclass(frozen=True)
class Serve:
    """The options of ``crossexam validate serve``.

    Example: crossexam validate serve study
    """

    study: Path = argument(*_STUDY)
    port: Annotated[int, Within(0, 65535)] = option("Port on 127.0.0.1; 0: any free port.", default=8765)


@dataclass(frozen=True)
class ExportStudy:
    """The options of ``crossexam validate export``.

    Example: crossexam validate export study -o study.csv
    """

    study: Path = argument(*_STUDY)
    output: Path = option(
        "Output file: .csv for spreadsheets, .json for Label Studio.",
        "-o",
        "--output",
        takes="FILE",
        required=True,
    )
    judge: tuple[str, ...] = several("Export only for this judge, in their order; repeatable.", takes="JUDGE")
    question: tuple[str, ...] = several("Export only this question; repeatable.", takes="QUESTION")
    answers: bool = switch("Include the answers so far.")


@dataclass(frozen=True)
class ImportAnswers:
    """The options of ``crossexam validate import``.

    Example: crossexam validate import study study.csv
    """

    study: Path = argument(*_STUDY)
    file: Path = argument("FILE", "Filled-in .csv, or .json exported by Label Studio.")
    judge: tuple[str, ...] = several(
        "For Label Studio: the judge who is this annotator; repeatable.", takes="ANNOTATOR=JUDGE"
    )


@dataclass(frozen=True)
class Verdict:
    """The options of ``crossexam validate verdict``.

    Example: crossexam validate verdict study
    """

    study: Path = argument(*_STUDY)
    output: Here | None = option("Output file for all results: .json.", "-o", "--output", takes="FILE")
    require: tuple[str, ...] = several(
        "Verify only items to which a majority answers yes: sensible, grammatical ...; repeatable.",
        takes="QUESTION",
    )
    apply: Apply | None = option(
        "Write the verdicts into --suite. confirm: items whose label the majority confirms are verified. "
        "relabel: the label of the majority becomes the gold label.",
        takes="confirm|relabel",
    )
    suite: Here | None = option("The suite to write into, for --apply.", takes="SUITE")
