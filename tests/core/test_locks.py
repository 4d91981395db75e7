"""Files that are whole or absent, locks, and suites that are joined."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core import locks
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, new_folder
from crossexam.core.locks import alone_in, sweep, waiting_for
from crossexam.core.test_sets import read_suites, write_test_set

ITEMS = [Example("a", "It rains.", "It is wet.", "entailment")]


def test_a_failed_writing_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with contextlib.suppress(KeyboardInterrupt), finished_or_absent(path) as temporary:
        temporary.write_text("half")
        temporary.unlink()  # this must not hide the error
        raise KeyboardInterrupt
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    """Nobody holds the lock on it; what somebody else writes at the same time stays."""
    path = tmp_path / "a.txt"
    stale, of_another = tmp_path / ".a.txt.k1ll3d00.part", tmp_path / ".b.txt.k1ll3d00.part"
    for each in (stale, of_another):
        each.write_text("half")
    with finished_or_absent(path) as one, finished_or_absent(path) as other:
        assert not stale.exists()
        sweep(tmp_path)
        assert not of_another.exists()
        assert sorted([one, other]) == sorted(tmp_path.iterdir())
        other.write_text("first")
        one.write_text("second")
    assert [each.read_text() for each in tmp_path.iterdir()] == ["second"]
    of_another.touch()
    with alone_in(tmp_path, CrossexamError("in use")):
        assert not of_another.exists()


def test_a_folder_is_taken_over_from_a_killed_process_and_whole_or_absent(tmp_path: Path) -> None:
    staging, new = tmp_path / ".new.part", tmp_path / "new"
    (staging / "inner").mkdir(parents=True)
    (staging / "inner" / "half").write_text("half")
    with new_folder(new, purpose="testing") as folder:
        (folder / "a").write_text("whole")
        with pytest.raises(CrossexamError, match="new: another process is testing into it"):
            new_folder(new, purpose="testing").__enter__()
    with contextlib.suppress(KeyboardInterrupt), new_folder(tmp_path / "other", purpose="testing") as folder:
        (folder / "a").write_text("half")
        raise KeyboardInterrupt
    assert [str(each.relative_to(tmp_path)) for each in sorted(tmp_path.rglob("*"))] == ["new", "new/a"]


def test_a_lock_on_a_file_that_is_gone_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who held it has finished and removed the file and its folder."""
    folder, lock, busy = tmp_path / "new", locks._lock, CrossexamError("in use")

    def late(stream: Any) -> None:
        monkeypatch.undo()
        (folder / ".lock").unlink()
        folder.rmdir()
        lock(stream)

    monkeypatch.setattr(locks, "_lock", late)
    with alone_in(folder, busy), pytest.raises(CrossexamError, match="in use"), alone_in(folder, busy):
        pass
    assert list(folder.iterdir()) == []


def test_what_is_locked_is_a_folder_which_goes_with_an_error_unless_it_has_files(tmp_path: Path) -> None:
    file, folder, busy = tmp_path / "a.txt", tmp_path / "new" / "folder", CrossexamError("in use")
    for content in (None, "kept"):
        with contextlib.suppress(KeyboardInterrupt), alone_in(folder, busy):
            if content is not None:
                (folder / "a").write_text(content)
            raise KeyboardInterrupt
        assert [each.name for each in tmp_path.rglob("*")] == (["new", "folder", "a"] if content else [])
    file.touch()
    with alone_in(file, busy, if_possible=True):
        pass
    with pytest.raises(FileExistsError), alone_in(file, busy):
        pass


def test_suites_are_joined_if_their_test_sets_have_names_of_their_own(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    paths = [tmp_path / "x" / "one.jsonl", tmp_path / "x" / "two.jsonl", tmp_path / "y" / "one.jsonl"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        write_test_set(path, ITEMS, file_format="jsonl")
    joined = read_suites(paths)
    assert list(joined.datasets) == ["one", "two"]  # the same items twice are one set
    write_test_set(paths[2], [Example("b", "It snows.", "It is cold.", "neutral")], file_format="jsonl")
    said = refused(read_suites, paths)
    assert said.startswith(f"{paths[2]}: two test sets with different items are both called 'one'")


def test_who_waits_for_a_lock_gets_it_when_it_is_released(tmp_path: Path) -> None:
    order, begun = list[str](), threading.Event()

    def wait() -> None:
        begun.set()
        with waiting_for(tmp_path):
            order.append("second")

    with waiting_for(tmp_path):
        other = threading.Thread(target=wait)
        other.start()
        begun.wait()
        order.append("first")
    other.join()
    assert order == ["first", "second"]
