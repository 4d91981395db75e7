"""The FraCaS problems (Cooper et al. 1996) in the XML of MacCartney and Manning (2007).

Expat reads the file without its DTD: nothing outside the file is opened, and a file that declares
entities is refused, so that none can be blown up.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.corpora.readers.file_formats import Records
from crossexam.corpora.readers.reader import Reader, labelled, pair
from crossexam.corpora.records import Row

_ANSWERS: Final[dict[str, Gold | None]] = {
    "yes": "entailment", "unknown": "neutral", "no": "contradiction", "undef": None,
}  # fmt: skip
_HEADINGS: Final = ("section", "subsection", "subsubsection")


class _Problems:
    """What the parser has met: *found* problems, the headings they stand under, and the text at hand."""

    def __init__(self, line: Callable[[], int]) -> None:
        self.found: list[tuple[int, Row | FormatError]] = []
        self._line, self._text = line, ""
        self._headings: dict[str, str] = {}
        self._problem: Row = {}
        self._heading: str | None = None
        self._start = 0

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag begins."""
        self._text = ""
        if tag == "problem":
            self._start = self._line()
            self._problem = {**attributes, **self._headings, "premises": []}
        elif tag == "comment":
            self._heading = attributes.get("class")

    def write(self, text: str) -> None:
        """Text comes, in pieces."""
        self._text += text

    def close(self, tag: str) -> None:
        """A tag ends."""
        text = " ".join(self._text.split())
        if tag == "comment" and self._heading in _HEADINGS:
            below = _HEADINGS[_HEADINGS.index(self._heading) :]
            kept = {name: old for name, old in self._headings.items() if name not in below}
            self._headings = {**kept, self._heading: text.lower()}
        elif tag == "p":
            self._problem["premises"].append(text)
        elif tag == "h":
            self._problem["h"] = text
        elif tag == "problem":
            self.found.append((self._start, self._problem))


def _problems(path: Path) -> Records:
    parser = expat.ParserCreate()
    problems = _Problems(lambda: parser.CurrentLineNumber)

    def refuse(*_: Any) -> None:
        raise FormatError(
            "the file declares or uses entities of its own",
            where=f"{path}, line {parser.CurrentLineNumber}",
            wanted="problems and nothing else",
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
    yield from problems.found


def _fracas(row: Row) -> Row | None:
    """A problem: its premises joined, the declarative hypothesis; None where there is no question."""
    if not row["h"]:
        return None
    headings = {name: row[name] for name in _HEADINGS[:2] if name in row}
    label = labelled(_ANSWERS, row["fracas_answer"])
    premises = row["premises"]
    return pair(" ".join(premises), row["h"], label, name=row["id"], premises=str(len(premises)), **headings)


FRACAS: Final = Reader(_fracas, "its documented format", cuts={".xml": _problems})
