"""Downloading a file, resuming after interruptions."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.files import write_json
from crossexam.core.progress import Progress, silent

if TYPE_CHECKING:
    import httpx

ATTEMPTS: Final = 5
_CONNECT_SECONDS: Final = 20.0
_SILENCE_SECONDS: Final = 60.0  # without a byte, before an attempt counts as interrupted
_WORTH_RETRYING: Final = frozenset({408, 416, 425, 429, 500, 502, 503, 504})


class _InterruptedError(Exception):
    """The transfer ended early; another attempt may resume it."""


@dataclass(frozen=True)
class Transfer:
    """The download of *url* to the partial file *part*; *size* is in bytes, None if unknown.

    *verifiable* means that a hash is checked afterwards, so the download may be resumed even if the server
    sends no validator that shows that the file is unchanged.
    """

    url: str
    part: Path
    size: int | None
    verifiable: bool

    @property
    def have(self) -> int:
        """Bytes downloaded so far."""
        return self.part.stat().st_size if self.part.exists() else 0

    @property
    def note(self) -> Path:
        """The file next to the part that records the server's validator (ETag or date) of this version."""
        return self.part.with_name(self.part.name + ".json")

    def forget(self) -> None:
        """Remove the partial file."""
        self.part.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def download(
    transfer: Transfer,
    *,
    progress: Progress = silent,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Download the file of *transfer* into its part, and return how many bytes this call received.

    A partial file is resumed (HTTP ``Range`` with ``If-Range``), by this call and by later ones; a server may
    also send everything again.  After *attempts* interruptions, raises CrossexamError and keeps the part.
    """
    received = 0
    for attempt in range(1, attempts + 1):
        try:
            for size in _pieces(transfer, progress):
                received += size
            return received
        except _InterruptedError as error:
            reason = str(error)
            if attempt < attempts:
                pause(2.0 ** (attempt - 1))
    raise CrossexamError(
        f"the download was interrupted{f' {attempts} times' if attempts > 1 else ''}: {reason}",
        where=transfer.url,
        hint=f"{transfer.have:,} bytes are kept and the next try resumes from there;"
        " or download the file yourself and pass it with --from",
    )


def _pieces(transfer: Transfer, progress: Progress) -> Iterator[int]:
    """Yield the size of each piece written in one attempt; raises _InterruptedError if it ends early."""
    headers = {"Accept-Encoding": "identity", **_continuation(transfer)}
    have = transfer.have
    if transfer.size is not None and have == transfer.size:
        return  # complete: interrupted between the last byte and the check of the hash
    with _answer(transfer, headers) as response:
        continued = response.status_code == 206
        if continued and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            transfer.forget()
            raise _InterruptedError("the server resumed at another byte than requested")
        have = have if continued else 0
        total = _total(transfer, response, have)
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
        write_json(transfer.note, {"url": transfer.url, "validator": validator})
        with transfer.part.open("ab" if continued else "wb") as sink:
            for piece in response.iter_raw():
                have += sink.write(piece)
                _not_more(transfer, have)
                progress(f"download {transfer.url.rpartition('/')[2]}", have, total)
                yield len(piece)
        if total is not None and have < total:
            raise _InterruptedError(f"{have:,} of {total:,} bytes arrived")


@contextmanager
def _answer(transfer: Transfer, headers: dict[str, str]) -> Iterator[httpx.Response]:
    import httpx

    timeout = httpx.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS)
    try:
        with (
            httpx.Client(follow_redirects=True, timeout=timeout) as client,
            client.stream("GET", transfer.url, headers=headers) as response,
        ):
            if response.status_code == 416:  # the part is longer than the file, so not a part of it
                transfer.forget()
            if response.status_code in _WORTH_RETRYING:
                raise _InterruptedError(f"the server answered {response.status_code}")
            if response.status_code not in {200, 206}:
                raise CrossexamError(
                    f"the server answered {response.status_code} {response.reason_phrase}",
                    where=transfer.url,
                    hint="download the file yourself and pass it with --from",
                )
            yield response
    except httpx.TransportError as error:
        raise _InterruptedError(str(error) or type(error).__name__) from None
    except (httpx.InvalidURL, httpx.RequestError) as error:
        raise CrossexamError(str(error), where=transfer.url) from None


def _continuation(transfer: Transfer) -> dict[str, str]:
    """Return the headers that resume the partial file; remove a part that cannot be resumed."""
    if not transfer.have:
        return {}
    try:
        note = json.loads(transfer.note.read_text(encoding="utf-8"))
        url, validator = note["url"], note["validator"]
    except (OSError, ValueError, KeyError, TypeError):
        url = validator = None
    strong = isinstance(validator, str) and not validator.startswith("W/")
    if url != transfer.url or not (strong or transfer.verifiable):
        transfer.forget()
        return {}
    continuation = {"Range": f"bytes={transfer.have}-"}
    return continuation | {"If-Range": validator} if strong else continuation


def _total(transfer: Transfer, response: httpx.Response, have: int) -> int | None:
    length = response.headers.get("Content-Length", "")
    total = have + int(length) if length.isdigit() else transfer.size
    if transfer.size is not None and total != transfer.size:
        transfer.forget()
        raise CrossexamError(
            f"the server offers a file of {total:,} bytes",
            where=transfer.url,
            wanted=f"{transfer.size:,} bytes, as in the catalogue",
            hint="nothing was installed; the file has changed since it was catalogued",
        )
    return total


def _not_more(transfer: Transfer, have: int) -> None:
    if transfer.size is not None and have > transfer.size:
        transfer.forget()
        raise CrossexamError(
            "the server sends more bytes than the file should have",
            where=transfer.url,
            wanted=f"{transfer.size:,} bytes",
        )
