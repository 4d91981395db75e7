"""Fetching, against a server on this machine: resumed, verified, unpacked safely, or nothing installed."""

import hashlib
import io
import stat
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.locks import alone_in
from crossexam.corpora.catalog import CatalogEntry, Download
from crossexam.corpora.fetch import FetchResult, install_corpus
from made.cases import refused

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


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    state = Server({"/toy.zip": GOOD_ZIP, "/a.json": DEV})
    served = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state}))
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{served.server_address[1]}"
    yield state
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture
def fetch(server: Server, tmp_path: Path) -> Fetch:
    """Fetch a corpus of these downloads, or the archive of the server, into ``data`` or another folder."""

    def run(*downloads: Download, into: str = "data", **more: Any) -> FetchResult:
        made = downloads or (server.archive(),)
        toy = CatalogEntry("toy", "Toy", "https://x.invalid", "CC0", "Nobody 2020", made, {}, 10_000_000)
        options = {"attempts": 1, "pause": lambda seconds: None, **more}
        return install_corpus("toy", data_dir=tmp_path / into, catalog={"toy": toy}, **options)

    return run


@pytest.fixture
def refuses(fetch: Fetch, tmp_path: Path) -> Refuses:
    """Return why nothing is fetched, and check that nothing was installed or left."""

    def run(*downloads: Download, **more: Any) -> str:
        folder = tmp_path / more.get("into", "data")
        before = sorted(folder.glob("toy/*"))
        said = refused(fetch, *downloads, **more)
        assert sorted(folder.glob("toy/*")) == before
        assert not list(folder.glob(".crossexam/staging-*"))
        return said

    return run


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return tmp_path / "data" / "toy"


def contents(result: FetchResult) -> list[bytes]:
    return [(result.folder / name).read_bytes() for name in result.hashes]


def test_a_download_is_verified_unpacked_and_not_repeated(server: Server, fetch: Fetch, toy: Path) -> None:
    result = fetch()
    assert sorted(p.name for p in toy.iterdir()) == ["dev.jsonl", "test.jsonl"]  # no paper
    assert contents(result) == [DEV, TEST]
    assert result.hashes["test.jsonl"] == sha256(TEST)
    assert (result.already, result.received, result.missing) == (False, len(GOOD_ZIP), ())
    assert not list((toy.parent / ".crossexam" / "downloads").iterdir())
    again = fetch()
    assert (again.already, again.received, len(server.asked)) == (True, 0, 1)
    (toy / "dev.jsonl").write_bytes(b"other")  # a damaged file is fetched again
    assert not fetch().already
    assert (toy / "dev.jsonl").read_bytes() == DEV


def test_a_file_of_another_hash_or_size_is_refused(server: Server, fetch: Fetch, refuses: Refuses) -> None:
    server.files["/toy.zip"] = changed = GOOD_ZIP.replace(b"A b.", b"X y.")
    assert f"the file is {sha256(changed)}\n  wanted: {sha256(GOOD_ZIP)}" in refuses()
    server.files["/toy.zip"] = GOOD_ZIP  # the bad part is not continued
    fetch(into="other")
    assert server.asked == [None, None]
    server.files["/toy.zip"] = GOOD_ZIP + b"more"
    assert f"offers a file of {len(GOOD_ZIP) + 4:,} bytes\n  wanted: {len(GOOD_ZIP):,}" in refuses()
    unknown = Download(f"{server.url}/a.json", "toy_a.json")
    assert "bytes or more" in refuses(unknown, max_size=1000)


def test_a_cut_connection_is_continued_by_the_next(server: Server, fetch: Fetch, refuses: Refuses) -> None:
    server.cuts = [100_000]
    assert "100,000 bytes were kept, and the next attempt resumes from there" in refuses()
    result = fetch()
    assert server.asked == [None, "bytes=100000-"]
    assert (server.sent, result.received) == (len(GOOD_ZIP), len(GOOD_ZIP) - 100_000)  # no byte twice
    assert contents(result) == [DEV, TEST]


def test_a_part_that_may_be_of_another_file_is_not_continued(
    server: Server, fetch: Fetch, refuses: Refuses
) -> None:
    server.cuts, server.ranges, pauses = [100_000] * 3, False, []  # a server without ranges sends all anew
    assert contents(fetch(attempts=4, pause=pauses.append)) == [DEV, TEST]
    assert (server.sent, pauses) == (len(GOOD_ZIP) + 300_000, [1.0, 2.0, 4.0])
    server.ranges, unknown = True, server.archive(known=False)
    server.cuts = [100_000]
    assert "the download was interrupted: " in refuses(unknown, into="changed")
    server.files["/toy.zip"], server.validator = zipped({"dev.jsonl": TEST, "test.jsonl": DEV}), '"v2"'
    assert contents(fetch(unknown, into="changed")) == [TEST, DEV]


def test_without_a_hash_the_first_is_recorded_and_held(
    server: Server, fetch: Fetch, toy: Path, refuses: Refuses
) -> None:
    unknown, path = server.archive(known=False), toy.parent / ".crossexam" / "hashes.json"
    for already in (False, True):
        found = fetch(unknown)
        assert (found.already, found.unverified) == (already, ("dev.jsonl", "test.jsonl"))
    (toy / "dev.jsonl").unlink()
    server.files["/toy.zip"] = GOOD_ZIP.replace(b"A b.", b"X y.")
    assert f"as recorded in {path} at the first fetch" in refuses(unknown)


def test_an_archive_that_leaves_its_folder(server: Server, tmp_path: Path, refuses: Refuses) -> None:
    names = ["../evil.txt", "toy/../../evil.txt", "/etc/evil.txt", "C:evil.txt", "..\\evil.txt", "\\evil.txt"]
    for name in names:
        said = refuses(server.archive(zipped({"dev.jsonl": DEV, "test.jsonl": TEST, name: b"evil"})))
        assert "leaves the archive's folder" in said, name
        assert not list(tmp_path.rglob("*evil*")), name


BAD_ARCHIVES = [
    (zipped({"dev.jsonl": b"0" * 20_000_000}, zipfile.ZIP_DEFLATED), "unpacks to over 200 times its size"),
    (zipped({"dev.jsonl": DEV * 50, "test.jsonl": b""}), "13,600,000 bytes, more than the 10,000,000 expec"),
    (zipped({"a/dev.jsonl": DEV, "b/dev.jsonl": DEV, "test.jsonl": b""}), "it has two files 'dev.jsonl'"),
    (zipped({"dev.jsonl": DEV}), "'test.jsonl' is not in the archive"),
    (GOOD_ZIP.replace(b"A b.", b"X y."), "the archive cannot be unpacked: Bad CRC-32"),
]


def test_archives_that_are_not_as_they_should_be(server: Server, refuses: Refuses) -> None:
    for content, message in BAD_ARCHIVES:
        assert message in refuses(server.archive(content))
    link = zipfile.ZipInfo("dev.jsonl")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    linked = zipped({link: b"/etc/passwd", "test.jsonl": TEST})
    assert "'dev.jsonl' is a link" in refuses(server.archive(linked))


def test_files_of_one_name_in_several_folders(server: Server, tmp_path: Path, fetch: Fetch) -> None:
    rounds = {"toy_v1/R1/dev.jsonl": DEV, "toy_v1/R2/dev.jsonl": TEST}
    server.files["/rounds.zip"] = zipped({**rounds, "toy_v1/AR1/dev.jsonl": b"x"})
    download = Download(f"{server.url}/rounds.zip", "", members=("R1/dev.jsonl", "R2/dev.jsonl"))
    for name, content in rounds.items():
        written(tmp_path / "copy" / name, content)  # what somebody unpacked
    for source in (None, tmp_path / "copy"):
        assert contents(fetch(download, into=f"{source is None}", source=source)) == [DEV, TEST]


WRONG_FORMS = [
    ("a.jsonl", b"", "the file is empty"),
    ("a.jsonl", b"Too many requests", "it does not begin with '{'"),
    ("a.tsv", b"Not found", "its first line has no columns"),
    ("a.tsv", b"PK\x03\x04\t", "a zip archive"),
    ("a.txt", b"A man\0 sleeps.", "not text"),
    ("a.parquet", b"<!DOCTYPE html><html><title>Sign in</title></html>", "it is not Parquet"),
]


def test_what_nothing_vouches_for_has_the_form_of_its_name(
    server: Server, tmp_path: Path, fetch: Fetch, refuses: Refuses
) -> None:
    for name, content, message in WRONG_FORMS:
        server.files[f"/{name}"] = content
        assert f"this is not the file {name}: {message}" in refuses(Download(f"{server.url}/{name}", name))
    within = Download(f"{server.url}/toy.zip", "", members=("a.tsv",))
    server.files["/toy.zip"] = zipped({"a.tsv": b"Not found"})
    assert "this is not the file a.tsv: " in refuses(within)
    assert not (tmp_path / "data" / ".crossexam" / "hashes.json").exists()  # no hash of these is held


def test_a_disk_without_room_is_told_before_the_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuses: Refuses
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    assert f"{len(GOOD_ZIP):,} bytes are needed, and 1,000 are free" in refuses()
    said = refuses(source=written(tmp_path / "toy.zip", GOOD_ZIP))
    assert f"{len(DEV + TEST):,} bytes are needed" in said


def test_two_fetches_at_once_and_what_a_killed_one_left(fetch: Fetch, toy: Path, refuses: Refuses) -> None:
    with alone_in(toy.parent / ".crossexam", CrossexamError("in use")):
        assert "another crossexam fetch is using this data folder" in refuses()
    fetch()
    whole = sorted(toy.parent.rglob("*"))
    private = next(path for path in whole if path.name == "hashes.json").parent
    written(private / "staging-k1ll3d" / "half.jsonl", b"half")
    written(private / "downloads" / ".toy.zip.note.k1ll3d00.part", b"half")
    fetch()
    assert sorted(toy.parent.rglob("*")) == whole


def test_a_busy_server_is_asked_again_and_one_without_the_file_is_not(
    server: Server, fetch: Fetch, refuses: Refuses
) -> None:
    server.statuses = [503, 429]
    fetch(replace(server.archive(), url=f"{server.url}/moved/toy.zip"), attempts=3)
    assert len(server.asked) == 3
    del server.files["/toy.zip"]
    assert "toy.zip: the server returned 404 Not Found" in refuses(into="b", attempts=3)
    assert len(server.asked) == 4


def test_a_copy_of_the_archive_or_its_files_is_installed_without_the_network(
    server: Server, tmp_path: Path, fetch: Fetch, refuses: Refuses
) -> None:
    copy = written(tmp_path / "copies" / "toy.zip", GOOD_ZIP)
    for number, source in enumerate((copy, copy.parent)):
        result = fetch(into=str(number), source=source)
        assert (contents(result), result.missing, result.received) == ([DEV, TEST], (), 0)
    copy.write_bytes(GOOD_ZIP[:-1] + b"?")
    assert "toy.zip: the SHA-256 of the file is" in refuses(source=copy)
    plain = Download(f"{server.url}/a.json", "toy_a.json", len(DEV), sha256(DEV))
    copy = written(tmp_path / "plain" / "a.json", DEV)
    assert [*fetch(plain, into="plain", source=copy).hashes] == ["toy_a.json"]
    copy.write_bytes(DEV[:-1])
    assert f"the file has {len(DEV) - 1:,} bytes" in refuses(plain, source=copy)
    assert "no toy files were found\n  wanted: toy.zip or dev.jsonl" in refuses(source=copy.parent)
    assert "no such file or folder" in refuses(source=tmp_path / "absent")
    copy = written(tmp_path / "loose" / "deep" / "dev.jsonl", DEV)
    result = fetch(source=tmp_path / "loose")
    assert (contents(result), result.missing) == ([DEV], ("test.jsonl",))
    assert not server.asked  # nothing is downloaded
