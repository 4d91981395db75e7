"""What a download must be: an archive that stays in its folder, with files of the form of their names."""

import stat
import zipfile
from pathlib import Path

from crossexam.corpora.catalog import Download
from made.downloads import DEV, GOOD_ZIP, TEST, Fetch, Refuses, Server, contents, written, zipped


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
