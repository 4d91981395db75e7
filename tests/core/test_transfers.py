"""Suites, runs and reports at a URL: made in a work folder, copied with the manifest last, read by a copy."""

import errno
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import crossexam as cx
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.locks import alone_in
from crossexam.core.places import copy_path, work_path
from crossexam.core.test_sets import read_suite
from crossexam.reports import parts
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import SuiteWriter, build_to_folder
from crossexam.suites.table import suite_request
from made.cases import refused

SUITE, RUN = "memory://bucket/suite", "memory://bucket/runs/mine"
BASE, NEGATED = "base.builtin_demo.parquet", "negation.builtin_demo.parquet"


class Place:
    """A file system in memory, whose ``bucket`` is the place, and what happens to it."""

    def __init__(self, patch: pytest.MonkeyPatch, cache: Path) -> None:
        self.system, self.patch, self.cache = MemoryFileSystem(), patch, cache
        self.use_machine("this")

    def use_machine(self, name: str) -> None:
        """Let what is on this machine be in the cache folder *name*."""
        self.patch.setenv("CROSSEXAM_CACHE", str(self.cache / name))

    def read(self, name: str) -> Any:
        return self.system.cat_file(f"/bucket/{name}")

    def write(self, name: str, content: bytes) -> None:
        self.system.pipe_file(f"/bucket/{name}", content)

    def names(self, folder: str = "suite") -> list[str]:
        return sorted(Path(each).name for each in self.system.find(f"/bucket/{folder}"))

    def on_copies(self, patch: pytest.MonkeyPatch, call: Callable[[str], object], system: Any) -> None:
        """Call with the name of each file that is about to be written to the place from now on."""
        put = system.put_file

        def put_file(self: Any, here: str, there: str, *rest: Any, **more: Any) -> None:
            call(Path(there).name)
            put(self, here, there, *rest, **more)

        patch.setattr(system, "put_file", put_file)

    def order_of_copies(self, system: Any = MemoryFileSystem) -> list[str]:
        """Return a list of the files that are written to and removed from the place from now on."""
        done: list[str] = []
        remove = system.rm_file

        def rm_file(self: Any, path: str) -> None:
            remove(self, path)
            done.append(f"-{Path(path).name}")

        self.on_copies(self.patch, done.append, system)
        self.patch.setattr(system, "rm_file", rm_file)
        return done

    def refused(self, files: int, call: Callable[[], object], error: Exception | None = None) -> str:
        """Return how *call* ends if the place takes so many files, and the connection to it is lost then."""
        left = [files]

        def stop(_: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise error or ConnectionError("connection lost")

        with pytest.MonkeyPatch.context() as broken:
            self.on_copies(broken, stop, MemoryFileSystem)
            return refused(call)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """An empty place, and an empty cache folder."""
    MemoryFileSystem.store.clear()
    MemoryFileSystem.pseudo_dirs[:] = [""]
    yield Place(monkeypatch, tmp_path / "cache")
    MemoryFileSystem.store.clear()


def build(url: str = SUITE, *, limit: int = 5) -> cx.Suite:
    return cx.build("negation", "builtin:demo", limit=limit, folder=url)


def run(url: str) -> cx.Run:
    return cx.run("builtin/overlap", "builtin:demo", store=url)


def items() -> int:
    return len(cx.load_suite(SUITE).datasets["base.builtin_demo"])


def test_a_suite_at_a_url_is_that_of_a_folder(place: Place, tmp_path: Path) -> None:
    done = place.order_of_copies()
    built, local = build(), build(str(tmp_path / "suite"))
    files = [BASE, NEGATED, "manifest.json"]
    for name in files:
        assert place.read(f"suite/{name}") == (tmp_path / "suite" / name).read_bytes()
    assert [list(each) for each in built] == [list(each) for each in local]
    assert done == [".unfinished", *files, "-.unfinished"]  # the manifest is copied last
    done.clear()
    build()  # the same command copies nothing
    assert done == [".unfinished", "-.unfinished"]


def test_it_is_read_on_another_machine_by_a_copy_that_is_kept(place: Place) -> None:
    built = [list(each) for each in build()]
    place.use_machine("another")
    assert [list(each) for each in cx.load_suite(SUITE)] == built
    copy = copy_path(SUITE) / BASE
    kept = copy.stat().st_mtime_ns
    cx.load_suite(SUITE)
    assert copy.stat().st_mtime_ns == kept
    copy.write_bytes(b"damaged")
    assert [list(each) for each in cx.load_suite(SUITE)] == built


def test_what_is_at_the_place_is_an_error_unless_forced(place: Place) -> None:
    place.write("suite/notes.txt", b"mine")
    for call in (build, partial(run, SUITE)):
        assert f"the folder {SUITE} is not empty" in refused(call)
    assert place.names() == ["notes.txt"]
    place.system.rm("/bucket/suite/notes.txt")
    build()
    place.use_machine("another")
    assert "contains a suite built from different input" in refused(build, limit=6)
    assert items() == 5
    done = place.order_of_copies()
    request = suite_request("word_overlap", [base_from_spec("builtin:demo", limit=6)])
    build_to_folder(request, work_path(SUITE), force=True)  # files that are no longer listed are removed
    assert done[1] == "-manifest.json", "a reader would find files of one suite and the manifest of another"
    assert place.names() == [BASE, "manifest.json", "word_overlap.builtin_demo.parquet"]


def test_an_interrupted_copy_is_no_suite_and_goes_on_or_is_replaced(place: Place) -> None:
    said = place.refused(2, build)
    assert "cannot be reached: ConnectionError: connection lost" in said
    assert place.names() == [".unfinished", BASE]
    assert f"{SUITE}: there is no manifest.json" in refused(FormatError, cx.load_suite, SUITE)
    here = work_path(SUITE) / BASE
    written = here.stat().st_ino
    place.refused(2, build)
    assert here.stat().st_ino == written, "it was built again"
    build(limit=7)  # another suite may follow one that was never copied
    assert items() == 7


def test_what_somebody_else_wrote_meanwhile_is_not_replaced(place: Place) -> None:
    finish = SuiteWriter.finish

    def slowly(self: Any, *arguments: Any, **facts: Any) -> None:
        place.write("suite/manifest.json", b'{"test_sets": {}}')
        finish(self, *arguments, **facts)

    place.patch.setattr(SuiteWriter, "finish", slowly)
    assert "another command has written to this place" in refused(build)
    assert place.read("suite/manifest.json") == b'{"test_sets": {}}'


def test_of_two_machines_that_write_to_a_place_the_later_one_does(place: Place) -> None:
    """The other machine begins when a file has been copied from this one, and ends afterwards."""

    def claim(name: str) -> None:
        if name == NEGATED:
            place.write("suite/.unfinished", b"of another machine")

    with pytest.MonkeyPatch.context() as two:
        place.on_copies(two, claim, MemoryFileSystem)
        assert "another command has begun to write to this place" in refused(build)
    assert place.names() == [".unfinished", BASE, NEGATED]
    assert place.read("suite/.unfinished") == b"of another machine"
    place.use_machine("another")
    assert len(build(limit=7).datasets["base.builtin_demo"]) == items() == 7


def test_of_two_commands_on_one_machine_the_second_is_refused(place: Place) -> None:
    with alone_in(work_path(SUITE), CrossexamError("in use")):
        assert "another process is building into this folder" in refused(build)
        assert place.names() == []


def test_a_claim_is_of_one_machine_and_the_other_leaves_it(place: Place) -> None:
    claims = set()
    for machine in ("one", "other"):
        place.use_machine(machine)
        place.refused(1, build)
        claims.add(place.read("suite/.unfinished"))
    assert len(claims) == 2

    def fail_late(bases: Any) -> None:
        place.write("suite/.unfinished", b"of another machine")
        raise ZeroDivisionError

    place.patch.setattr("crossexam.suites.build.distinct_parts", fail_late)
    refused(ZeroDivisionError, build, limit=6)
    assert place.read("suite/.unfinished") == b"of another machine"


def test_a_place_that_changes_while_it_is_read_is_an_error(place: Place) -> None:
    build()
    place.use_machine("another")
    get = MemoryFileSystem.get_file

    def get_file(self: Any, *arguments: Any, **more: Any) -> None:
        get(self, *arguments, **more)
        place.write("suite/manifest.json", b"{}")

    place.patch.setattr(MemoryFileSystem, "get_file", get_file)
    assert "was changed while it was read" in refused(cx.load_suite, SUITE)


def test_an_interrupted_run_goes_on_with_its_store(place: Place) -> None:
    place.refused(2, partial(run, RUN))
    found = run(RUN).manifest
    assert (found.asked_pairs, found.pairs_from_store) == (0, 324)


def test_a_report_is_copied_with_its_items_before_the_page(place: Place) -> None:
    place.write("x_items/0000-0123456789abcdef.js", b"older")
    place.patch.setattr(parts, "MOST_INSIDE", 10)
    done = place.order_of_copies()
    cx.report(cx.run("builtin/overlap", "builtin:demo")).save("memory://bucket/x.html")
    (part,) = place.names("x_items")
    assert done == [part, "x.html", "-0000-0123456789abcdef.js"]


def test_a_corpus_at_a_url_is_fetched_once_and_again_when_it_changes(place: Place) -> None:
    record = b'{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral"}\n'
    place.write("dev.jsonl", record)
    assert len(cx.load("memory://bucket/dev.jsonl")) == 1
    place.write("dev.jsonl", 2 * record)
    assert len(cx.load("memory://bucket/dev.jsonl[1:]")) == 1
    assert "no such file" in refused(cx.load, "memory://bucket/test.jsonl")


def test_a_place_that_cannot_be_written_is_an_error_before_any_work(place: Place) -> None:
    def model(pairs: object) -> None:
        pytest.fail("the model was asked")

    for error, message in (
        (PermissionError(errno.EACCES, "Access Denied"), "permission denied: .*Access Denied"),
        (OSError(errno.EROFS, "Read-only file system"), "this place is read-only"),
        (NotImplementedError(), "this place is read-only"),
        (FileNotFoundError("The bucket does not exist"), "cannot be reached: FileNotFound"),
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on the device"),
    ):
        said = place.refused(0, partial(cx.run, model, "builtin:demo", store=RUN), error)
        assert re.search(f"^{RUN}: .*{message}", said)
        assert place.names("runs/mine") == []


def test_a_folder_of_this_machine_may_be_named_by_a_url_too(tmp_path: Path, place: Place) -> None:
    done = place.order_of_copies(LocalFileSystem)
    folder = tmp_path / "shared disk" / "suite"
    url = folder.as_uri().replace("%20", " ")
    build(url)
    assert done[-2] == "manifest.json.part", "a reader would find half a manifest"
    place.use_machine("another")
    assert read_suite(copy_path(url)).datasets.keys() == cx.load_suite(folder).datasets.keys()
