"""A folder holds one run: what is added, refused, replaced or taken as it is, and who may write."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.models.chunking import Chunking
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.folder import run_into_folder
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.cases import refused
from made.models import Fixed, Reader
from made.runs import assert_same_answers
from made.suites import BASE, MORE


def run(dataset: Dataset | Suite, folder: Path, **arguments: object) -> Run:
    return run_into_folder("builtin/overlap", dataset, folder, **arguments)  # type: ignore[arg-type]


def test_another_test_set_is_added(tmp_path: Path) -> None:
    run(BASE, tmp_path / "run")
    both = run(MORE, tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    whole = predict_suite("builtin/overlap", Suite("s", {"base.tiny": BASE, "more.tiny": MORE}))
    for each in (both, loaded):
        assert_same_answers(each, whole)
    counts = ("distinct_pairs", "asked_pairs", "pairs_from_store")
    assert [getattr(loaded.manifest, name) for name in counts] == [4, 1, 3]  # DOG is in both sets
    replaced = run(MORE, tmp_path / "run", force=True)  # which keeps the store
    assert replaced.manifest.pairs_from_store == 2
    assert list(read_run(tmp_path / "run").datasets) == ["more.tiny"]


def asked(dataset: Dataset | Suite, folder: Path, **arguments: Any) -> tuple[Run, int]:
    """The run in *folder* after one more, and how many pairs were asked."""
    model = Reader()
    return run_into_folder(model, dataset, folder, **arguments), len(model.asked)


def test_a_finished_run_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked up or written, whatever it was asked with."""

    def forbidden(*_: object) -> None:
        raise AssertionError("an answer was looked up, or predictions were written")

    suite = Suite("s", {"base.tiny": BASE, "more.tiny": MORE})
    ways: list[dict[str, Any]] = [{"limit": 2}, {"chunking": Chunking("sentences:1")}]
    first = [asked(suite, tmp_path / str(n), **way) for n, way in enumerate(ways)]
    monkeypatch.setattr(AnswerStore, "look_up", forbidden)
    monkeypatch.setattr("crossexam.runs.folder._write_predictions", forbidden)
    for n, (before, count) in enumerate(first):
        again, none = asked(suite, tmp_path / str(n), **ways[n])
        assert (again.manifest.asked_pairs, again.manifest.pairs_from_store, none) == (0, count, 0)
        assert_same_answers(again, before)
        assert again.manifest.test_sets == before.manifest.test_sets


def test_a_run_without_its_store_is_asked_again(tmp_path: Path) -> None:
    """Whoever removes the store asks the model again, and means all pairs even if that is interrupted."""
    _, count = asked(BASE, tmp_path)
    (tmp_path / FILE_NAME).unlink()
    with AnswerStore(tmp_path / FILE_NAME, Reader.key, Reader.name):
        pass  # as if it was interrupted at once
    assert asked(BASE, tmp_path)[1] == count == 3


def test_a_model_that_is_another_now_or_asked_otherwise_is_refused(tmp_path: Path) -> None:
    run_into_folder(Fixed("api/asked", key="one", answer="choice"), BASE, tmp_path)
    said = refused(run_into_folder, Fixed("api/asked", key="two", answer="choice"), MORE, tmp_path)
    assert "a run of an earlier api/asked: " in said
    assert "a run of api/asked, not of builtin/overlap" in refused(run, BASE, tmp_path)
    otherwise = Fixed("api/asked", key="two", answer="text", shots={"count": 4})
    said = refused(run_into_folder, otherwise, BASE, tmp_path)
    assert 'answer: "choice" there, "text" here; shots: not set there, 4 here' in said
    assert read_run(tmp_path).manifest.model_key == "one"


def test_a_run_with_a_limit_grows_and_its_sets_have_one_limit(tmp_path: Path) -> None:
    run(BASE, tmp_path, limit=1)
    assert read_run(tmp_path).manifest.limit == 1
    said = refused(run, MORE, tmp_path)
    assert "this one with no limit, and the folder has other test sets: base.tiny" in said
    grown = run(BASE, tmp_path)
    assert len(read_run(tmp_path).datasets[BASE.name]) == 3
    assert (grown.manifest.pairs_from_store, grown.manifest.limit) == (1, None)


def test_a_save_that_fails_leaves_the_earlier_run(tmp_path: Path, monkeypatch: Any) -> None:
    run(BASE, tmp_path)
    stale = tmp_path / "predictions" / ".base.tiny.parquet.abc.part"
    stale.write_bytes(b"half")  # of a save that was killed

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("crossexam.runs.folder._write_predictions", full)
    assert "No space left" in refused(OSError, run, MORE, tmp_path)
    assert list(read_run(tmp_path).datasets) == ["base.tiny"]
    assert "No space left" in refused(OSError, run, MORE, tmp_path, force=True)
    monkeypatch.undo()
    run(MORE, tmp_path)
    assert not stale.exists()


BLOCKED = """
import sys
from pathlib import Path
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.runs.folder import run_into_folder

def judge(pairs):
    print("inside", flush=True)
    sys.stdin.readline()
    return ["neutral"] * len(pairs)

run_into_folder(judge, Dataset("d", (Example("1", "p", "h", None),)), Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
@pytest.mark.parametrize("killed", [False, True])
def test_a_second_process_gets_one_error_until_the_first_has_ended_or_is_killed(
    tmp_path: Path, killed: bool
) -> None:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen((sys.executable, "-c", BLOCKED, str(tmp_path)), **pipes) as first:
        assert first.stdout.readline() == "inside\n"
        said = refused(run, BASE, tmp_path)
        assert said.startswith(f"{tmp_path}: another process is writing to this folder")
        if killed:
            first.kill()
        else:
            first.communicate("go on\n")
    assert (first.returncode == 0) is not killed
    assert (tmp_path / ".lock").exists() is killed
    if killed:
        run(BASE, tmp_path)
    assert list(read_run(tmp_path).datasets) == (["base.tiny"] if killed else ["d"])
