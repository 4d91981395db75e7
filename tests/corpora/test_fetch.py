"""Fetching, against a server on this machine: resumed, verified, unpacked safely, or nothing installed."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.locks import alone_in
from crossexam.corpora.catalog import Download
from made.downloads import DEV, GOOD_ZIP, TEST, Fetch, Refuses, Server, contents, sha256, written, zipped


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
