"""Every number of a report as a figure: CSV and JSON are figures, and tables show them.

A :class:`FigureTable` declares its numbers once: each of its columns is a column of a table and, under the
name of a statistic, a figure of every row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from crossexam.core.estimate import Bounds, Estimate
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.table import Cell, Column, Kind, Table

T = TypeVar("T")
Measured = TypeVar("Measured", covariant=True)


class Figure(NamedTuple):
    """A number of a report: the *value* of a *statistic* of a *model* on a *test_set*.

    *of* says what part of the test set it is of, or what it is about beside the test set: ``genre=fiction``,
    another model.  It is of *n* items if the value is not an estimate, which has its own.  *depends* is what
    it depends on beside what the signature of the test set says: ``threshold:0.5``.
    """

    model: str
    test_set: str
    statistic: str
    value: Estimate | float | None
    of: str = ""
    n: int | None = None
    depends: str = ""


class Row(NamedTuple, Generic[Measured]):
    """What was *measured* of a *model* on a *test_set*: a row of a table."""

    model: str
    test_set: str
    measured: Measured


class OfTestSet(Protocol):
    """What was measured of a model on a *test_set*."""

    @property
    def test_set(self) -> str: ...


Found = TypeVar("Found", bound=OfTestSet)


def rows_of(results: Results, measured: Callable[[ModelResults], Sequence[Found]]) -> Iterator[Row[Found]]:
    """Yield what is *measured* of each model, in the order of the test sets of the report."""
    for name in results.test_sets:
        for model in results.models:
            yield from (Row(model.name, name, each) for each in measured(model) if each.test_set == name)


@dataclass(frozen=True)
class FigureColumn(Generic[T]):
    """A column of a table, and a figure of every row.

    *cell* returns the number of what was measured.  Without a *header*, it is not in the table; without a
    *statistic*, not among the figures; this, and what the figure is *of*, may depend on what was measured.
    *n* returns the number of its items.  Both are those of the table if they are not given.  An *optional*
    column is left out if all of its cells are empty or 0, and one with a condition *when* of reports that do
    not meet it; one that is *tested* has p-values, those that are significant marked.
    """

    header: str
    kind: Kind
    cell: Callable[[T], Cell]
    statistic: Callable[[T], str] | str = ""
    of: Callable[[T], str] | str | None = None
    n: Callable[[T], int | None] | None = None
    optional: bool = False
    tested: bool = False
    when: Callable[[Results], bool] | None = None

    def head(self, alpha: float | None) -> Column:
        """Return the column of a table, in which p-values of at most *alpha* are significant."""
        return Column(self.header, self.kind, alpha=alpha if self.tested else None)


def with_bounds(figure: Figure) -> Iterator[Figure]:
    """Yield *figure*, and the least and the most that it may be if only these are known."""
    yield figure
    if isinstance(figure.value, Bounds):
        yield figure._replace(statistic=f"{figure.statistic}_least", value=figure.value.least)
        yield figure._replace(statistic=f"{figure.statistic}_most", value=figure.value.most)


#: The columns with which a table may begin.
TEST_SET: Final = "Test set"
MODEL: Final = "Model"
MODEL_OF_SEVERAL: Final = "Model, if there are several"


def _no_notes(results: Results, rows: Sequence[Row[T]]) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class FigureTable(Generic[T]):
    """A table whose numbers are figures: its *rows*, and the *columns* that each has.

    *first* are the columns before these; the first *grouped* of them show repeated cells once.  *n* returns
    the number of items of a row, *of* what its figures are of, and *depends* what they depend on.  Of some
    rows, the table *shows* nothing, and only CSV and JSON have their figures.
    """

    title: str
    rows: Callable[[Results], Iterable[Row[T]]]
    columns: tuple[FigureColumn[T], ...]
    notes: Callable[[Results, Sequence[Row[T]]], Iterable[str]] = _no_notes
    first: tuple[str | FigureColumn[T], ...] = (TEST_SET, MODEL)
    grouped: int = 1
    folded: str = ""
    n: Callable[[T], int | None] | None = None
    of: Callable[[T], str] | None = None
    depends: Callable[[T], str] | None = None
    shows: Callable[[T], bool] | None = None

    def table(self, results: Results) -> Table:
        """Return the table of *results*; it may have no rows."""
        rows = [row for row in self.rows(results) if self.shows is None or self.shows(row.measured)]
        first = [each for each in self.first if self._begins_with(each, rows, results)]
        shown = [
            each
            for each in self.columns
            if each.header and rows and (each.when is None or each.when(results))
        ]
        cells = [[each.cell(row.measured) for each in shown] for row in rows]
        kept = [
            place
            for place, column in enumerate(shown)
            if not column.optional or any(line[place] for line in cells)
        ]
        alpha = results.options.alpha
        heads = [*map(_head, first), *(shown[place].head(alpha) for place in kept)]
        body = (
            (*(_first(each, row, results) for each in first), *(line[place] for place in kept))
            for row, line in zip(rows, cells, strict=True)
        )
        notes = tuple(self.notes(results, rows)) if rows else ()
        grouped = max(0, self.grouped - (len(self.first) - len(first)))
        return Table(self.title, tuple(heads), tuple(body), notes, grouped, self.folded)

    def _begins_with(self, column: str | FigureColumn[T], rows: Sequence[Row[T]], results: Results) -> bool:
        if isinstance(column, FigureColumn):
            return not column.optional or any(column.cell(row.measured) for row in rows)
        return column != MODEL_OF_SEVERAL or len(results.models) > 1

    def figures(self, results: Results) -> Iterator[Figure]:
        """Yield the figures of *results*, row by row."""
        counted = [column for column in self.columns if column.statistic]
        for row in self.rows(results):
            found = row.measured
            depends = self.depends(found) if self.depends is not None else ""
            for column in counted:
                value = column.cell(found)
                if not isinstance(value, int | float | Estimate):
                    continue
                value = int(value) if isinstance(value, bool) else value
                n = column.n or self.n
                items = None if n is None or isinstance(value, Estimate) else n(found)
                of = _text(self.of if column.of is None else column.of, found)
                statistic = _text(column.statistic, found)
                yield Figure(row.model, row.test_set, statistic, value, of, items, depends)


def _text(stated: Callable[[T], str] | str | None, found: T) -> str:
    return stated if isinstance(stated, str) else "" if stated is None else stated(found)


def _head(column: str | FigureColumn[T]) -> Column:
    if isinstance(column, FigureColumn):
        return column.head(None)
    return Column(MODEL if column == MODEL_OF_SEVERAL else column)


def _first(column: str | FigureColumn[T], row: Row[T], results: Results) -> Cell:
    if isinstance(column, FigureColumn):
        return column.cell(row.measured)
    return results.short_names.get(row.test_set, row.test_set) if column == TEST_SET else row.model
