"""AskedSet as JSON lines, for programs of your own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from crossexam.core.output.escapes import json_text
from crossexam.interop.asked import AskedItem, AskedSet
from crossexam.interop.export import task_name


def write_json_lines(sets: Sequence[AskedSet], folder: Path) -> list[str]:
    """Write a file per test set to *folder*; return their names."""
    names = []
    for each in sets:
        name = f"{task_name(each.name)}.jsonl"
        write_questions(each, folder / name)
        names.append(name)
    return names


def write_questions(sets: Iterable[AskedItem], path: Path) -> None:
    """Write one question per line."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for question in sets:
            stream.write(json_text(question.record()) + "\n")
