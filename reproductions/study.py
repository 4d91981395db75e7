"""What a reproduction trains, tests and compares: the folder of a study with its ``study.toml``.

It says what is trained in which order, which suite is built, and how the test sets are called in the paper;
the paper's tables and findings as expressions (``findings.py``), and what deviates from the paper
(``deviations.py``).
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from commands import settings, train_command
from deviations import Deviation
from findings import Finding, Ordering

from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json
from crossexam.published.figures import published

#: The file of a working folder with the command that built its suite.
BUILT = "build.txt"


@dataclass(frozen=True)
class Row:
    """A model that a study trains, with each of its seeds: an *architecture* and *more* options of train.

    *published* is its row in the paper's tables, which are those of the study unless it names *tables*.  If
    there are several *members*, the model is the ensemble of so many trainings with consecutive seeds.
    *epochs* are those of zoo/rows.toml unless they are given.
    """

    name: str
    architecture: str
    seeds: int
    title: str
    published: str | None = None
    more: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    members: int = 1
    epochs: int | None = None


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper: its *title*, and which *cells* of which *rows* are in it."""

    title: str
    rows: tuple[str, ...]
    cells: tuple[str, ...]
    note: str = ""


class Training(NamedTuple):
    """One training: a row and a seed."""

    row: Row
    seed: int

    @property
    def folder(self) -> str:
        """The folder of the model, relative to the working folder."""
        return f"trained/{self.row.name}/seed-{self.seed}"


class Trained(NamedTuple):
    """A model of a row: one training of it, or the ensemble of several."""

    row: Row
    number: int

    @property
    def trainings(self) -> list[Training]:
        """Its trainings, whose seeds are consecutive."""
        first = self.number * self.row.members
        return [Training(self.row, seed) for seed in range(first, first + self.row.members)]

    @property
    def model(self) -> str:
        """The name by which `crossexam run` loads it from the working folder."""
        names = [f"zoo/{training.folder}" for training in self.trainings]
        return names[0] if len(names) == 1 else f"mean/{','.join(names)}"

    @property
    def run_folder(self) -> str:
        """The folder of its run over the suite, relative to the working folder."""
        members = self.row.members
        kind = "seed" if members == 1 else f"mean-of-{members}"
        return f"runs/{self.row.name}/{kind}-{self.number}"


@dataclass(frozen=True)
class Study:
    """What a study trains and tests, as its study.toml says.

    *data* is the key of zoo/rows.toml's settings, *train* and *dev* are corpora, *build* is the command that
    builds the *suite*.  *parts* are the names of the bases by the part of a set in an expression, *figures*
    the tables of the paper by measure.  *deviations* are what deviates from the paper.
    """

    folder: Path
    study: str
    data: str
    train: str
    dev: str
    build: str
    rows: Mapping[str, Row]
    tables: tuple[PaperTable, ...]
    findings: tuple[Finding, ...]
    orderings: tuple[Ordering, ...]
    parts: Mapping[str, str]
    figures: Mapping[str, Any]
    notes: Mapping[str, str]
    deviations: tuple[Deviation, ...] = ()

    @property
    def suite(self) -> str:
        """The folder of the suite, relative to the working folder: the value of -o."""
        words = shlex.split(self.build)
        return words[words.index("-o") + 1]

    def published(self, row: str, cell: str) -> float | None:
        """Return the paper's share for *row* and *cell*; None if the paper has none."""
        test_set, _, measure = cell.partition(":")
        test_set = test_set.partition("@")[0]
        construction, _, part = test_set.partition(".")
        places = self.figures.get(f"{measure or 'accuracy'}:{construction}")
        places = places or self.figures.get(measure or "accuracy", ())
        for table, column, *fixed in places:
            if self.rows[row].tables and table not in self.rows[row].tables:
                continue
            name = fixed[0] if fixed else self.rows[row].published
            cells = published(self.study).table(table).cells.get(name or "", {})
            column = column.format(set=test_set, construction=construction, part=part)
            if column in cells:
                return cells[column] / 100
        return None

    def cells(self) -> list[str]:
        """Return the cells of all tables, each once."""
        return list(dict.fromkeys(chain.from_iterable(table.cells for table in self.tables)))


def read_study(folder: Path) -> Study:
    """Return the study that study.toml in *folder* describes.

    Raises CrossexamError if a finding rests on a deviation that is not described.
    """
    document = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    deviations, findings = read_statements(document, folder / "study.toml")
    rows = {name: Row(name=name, **_tuples(row)) for name, row in document.pop("rows").items()}
    return Study(
        folder=folder,
        rows=rows,
        tables=tuple(PaperTable(**_tuples(each)) for each in document.pop("tables")),
        findings=findings,
        deviations=deviations,
        orderings=tuple(Ordering(**_tuples(each)) for each in document.pop("orderings")),
        parts=document.pop("parts", {}),
        notes=document.pop("notes", {}),
        **document,
    )


def read_statements(
    document: dict[str, Any], path: Path
) -> tuple[tuple[Deviation, ...], tuple[Finding, ...]]:
    """Take the deviations and the findings from the *document* of *path*, and return them.

    Raises CrossexamError if a finding rests on a deviation that is not described.
    """
    deviations = tuple(Deviation(**_tuples(each)) for each in document.pop("deviations", ()))
    findings = tuple(Finding(**_tuples(each)) for each in document.pop("findings"))
    known = {each.name for each in deviations}
    for finding in findings:
        if strange := set(finding.deviation) - known:
            raise CrossexamError(
                f"'{finding.claim}' rests on '{min(strange)}', which is no deviation",
                where=str(path),
                wanted=", ".join(sorted(known)) or "a table [[deviations]] of this name",
            )
    return deviations, findings


def _tuples(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}


def trainings(study: Study, names: Sequence[str] = ()) -> Iterator[Training]:
    """Yield the trainings of the rows called *names*, default all: seed 0 of each row, then seed 1 ..."""
    rows = [study.rows[name] for name in names or study.rows]
    for seed in range(max(row.seeds * row.members for row in rows)):
        yield from (Training(row, seed) for row in rows if seed < row.seeds * row.members)


def models(study: Study, names: Sequence[str] = ()) -> list[Trained]:
    """Return the models of the rows called *names*, default all."""
    rows = [study.rows[name] for name in names or study.rows]
    return [Trained(row, number) for row in rows for number in range(row.seeds)]


def command_of(study: Study, training: Training) -> list[str]:
    """Return the words of the command of *training*."""
    row = training.row
    more = [*row.more, "--seed", str(training.seed)]
    sizes = settings(row.architecture, study.data) | ({"epochs": row.epochs} if row.epochs else {})
    return train_command(row.architecture, sizes, study.train, study.dev, training.folder, more)


def is_trained(work: Path, training: Training) -> bool:
    """Return whether *training* is finished: the manifest is written last."""
    return (work / training.folder / "manifest.json").exists()


def is_run(study: Study, work: Path, model: Trained) -> bool:
    """Return whether *model* was run, as it is now, over the suite as it is now."""
    run = work / model.run_folder / "manifest.json"
    parts = [work / training.folder / "manifest.json" for training in model.trainings]
    if not all(each.exists() for each in (*parts, run)):
        return False
    if max(each.stat().st_mtime for each in parts) > run.stat().st_mtime:
        return False
    return _hashes(run) == _hashes(work / study.suite / "manifest.json")


def _hashes(manifest: Path) -> dict[str, str]:
    return {name: entry["content_hash"] for name, entry in read_json(manifest)["test_sets"].items()}
