"""A file, or a folder, is written completely or not at all."""

import contextlib
from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.files import finished_or_absent, new_folder
from crossexam.core.locks import alone_in, sweep


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
