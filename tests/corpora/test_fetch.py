"""Fetching, against a server on this machine: resumed, verified, unpacked safely, or nothing installed."""

from __future__ import annotations

import hashlib
import io
import json
import stat
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from crossexam.corpora.catalog import CatalogEntry, Download
from crossexam.corpora.fetch import FetchResult, install_corpus

DEV = b'{"sentence1": "A b.", "sentence2": "C d.", "gold_label": "neutral"}\n' * 4000
OLD, NEW = (b"premise\thypothesis\n" + row * 9 for row in (b"A b.\tC d.\n", b"E f.\tG h.\n"))
TEST = b'{"sentence1": "E f.", "sentence2": "G h.", "gold_label": "entailment"}\n' * 3000


@dataclass
class Server:
    """What the server has, how it misbehaves, and what it was asked and sent."""

    files: dict[str, bytes]
    cuts: list[int] = field(default_factory=list)  # bytes sent before each of the next answers is cut
    statuses: list[int] = field(default_factory=list)  # answered before anything else
    ranges: bool = True
    validator: str | None = '"v1"'
    length: bool = True
    asked: list[str | None] = field(default_factory=list)
    sent: int = 0
    url: str = ""

    def archive(self, content: bytes, *, known: bool = True) -> Download:
        """Serve an archive, and return its entry in the catalogue."""
        self.files["/toy.zip"] = content
        return archive(self, content, known=known)


class Handler(BaseHTTPRequestHandler):
    state: Server

    def log_message(self, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        state = self.state
        asked = self.headers.get("Range")
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/moved"))
            self.end_headers()
            return
        state.asked.append(asked)
        whole = state.files.get(self.path)
        status = state.statuses.pop(0) if state.statuses else 404 if whole is None else 200
        if status != 200 or whole is None:
            self.send_error(status)
            return
        start = 0
        same = self.headers.get("If-Range") in {None, state.validator}
        if asked and state.ranges and same:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            if start >= len(whole):
                self.send_error(416)
                return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
        if state.validator:
            self.send_header("ETag", state.validator)
        if state.length:
            self.send_header("Content-Length", str(len(whole) - start))
        self.end_headers()
        body = whole[start:]
        body = body[: state.cuts.pop(0)] if state.cuts else body
        state.sent += self.wfile.write(body)


@contextmanager
def serving(state: Server) -> Iterator[Server]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def zipped(members: dict[str, bytes], *, compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# What is not wanted may be there twice: it is not looked at.
GOOD_ZIP = zipped(
    {"toy/dev.jsonl": DEV, "toy/test.jsonl": TEST, "toy/paper.pdf": b"%PDF", "__MACOSX/paper.pdf": b"x"}
)


def entry(*downloads: Download, limit: int = 10_000_000) -> dict[str, CatalogEntry]:
    made = CatalogEntry("toy", "Toy", "https://x.invalid", "CC0", "Nobody 2020", downloads, {}, limit)
    return {"toy": made}


def archive(server: Server, content: bytes = GOOD_ZIP, *, known: bool = True) -> Download:
    return Download(
        f"{server.url}/toy.zip",
        "",
        len(content) if known else None,
        hashlib.sha256(content).hexdigest() if known else None,
        ("dev.jsonl", "test.jsonl"),
    )


def get(catalog: dict[str, CatalogEntry], data: Path, **more: object) -> FetchResult:
    options = {"attempts": 1, "pause": lambda seconds: None, **more}
    return install_corpus("toy", data_dir=data, catalog=catalog, **options)  # type: ignore[arg-type]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Server({"/toy.zip": GOOD_ZIP, "/a.json": DEV, "/b.json": TEST})) as state:
        yield state


@pytest.fixture(autouse=True)
def _directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the server on this machine without the proxy that the surroundings may name."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def assert_nothing_installed(data: Path) -> None:
    assert not list(data.glob("toy/*"))
    assert not list((data / ".crossexam").glob("staging-*"))


def test_a_download_is_verified_unpacked_and_not_repeated(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    result = get(entry(archive(server)), tmp_path, progress=lambda *a: seen.append(a))
    assert sorted(p.name for p in (tmp_path / "toy").iterdir()) == ["dev.jsonl", "test.jsonl"]  # no paper
    assert (tmp_path / "toy" / "dev.jsonl").read_bytes() == DEV
    assert result.hashes["test.jsonl"] == hashlib.sha256(TEST).hexdigest()
    assert (result.already, result.received, result.missing) == (False, len(GOOD_ZIP), ())
    assert (result.licence, result.citation) == ("CC0", "Nobody 2020")
    assert "licence: CC0\ncite: Nobody 2020" in result.summary()
    assert ("download toy.zip", len(GOOD_ZIP), len(GOOD_ZIP)) in seen
    assert ("unpack dev.jsonl", len(DEV), len(DEV)) in seen
    assert not list((tmp_path / ".crossexam" / "downloads").iterdir())

    again = get(entry(archive(server)), tmp_path)
    assert (again.already, again.received, len(server.asked)) == (True, 0, 1)


def test_an_installed_file_that_is_damaged_is_fetched_again(server: Server, tmp_path: Path) -> None:
    get(entry(archive(server)), tmp_path)
    file = tmp_path / "toy" / "dev.jsonl"
    for damage in (lambda: file.write_bytes(b"other"), file.unlink):
        damage()
        assert not get(entry(archive(server)), tmp_path).already
        assert file.read_bytes() == DEV


def test_a_wrong_hash_installs_nothing(server: Server, tmp_path: Path, refused: Callable[..., str]) -> None:
    changed = GOOD_ZIP.replace(b"A b.", b"X y.")
    server.files["/toy.zip"] = changed
    assert refused(get, entry(archive(server, GOOD_ZIP)), tmp_path) == (
        f"{server.url}/toy.zip: the SHA-256 of the file is {hashlib.sha256(changed).hexdigest()}\n"
        f"  wanted: {hashlib.sha256(GOOD_ZIP).hexdigest()}, as in the catalogue\n"
        "  hint: nothing was installed; the file is damaged, or its publisher has changed it"
    )
    assert_nothing_installed(tmp_path)
    server.files["/toy.zip"] = GOOD_ZIP  # the bad part is not continued
    get(entry(archive(server)), tmp_path)
    assert server.asked == [None, None]


def test_a_wrong_size_is_refused_before_the_download(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    server.files["/toy.zip"] = GOOD_ZIP + b"more"
    said = refused(get, entry(archive(server)), tmp_path)
    assert f"offers a file of {len(GOOD_ZIP) + 4:,} bytes\n  wanted: {len(GOOD_ZIP):,}" in said
    server.length = False
    said = refused(get, entry(archive(server)), tmp_path)
    assert "sent more bytes than the file should have" in said
    assert_nothing_installed(tmp_path)


def test_a_cut_connection_is_continued_by_the_next_call(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    server.cuts = [100_000]
    said = refused(get, entry(archive(server)), tmp_path)
    assert "100,000 bytes were kept, and the next attempt resumes from there" in said
    assert_nothing_installed(tmp_path)
    result = get(entry(archive(server)), tmp_path)
    assert server.asked == [None, "bytes=100000-"]
    assert server.sent == len(GOOD_ZIP)  # no byte twice
    assert result.received == len(GOOD_ZIP) - 100_000
    assert (tmp_path / "toy" / "test.jsonl").read_bytes() == TEST


def test_cut_connections_are_retried_with_growing_pauses(server: Server, tmp_path: Path) -> None:
    server.cuts, pauses = [50_000, 60_000, 1], []
    result = get(entry(archive(server)), tmp_path, attempts=5, pause=pauses.append)
    assert server.asked == [None, "bytes=50000-", "bytes=110000-", "bytes=110001-"]
    assert (server.sent, result.received, pauses) == (len(GOOD_ZIP), len(GOOD_ZIP), [1.0, 2.0, 4.0])


def test_a_server_without_ranges_sends_all_anew(server: Server, tmp_path: Path) -> None:
    server.cuts, server.ranges = [100_000], False
    get(entry(archive(server)), tmp_path, attempts=2)
    assert server.sent == len(GOOD_ZIP) + 100_000
    assert (tmp_path / "toy" / "dev.jsonl").read_bytes() == DEV


def test_redirects_are_followed_and_continued(server: Server, tmp_path: Path) -> None:
    server.cuts = [100_000]
    download = replace(archive(server), url=f"{server.url}/moved/toy.zip")
    get(entry(download), tmp_path, attempts=2)
    assert server.asked == [None, "bytes=100000-"]


def test_a_file_that_changed_meanwhile_is_not_spliced(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    catalog = entry(archive(server, known=False))
    server.cuts = [100_000]
    assert "the download was interrupted: " in refused(get, catalog, tmp_path)
    server.files["/toy.zip"], server.validator = zipped({"dev.jsonl": TEST, "test.jsonl": DEV}), '"v2"'
    get(catalog, tmp_path)
    assert (tmp_path / "toy" / "dev.jsonl").read_bytes() == TEST


def test_without_hash_or_validator_a_part_is_not_continued(server: Server, tmp_path: Path) -> None:
    server.cuts, server.validator = [100_000], None
    get(entry(archive(server, known=False)), tmp_path, attempts=2)
    assert server.asked == [None, None]


def test_a_part_longer_than_the_file_is_thrown_away(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    catalog = entry(archive(server, known=False))
    server.cuts = [200_000]
    assert "the download was interrupted: " in refused(get, catalog, tmp_path)
    server.files["/toy.zip"] = small = zipped({"dev.jsonl": b"{}", "test.jsonl": b"{}"})  # same ETag
    get(catalog, tmp_path, attempts=2)
    assert server.asked == [None, "bytes=200000-", None]
    assert server.sent == 200_000 + len(small)


def test_a_busy_server_is_asked_again_but_a_missing_file_is_not(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    server.statuses = [503, 429]
    get(entry(archive(server)), tmp_path / "a", attempts=3)
    assert len(server.asked) == 3
    del server.files["/toy.zip"]
    said = refused(get, entry(archive(server)), tmp_path / "b", attempts=3)
    assert "toy.zip: the server returned 404 Not Found\n  hint: " in said
    assert "--from" in said
    assert len(server.asked) == 4


def test_no_server_at_all(tmp_path: Path, refused: Callable[..., str]) -> None:
    with serving(Server({})) as gone:
        catalog = entry(archive(gone))
    said = refused(get, catalog, tmp_path, attempts=2)
    assert "interrupted 2 times: " in said
    assert "--from" in said


def test_without_a_hash_the_first_is_recorded_and_held(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    catalog = entry(archive(server, known=False))
    get(catalog, tmp_path)
    book = json.loads((tmp_path / ".crossexam" / "hashes.json").read_text(encoding="utf-8"))
    assert book["downloads"][f"{server.url}/toy.zip"] == hashlib.sha256(GOOD_ZIP).hexdigest()
    assert book["installed"]["toy"]["dev.jsonl"] == hashlib.sha256(DEV).hexdigest()
    (tmp_path / "toy" / "dev.jsonl").unlink()
    server.files["/toy.zip"] = GOOD_ZIP.replace(b"A b.", b"X y.")
    said = refused(get, catalog, tmp_path)
    assert f"as recorded in {tmp_path / '.crossexam' / 'hashes.json'} at the first fetch" in said
    assert "remove its line" in said
    assert not (tmp_path / "toy" / "dev.jsonl").exists()


def test_several_plain_files(server: Server, tmp_path: Path, refused: Callable[..., str]) -> None:
    digest = hashlib.sha256(DEV).hexdigest()
    downloads = (
        Download(f"{server.url}/a.json", "toy_a.json", len(DEV), digest),
        Download(f"{server.url}/b.json", "toy_b.json"),
    )
    server.cuts = [len(DEV), 10]
    assert "the download was interrupted: " in refused(get, entry(*downloads), tmp_path)
    assert_nothing_installed(tmp_path)  # the first is whole, but a corpus comes as one
    result = get(entry(*downloads), tmp_path)
    assert (tmp_path / "toy" / "toy_a.json").read_bytes() == DEV
    assert (tmp_path / "toy" / "toy_b.json").read_bytes() == TEST
    assert server.sent == len(DEV) + len(TEST)  # the first was not sent again

    assert result.unverified == ("toy_b.json",)  # nothing vouches for it
    assert "unverified: toy_b.json: the catalogue has no hash, so nothing vouches" in result.summary()
    again = get(entry(*downloads), tmp_path)
    assert (again.already, again.unverified) == (True, ("toy_b.json",))
    assert "is already installed and as it was first fetched" in again.summary()
    book = json.loads((tmp_path / ".crossexam" / "hashes.json").read_text(encoding="utf-8"))
    assert book["unverified"] == {"toy": ["toy_b.json"]}
    known = get(entry(downloads[0]), tmp_path / "other")
    assert (known.unverified, "unverified" in known.summary()) == ((), False)


def test_an_archive_that_leaves_its_folder(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    names = ["../evil.txt", "toy/../../evil.txt", "/etc/evil.txt", "C:evil.txt", "..\\evil.txt", "\\evil.txt"]
    for name in names:
        bad = server.archive(zipped({"dev.jsonl": DEV, "test.jsonl": TEST, name: b"evil"}))
        said = refused(get, entry(bad), tmp_path / "data")
        assert "not safe to unpack: the path '" in said, name
        assert "leaves the archive's folder" in said, name
        assert_nothing_installed(tmp_path / "data")
        assert not list(tmp_path.rglob("*evil*")), name


def with_mode(mode: int) -> bytes:
    """Return an archive in which a file of the corpus is something else than a file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        other = zipfile.ZipInfo("dev.jsonl")
        other.external_attr = (mode | 0o777) << 16
        made.writestr(other, "/etc/passwd")
        made.writestr("test.jsonl", TEST)
    return buffer.getvalue()


def test_links_and_devices_in_archives(server: Server, tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(get, entry(server.archive(with_mode(stat.S_IFLNK))), tmp_path)
    assert "'dev.jsonl' is a link" in said
    said = refused(get, entry(server.archive(with_mode(stat.S_IFCHR))), tmp_path)
    assert "'dev.jsonl' is no regular file" in said
    assert_nothing_installed(tmp_path)
    named = zipped({"CON": b"x", "a/NUL.txt": b"x", "COM1/dev.jsonl": DEV, "test.jsonl": TEST, "aux.": b"x"})
    result = get(entry(server.archive(named)), tmp_path)
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["dev.jsonl", "test.jsonl"]
    assert result.files[0].read_bytes() == DEV


# fmt: off
BAD_ARCHIVES = [
    (zipped({"dev.jsonl": b"0" * 20_000_000, "test.jsonl": b""}, compression=zipfile.ZIP_DEFLATED),
     "'dev.jsonl' unpacks to over 200 times its size"),
    (zipped({"dev.jsonl": DEV * 50, "test.jsonl": b""}),
     "it unpacks to 13,600,000 bytes, more than the 10,000,000 expected"),
    (zipped({"a/dev.jsonl": DEV, "b/dev.jsonl": DEV, "test.jsonl": b""}), "it has two files 'dev.jsonl'"),
    (zipped({"dev.jsonl": DEV}), "'test.jsonl' is not in the archive"),
    (GOOD_ZIP[:-100], "the archive cannot be unpacked"),
    (GOOD_ZIP.replace(b"A b.", b"X y."), "the archive cannot be unpacked: Bad CRC-32"),
    (b"<html>Sign in</html>", "the archive cannot be unpacked: File is not a zip file"),
]
# fmt: on


def test_archives_that_are_not_as_they_should_be(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    for content, message in BAD_ARCHIVES:
        assert message in refused(get, entry(server.archive(content)), tmp_path)
        assert_nothing_installed(tmp_path)


def test_from_an_archive_on_disk(server: Server, tmp_path: Path, refused: Callable[..., str]) -> None:
    copy = tmp_path / "copies" / "toy.zip"
    copy.parent.mkdir()
    copy.write_bytes(GOOD_ZIP)
    for number, source in enumerate((copy, copy.parent, str(copy))):
        result = get(entry(archive(server)), tmp_path / str(number), source=source)
        assert [path.read_bytes() for path in result.files] == [DEV, TEST]
        assert (result.missing, result.received) == ((), 0)
    copy.write_bytes(GOOD_ZIP[:-1] + b"?")
    said = refused(get, entry(archive(server)), tmp_path / "x", source=copy)
    assert "toy.zip: the SHA-256 of the file is" in said
    assert not server.asked  # nothing is downloaded


def test_from_files_that_somebody_unpacked(server: Server, tmp_path: Path) -> None:
    copies = tmp_path / "copies" / "deep"
    copies.mkdir(parents=True)
    (copies / "dev.jsonl").write_bytes(DEV)
    result = get(entry(archive(server)), tmp_path / "d", source=tmp_path / "copies")
    assert ([path.name for path in result.files], result.missing) == (["dev.jsonl"], ("test.jsonl",))
    assert "not in the copy: test.jsonl" in result.summary()
    assert not get(entry(archive(server)), tmp_path / "d").missing


def test_the_catalogues_archive_goes_before_what_was_recorded_of_loose_files(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    copy, catalog = tmp_path / "dev.jsonl", entry(archive(server))
    copy.write_bytes(TEST)  # somebody's mistake
    get(catalog, tmp_path / "d", source=copy)
    copy.write_bytes(DEV)
    assert "as recorded in" in refused(get, catalog, tmp_path / "d", source=copy)
    get(catalog, tmp_path / "d")
    assert get(catalog, tmp_path / "d", source=copy).files[0].read_bytes() == DEV


def test_from_plain_files_under_either_name(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    catalog = entry(Download(f"{server.url}/a.json", "toy_a.json", len(DEV), hashlib.sha256(DEV).hexdigest()))
    for name in ("a.json", "toy_a.json"):
        copy = tmp_path / name
        copy.write_bytes(DEV)
        result = get(catalog, tmp_path / f"data-{name}", source=copy)
        assert [path.name for path in result.files] == ["toy_a.json"]
        copy.write_bytes(DEV[:-1])
        said = refused(get, catalog, tmp_path / "d", source=copy)
        assert f"the file has {len(DEV) - 1:,} bytes\n  wanted: {len(DEV):,} bytes" in said
        copy.unlink()
    said = refused(get, entry(archive(server)), tmp_path / "d", source=tmp_path)
    assert "no toy files were found\n  wanted: toy.zip or dev.jsonl or test" in said
    said = refused(get, entry(archive(server)), tmp_path / "d", source=tmp_path / "absent")
    assert "no such file or folder" in said


def test_unknown_names(tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(install_corpus, "snlii", data_dir=tmp_path)
    assert "no corpus to fetch is called 'snlii'\n  hint: did you mean 'snli'" in said
    said = refused(install_corpus, "builtin", data_dir=tmp_path)
    assert "no corpus to fetch is called 'builtin'" in said


def test_two_fetches_at_once(server: Server, tmp_path: Path, refused: Callable[..., str]) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / ".crossexam").mkdir()
    with (tmp_path / ".crossexam" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = refused(get, entry(archive(server)), tmp_path)
    assert "another crossexam fetch is using this data folder" in said
    (tmp_path / "data").write_text("a file", encoding="utf-8")  # where nothing can be written
    assert str(tmp_path / "data") in refused(get, entry(archive(server)), tmp_path / "data")


def test_members_of_one_name_in_several_folders(server: Server, tmp_path: Path) -> None:
    content = zipped({"toy_v1/R1/dev.jsonl": DEV, "toy_v1/R2/dev.jsonl": TEST, "toy_v1/AR1/dev.jsonl": b"x"})
    server.files["/rounds.zip"] = content
    download = Download(f"{server.url}/rounds.zip", "", members=("R1/dev.jsonl", "R2/dev.jsonl"))
    result = get(entry(download), tmp_path)
    assert [path.name for path in result.files] == ["R1_dev.jsonl", "R2_dev.jsonl"]
    assert [path.read_bytes() for path in result.files] == [DEV, TEST]
    for copy in ("toy_v1/R1/dev.jsonl", "toy_v1/R2/dev.jsonl"):  # what somebody unpacked
        (tmp_path / "copy" / copy).parent.mkdir(parents=True)
        (tmp_path / "copy" / copy).write_bytes(DEV if "R1" in copy else TEST)
    again = get(entry(download), tmp_path / "other", source=tmp_path / "copy")
    assert [path.read_bytes() for path in again.files] == [DEV, TEST]


def test_files_of_one_name_in_several_folders(server: Server, tmp_path: Path) -> None:
    server.files |= {"/old/dev.tsv": OLD, "/new/dev.tsv": NEW}
    downloads = [
        Download(f"{server.url}/{each}/dev.tsv?dl=1", f"toy_{each}_dev.tsv") for each in ("old", "new")
    ]
    assert downloads[0].url_name == "dev.tsv"
    server.files |= {"/old/dev.tsv?dl=1": OLD, "/new/dev.tsv?dl=1": NEW}
    result = get(entry(*downloads), tmp_path)
    assert [path.read_bytes() for path in result.files] == [OLD, NEW]
    for each, content in (("new", NEW), ("old", OLD)):
        (tmp_path / "copy" / each).mkdir(parents=True)
        (tmp_path / "copy" / each / "dev.tsv").write_bytes(content)
    again = get(entry(*downloads), tmp_path / "other", source=tmp_path / "copy")
    assert [path.read_bytes() for path in again.files] == [OLD, NEW]


# What nothing in the catalogue vouches for

PAGE = b"<!DOCTYPE html><html><title>Sign in</title></html>"
# fmt: off
WRONG_FORMS = [
    ("a.jsonl", b"", "the file is empty"),
    ("a.csv", b" \n", "the file is empty"),
    ("a.jsonl", PAGE, "a page for a browser"),
    ("a.tsv", b"\xef\xbb\xbf \n<HTML>\t", "a page for a browser"),
    ("a.txt", b"<head><title>404</title>", "a page for a browser"),
    ("a.xml", PAGE, "a page for a browser"),
    ("a.jsonl", b"Too many requests", "it does not begin with '{'"),
    ("a.json", b"null", "it does not begin with '{' or '['"),
    ("a.tsv", b'{"error": "rate limit"}', "no table or list of sentences"),
    ("a.tsv", b"Not found", "its first line has no columns"),
    ("a.txt", b"<Error><Code>AccessDenied</Code></Error>", "no table or list of sentences"),
    ("a.csv", b"version https://git-lfs.github.com/spec/v1,", "a pointer of Git LFS"),
    ("a.tsv", b"PK\x03\x04\t", "a zip archive"),
    ("a.tsv", b"\x1f\x8b\x08\t", "a gzip archive"),
    ("a.csv", b"%PDF-1.7,", "a PDF file"),
    ("a.txt", b"A man\0 sleeps.", "not text"),
    ("a.parquet", PAGE, "it is no Parquet, or not whole"),
    ("a.parquet", b"PAR1 cut", "it is no Parquet, or not whole"),
]
RIGHT_FORMS = {
    "a.jsonl": b'\xef\xbb\xbf{"a": 1}\n',
    "a.json": b"[1]",
    "a.xml": b'<?xml version="1.0"?><fracas-problems/>',
    "a.csv": b'"premise","hypothesis"\n',
    "a.txt": "Un caf\xe9.".encode("latin-1"),
    "a.parquet": b"PAR1 rows PAR1",
}
# fmt: on


def test_what_nothing_vouches_for_has_the_form_of_its_name(
    server: Server, tmp_path: Path, refused: Callable[..., str], for_each: Callable[..., None]
) -> None:
    def check(name: str, content: bytes, message: str) -> None:
        alone = Download(f"{server.url}/file", name)
        within = Download(f"{server.url}/file", "", members=(name,))
        for download, served in ((alone, content), (within, zipped({name: content}))):
            server.files["/file"] = served
            said = refused(get, entry(download), tmp_path)
            assert f"this is not the file {name}: {message}" in said
            assert "--from" in said
            assert_nothing_installed(tmp_path)
            assert not (tmp_path / ".crossexam" / "hashes.json").exists()  # its hash is not held

    for_each(check, WRONG_FORMS)


def test_files_of_the_right_form_are_installed(server: Server, tmp_path: Path) -> None:
    for name, content in RIGHT_FORMS.items():
        server.files[f"/{name}"] = content
        result = get(entry(Download(f"{server.url}/{name}", name)), tmp_path)
        assert result.files[0].read_bytes() == content


def test_a_download_of_unknown_size_is_bounded(
    server: Server, tmp_path: Path, refused: Callable[..., str]
) -> None:
    catalog = entry(Download(f"{server.url}/a.json", "toy_a.json"))
    for server.length in (True, False):
        said = refused(get, catalog, tmp_path, max_size=1000)
        assert "the catalogue does not know" in said
        assert "wanted: 1,000 bytes at most\n  hint: " in said
        assert "--max-size MEG" in said
        assert_nothing_installed(tmp_path)
        assert not list((tmp_path / ".crossexam" / "downloads").iterdir())  # no part to be resumed
    assert get(catalog, tmp_path, max_size=len(DEV)).files[0].read_bytes() == DEV
    known = Download(f"{server.url}/a.json", "toy_a.json", len(DEV))
    get(entry(known), tmp_path / "known", max_size=1000)  # the catalogue knows its size


def test_a_disk_without_room_is_told_before_the_download(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    said = refused(get, entry(archive(server)), tmp_path)
    assert f"{len(GOOD_ZIP):,} bytes are needed, and 1,000 are free" in said
    (tmp_path / "toy.zip").write_bytes(GOOD_ZIP)
    said = refused(get, entry(archive(server)), tmp_path, source=tmp_path / "toy.zip")
    assert f"{len(DEV + TEST):,} bytes are needed" in said
    assert "--data DIR" in said
    assert_nothing_installed(tmp_path)


def test_what_a_killed_fetch_left_is_swept(server: Server, tmp_path: Path) -> None:
    catalog = entry(archive(server))
    get(catalog, tmp_path)
    whole = sorted(tmp_path.rglob("*"))
    private = next(path for path in whole if path.name == "hashes.json").parent
    for is_installed in (True, False):
        (private / "staging-k1ll3d").mkdir()
        (private / "staging-k1ll3d" / "half.jsonl").write_text("half")
        (private / ".hashes.json.k1ll3d00.part").write_text("half")
        if not is_installed:
            (tmp_path / "toy" / "dev.jsonl").unlink()
        get(catalog, tmp_path)
        assert sorted(tmp_path.rglob("*")) == whole
