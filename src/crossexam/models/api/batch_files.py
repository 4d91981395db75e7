"""Batch files: the requests of a run as lines of JSON, and the answers to them.

The format is OpenAI's for batches, ``custom_id``, ``method``, ``url`` and ``body`` per line, which
``vllm run-batch -i IN -o OUT`` takes as well.  An answer has the ``custom_id`` of its request, which names
the model with its options and the pair, so that no answer is taken for that of another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent
from crossexam.core.output.escapes import json_text
from crossexam.models.api.endpoint import ServerError, error_in
from crossexam.models.model import Pair, pair_digest

#: The most requests and bytes of one file (OpenAI's limits are 50,000 and 200 MB).
MOST_REQUESTS: Final = 50_000
MOST_BYTES: Final = 190_000_000
_URL: Final = "/v1/chat/completions"
_WANTED: Final = "lines of a batch's output: {custom_id, response: {status_code, body}, error}"


def custom_id(key: str, pair: Pair) -> str:
    """Return the identity of the request about *pair* of the model with *key*.

    >>> custom_id("0123456789abcdef", ("It rains.", "It is wet."))
    '0123456789ab-80899853b36d20d0a30084472df08b26'
    """
    return f"{key[:12]}-{pair_digest(pair)}"


def write_batch_files(path: Path, requests: Iterable[tuple[str, bytes]]) -> list[Path]:
    """Write *requests*, pairs of custom_id and body, to *path*; return it, and further files if one is full.

    These are called ``NAME-2.jsonl``, ``NAME-3.jsonl`` and so on.
    """
    written: list[Path] = []
    source = (_line(name, body) for name, body in requests)
    first = next(source, None)
    while first is not None:
        number = len(written) + 1
        target = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with finished_or_absent(target) as temporary, temporary.open("wb") as sink:
            count, size = 0, 0
            while first is not None and count < MOST_REQUESTS and size + len(first) <= MOST_BYTES:
                size += sink.write(first)
                count, first = count + 1, next(source, None)
            if not count:
                raise CrossexamError(f"a request has more than {MOST_BYTES:,} bytes", where=str(target))
        written.append(target)
    return written


def _line(name: str, body: bytes) -> bytes:
    request = {"custom_id": name, "method": "POST", "url": _URL, "body": json.loads(body)}
    return json_text(request).encode() + b"\n"  # without what a terminal would interpret


class _Place(NamedTuple):
    path: Path
    offset: int
    length: int


class BatchReplies:
    """The answers in batch output *files*; they are read from the files when they are needed.

    Raises FormatError that names the file and the line.
    """

    def __init__(self, files: Sequence[str | Path]) -> None:
        self._places: dict[str, _Place] = {}
        for file in files:
            self._index(Path(file))

    def __len__(self) -> int:
        return len(self._places)

    def knows(self, key: str) -> bool:
        """Return whether there is an answer to a request of the model with *key*."""
        return any(name.startswith(f"{key[:12]}-") for name in self._places)

    def reply(self, name: str) -> Mapping[str, Any] | ServerError | None:
        """Return the answer to the request *name*, the error in its place, or None if there is neither."""
        place = self._places.get(name)
        if place is None:
            return None
        with place.path.open("rb") as stream:
            stream.seek(place.offset)
            return answer_in(json.loads(stream.read(place.length)))

    def _index(self, path: Path) -> None:
        offset = 0
        for number, line in enumerate(_lines(path), 1):
            if line.strip():
                name, _ = _named(line, f"{path}, line {number}")
                self._places[name] = _Place(path, offset, len(line))
            offset += len(line)


class BatchAnswer(NamedTuple):
    """A line of a batch's output: its *place* for errors, its ``custom_id``, and its answer or error."""

    place: str
    custom_id: str
    answer: Mapping[str, Any] | ServerError


def batch_answers(path: Path) -> Iterator[BatchAnswer]:
    """Yield the answers in the batch output *path*; raises FormatError, CrossexamError."""
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            where = f"{path}, line {number}"
            name, found = _named(line, where)
            yield BatchAnswer(where, name, answer_in(found))


def answer_in(line: Mapping[str, Any]) -> Mapping[str, Any] | ServerError:
    """Return the answer in a *line* of a batch's output, with at least one choice, or the error in its place.

    >>> answer_in({"response": {"status_code": 429, "body": {"error": {"message": "slow down"}}}}).message
    'slow down'
    """
    response = line.get("response")
    if not isinstance(response, Mapping):
        return error_in(500, line.get("error") or "no response")
    status, body = response.get("status_code", 200), response.get("body")
    choices = body.get("choices") if status == 200 and isinstance(body, Mapping) else None
    if isinstance(body, Mapping) and isinstance(choices, list) and choices:
        return body
    return error_in(status if isinstance(status, int) else 500, body)


def is_batch_output(path: Path) -> bool:
    """Return whether the first line of *path* is an answer of a batch."""
    first = next((line for line in _lines(path) if line.strip()), b"")
    try:
        _named(first, str(path))
    except FormatError:
        return False
    return True


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            yield from stream
    except OSError as error:
        raise CrossexamError(f"cannot be read ({error.strerror})", where=str(path), wanted=_WANTED) from None


def _named(line: bytes, where: str) -> tuple[str, Mapping[str, Any]]:
    """Return the ``custom_id`` in a *line*, and the line; raises FormatError if it is not an answer."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    name = found.get("custom_id") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise FormatError("the line is not an answer of a batch", where=where, wanted=_WANTED)
    if "response" not in found and "error" not in found:
        raise FormatError("the line is a request, not an answer", where=where, wanted=_WANTED)
    return name, found
