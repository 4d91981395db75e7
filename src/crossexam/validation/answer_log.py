"""The answers of one judge: a file of JSON lines, to which every click is appended.

A line is an answer, or takes the latest answer on the page back, so that nothing a judge did is lost.  When
:meth:`AnswerLog.append` returns, its lines are on the disk.  A process that is killed may leave a part of a
line at the end: the answer in flight, of which nobody was told that it is saved.  It does not count, and
the next one takes its place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import json_problem, writing
from crossexam.core.output.escapes import json_text

#: The source of answers that were clicked; only these can be taken back.  Others name a file.
PAGE: Final = "page"
_UNDO: Final = {"undo": True}
_RESTORE: Final = "restore the file from a copy of the study"


class CutOffWarning(UserWarning):
    """The last line of a file was not written to its end, and is left out."""


class Judgement(NamedTuple):
    """The answer *value* of *judge* to *question* about the item with the number *item*."""

    judge: str
    item: int
    question: str
    value: str


class AnswerLog:
    """The file *path* with the answers of *judge*; *check* raises CrossexamError for what is not an answer.

    Each method begins by reading what other processes have appended.  Whoever appends must hold the lock of
    the study.
    """

    def __init__(self, path: Path, judge: str, check: Callable[[Judgement], None]) -> None:
        self.path, self._judge, self._check = path, judge, check
        self._answers: list[tuple[Judgement, str]] = []  # with their sources, without those taken back
        self._lines = 0
        self._end = 0  # in bytes: all before it was read

    def latest(self) -> dict[tuple[int, str], Judgement]:
        """Return the answers that count, by item and question; raises FormatError that names a bad line."""
        self.read()
        return {(answer.item, answer.question): answer for answer, _ in self._answers}

    def can_undo(self) -> bool:
        """Return whether there is a click to take back."""
        self.read()
        return any(source == PAGE for _, source in self._answers)

    def read(self) -> bytes:
        """Read what was appended; return the part of a line that was not written to its end, mostly empty."""
        with self.path.open("rb") as stream:
            stream.seek(self._end)
            *lines, rest = stream.read().split(b"\n")
        for line in lines:
            self._lines += 1
            self._take(line, f"{self.path}, line {self._lines}")
            self._end += len(line) + 1
        return rest

    def append(self, answers: Sequence[Judgement], source: str) -> None:
        """Save *answers*, which are from *source*; raises CrossexamError if the disk is full."""
        self._write([{**answer._asdict(), "source": source} for answer in answers])

    def undo(self) -> None:
        """Take the latest click back; the answer before it counts again."""
        self._write([_UNDO])

    def cut(self) -> None:
        """Remove what was appended since it was read last, as another file could not be written."""
        os.truncate(self.path, self._end)

    def _write(self, entries: Sequence[Mapping[str, Any]]) -> None:
        if self.read():
            self.cut()
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        lines = [json_text({**entry, "at": at}) + "\n" for entry in entries]
        with writing(self.path), self.path.open("ab") as stream:
            stream.write("".join(lines).encode())
            stream.flush()
            os.fsync(stream.fileno())

    def _take(self, line: bytes, where: str) -> None:
        """Do what *line* says, which is at *where*."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"not JSON: {json_problem(error)}", where=where, hint=_RESTORE) from None
        match entry:
            case {"undo": True}:
                clicks = [place for place, (_, source) in enumerate(self._answers) if source == PAGE]
                if not clicks:
                    raise FormatError("there is no answer to undo", where=where, hint=_RESTORE)
                del self._answers[clicks[-1]]
            case {"judge": self._judge, "item": int(), "question": str(), "value": str(), "source": str()}:
                answer = Judgement(*(entry[name] for name in Judgement._fields))
                try:
                    self._check(answer)
                except CrossexamError as error:
                    raise FormatError(error.what, where=where, wanted=error.wanted, hint=_RESTORE) from None
                self._answers.append((answer, entry["source"]))
            case _:
                wanted = f"an answer of {self._judge} as JSON, or an undo"
                raise FormatError("not an answer", where=where, wanted=wanted, hint=_RESTORE)
