"""The files with what was measured, one per measurement, from which the pages are written.

A record has the ``command`` that gave its ``figures``, and, if they were measured on more than CI can afford,
``sample``: the figures of the same measurement over the first examples alone, which CI repeats.  A record of
figures that were not measured by this program (hours of simulation, readers) has ``kept``: what they are of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "records"
#: The parts of a measurement by name: texts of one line or more.
Figures = dict[str, str]


@dataclass(frozen=True)
class Record:
    """What is in the file NAME.json: see the head of this module."""

    name: str
    command: str
    figures: Figures
    sample: Figures = field(default_factory=dict)
    kept: str = ""

    def write(self) -> None:
        """Write the file."""
        parts = {
            "command": self.command,
            **({"kept": self.kept} if self.kept else {}),
            "figures": _to_json(self.figures),
            **({"sample": _to_json(self.sample)} if self.sample else {}),
        }
        text = json.dumps(parts, indent=1, ensure_ascii=False)
        (FOLDER / f"{self.name}.json").write_text(f"{text}\n", encoding="utf-8")


def _to_json(figures: Figures) -> dict[str, str | list[str]]:
    """Return texts of several lines as lists, which are easier to read and to compare."""
    return {part: text.split("\n") if "\n" in text else text for part, text in sorted(figures.items())}


def _from_json(figures: dict[str, str | list[str]]) -> Figures:
    return {part: text if isinstance(text, str) else "\n".join(text) for part, text in figures.items()}


def read_record(path: Path) -> Record:
    """Return the record in a file."""
    read = json.loads(path.read_text(encoding="utf-8"))
    return Record(
        path.stem,
        read["command"],
        _from_json(read["figures"]),
        _from_json(read.get("sample", {})),
        read.get("kept", ""),
    )


def records() -> dict[str, Record]:
    """Return all records by name."""
    return {path.stem: read_record(path) for path in sorted(FOLDER.glob("*.json"))}


def known_figures() -> Figures:
    """Return the figures of all records by ``NAME.PART``."""
    return {
        f"{name}.{part}": text for name, record in records().items() for part, text in record.figures.items()
    }
