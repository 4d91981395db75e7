"""The options of commands that list, fetch, check, export and describe data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crossexam.options.groups import Here, ReadFrom
from crossexam.options.option import Count, argument, option, several, switch


@dataclass(frozen=True)
class Ls:
    """The options of ``crossexam ls``.

    Example: crossexam ls constructions
    """

    kind: str | None = argument(
        "KIND",
        "corpora, constructions, suites, options, models, templates or recipes; or rules, by which a "
        "construction rejects what it could make.",
        required=False,
    )
    name: str | None = argument(
        "NAME",
        "With rules: the construction, such as antonymy (default: all). "
        "With corpora: the one whose files are listed.",
        required=False,
    )


@dataclass(frozen=True)
class Fetch:
    """The options of ``crossexam fetch``.

    Files without a SHA-256 in the catalogue are unverified: their first SHA-256 is recorded, and held.

    Example: crossexam fetch snli multinli
    """

    names: tuple[str, ...] = argument("NAME...", "Names of corpora; crossexam ls corpora lists them.")
    source: Path | None = option("Use this local copy instead of downloading.", "--from", takes="PATH")
    data: Path | None = option(
        "Data folder. Default: CROSSEXAM_DATA, else the platform's folder for user data.",
        takes="DIR",
    )
    max_size: Count = option(
        "Largest download, in MB, whose size is not in the catalogue.",
        default=1000,
        takes="MEGABYTES",
    )


@dataclass(frozen=True)
class Check:
    """The options of ``crossexam check``.

    The codes of errors begin with E, those of warnings with W.

    Example: crossexam check tests
    """

    path: ReadFrom = argument("DIR|FILE", "Suite (a folder) or test set (a file), or its URL.")
    base: ReadFrom | None = option("Base, as a test-set file. Default: the base in the suite.", takes="FILE")
    all_findings: bool = switch("Show all findings, not just the first five per code.", "--all")


@dataclass(frozen=True)
class Export:
    """The options of ``crossexam export``.

    The log of a harness comes back as the model log/PATH, a file of predictions as file/PATH.

    Example: crossexam export lm-eval tests -o tasks
    """

    form: str = argument(
        "FORMAT",
        "What to write: lm-eval, inspect or lighteval (tasks of these harnesses); csv or jsonl (one file of "
        "the distinct pairs, which a program of yours predicts).",
    )
    suite: Path = argument("DIR|FILE", "Suite (a folder) or test set (a file).")
    output: Path = option("Folder for the files.", "-o", "--output", takes="DIR", required=True)
    template: str | None = option(
        "Prompt template of tasks: a name (crossexam ls templates) or a TOML file. Default: gpt3, or "
        "words.two if all test sets have two labels.",
        takes="NAME|FILE",
    )
    only: tuple[str, ...] = several(
        "Use only these test sets, by name or pattern (negation.*). Repeatable.", takes="SET"
    )


@dataclass(frozen=True)
class Card:
    """The options of ``crossexam card``.

    Example: crossexam card tests
    """

    suite: Here = argument("DIR", "Suite: a folder of this machine.")
    force: bool = switch("Replace a README.md in the folder.")
    with_permission: bool = switch(
        "Write the card though a licence forbids changed text, as its owners permit it."
    )
