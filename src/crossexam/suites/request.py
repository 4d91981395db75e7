"""What is to be built: a suite, its bases, and all that its bytes depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crossexam.constructions.adjective_tables import adjectives_identity
from crossexam.constructions.resources import Resources
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.signature import package_version
from crossexam.suites.bases import Base
from crossexam.suites.table import suite_named


@dataclass(frozen=True)
class Request:
    """What to build: *suite*, from *bases* and, for tests that read word problems, *problems*."""

    suite: str
    bases: Sequence[Base]
    problems: Sequence[Base] = ()
    seed: int = 0
    file_format: str = "parquet"
    annotator: str = "auto"
    recognizer: str = "auto"
    tautology: str | None = None
    indirect: bool = False
    as_published: bool = False
    parser: str = "auto"
    adjectives: str | None = None
    both_directions: bool = False
    include_base: bool = True
    limit: int | None = None

    def resources(self) -> Resources:
        """Return the resources that the constructions look things up in."""
        chosen = Resources(
            self.annotator,
            self.recognizer,
            indirect=self.indirect,
            as_published=self.as_published,
            parser_spec=self.parser,
            adjectives_spec=self.adjectives,
            both_directions=self.both_directions,
        )
        return replace(chosen, tautology=self.tautology) if self.tautology is not None else chosen

    def constructions(self) -> tuple[str, ...]:
        """Return the names of the constructions, the free tautology among them if one is given."""
        names = suite_named(self.suite).constructions
        return (*names, "tautology") if self.tautology is not None and "tautology" not in names else names

    def identity(self) -> dict[str, Any]:
        """Return what the built bytes depend on."""
        return {
            "suite": self.suite,
            "constructions": [CONSTRUCTIONS[name].versioned for name in self.constructions()],
            "lambdas": list(suite_named(self.suite).lambdas),
            "bases": [f"{base.spec}@{base.identity}" for base in self.bases],
            "problems": [f"{base.spec}@{base.identity}" for base in self.problems],
            "seed": self.seed,
            "format": self.file_format,
            "annotator": self.annotator,
            "recognizer": self.recognizer,
            "tautology": self.tautology,
            "indirect": self.indirect,
            "as_published": self.as_published,
            "parser": self.parser,
            "adjectives": adjectives_identity(self.adjectives),
            "both_directions": self.both_directions,
            "limit": self.limit,
            "version": package_version(),
        }
