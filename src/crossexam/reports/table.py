"""Tables of numbers, independent of any format: typed columns and rows of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal

from crossexam.core.estimate import Bounds, Estimate, p_value_text
from crossexam.reports.drawing import Drawing

Cell = str | int | float | Estimate | Drawing | None
#: ``percent`` and ``points`` hold shares (0.5 is 50.0), as a number or an Estimate; ``p`` a p-value; ``mean``
#: the mean of counts, as it is; ``score`` a number as it is, with three decimals; ``drawing`` what only the
#: page shows.
Kind = Literal["text", "count", "percent", "points", "p", "mean", "score", "drawing"]

NOTHING: Final = "–"
INFINITE: Final = "∞"
#: Follows a published figure that a note under the table qualifies.
MARK: Final = "†"
#: Follows a figure that is published for word pairs that were counted in another way.
COUNT_MARK: Final = "‡"


class Marked(float):
    """A published figure of other items, or otherwise not the same; shown with the *marks* of notes."""

    marks: str

    def __new__(cls, figure: float, marks: str = MARK) -> Marked:
        """Return *figure* with *marks*."""
        made = super().__new__(cls, figure)
        made.marks = marks
        return made


class Significant(float):
    """A difference that is significant; shown with an asterisk."""


class SignificantEstimate(Estimate):
    """An estimate that differs significantly from another, or from 0; shown with an asterisk."""


@dataclass(frozen=True)
class Column:
    """The *header* of a column, the *kind* of its cells, and the *group* of columns to which it belongs.

    In a column of corrected p-values, those of at most *alpha* are marked as significant.  A *narrow* column,
    as those of a matrix, has no intervals, and the page leaves no room for them.
    """

    header: str
    kind: Kind = "text"
    group: str = ""
    alpha: float | None = None
    narrow: bool = False


@dataclass(frozen=True)
class Table:
    """*rows* of cells under *columns*; repeated cells of the first *grouped* columns are shown once.

    The page folds the table away under the line *folded*, together with neighbours of the same line, and says
    what its drawings show: *drawn*.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    grouped: int = 0
    folded: str = ""
    drawn: str = ""

    @property
    def in_words(self) -> Table:
        """The table without its drawings, for formats that have text alone."""
        kept = [place for place, column in enumerate(self.columns) if column.kind != "drawing"]
        if len(kept) == len(self.columns):
            return self
        columns = tuple(self.columns[place] for place in kept)
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return replace(self, columns=columns, rows=rows, drawn="")

    def shown_once(self, row: int, column: int) -> bool:
        """Return whether the cell repeats the one above it in a grouped column."""
        if row == 0 or column >= self.grouped:
            return False
        return self.rows[row][: column + 1] == self.rows[row - 1][: column + 1]


def missing(cell: Cell) -> bool:
    """Return whether *cell* is empty: None, or not a number (a share of no items)."""
    if cell is None:
        return True
    if isinstance(cell, Bounds):
        return False
    number = cell.value if isinstance(cell, Estimate) else cell
    return isinstance(number, float) and math.isnan(number)


def number_text(cell: Cell, kind: Kind, alpha: float | None = None) -> str:
    """Return *cell* as text without its interval, minus signs as hyphens; a p-value up to *alpha* is marked.

    >>> number_text(Estimate(0.4761, 0.47, 0.48, 90, 30), "percent"), number_text(9815, "count")
    ('47.6', '9,815')
    >>> number_text(0.00004, "p"), number_text(0.0421, "p", alpha=0.05)
    ('4.0e-5', '0.042*')
    >>> number_text(Marked(0.151), "percent"), number_text(0.2305, "score"), number_text(math.inf, "score")
    ('15.1†', '0.231', '∞')
    >>> number_text(Marked(1561, "†‡"), "count")
    '1,561†‡'
    >>> number_text(-0.0002, "score"), number_text(-math.inf, "score")
    ('0.000', '-∞')
    >>> number_text(Significant(0.2), "points")
    '20.0*'
    >>> number_text(Bounds(Estimate(0.5, 0.4, 0.6, 90, 30), Estimate(0.62, 0.5, 0.7, 90, 30)), "percent")
    '50.0 to 62.0'
    """
    if missing(cell):
        return NOTHING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Bounds):
        return f"{number_text(cell.least, kind)} to {number_text(cell.most, kind)}"
    number = cell.value if isinstance(cell, Estimate) else cell
    assert isinstance(number, int | float)
    if kind == "p":
        return p_value_text(number) + ("*" if alpha is not None and number <= alpha else "")
    mark = "*" if isinstance(cell, Significant | SignificantEstimate) else ""
    mark = cell.marks if isinstance(cell, Marked) else mark
    if kind == "count":
        return f"{number:,.0f}{mark}"
    if kind == "text":
        return str(number)
    if kind == "mean":
        return f"{number:,.1f}"
    if kind == "score":
        if math.isinf(number):
            return INFINITE if number > 0 else f"-{INFINITE}"
        return "0.000" if (text := f"{number:,.3f}") == "-0.000" else text
    text = f"{100 * number:.1f}"
    return ("0.0" if text == "-0.0" else text) + mark


def interval_text(cell: Cell, kind: Kind = "percent") -> str:
    """Return the interval of *cell*, as *kind* has its numbers; an empty string if it has none.

    >>> interval_text(Estimate(0.476, 0.4661, 0.4859, 90, 30))
    '[46.6, 48.6]'
    >>> interval_text(Estimate(7.2, 4.25, 11.0, 90, 90), "mean")
    '[4.2, 11.0]'
    """
    if not isinstance(cell, Estimate) or missing(cell) or math.isnan(cell.low) or math.isnan(cell.high):
        return ""
    if math.isinf(cell.value):
        return ""
    low, high = (number_text(bound, kind) for bound in (cell.low, cell.high))
    return f"[{low}, {high}]"


def adjusted_for(count: int, of: str) -> str:
    """Return, for a sentence, that an interval is wider as it is chosen *of* so many; empty for a single one.

    >>> adjusted_for(33, "drops"), adjusted_for(1, "drops")
    (', adjusted for the choice among 33 drops', '')
    """
    return f", adjusted for the choice among {count:,} {of}" if count > 1 else ""


def cell_text(cell: Cell, kind: Kind, alpha: float | None = None) -> str:
    """Return *cell* as text, with its interval if it has one; a p-value of at most *alpha* is marked.

    >>> cell_text(Estimate(-0.01, -0.02, 0.0, 90, 30), "points")
    '-1.0 [-2.0, 0.0]'
    """
    return " ".join(part for part in (number_text(cell, kind, alpha), interval_text(cell, kind)) if part)


def significance_note(alpha: float) -> str:
    """Return what the mark of significant p-values means.

    >>> significance_note(0.0001)
    '*: significant at the level 0.0001.'
    """
    return f"*: significant at the level {alpha:.10f}".rstrip("0") + "."
