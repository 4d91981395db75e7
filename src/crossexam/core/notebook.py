"""How objects show themselves in a notebook: small tables as HTML, with all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from crossexam.core.output.escapes import visible

#: The rows that a notebook shows of a longer table.
MOST_ROWS: Final = 60


def html_table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[object]], *, notes: Sequence[str] = ()
) -> str:
    """Return a table under *caption*, in which only the first column is left-aligned, and *notes* below it.

    Whole numbers get separators.  Rows beyond :data:`MOST_ROWS` are counted, not shown.

    >>> html_table("<b>", ["set", "items"], [["a", 1234]]).count("&lt;b&gt;")
    1
    """
    from markupsafe import Markup

    def cell(tag: str, column: int, value: object) -> Markup:
        side = "right" if column else "left"
        text = f"{value:,}" if isinstance(value, int) else str(value)
        return Markup('<{0} style="text-align:{1}">{2}</{0}>').format(tag, side, visible(text))

    def line(tag: str, cells: Sequence[object]) -> Markup:
        return Markup("<tr>{}</tr>").format(Markup().join(cell(tag, k, each) for k, each in enumerate(cells)))

    given = list(rows)
    if len(given) > MOST_ROWS:
        notes = [*notes, f"{len(given) - MOST_ROWS:,} more rows"]
    body = Markup().join(line("td", row) for row in given[:MOST_ROWS])
    table = Markup("<table><caption>{}</caption><thead>{}</thead><tbody>{}</tbody></table>").format(
        visible(caption), line("th", header), body
    )
    return str(table) + html_notes(notes)


def html_notes(notes: Sequence[str]) -> str:
    """Return *notes* as paragraphs.

    >>> html_notes(["1 < 2"])
    '<p>1 &lt; 2</p>'
    """
    from markupsafe import Markup

    return str(Markup().join(Markup("<p>{}</p>").format(visible(note)) for note in notes))
