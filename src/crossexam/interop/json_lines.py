"""Questions as JSON lines, the form in which every harness reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from crossexam.core.output.escapes import json_text
from crossexam.interop.asked import AskedItem


def write_questions(sets: Iterable[AskedItem], path: Path) -> None:
    """Write one question per line."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for question in sets:
            stream.write(json_text(question.record()) + "\n")
