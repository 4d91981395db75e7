"""What a report is made of: analyses, each with its sections, and when it applies.

A new analysis is a file with a function that measures, a :class:`~crossexam.reports.figures.FigureTable` of
what it found and an :class:`Analysis`, and a line in the table of analyses (``reports/sections.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, Literal

from crossexam.reports.drawing import Drawing
from crossexam.reports.figures import Figure, FigureTable, with_bounds
from crossexam.reports.results import SEVERAL, Results
from crossexam.reports.table import Table

#: A page, a Markdown and a LaTeX document, and what a terminal shows in brief.
Format = Literal["html", "md", "tex", "terminal"]

PAGE: Final = ("html",)
WRITTEN: Final = ("html", "md", "tex")
WRITTEN_ONLY: Final = ("md", "tex")
TERMINAL: Final = ("terminal",)
ALL: Final = (*WRITTEN, *TERMINAL)

#: What a section shows: tables of figures, or a function that makes tables.
Tables = FigureTable[Any] | tuple[FigureTable[Any], ...] | Callable[[Results], Table | list[Table]]


@dataclass(frozen=True)
class Charts:
    """The *figures* of a section: a caption, and its drawings, each with what it is of.

    The *note* is above them.  The page shows the first *shown* figures and folds away the others.
    """

    figures: Sequence[tuple[str, Mapping[str, Drawing]]]
    note: str = ""
    shown: int = 0


def drawn_of(model: str, results: Results) -> str:
    """Return what a drawing of *model* is called: nothing, if there is no other model."""
    return model if len(results.models) > 1 else ""


@dataclass(frozen=True)
class Section:
    """A section of a report: its *tables* and, on the page, its *charts*.

    Tables without rows are left out, and a section without anything to show is hidden.

    *key* is its anchor on the page, *name* its link in the navigation, *title* its heading: that of its first
    table if empty.  *within*: the key of the section that shows it, on the page without a link of its own.
    *captions*: the page shows the title of each table above it.  *template*: a file in ``page/`` that shows
    the items above the tables; *open*: the page shows the section from the start, and its template draws the
    tables, too.  *on_request*: only a report that is asked for calibration has it.  *models*: only a report
    of so many models has it, 3 being three or more.  *figures* are those that are not in a table of figures;
    CSV and JSON have them, and those of its table, whatever is asked for.
    """

    key: str
    name: str
    tables: Tables | None = None
    formats: Sequence[Format] = WRITTEN
    title: str = ""
    charts: Callable[[Results], Charts] | None = None
    within: str = ""
    captions: bool = False
    template: str = ""
    on_request: bool = False
    open: bool = False
    models: int | None = None
    figures: Callable[[Results], Iterable[Figure]] | None = None

    def is_of(self, results: Results) -> bool:
        """Return whether a report on so many models may have the section."""
        return self.models in {None, min(len(results.models), SEVERAL)}

    def is_in(self, form: Format, results: Results) -> bool:
        """Return whether a report in this format, on so many models, may have the section."""
        asked = results.options.calibration or not self.on_request
        return form in self.formats and self.is_of(results) and asked

    def tables_of(self, results: Results) -> list[Table]:
        """Return the tables of the section that have rows."""
        made = [each.table(results) for each in self._of_figures]
        if callable(self.tables):
            found = self.tables(results)
            made += [found] if isinstance(found, Table) else found
        return [table for table in made if table.rows]

    @property
    def _of_figures(self) -> tuple[FigureTable[Any], ...]:
        if isinstance(self.tables, FigureTable):
            return (self.tables,)
        return self.tables if isinstance(self.tables, tuple) else ()

    def figures_of(self, results: Results) -> Iterator[Figure]:
        """Yield the figures of the section, with the bounds of those of which only these are known."""
        found = [table.figures(results) for table in self._of_figures]
        more = () if self.figures is None else self.figures(results)
        yield from chain.from_iterable(map(with_bounds, chain(*found, more)))


@dataclass(frozen=True)
class Analysis:
    """Something that a report says of runs: its *sections*, and the *warnings* at the head of the report.

    It is of results that have one of the *facts* in the manifest of a test set, or one of the keys of *info*
    in its items, if any are named, a test set that one of the *constructions* made, if any are named, and of
    which *applies* is true; this measures nothing.
    """

    name: str
    sections: tuple[Section, ...]
    applies: Callable[[Results], bool] | None = None
    facts: frozenset[str] = frozenset()
    info: frozenset[str] = frozenset()
    constructions: frozenset[str] = frozenset()
    warnings: Callable[[Results], Iterable[str]] | None = None

    def is_of(self, results: Results, known: Collection[str]) -> bool:
        """Return whether it is of *results*, whose test sets have the *known* facts and keys of ``info``."""
        needed, made_by = self.facts | self.info, self.constructions
        if needed and not needed & set(known):
            return False
        if made_by and not any(each.entry.construction in made_by for each in results.test_sets.values()):
            return False
        return self.applies is None or self.applies(results)
