"""The tables of challenge sets: accuracy by their own slices, with published systems and chance beside.

HANS is shown as McCoy et al. (2019) report it, entailed and non-entailed pairs of each heuristic apart.  The
suite ``challenge`` says which slices a corpus has (``suites/challenge_sets.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crossexam.core.dataset import Dataset
from crossexam.core.labels import GOLD_INDEX, LABELS
from crossexam.core.manifest import CHALLENGE
from crossexam.reports.analysis import PAGE, Analysis, Section
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Table

if TYPE_CHECKING:
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.published.figures import PublishedStudy, PublishedTable
    from crossexam.suites.challenge_sets import Challenge

#: Follows a published system whose figures were not compared with the paper.
UNCHECKED: Final = "‡"
_ALL: Final = "all"
_CHANCE: Final = "chance"
_CHANCE_NOTE: Final = "Chance: the accuracy of labels drawn at random, each label with the same probability."
_MORE: Final = "Show {} by {}"


@dataclass(frozen=True)
class _Row:
    """A row of a table: its first *cells*, and what it is of: the *part* of a test set, a slice of it.

    *slicing* and *value* are empty for all items.
    """

    cells: tuple[str, ...]
    dataset: Dataset
    slicing: str = ""
    value: str = ""

    @property
    def column(self) -> str:
        """The column of published tables: ``hans``, ``hans.subcase=ln_passive``."""
        part = self.dataset.entry.part
        return f"{part}.{self.slicing}={self.value}" if self.slicing else part

    def accuracy(self, result: TestSetResult | None) -> Cell:
        """Return the accuracy in *result* on what the row is of, None without one."""
        if result is None:
            return None
        return result.slices.get(self.slicing, {}).get(self.value) if self.slicing else result.accuracy


def challenge_tables(results: Results) -> list[Table]:
    """Return a table per challenge set and slicing; none without such test sets."""
    tables = [
        _table(results, challenge, rows, title)
        for challenge, datasets in _present(results)
        for title, rows in _by_slices(results, challenge, datasets, challenge.slices)
    ]
    return [replace(table, notes=(_CHANCE_NOTE, *table.notes)) for table in tables[:1]] + tables[1:]


def more_challenge_tables(results: Results) -> list[Table]:
    """Return the tables by further slicings, such as the thirty subcases of HANS, folded away."""
    tables = []
    for challenge, datasets in _present(results):
        for slicing in challenge.more:
            for title, rows in _by_slices(results, challenge, datasets, (slicing,)):
                if len(rows) > len(datasets):
                    folded = _MORE.format(challenge.title, slicing)
                    tables.append(_table(results, challenge, rows, title, folded=folded))
    return tables


def published_on_challenge(dataset: Dataset, *, checked: bool | None = None) -> dict[str, dict[str, float]]:
    """Return the published accuracies on all of *dataset*, by study and system, as shares; may be empty.

    They are all of them, or only those that are *checked* against the paper or not.
    """
    from crossexam.suites.challenge_sets import CHALLENGES

    challenge = CHALLENGES.get(dataset.entry.about(CHALLENGE).get("name", ""))
    if challenge is None:
        return {}
    found: dict[str, dict[str, float]] = {}
    row = _Row((), dataset)
    for system in _systems(challenge, (row,)):
        figure = system.figure(row)
        if figure is not None and checked in (None, system.is_checked):
            found.setdefault(system.study.key, {})[system.name] = figure
    return found


def _present(results: Results) -> Iterator[tuple[Challenge, list[Dataset]]]:
    """Yield each challenge with its test sets among *results*, in the order of the table."""
    from crossexam.suites.challenge_sets import CHALLENGES

    for challenge in CHALLENGES.values():
        datasets = [
            dataset
            for dataset in results.test_sets.values()
            if dataset.entry.about(CHALLENGE).get("name") == challenge.name
        ]
        if datasets:
            yield challenge, datasets


def _by_slices(
    results: Results, challenge: Challenge, datasets: Sequence[Dataset], slicings: Sequence[str]
) -> Iterator[tuple[str, list[_Row]]]:
    """Yield title and rows of a table per slicing, or of one table of the test sets without any."""
    if not slicings:
        rows = [_Row((str(dataset.entry.about(CHALLENGE)["title"]),), dataset) for dataset in datasets]
        yield challenge.title, rows
    for slicing in slicings:
        headers = slicing.split(" and ")
        rows = []
        for dataset in datasets:
            rows.append(_Row((_ALL, *([""] * (len(headers) - 1))), dataset))
            values = _values(results, dataset, slicing)
            rows += [_Row(_cells(value, headers), dataset, slicing, value) for value in values]
        yield f"{challenge.title} by {slicing}", rows


def _cells(value: str, headers: Sequence[str]) -> tuple[str, ...]:
    """Return *value* as cells, one per header."""
    from crossexam.evaluation.slices import BETWEEN

    if len(headers) == 1:
        return (_readable(value),)
    first, _, second = value.rpartition(BETWEEN)
    return _readable(first), _readable(second)


def _readable(value: str) -> str:
    return value.replace("_", " ")


def _values(results: Results, dataset: Dataset, slicing: str) -> list[str]:
    """Return the values of *slicing* in *dataset*, those of one gold label together, entailment first."""
    found: dict[str, None] = {}
    for model in results.models:
        if (result := model.result(dataset.name)) is not None:
            found.update(dict.fromkeys(result.slices.get(slicing, ())))
    return sorted(found, key=_order)


def _order(value: str) -> tuple[bool, int, str]:
    from crossexam.evaluation.slices import BETWEEN
    from crossexam.stats.estimate import OTHER

    last = value.rpartition(BETWEEN)[2]
    return value == OTHER, GOLD_INDEX.get(last, -1), value


@dataclass(frozen=True)
class _System:
    """A published system: its *name* in *study*, and the *tables* with its figures."""

    name: str
    study: PublishedStudy
    tables: tuple[PublishedTable, ...]

    def figure(self, row: _Row) -> float | None:
        """Return the published accuracy on what *row* is of, as a share; None without one."""
        figures = (table.cells[self.name].get(row.column) for table in self.tables)
        found = next((figure for figure in figures if figure is not None), None)
        return None if found is None else round(found / 100, 6)

    @property
    def is_checked(self) -> bool:
        """Whether all of the figures were compared with the paper."""
        return all(table.checked for table in self.tables)

    @property
    def header(self) -> str:
        """The name, marked if the figures are not checked."""
        return self.name if self.is_checked else f"{self.name} {UNCHECKED}"


def _systems(challenge: Challenge, rows: Sequence[_Row]) -> list[_System]:
    """Return the published systems that have a figure for any of *rows*."""
    from crossexam.published.figures import published

    columns = {row.column for row in rows}
    systems = []
    for key in challenge.studies:
        study = published(key)
        for name in study.systems:
            tables = tuple(
                table
                for table in study.tables.values()
                if name in table.rows and columns & table.cells[name].keys()
            )
            if tables:
                systems.append(_System(name, study, tables))
    return systems


def _table(
    results: Results, challenge: Challenge, rows: Sequence[_Row], title: str, *, folded: str = ""
) -> Table:
    systems = _systems(challenge, rows) if results.options.published_rows else []
    headers = title.partition(" by ")[2].split(" and ") if " by " in title else ["test set"]
    columns = (
        *(Column(header.capitalize()) for header in headers),
        Column("Items", "count"),
        *(Column(model.name, "percent") for model in results.models),
        *(Column(system.header, "percent", f"Published, {system.study.name}") for system in systems),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            *row.cells,
            _items(results, row),
            *(row.accuracy(model.result(row.dataset.name)) for model in results.models),
            *(system.figure(row) for system in systems),
        )
        for row in rows
    ]
    if rows:
        chance = (_chance(model, rows[0].dataset) for model in results.models)
        empty = ("",) * (len(headers) - 1)
        cells.append((_CHANCE, *empty, None, *chance, *(None for _ in systems)))
    notes = tuple(_notes(challenge, rows, systems))
    return Table(title, columns, tuple(cells), notes, grouped=len(headers) - 1, folded=folded)


def _items(results: Results, row: _Row) -> int | None:
    """Return the number of items of *row* with a gold label, answered by any model or not."""
    found = (model.result(row.dataset.name) for model in results.models)
    if not row.slicing:
        return next((result.labelled for result in found if result is not None), None)
    sizes = [
        estimate.n
        for result in found
        if result is not None and (estimate := result.slices.get(row.slicing, {}).get(row.value)) is not None
    ]
    return max(sizes, default=None)


def _chance(model: ModelResults, dataset: Dataset) -> float | None:
    """Return the accuracy of random labels; None for a model of two labels on a test set of three."""
    result = model.result(dataset.name)
    if result is None or (result.labels == LABELS and result.projection is not None):
        return None
    return 1 / len(result.labels)


def _notes(challenge: Challenge, rows: Sequence[_Row], systems: Sequence[_System]) -> Iterator[str]:
    if challenge.note:
        yield challenge.note
    if challenge.differs and systems:
        yield challenge.differs
    for dataset in {row.dataset.name: row.dataset for row in rows}.values():
        facts = dataset.entry.about(CHALLENGE)
        if len(dataset) != facts["of"]:
            of_all = " Published figures are of all items." if systems else ""
            yield f"{facts['title']}: {len(dataset):,} of {facts['of']:,} items.{of_all}"
        elif facts.get("published_items") not in (None, facts["of"]):
            yield f"{facts['title']}: {facts['of']:,} items here, {facts['published_items']:,} as published."
    yield from _sources(systems)


def _sources(systems: Sequence[_System]) -> Iterator[str]:
    """Yield where the published figures are from, and which were not compared with the paper."""
    names: dict[tuple[str, str], list[str]] = {}
    for system in systems:
        for table in system.tables:
            mark = "" if table.checked else f"{UNCHECKED} Not checked against the paper. "
            place = f"{table.place}. {system.study.citation} {system.study.source}"
            names.setdefault((mark, place), []).append(system.name)
    for (mark, place), of in names.items():
        yield f"{mark}Published, {', '.join(dict.fromkeys(of))}: {place}"


CHALLENGE_SETS: Final = Analysis(
    "challenge sets",
    (
        Section("challenge", "Challenge sets", challenge_tables, title="Challenge sets", captions=True),
        Section(
            "challenge_more", "More slices", more_challenge_tables, PAGE, within="challenge", captions=True
        ),
    ),
    facts=frozenset({CHALLENGE}),
)
