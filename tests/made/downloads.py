"""A server of downloads on this machine that misbehaves as told, and what it has."""

import hashlib
import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from crossexam.corpora.catalog import Download
from crossexam.corpora.fetch import FetchResult

Fetch = Callable[..., FetchResult]
Refuses = Callable[..., str]
DEV = b'{"sentence1": "A b.", "sentence2": "C d.", "gold_label": "neutral"}\n' * 4000
TEST = b'{"sentence1": "E f.", "sentence2": "G h.", "gold_label": "entailment"}\n' * 3000


@dataclass
class Server:
    """What the server has, how it misbehaves, and what it was asked and sent."""

    files: dict[str, bytes]
    cuts: list[int] = field(default_factory=list)  # bytes sent before each of the next answers is cut
    statuses: list[int] = field(default_factory=list)  # answered before anything else
    ranges: bool = True
    validator: str = '"v1"'
    asked: list[str | None] = field(default_factory=list)
    sent: int = 0
    url: str = ""

    def archive(self, content: bytes | None = None, *, known: bool = True) -> Download:
        """Return the entry of an archive in the catalogue; serve it, if it is not the good one."""
        if content is not None:
            self.files["/toy.zip"] = content
        content = content or GOOD_ZIP
        size, digest = (len(content), sha256(content)) if known else (None, None)
        return Download(f"{self.url}/toy.zip", "", size, digest, ("dev.jsonl", "test.jsonl"))


class Handler(BaseHTTPRequestHandler):
    state: Server

    def log_message(self, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        state = self.state
        if self.path.startswith("/moved/"):
            self.answer(302, Location=self.path.removeprefix("/moved"))
            return
        asked = self.headers.get("Range")
        state.asked.append(asked)
        whole = state.files.get(self.path)
        status = state.statuses.pop(0) if state.statuses else 404 if whole is None else 200
        if status != 200 or whole is None:
            self.send_error(status)
            return
        start = 0
        if asked and state.ranges and self.headers.get("If-Range") in {None, state.validator}:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        named = {"ETag": state.validator, "Content-Length": str(len(whole) - start)}
        if start:
            named["Content-Range"] = f"bytes {start}-{len(whole) - 1}/{len(whole)}"
        self.answer(206 if start else 200, **named)
        body = whole[start:]
        body = body[: state.cuts.pop(0)] if state.cuts else body
        state.sent += self.wfile.write(body)

    def answer(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def written(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def zipped(members: Mapping[Any, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


GOOD_ZIP = zipped({"toy/dev.jsonl": DEV, "toy/test.jsonl": TEST, "toy/paper.pdf": b"%PDF"})


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def contents(result: FetchResult) -> list[bytes]:
    return [(result.folder / name).read_bytes() for name in result.hashes]
