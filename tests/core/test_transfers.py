"""Suites, runs and reports at a URL: made in a work folder, copied with the manifest last, read by a copy."""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import crossexam as cx
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.locks import alone_in
from crossexam.core.places import copy_path, url_of, work_path
from crossexam.core.test_sets import read_suite
from crossexam.reports import parts
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import SuiteWriter, build_to_folder
from crossexam.suites.table import suite_request

Patch = pytest.MonkeyPatch
Refused = Callable[..., str]
Forget = Callable[[], None]
SUITE, RUN = "memory://bucket/suite", "memory://bucket/runs/mine"


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: Patch) -> Iterator[MemoryFileSystem]:
    """An empty file system in memory, and an empty cache folder."""
    monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / "cache"))
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield MemoryFileSystem()
    MemoryFileSystem.store.clear()


@pytest.fixture
def another_machine(tmp_path: Path) -> Forget:
    """Forget what is on this machine."""
    return lambda: shutil.rmtree(tmp_path / "cache")


def build(url: str = SUITE, *, limit: int = 5) -> cx.Suite:
    return cx.build("negation", "builtin:demo", limit=limit, folder=url)


def rebuild(suite: str = "negation", limit: int = 5) -> None:
    """Build a suite at the place, whatever is there."""
    request = suite_request(suite, [base_from_spec("builtin:demo", limit=limit)])
    build_to_folder(request, work_path(SUITE), force=True)


def run(url: str, of: str | Path = "builtin:demo") -> cx.Run:
    return cx.run("builtin/overlap", of, store=url)


def items() -> int:
    return len(cx.load_suite(SUITE).datasets["base.builtin_demo"])


def answers(run: cx.Run) -> dict[str, Any]:
    return {name: list(run.predictions(name)) for name in run.datasets}


def names(memory: MemoryFileSystem, url: str = SUITE) -> list[str]:
    path = f"/{url.partition('://')[2]}"
    return sorted(each.removeprefix(f"{path}/") for each in memory.find(path))


def order_of_copies(monkeypatch: Patch, system: type = MemoryFileSystem) -> list[str]:
    """Return a list of the files that are written to and removed from the place from now on."""
    done: list[str] = []
    put, remove = system.put_file, system.rm_file

    def put_file(self: Any, here: str, there: str, *rest: Any, **more: Any) -> Any:
        done.append(Path(there).name)
        return put(self, here, there, *rest, **more)

    def rm_file(self: Any, path: str) -> Any:
        result = remove(self, path)
        done.append(f"-{Path(path).name}")
        return result

    monkeypatch.setattr(system, "put_file", put_file)
    monkeypatch.setattr(system, "rm_file", rm_file)
    return done


def broken_after(monkeypatch: Patch, files: int, error: Exception) -> None:
    """Let the place take so many files, and then raise *error*."""
    put, left = MemoryFileSystem.put_file, [files]

    def put_file(self: Any, *arguments: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise error
        return put(self, *arguments, **more)

    monkeypatch.setattr(MemoryFileSystem, "put_file", put_file)


def interrupted(monkeypatch: Patch, files: int, call: Callable[[], object]) -> None:
    """Make *call*, and lose the connection to the place when it has so many files."""
    with monkeypatch.context() as broken:
        broken_after(broken, files, ConnectionError("connection lost"))
        with pytest.raises(CrossexamError, match="cannot be reached: ConnectionError: connection lost"):
            call()


def test_a_suite_at_a_url_is_that_of_a_folder(
    memory: MemoryFileSystem, tmp_path: Path, monkeypatch: Patch
) -> None:
    done = order_of_copies(monkeypatch)
    built, local = build(), build(str(tmp_path / "suite"))
    files = ["base.builtin_demo.parquet", "negation.builtin_demo.parquet", "manifest.json"]
    assert names(memory) == sorted(files)
    for name in files:
        assert memory.cat_file(f"/bucket/suite/{name}") == (tmp_path / "suite" / name).read_bytes()
    assert [list(each) for each in built] == [list(each) for each in local]
    assert done == [".unfinished", *files, "-.unfinished"]  # the manifest is copied last
    done.clear()
    build()  # the same command copies nothing
    assert done == [".unfinished", "-.unfinished"]


def test_it_is_read_on_another_machine_by_a_copy_that_is_kept(
    another_machine: Forget, monkeypatch: Patch
) -> None:
    built = [list(each) for each in build()]
    another_machine()
    fetched: list[str] = []
    get = MemoryFileSystem.get_file

    def get_file(self: Any, there: str, *rest: Any, **more: Any) -> None:
        fetched.append(there)
        get(self, there, *rest, **more)

    monkeypatch.setattr(MemoryFileSystem, "get_file", get_file)
    for _ in range(2):
        assert [list(each) for each in cx.load_suite(SUITE)] == built
        assert len(fetched) == 2
    assert cx.check(SUITE) == []
    (copy_path(SUITE) / "base.builtin_demo.parquet").write_bytes(b"damaged")
    cx.load_suite(SUITE)
    assert fetched[2:] == ["/bucket/suite/base.builtin_demo.parquet"]
    another_machine()
    one = cx.load_suite(f"{SUITE}/negation.builtin_demo.parquet")
    assert list(one.datasets["negation.builtin_demo"]) == built[1]


def test_another_suite_at_the_place_is_an_error_unless_forced(
    memory: MemoryFileSystem, another_machine: Forget, monkeypatch: Patch
) -> None:
    build()
    another_machine()
    with pytest.raises(CrossexamError, match="contains a suite built from different input"):
        build(limit=6)
    assert items() == 5
    done = order_of_copies(monkeypatch)
    rebuild(limit=6)
    assert done[1] == "-manifest.json", "a reader would find files of one suite and the manifest of another"
    assert items() == 6
    memory.pipe_file("/bucket/suite/notes.txt", b"mine")
    rebuild("word_overlap")  # files that are no longer listed are removed
    made = ["base.builtin_demo.parquet", "manifest.json", "notes.txt", "word_overlap.builtin_demo.parquet"]
    assert names(memory) == made


def test_other_files_at_the_place_are_an_error(memory: MemoryFileSystem, refused: Refused) -> None:
    memory.pipe_file("/bucket/suite/notes.txt", b"mine")
    assert "the folder memory://bucket/suite is not empty" in refused(build)
    assert "the folder memory://bucket/suite is not empty" in refused(run, SUITE)
    assert names(memory) == ["notes.txt"]


def test_an_interrupted_copy_is_no_suite_and_goes_on_or_is_replaced(
    memory: MemoryFileSystem, monkeypatch: Patch, refused: Refused
) -> None:
    interrupted(monkeypatch, 2, build)
    assert names(memory) == [".unfinished", "base.builtin_demo.parquet"]
    assert "memory://bucket/suite: there is no manifest.json" in refused(FormatError, cx.load_suite, SUITE)
    here = work_path(SUITE) / "base.builtin_demo.parquet"
    written = here.stat().st_ino
    interrupted(monkeypatch, 2, build)
    assert here.stat().st_ino == written, "it was built again"
    pair = {"premise": "a", "hypothesis": "b", "label": 1}  # mistakes meanwhile do not lock the place
    assert "labels" in refused(cx.build, "negation", [pair], folder=SUITE)
    with monkeypatch.context() as broken:
        broken.setattr("crossexam.suites.build.distinct_parts", lambda bases: 1 / 0)
        refused(ZeroDivisionError, build, limit=7)
    build(limit=7)  # another suite may follow one that was never copied
    assert items() == 7


def test_what_somebody_else_wrote_meanwhile_is_not_replaced(
    memory: MemoryFileSystem, monkeypatch: Patch
) -> None:
    finish = SuiteWriter.finish

    def slowly(self: Any, *arguments: Any, **facts: Any) -> None:
        memory.pipe_file("/bucket/suite/manifest.json", b'{"test_sets": {}}')
        finish(self, *arguments, **facts)

    monkeypatch.setattr(SuiteWriter, "finish", slowly)
    with pytest.raises(CrossexamError, match="another command has written to this place"):
        build()
    assert memory.cat_file("/bucket/suite/manifest.json") == b'{"test_sets": {}}'


@pytest.mark.parametrize("copied", [0, 1, 2], ids=["before copying", "after a file", "before the manifest"])
def test_of_two_machines_that_write_to_a_place_the_later_one_does(
    copied: int, memory: MemoryFileSystem, monkeypatch: Patch, tmp_path: Path
) -> None:
    """The other machine begins when so many files have been copied from this one, and ends afterwards."""
    put, seen = MemoryFileSystem.put_file, list[str]()

    def put_file(self: Any, here: str, there: str, *rest: Any, **more: Any) -> Any:
        result = put(self, here, there, *rest, **more)
        seen.append(Path(there).name)
        if len(seen) == copied + 1:  # the first is the claim
            memory.pipe_file("/bucket/suite/.unfinished", b"of another machine")
        return result

    with monkeypatch.context() as two:
        two.setattr(MemoryFileSystem, "put_file", put_file)
        with pytest.raises(CrossexamError, match="another command has begun to write to this place"):
            build()
    assert len(seen) == copied + 1
    assert "manifest.json" not in names(memory)
    assert memory.cat_file("/bucket/suite/.unfinished") == b"of another machine"
    monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / "elsewhere"))
    assert len(build(limit=7).datasets["base.builtin_demo"]) == items() == 7


def test_of_two_commands_on_one_machine_the_second_is_refused(
    memory: MemoryFileSystem, refused: Refused
) -> None:
    with alone_in(work_path(SUITE), CrossexamError("in use")):
        assert "another process is building into this folder" in refused(build)
        assert names(memory) == []
    build()


def test_a_claim_is_of_one_machine_and_the_other_leaves_it(
    memory: MemoryFileSystem, monkeypatch: Patch, tmp_path: Path, refused: Refused
) -> None:
    claims = set()
    for machine in ("one", "other"):
        monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / machine))
        interrupted(monkeypatch, 1, build)
        claims.add(memory.cat_file("/bucket/suite/.unfinished"))
    assert len(claims) == 2

    def fail(bases: Any) -> None:
        memory.pipe_file("/bucket/suite/.unfinished", b"of another machine")
        raise ZeroDivisionError

    monkeypatch.setattr("crossexam.suites.build.distinct_parts", fail)
    refused(ZeroDivisionError, build, limit=6)
    assert memory.cat_file("/bucket/suite/.unfinished") == b"of another machine"


def test_a_place_that_changes_while_it_is_read_is_an_error(
    memory: MemoryFileSystem, another_machine: Forget, monkeypatch: Patch
) -> None:
    build()
    another_machine()
    get = MemoryFileSystem.get_file

    def get_file(self: Any, *arguments: Any, **more: Any) -> None:
        get(self, *arguments, **more)
        memory.pipe_file("/bucket/suite/manifest.json", b"{}")

    monkeypatch.setattr(MemoryFileSystem, "get_file", get_file)
    with pytest.raises(CrossexamError, match="was changed while it was read"):
        cx.load_suite(SUITE)


@pytest.mark.parametrize("stored", [RUN, "run"])
def test_a_run_names_the_suite_by_its_url(
    stored: str, tmp_path: Path, memory: MemoryFileSystem, another_machine: Forget
) -> None:
    """Of a run here the path to the items is empty, there it is relative."""
    there = stored == RUN
    build()
    place = stored if there else str(tmp_path / stored)
    first = answers(run(place, SUITE))
    manifest = (work_path(place) / "manifest.json").read_text()
    entry = json.loads(manifest)["test_sets"]["base.builtin_demo"]
    assert entry["items"] == ("../../suite/base.builtin_demo.parquet" if there else "")
    assert entry["items_path"] == f"{SUITE}/base.builtin_demo.parquet"
    assert not any("store" in name for name in names(memory, RUN))
    assert not there or memory.cat_file("/bucket/runs/mine/manifest.json") == manifest.encode()
    another_machine()
    again = cx.load_run(place)
    assert answers(again) == first
    assert not there or "accuracy" in cx.report(again).text(".md").lower()


def test_a_run_there_holds_the_items_of_a_suite_here_and_takes_others_from_elsewhere(
    tmp_path: Path, another_machine: Forget
) -> None:
    build(str(tmp_path / "suite"))
    first = answers(run(RUN, tmp_path / "suite"))
    another_machine()
    shutil.rmtree(tmp_path / "suite")
    assert answers(cx.load_run(RUN)) == first
    for _ in range(2):  # the second changes nothing
        another_machine()
        run(RUN)
        another_machine()
        found = answers(cx.load_run(RUN))
        assert sorted(found) == ["base.builtin_demo", "builtin:demo", "negation.builtin_demo"]
        assert first.items() <= found.items()


def test_an_interrupted_run_goes_on_with_its_store_and_keeps_what_was_there(monkeypatch: Patch) -> None:
    interrupted(monkeypatch, 2, lambda: run(RUN))
    found = run(RUN)
    assert (found.manifest["asked_pairs"], found.manifest["pairs_from_store"]) == (0, 324)
    build()
    interrupted(monkeypatch, 2, lambda: run(RUN, SUITE))
    assert list(cx.load_run(RUN).datasets) == ["builtin:demo"]
    run(RUN, "builtin:demo[:100]")
    assert sorted(cx.load_run(RUN).datasets) == ["builtin:demo", "builtin:demo[:100]"]


def test_a_report_is_copied_with_its_items_before_the_page(
    memory: MemoryFileSystem, monkeypatch: Patch
) -> None:
    memory.pipe_file("/bucket/x_items/0000-0123456789abcdef.js", b"older")
    monkeypatch.setattr(parts, "MOST_INSIDE", 10)
    done = order_of_copies(monkeypatch)
    cx.report(cx.run("builtin/overlap", "builtin:demo")).save("memory://bucket/x.html")
    (part,) = [name for name in names(memory, "memory://bucket") if name.endswith(".js")]
    assert done == [Path(part).name, "x.html", "-0000-0123456789abcdef.js"]


def test_a_corpus_at_a_url_is_fetched_once_and_again_when_it_changes(memory: MemoryFileSystem) -> None:
    record = '{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
    memory.pipe_file("/bucket/dev.jsonl", record.encode())
    assert len(cx.load("memory://bucket/dev.jsonl")) == 1
    memory.pipe_file("/bucket/dev.jsonl", 2 * record.encode())
    assert len(cx.load("memory://bucket/dev.jsonl[1:]")) == 1
    with pytest.raises(CrossexamError, match="no such file"):
        cx.load("memory://bucket/test.jsonl")


# fmt: off
REFUSED = [
    (PermissionError(errno.EACCES, "Access Denied"), "permission denied: .*Access Denied"),
    (OSError(errno.EROFS, "Read-only file system"), "this place is read-only"),
    (NotImplementedError(), "this place is read-only"),
    (FileNotFoundError("The specified bucket does not exist"), "cannot be reached: FileNotFound"),
    (RuntimeError("Unable to locate credentials"), "cannot be reached: .*Unable to locate"),
    (OSError(errno.ENOSPC, "No space left on device"), "no space left on the device"),
]
# fmt: on


def test_a_place_that_cannot_be_written_is_an_error_before_any_work(
    memory: MemoryFileSystem, monkeypatch: Patch, refused: Refused
) -> None:
    def model(pairs: object) -> None:
        pytest.fail("the model was asked")

    for error, message in REFUSED:
        with monkeypatch.context() as broken:
            broken_after(broken, 0, error)
            said = refused(cx.run, model, "builtin:demo", store=RUN)
        assert said.startswith("memory://bucket/runs/mine: ")
        assert re.search(message, said)
        assert names(memory, RUN) == []


def test_protocols_without_a_package_and_unknown_ones_are_errors(refused: Refused) -> None:
    assert "'nonsense' is not a protocol of fsspec" in refused(cx.load_suite, "nonsense://bucket/suite")
    fsspec.register_implementation("absent", "no_such_package.FileSystem", True, "Install no_such_package")
    said = refused(cx.load_suite, "absent://bucket/suite")
    assert "the package for absent:// is not installed\n  hint: Install no_such_package" in said


def test_a_folder_of_this_machine_may_be_named_by_a_url_too(
    tmp_path: Path, another_machine: Forget, monkeypatch: Patch
) -> None:
    done = order_of_copies(monkeypatch, LocalFileSystem)
    folder = tmp_path / "shared disk" / "suite"
    url = folder.as_uri().replace("%20", " ")
    build(url)
    assert done[-2] == "manifest.json.part", "a reader would find half a manifest"
    made = ["base.builtin_demo.parquet", "manifest.json", "negation.builtin_demo.parquet"]
    assert sorted(each.name for each in folder.iterdir()) == made
    another_machine()
    assert read_suite(copy_path(url)).datasets.keys() == cx.load_suite(folder).datasets.keys()
    assert url_of(work_path(url)) == url
