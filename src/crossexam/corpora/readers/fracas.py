"""Reader of the FraCaS problems (Cooper et al. 1996) in the XML of MacCartney and Manning (2007).

Expat reads the file without its DTD: nothing outside the file is opened, and a file that declares entities is
refused, so that entity expansion cannot exhaust the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.corpora.readers.reader import gold_label, pair
from crossexam.corpora.records import Records, Row

_ANSWERS: Final[dict[str, Gold | None]] = {
    "yes": "entailment",
    "unknown": "neutral",
    "no": "contradiction",
    "undef": None,
}
_HEADINGS: Final = ("section", "subsection", "subsubsection")


class _Problems:
    """The state of the parser: the problems *read*, the current headings, and the current text."""

    def __init__(self, line: Callable[[], int]) -> None:
        self.read: list[tuple[int, Row | FormatError]] = []
        self._line, self._text = line, ""
        self._headings: dict[str, str] = {}
        self._problem: Row = {}
        self._heading: str | None = None
        self._start = 0

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle a start tag."""
        self._text = ""
        if tag == "problem":
            self._start = self._line()
            self._problem = {**attributes, **self._headings, "premises": []}
        elif tag == "comment":
            self._heading = attributes.get("class")

    def write(self, text: str) -> None:
        """Handle a piece of text."""
        self._text += text

    def close(self, tag: str) -> None:
        """Handle an end tag."""
        text = " ".join(self._text.split())
        if tag == "comment" and self._heading in _HEADINGS:
            below = _HEADINGS[_HEADINGS.index(self._heading) :]
            kept = {name: old for name, old in self._headings.items() if name not in below}
            self._headings = {**kept, self._heading: text.lower()}
        elif tag == "p":
            self._problem.setdefault("premises", []).append(text)  # outside of a problem in a damaged file
        elif tag == "h":
            self._problem["h"] = text
        elif tag == "problem":
            self.read.append((self._start, self._problem))


def problems(path: Path) -> Records:
    """Yield the problems in the file at *path*, with their lines; raises FormatError."""
    parser = expat.ParserCreate()
    problems = _Problems(lambda: parser.CurrentLineNumber)

    def refuse(*_: Any) -> None:
        raise FormatError(
            "the file declares or uses its own entities",
            where=f"{path}, line {parser.CurrentLineNumber}",
            wanted="only problems",
        )

    parser.StartElementHandler = problems.open
    parser.CharacterDataHandler = problems.write
    parser.EndElementHandler = problems.close
    parser.EntityDeclHandler = parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise FormatError(
            f"not XML: {error}", where=f"{path}, line {error.lineno}", wanted="fracas.xml"
        ) from None
    except LookupError as error:  # of an encoding that the file declares
        raise FormatError(
            f"not XML that can be read: {error}", where=str(path), wanted="fracas.xml"
        ) from None
    yield from problems.read


def fracas(row: Row) -> Row | None:
    """Return a problem's premises, joined, and its declarative hypothesis; None if it has no question."""
    if not row["h"]:
        return None
    headings = {name: row[name] for name in _HEADINGS[:2] if name in row}
    label = gold_label(_ANSWERS, row["fracas_answer"])
    premises = row["premises"]
    return pair(
        " ".join(premises),
        row["h"],
        label,
        name=row["id"],
        premises=str(len(premises)),
        single_premise=len(premises) == 1,
        **headings,
    )
