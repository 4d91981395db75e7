"""Progress elsewhere than on a terminal: a line every few seconds, by a clock that the test sets."""

from __future__ import annotations

import pytest

from crossexam.cli.console import QUIET_SECONDS, progress_bar
from crossexam.cli.neural import training_progress
from crossexam.core.progress import AtMost
from crossexam.training.request import Status


class Clock:
    """A clock that goes on by *seconds* whenever it is asked."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.now = seconds, 0.0

    def __call__(self) -> float:
        self.now += self.seconds
        return self.now


def test_running_and_building_are_not_silent_unless_they_are_short(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_bar(Clock(QUIET_SECONDS / 2)) as progress:
        for done in range(5):
            progress("running builtin/overlap", done, 4_000)
        for _ in range(2):
            progress("running builtin/overlap", 4_000, 4_000)
        progress("reading", 1_234, None)
        progress("running", 5, AtMost(4_000))
        progress("running", 6, AtMost(3_000))
    with progress_bar(Clock(0.1)) as progress, training_progress(Clock(0.1)) as watch:
        for done in range(100):
            progress("running", done, 100)
            watch(Status(1, 3, done, 1_000, done, 0.5, 20.0, 130.0, None))
    assert capsys.readouterr().err.splitlines() == [
        "running builtin/overlap: 1 of 4,000",
        "running builtin/overlap: 3 of 4,000",
        "running builtin/overlap: 4,000 of 4,000",
        "reading: 1,234",
        "running: 6 of at most 3,000",
    ]
