"""The engine of one machine: several processes of it carry out tasks.

They are started afresh (spawned), not forked: a fork copies the locks that threads of pyarrow, torch or a
notebook hold at that moment, and waits for them forever.  The module that the user runs is not imported in
them, so that a script without ``if __name__ == "__main__"`` may use them; tasks are functions of the package.

A worker process ends with the process that started it, even if that is killed: each one waits, in a thread
of its own, for the end of a pipe that only that process holds open.  Ctrl-C is left to that process.

What processes need is imported when they are started, since most commands are carried out by one.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.errors import CrossexamError
from crossexam.engines.engine import Engine, InThisProcess, Result, Task

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection

Workers = int | Literal["auto"]

#: Tasks that are read ahead for each worker, so that none waits for the next one.
_AHEAD: Final = 2
#: How often workers are looked after while a result is awaited.
_LOOK_SECONDS: Final = 1.0


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    count = getattr(os, "process_cpu_count", None)  # since Python 3.13
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def local_engine(workers: Workers = "auto", *, worthwhile: int = 1) -> Engine:
    """Return the engine with so many *workers* on this machine; ``auto`` is one per available core.

    With ``auto`` there are processes only if there are at least *worthwhile* tasks: starting one costs as
    much as many a task.

    >>> local_engine(1).workers
    1
    """
    if workers == "auto":
        cores = available_cores()
        return InThisProcess() if cores == 1 else Processes(cores, worthwhile=worthwhile)
    return InThisProcess() if workers == 1 else Processes(workers)


@dataclass(frozen=True)
class Processes:
    """The engine of *workers* processes, which are started if there are at least *worthwhile* tasks."""

    workers: int
    worthwhile: int = 1

    @property
    def is_stated(self) -> bool:
        """Whether so many processes were asked for, and not as many as are worthwhile."""
        return self.worthwhile == 1

    def results(
        self,
        start: Callable[[], Callable[[Task], Result]],
        tasks: Iterable[Task],
        *,
        ordered: bool = True,
    ) -> Generator[Result]:
        """Yield the results of *tasks*, as :meth:`crossexam.engines.engine.Engine.results` says.

        *start*, the tasks and the results are pickled.  Raises what a task raises, and CrossexamError if a
        worker process is killed.
        """
        remaining = iter(tasks)
        first = list(islice(remaining, self.worthwhile))
        read = chain(first, remaining)
        if len(first) < self.worthwhile:
            yield from InThisProcess().results(start, read)
            return
        from concurrent.futures.process import BrokenProcessPool

        with _pool(self.workers, start) as pool:
            try:
                yield from _results(pool, read, self.workers * (1 + _AHEAD), ordered=ordered)
            except BrokenProcessPool:
                raise CrossexamError(
                    "a worker process was killed before it finished its work",
                    wanted=f"{self.workers} processes that run to their end",
                    hint="if memory ran out, use fewer: --workers 1 (workers=1) uses this process alone",
                ) from None


def _results(pool: ProcessPoolExecutor, tasks: Iterator[Task], most: int, *, ordered: bool) -> Iterator[Any]:
    """Yield the results of *tasks*, of which at most *most* are handed over at a time."""
    pending: deque[Future[Any]] = deque()
    while True:
        for task in islice(tasks, most - len(pending)):
            with _unimportable_main():
                pending.append(pool.submit(_carry_out, task))
        if not pending:
            return
        done = _finished(pool, [pending[0]] if ordered else pending)
        pending.rotate(-next(place for place, future in enumerate(pending) if future in done))
        yield pending.popleft().result()


def _finished(pool: ProcessPoolExecutor, futures: Collection[Future[Any]]) -> set[Future[Any]]:
    """Return those of *futures* that are finished, when there are any; raises BrokenProcessPool.

    The pool itself waits forever for the rest of a result if its worker is killed while it hands it over.
    """
    from concurrent.futures import FIRST_COMPLETED, wait
    from concurrent.futures.process import BrokenProcessPool

    while True:
        one_was_dead = _has_dead_worker(pool)
        done = wait(futures, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED).done
        if done:
            return done
        if one_was_dead:
            raise BrokenProcessPool


def _has_dead_worker(pool: ProcessPoolExecutor) -> bool:
    return any(not process.is_alive() for process in [*(getattr(pool, "_processes", None) or {}).values()])


@contextmanager
def _pool(workers: int, start: Callable[[], Callable[[Any], Any]]) -> Iterator[ProcessPoolExecutor]:
    """Provide a pool of processes; if the ``with`` ends early, they end at once."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("spawn")
    watched, lifeline = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(watched, start))
    try:
        yield pool
    except BaseException:
        lifeline.close()
        # With no writer left, the thread of the pool that waits for the rest of a result sees its end.
        if (results := getattr(pool, "_result_queue", None)) is not None:
            results._writer.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        lifeline.close()
        watched.close()


@contextmanager
def _unimportable_main() -> Iterator[None]:
    """Keep processes that are started in the ``with`` from importing the module that the user runs."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


# In a worker process: how it starts, and what carries out its tasks once it has started.
_start: Callable[[], Callable[[Any], Any]] | None = None
_started: Callable[[Any], Any] | None = None


def _begin(watched: Connection, start: Callable[[], Callable[[Any], Any]]) -> None:
    """Prepare a worker process; *start* is called with the first task, so that what it raises is a result."""
    global _start
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(watched,), daemon=True).start()
    _start = start


def _end_with(watched: Connection) -> None:
    """End this process when the other end of *watched* is closed."""
    try:
        watched.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


def _carry_out(task: Any) -> Any:
    global _started
    if _started is None:
        assert _start is not None, "a worker begins with _begin"
        _started = _start()
    return _started(task)
