"""What an engine is: it carries out independent tasks, in this process, in several, or on a cluster.

An engine knows nothing of test sets and models.  It is given a function that starts a worker and a stream of
tasks; each worker is started once and then carries out task after task, so that what is expensive to load (a
tagger, a checkpoint) is loaded once per worker.  Results do not depend on the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


class Engine(Protocol):
    """What carries out tasks.

    ``workers`` is the number of tasks that are carried out at the same time.
    """

    @property
    def workers(self) -> int: ...

    def results(
        self,
        start: Callable[[], Callable[[Task], Result]],
        tasks: Iterable[Task],
        *,
        ordered: bool = True,
    ) -> Generator[Result]:
        """Yield the result of each of *tasks*: in their order, or, unless *ordered*, as they are finished.

        *start* is called once in each worker, and returns the function that carries out a task.  It, the
        tasks and their results can be pickled if the workers are other processes.  *tasks* is read only a few
        tasks per worker ahead.  What a task raises is raised here, and no further task is begun.
        """
        ...


class InThisProcess:
    """The engine that carries out one task after the other.

    >>> list(InThisProcess().results(lambda: str.upper, ["a", "b"]))
    ['A', 'B']
    """

    workers = 1

    def results(
        self,
        start: Callable[[], Callable[[Task], Result]],
        tasks: Iterable[Task],
        *,
        ordered: bool = True,
    ) -> Generator[Result]:
        """Yield the result of each of *tasks*, in their order."""
        carry_out = start()
        for task in tasks:
            yield carry_out(task)
