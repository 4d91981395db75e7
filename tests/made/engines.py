"""What workers of engines do in tests: square, raise, fail to start, be killed, and never end."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from crossexam.core.errors import UnknownNameError

ERROR = UnknownNameError("tagger", "spcy", ["spacy"])


def squaring() -> Callable[[int], tuple[int, int]]:
    """Start a worker that squares numbers, the first of them last, and tells which process it is."""

    def work(number: int) -> tuple[int, int]:
        time.sleep(0.3 * (number == 0))
        return number * number, os.getpid()

    return work


def raising(error: Exception = ERROR) -> Callable[[int], int]:
    """Start a worker that raises an error at 3."""

    def work(number: int) -> int:
        if number == 3:
            raise error
        return number

    return work


def failing() -> Callable[[int], int]:
    """Fail to start a worker."""
    raise ERROR


def killed_at(number: int, mark: Path) -> Callable[[int], int]:
    """Start a worker that is killed at *number*, as when memory runs out: once, if *mark* is a path."""

    def work(task: int) -> int:
        if task == number and not mark.exists():
            mark.parent.is_dir() and mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    return work


def stuck() -> Callable[[int], None]:
    """Start a worker whose task ends with its process only."""

    def work(_: int) -> None:
        os.write(1, b"begun\n")
        signal.pause()

    return work
