"""What the script that kills runs calls wrong."""

from __future__ import annotations

from crowd import _is_wrong
from kill_runs import _misconduct


def test_only_the_batch_that_was_being_stored_may_be_missing() -> None:
    assert _misconduct([["a", "b"], ["c"]], {"d"}, {"a", "b", "d"}) == ""
    assert "asked again although stored: ['a']" in _misconduct([["a"]], {"a"}, {"a"})
    assert "answered and not stored: ['b']" in _misconduct([["a", "b"], ["c"]], set(), {"a", "c"})
    assert "no longer stored: ['a']" in _misconduct([], {"a"}, set())


def test_in_a_crowd_a_run_finishes_or_says_that_the_folder_is_not_free() -> None:
    assert not _is_wrong(0, "written: out")
    assert not _is_wrong(2, "crossexam: out: another process is writing\nto this folder")
    assert not _is_wrong(2, "crossexam: out: this folder contains a run of py/a:b, not of py/c:d")
    assert _is_wrong(2, "crossexam: out: no such file or directory")
    assert _is_wrong(3, "another process is writing to this folder")
