"""Batch files: the requests of a run as lines of JSON, and the answers to them.

The format is that of OpenAI's batches, ``custom_id``, ``method``, ``url`` and ``body`` per line, which
``vllm run-batch -i IN -o OUT`` takes as well.  An answer has the ``custom_id`` of its request, which names
the model with its options and the pair, so that no answer is taken for that of another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent
from crossexam.models.api.endpoint import ServerError, error_in
from crossexam.models.model import Pair

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
    content = json.dumps(pair).encode()
    return f"{key[:12]}-{hashlib.blake2b(content, digest_size=16).hexdigest()}"


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
    start = json.dumps({"custom_id": name, "method": "POST", "url": _URL})
    return start[:-1].encode() + b', "body": ' + body + b"}\n"


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
            line: dict[str, Any] = json.loads(stream.read(place.length))
        response = line.get("response")
        if not isinstance(response, Mapping):
            return error_in(500, line.get("error") or "no response")
        status, body = response.get("status_code", 200), response.get("body")
        is_answer = status == 200 and isinstance(body, Mapping) and isinstance(body.get("choices"), list)
        return body if is_answer and body["choices"] else error_in(int(status), body)  # type: ignore[index]

    def _index(self, path: Path) -> None:
        offset = 0
        for number, line in enumerate(_lines(path), 1):
            if line.strip():
                name = _name_in(line, f"{path}, line {number}")
                self._places[name] = _Place(path, offset, len(line))
            offset += len(line)


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            yield from stream
    except OSError as error:
        raise CrossexamError(f"cannot be read ({error.strerror})", where=str(path), wanted=_WANTED) from None


def _name_in(line: bytes, where: str) -> str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    name = found.get("custom_id") if isinstance(found, dict) else None
    if not isinstance(name, str):
        raise FormatError("the line is not an answer of a batch", where=where, wanted=_WANTED)
    if "response" not in found and "error" not in found:
        raise FormatError("the line is a request, not an answer", where=where, wanted=_WANTED)
    return name
