"""A folder holds one run: what is added, what is refused, what is replaced, and who may write."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.locks import alone_in
from crossexam.core.sealed import write_manifest
from crossexam.core.test_sets import read_suite, write_test_set
from crossexam.runs import folder as folders
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.folder import run_into_folder, save_run
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run, read_runs

SLEEP = Example("1", "A man sleeps.", "A man sleeps.", "entailment")
NEVER = Example("2", "A man sleeps.", "A man never sleeps.", "contradiction")
DOG = Example("3", "A man sleeps.", "A dog sleeps.", "neutral")
RAIN = Example("4", "It rains.", "It is wet.", "neutral")
BASE = Dataset("base.tiny", (SLEEP, NEVER, DOG))
MORE = Dataset("more.tiny", (DOG, RAIN))
WAY_OUT = r"\n  hint: choose another -o, or --force \(in Python, force=True\) to replace the run"


def run(dataset: Dataset | Suite, folder: Path, **arguments: object) -> Run:
    return run_into_folder("builtin/overlap", dataset, folder, **arguments)  # type: ignore[arg-type]


def lines(run: Run) -> dict[str, list[list[float]]]:
    return {name: table.tolist() for name, table in run.probabilities.items()}


def test_another_test_set_is_added(tmp_path: Path) -> None:
    run(BASE, tmp_path / "run")
    both = run(MORE, tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    whole = predict_suite("builtin/overlap", Suite("s", {"base.tiny": BASE, "more.tiny": MORE}))
    assert lines(both) == lines(loaded) == lines(whole)
    counts = ("distinct_pairs", "asked_pairs", "pairs_from_store")
    assert [loaded.manifest[name] for name in counts] == [4, 1, 3]  # DOG is in both sets


def test_test_sets_in_one_file_are_one_object_of_several_runs(tmp_path: Path) -> None:
    write_test_set(tmp_path / "base.tiny.parquet", BASE)
    suite = read_suite(tmp_path / "base.tiny.parquet")
    folders = [tmp_path / name for name in ("overlap", "majority", "limited", "in memory")]
    run(suite, folders[0])
    run_into_folder("builtin/majority", suite, folders[1])
    run(suite, folders[2], limit=2)
    run(Dataset("base.tiny", tuple(suite.datasets["base.tiny"])), folders[3])
    first, *others = read_runs(folders)
    shared = [other.datasets["base.tiny"] is first.datasets["base.tiny"] for other in others]
    assert shared == [True, False, False]
    for folder, loaded in zip(folders, [first, *others], strict=True):
        assert lines(loaded) == lines(read_run(folder))
        assert loaded.datasets["base.tiny"].examples == read_run(folder).datasets["base.tiny"].examples


def test_added_sets_are_kept_when_the_first_ones_are_run_again(tmp_path: Path) -> None:
    for dataset in (BASE, MORE, BASE):
        run(dataset, tmp_path)
    assert sorted(read_run(tmp_path).datasets) == ["base.tiny", "more.tiny"]


def test_a_model_that_changed_is_not_mixed_with_what_it_was(tmp_path: Path) -> None:
    class Changing:
        name, key, details = "changing", "one", {}

        def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            return np.tile([0.0, 1.0, 0.0], (len(pairs), 1))

    run_into_folder(Changing(), BASE, tmp_path)
    changed = Changing()
    changed.key = "two"  # type: ignore[misc]
    for dataset in (BASE, MORE):
        with pytest.raises(
            CrossexamError, match=f"a run of an earlier changing: .* have changed since{WAY_OUT}"
        ):
            run_into_folder(changed, dataset, tmp_path)
    with pytest.raises(CrossexamError, match=f"this folder contains a run of changing, not of .*{WAY_OUT}"):
        run(BASE, tmp_path)
    assert read_run(tmp_path).manifest["model_key"] == "one"


def test_a_model_that_is_asked_otherwise_is_refused_with_the_options_that_differ(tmp_path: Path) -> None:
    class Asked:
        name = "api/asked"

        def __init__(self, answer: str, **facts: Any) -> None:
            self.key = answer
            self.details = {"endpoint": "http://127.0.0.1/v1", "answer": answer, **facts}

        def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            return np.tile([0.0, 1.0, 0.0], (len(pairs), 1))

    run_into_folder(Asked("choice"), BASE, tmp_path)
    other = Asked("text", shots={"count": 4})
    with pytest.raises(CrossexamError) as refused:
        run_into_folder(other, BASE, tmp_path)
    assert refused.value.what == (
        "this folder contains a run of api/asked with other options: "
        'answer: "choice" there, "text" here; shots: not set there, 4 here'
    )


def test_other_items_of_the_same_name_are_refused(tmp_path: Path) -> None:
    run(BASE, tmp_path)
    other = Dataset(BASE.name, (NEVER, SLEEP, DOG))
    with pytest.raises(
        CrossexamError, match=f"a run over 3 other items that are also called 'base.tiny'{WAY_OUT}"
    ):
        run(other, tmp_path)
    with pytest.raises(CrossexamError, match="a run over 3 other items"):
        run(BASE, tmp_path, limit=2)
    assert list(read_run(tmp_path).datasets[BASE.name]) == list(BASE)


def test_a_run_with_a_limit_grows(tmp_path: Path) -> None:
    run(BASE, tmp_path, limit=1)
    assert read_run(tmp_path).manifest["limit"] == 1
    grown = run(BASE, tmp_path)
    assert len(read_run(tmp_path).datasets[BASE.name]) == 3
    assert (grown.manifest["pairs_from_store"], grown.manifest.get("limit")) == (1, None)


def test_sets_of_two_limits_are_not_one_run(tmp_path: Path) -> None:
    run(BASE, tmp_path, limit=1)
    with pytest.raises(
        CrossexamError,
        match=rf"this one with no limit, and the folder has other test sets: base.tiny{WAY_OUT}",
    ):
        run(MORE, tmp_path)
    run(MORE, tmp_path, limit=1)
    assert [len(data) for data in read_run(tmp_path).datasets.values()] == [1, 1]


def test_force_replaces_the_run_and_keeps_the_store(tmp_path: Path) -> None:
    run(Suite("s", {"base.tiny": BASE, "more.tiny": MORE}), tmp_path)
    replaced = run(MORE, tmp_path, force=True)
    assert replaced.manifest["pairs_from_store"] == 2
    assert list(read_run(tmp_path).datasets) == ["more.tiny"]
    assert sorted(path.name for path in tmp_path.rglob("*.parquet")) == ["more.tiny.parquet"] * 2


def test_saving_refuses_to_lose_test_sets(tmp_path: Path) -> None:
    run(BASE, tmp_path)
    with pytest.raises(CrossexamError, match=f"test sets that the new one lacks: base.tiny{WAY_OUT}"):
        save_run(predict_suite("builtin/overlap", MORE), tmp_path)
    assert list(read_run(tmp_path).datasets) == ["base.tiny"]


def test_a_save_that_fails_leaves_the_earlier_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(BASE, tmp_path)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("crossexam.runs.folder._write_predictions", full)
    with pytest.raises(OSError, match="No space left"):
        run(MORE, tmp_path)
    assert list(read_run(tmp_path).datasets) == ["base.tiny"]
    with pytest.raises(OSError, match="No space left"):
        run(MORE, tmp_path, force=True)
    with pytest.raises(FormatError, match="this is not a run, or it was not finished"):
        read_run(tmp_path)


def test_what_a_killed_save_left_is_swept(tmp_path: Path) -> None:
    run(BASE, tmp_path)
    stale = tmp_path / "predictions" / ".base.tiny.parquet.abc.part"
    stale.write_bytes(b"half")
    run(MORE, tmp_path)
    assert not stale.exists()


def test_the_python_function_adds_refuses_and_replaces(tmp_path: Path) -> None:
    cx.run("builtin/overlap", BASE, store=tmp_path)
    assert list(cx.run("builtin/overlap", MORE, store=tmp_path).datasets) == ["base.tiny", "more.tiny"]
    with pytest.raises(CrossexamError, match="this folder contains a run of builtin/overlap"):
        cx.run("builtin/majority", MORE, store=tmp_path)
    assert cx.run("builtin/majority", MORE, store=tmp_path, force=True).model == "builtin/majority"


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CrossexamError, match="contains files, but they are not from a run"):
        run(BASE, tmp_path, force=True)
    write_manifest(tmp_path / "manifest.json", {"name": "tiny", "test_sets": {}})
    with pytest.raises(CrossexamError, match="this is the folder of a suite, not of a run"):
        run(BASE, tmp_path, force=True)


def test_who_comes_second_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find that there is no folder yet; the one without the lock must leave the store of the other."""
    folder = tmp_path / "run"

    @contextmanager
    def overtaken(path: Path, busy: CrossexamError) -> Iterator[None]:
        monkeypatch.undo()
        with (
            alone_in(path, CrossexamError("in use")),
            AnswerStore(folder / FILE_NAME, "key", "model"),  # without predictions so far
            alone_in(path, busy),
        ):
            yield

    monkeypatch.setattr(folders, "alone_in", overtaken)
    with pytest.raises(CrossexamError, match="another process is writing to this folder"):
        run(BASE, folder)
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


BLOCKED = """
import sys
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.runs.folder import run_into_folder

def judge(pairs):
    print("inside", flush=True)
    sys.stdin.readline()
    return ["neutral"] * len(pairs)

run_into_folder(judge, Dataset("d", (Example("1", "p", "h", None),)), __import__("pathlib").Path(sys.argv[1]))
"""


def test_a_second_process_gets_one_error(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = (sys.executable, "-c", BLOCKED, str(folder))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as first:  # type: ignore[call-overload]
        assert first.stdout.readline() == "inside\n"
        write_test_set(tmp_path / "base.tiny.parquet", BASE)
        arguments = ("run", "builtin/overlap", str(tmp_path / "base.tiny.parquet"), "-o", str(folder))
        second = subprocess.run(
            (sys.executable, "-m", "crossexam.cli.main", *arguments),
            capture_output=True,
            text=True,
            check=False,
        )
        first.communicate("go on\n")
    assert first.returncode == 0
    assert (second.returncode, second.stdout) == (2, "")
    assert second.stderr == (
        f"crossexam: {folder}: another process is writing to this folder\n"
        "  hint: wait until it has finished, or choose another -o\n"
    )
    assert list(read_run(folder).datasets) == ["d"]


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen((sys.executable, "-c", BLOCKED, str(tmp_path)), **pipes) as first:  # type: ignore[call-overload]
        assert first.stdout.readline() == "inside\n"
        with pytest.raises(CrossexamError, match="another process is writing to this folder"):
            run(BASE, tmp_path)
        first.kill()
    assert (tmp_path / ".lock").exists()
    run(BASE, tmp_path)


def test_a_file_system_without_locks_gets_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("crossexam.core.locks._lock", unsupported)
    with (
        pytest.warns(UserWarning, match="cannot be locked"),
        alone_in(tmp_path, CrossexamError("in use")),
    ):
        pass


def test_predictions_changed_after_the_run_are_refused(tmp_path: Path) -> None:
    run(BASE, tmp_path)
    path = tmp_path / "predictions" / "base.tiny.parquet"
    pl.read_parquet(path).with_columns(p_neutral=pl.lit(0.0)).write_parquet(path)
    with pytest.raises(
        FormatError, match=r"base.tiny.parquet: the predictions were changed after the run\n  hint: repeat"
    ):
        read_run(tmp_path)
    run(BASE, tmp_path)
    assert len(read_run(tmp_path).datasets) == 1


def test_kept_sets_are_read_from_their_suite(tmp_path: Path) -> None:
    write_test_set(tmp_path / "base.tiny.parquet", BASE)
    run(read_suite(tmp_path / "base.tiny.parquet"), tmp_path / "run")
    (tmp_path / "base.tiny.parquet").unlink()
    with pytest.raises(FormatError, match=r"the items of test set 'base.tiny' are missing"):
        run(MORE, tmp_path / "run")
