"""Locks on folders: who waits for them, who is refused, and what is left of them."""

import contextlib
import errno
import threading
from pathlib import Path
from typing import Any

import pytest

from crossexam.core import locks
from crossexam.core.errors import CrossexamError
from crossexam.core.locks import alone_in, waiting_for


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


def test_a_file_system_without_locks_gets_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("crossexam.core.locks._lock", unsupported)
    with pytest.warns(UserWarning, match="cannot be locked"), alone_in(tmp_path, CrossexamError("in use")):
        pass
