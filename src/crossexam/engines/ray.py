"""The engine of a Ray cluster: actors on its nodes carry out tasks.

Ray places the actors, starts them again elsewhere if their process or node is killed, moves tasks and results
through its object store, and reports what is finished.  Here, an idle actor is given the next task, and the
task of an actor that was lost is given to another one: Ray itself would keep it for the lost actor, which may
wait for a place forever if its node does not come back.

At most one task per actor is under way, so that a lost actor costs one task, and the driver holds a few tasks
and results per actor however many there are.  Actors belong to the driver: they end with it, even if it is
killed.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.manifest import package_version
from crossexam.core.progress import Note, unheard
from crossexam.engines.engine import Result, Task

#: How often a task is begun before it is taken to be the task that kills its workers.
MOST_ATTEMPTS: Final = 10
#: How many actors in a row may end for good before they begin.
MOST_FAILED_STARTS: Final = 3
#: Results that are kept, per worker, for the task before them.
_AHEAD: Final = 3
#: Seconds without any worker before a note says so.
_PATIENCE: Final = 30.0
_REACHABLE_SECONDS: Final = 10.0
#: Variables of the environment that tasks depend on and that nodes take from the driver.
_PASSED_ON: Final = ("CROSSEXAM_DATA", "HF_HUB_OFFLINE")
#: Before what is compressed: its length without compression.
_LENGTH_BYTES: Final = 8
#: What Ray takes as the address of a cluster that it starts.
_OWN: Final = "local"
_DOCUMENTATION: Final = "docs/scale.md explains how to set up a cluster"


@dataclass(frozen=True)
class RayEngine:
    """The engine of the Ray cluster at *address*: ``HOST:PORT``, or ``auto`` for the one of this machine.

    Without an address it is the cluster that this process is connected to, or the one that ``RAY_ADDRESS``
    names, or else one that is started on this machine and ends with the process.  A worker is an actor with
    *num_cpus* CPUs and *num_gpus* GPUs; there are as many as the nodes have place for, or *stated_workers*,
    which an autoscaler may first have to make place for.  *note* gets what was joined or started, and if
    no worker finds a place for long.
    """

    address: str | None = None
    stated_workers: int | None = None
    num_cpus: float = 1.0
    num_gpus: float = 0.0
    note: Note = unheard

    def __post_init__(self) -> None:
        for name in ("num_cpus", "num_gpus"):
            count = getattr(self, name)
            if not 0 <= count < float("inf") or (count > 1 and count != int(count)):
                raise CrossexamError(f"{name} is {count}", wanted="a whole number, or a share of one")
        if not self.num_cpus and not self.num_gpus:
            raise CrossexamError("a worker has neither CPUs nor GPUs", wanted="num_cpus or num_gpus above 0")

    @property
    def workers(self) -> int:
        """The number of actors; raises CrossexamError if the cluster cannot be reached or has no place."""
        _connect(self.address, self.note)
        return self.stated_workers or self._places()

    def results(
        self,
        start: Callable[[], Callable[[Task], Result]],
        tasks: Iterable[Task],
        *,
        ordered: bool = True,
    ) -> Generator[Result]:
        """Yield the results of *tasks*, as :meth:`crossexam.engines.engine.Engine.results` says.

        *start*, the tasks and the results are pickled.  A task whose worker is killed is carried out again by
        another one.  Raises what a task raises, and CrossexamError if a task was begun MOST_ATTEMPTS times or
        workers cannot be started.
        """
        remaining = iter(tasks)
        first = list(islice(remaining, workers := self.workers))
        actors = _Actors(self, min(workers, len(first)), start)
        try:
            yield from _results(actors, chain(first, remaining), ordered=ordered)
        finally:
            actors.end()

    def _places(self) -> int:
        """Return how many workers the nodes of the cluster have place for."""
        import ray

        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        needs = {"CPU": self.num_cpus, "GPU": self.num_gpus}
        wanted = {name: need for name, need in needs.items() if need}
        places = sum(min(int(node.get(n, 0) / need) for n, need in wanted.items()) for node in nodes)
        if not places:
            largest = {name: max((node.get(name, 0) for node in nodes), default=0) for name in wanted}
            most = " and ".join(f"{count:g} {name}s" for name, count in largest.items())
            raise CrossexamError(
                f"the Ray cluster has no place for a worker: no node has more than {most}",
                wanted=" and ".join(f"{need:g} {name}s" for name, need in wanted.items()),
                hint="lower --num-cpus or --num-gpus, or add nodes; if an autoscaler adds them, state the "
                "number of workers: --workers N",
            )
        return places


class _Numbered(NamedTuple):
    number: int
    task: Any
    attempts: int = 0


def _results(actors: _Actors, tasks: Iterator[Any], *, ordered: bool) -> Iterator[Any]:
    """Yield the results of *tasks*; an idle actor is given the next one before any result is yielded."""
    numbered = (_Numbered(number, task) for number, task in enumerate(tasks))
    waiting = next(numbered, None)
    kept: dict[int, Any] = {}
    turn, most = 0, actors.count * _AHEAD
    while True:
        actors.give_again()
        while waiting is not None and actors.has_idle() and len(kept) < most:
            actors.give(waiting)
            waiting = next(numbered, None)
        if waiting is None and not actors.has_tasks():
            return
        for number, result in actors.finished():
            if not ordered:
                yield result
                continue
            kept[number] = result
            while turn in kept:
                yield kept.pop(turn)
                turn += 1


class _Actors:
    """The actors of an engine, and what each of them does."""

    def __init__(self, engine: RayEngine, count: int, start: Callable[[], Callable[[Any], Any]]) -> None:
        import ray

        self.count, self._note = count, engine.note
        self._begin = ray.put(_Beginning.here(start))
        self._class = ray.remote(num_cpus=engine.num_cpus, num_gpus=engine.num_gpus, max_restarts=-1)(_Worker)
        self._failed_starts = 0
        self._idle: deque[Any] = deque()
        self._lost: deque[_Numbered] = deque()
        #: What each actor does, by the reference to its result; None: it begins, or begins again.
        self._under_way: dict[Any, tuple[Any, _Numbered | None]] = {}
        self._all: list[Any] = []
        for _ in range(count):
            self._add()

    def _add(self) -> None:
        """Add an actor."""
        self._all.append(self._class.remote())
        self._prepare(self._all[-1])

    def _prepare(self, actor: Any) -> None:
        """Have *actor* start work; Ray repeats this until the actor has a place and is alive."""
        reference = actor.begin.options(max_task_retries=-1).remote(self._begin)
        self._under_way[reference] = (actor, None)

    def has_idle(self) -> bool:
        """Return whether an actor waits for a task."""
        return bool(self._idle)

    def give_again(self) -> None:
        """Give the tasks of lost actors to idle ones."""
        while self._idle and self._lost:
            self.give(self._lost.popleft())

    def give(self, given: _Numbered) -> None:
        """Give a task to an idle actor."""
        actor = self._idle.popleft()
        self._under_way[actor.carry_out.remote(_packed(given.task))] = (actor, given)

    def has_tasks(self) -> bool:
        """Return whether tasks are to be finished."""
        return bool(self._lost) or any(given for _, given in self._under_way.values())

    def finished(self) -> Iterator[tuple[int, Any]]:
        """Wait, and yield the number and the result of each task that is finished."""
        import ray

        for reference in self._ready():
            actor, given = self._under_way.pop(reference)
            try:
                result = ray.get(reference)
            except ray.exceptions.RayTaskError as error:
                if not isinstance(error.cause, _NotBegunError):
                    raise error.cause from error
                self._replace(actor, given, error)
            except _lost_errors() as error:
                self._replace(actor, given, error)
            else:
                self._idle.append(actor)
                self._failed_starts = 0
                if given is not None:
                    yield given.number, _unpacked(result)

    def _ready(self) -> list[Any]:
        """Return at least one reference whose result is there, and all others of which this is so."""
        import ray

        while True:
            references = list(self._under_way)
            ready, _ = ray.wait(references, timeout=_PATIENCE)
            if ready:
                found: list[Any] = ray.wait(references, num_returns=len(references), timeout=0)[0]
                return found
            if not any(given for _, given in self._under_way.values()):
                self._note("no worker has started on the Ray cluster yet; waiting for one")

    def _replace(self, actor: Any, given: _Numbered | None, error: Exception) -> None:
        """Note that *actor* was lost with its task; raises CrossexamError if this was not an accident."""
        import ray

        if given is None and isinstance(error, ray.exceptions.ActorDiedError):
            self._failed_starts += 1
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise _cannot_start(error)
            self._all.remove(actor)
            self._add()
            return
        if given is not None:
            if given.attempts + 1 >= MOST_ATTEMPTS:
                raise CrossexamError(
                    f"a task was begun {MOST_ATTEMPTS} times, and each time its worker was lost: "
                    f"{_first_line(error)}",
                    where="Ray",
                    wanted="workers that live until they have finished a task",
                    hint="if memory ran out, let fewer workers share a node: --num-cpus 2, or more",
                )
            self._lost.append(given._replace(attempts=given.attempts + 1))
        self._prepare(actor)

    def end(self) -> None:
        """End all actors at once."""
        import ray

        if ray.is_initialized():
            for actor in self._all:
                ray.kill(actor, no_restart=True)


class _NotBegunError(Exception):
    """A worker that was started again is given a task before it has begun."""


@dataclass(frozen=True)
class _Beginning:
    """How a worker begins: with *start*, in the *folder* of the driver if its node has that."""

    start: Callable[[], Callable[[Any], Any]]
    version: str
    folder: str
    environment: dict[str, str]

    @classmethod
    def here(cls, start: Callable[[], Callable[[Any], Any]]) -> _Beginning:
        """Return how workers of this process begin."""
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return cls(start, package_version(), str(Path.cwd()), environment)

    def __call__(self) -> Callable[[Any], Any]:
        """Return the function that carries out a task; raises CrossexamError for another version."""
        if self.version != package_version():
            raise CrossexamError(
                f"the node has Crossexam {package_version()}",
                where=f"Ray node {socket.gethostname()}",
                wanted=f"version {self.version}, as in the driver",
                hint=f"install the same version on all nodes; {_DOCUMENTATION}",
            )
        os.environ.update(self.environment)
        if Path(self.folder).is_dir():
            os.chdir(self.folder)
        return self.start()


class _Worker:
    """What an actor holds: the function that carries out a task."""

    def __init__(self) -> None:
        self._carry_out: Callable[[Any], Any] | None = None

    def begin(self, beginning: _Beginning) -> None:
        """Start work, unless it was started."""
        if self._carry_out is None:
            self._carry_out = beginning()

    def carry_out(self, task: bytes) -> bytes:
        """Return the result of *task*; both are packed."""
        if self._carry_out is None:
            raise _NotBegunError
        return _packed(self._carry_out(_unpacked(task)))


def _packed(value: Any) -> bytes:
    """Return *value* pickled and compressed.

    Ray's own pickler asks a Python function about each object, of which a task has thousands.  What is larger
    than 100 KiB goes through the object stores of two nodes, which costs several times as much CPU time as
    compressing it.
    """
    import pyarrow as pa

    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    packed: bytes = pa.Codec("zstd", compression_level=1).compress(data, asbytes=True)
    return len(data).to_bytes(_LENGTH_BYTES, "little") + packed


def _unpacked(packed: bytes) -> Any:
    import pyarrow as pa

    length = int.from_bytes(packed[:_LENGTH_BYTES], "little")
    data = pa.Codec("zstd").decompress(memoryview(packed)[_LENGTH_BYTES:], length)
    return pickle.loads(data)  # noqa: S301 - only the driver and its own workers write what they read


def _lost_errors() -> tuple[type[Exception], ...]:
    """Return the errors that say that an actor, its node or a result is lost."""
    from ray import exceptions

    return (
        exceptions.RayActorError,
        exceptions.WorkerCrashedError,
        exceptions.NodeDiedError,
        exceptions.OutOfMemoryError,
        exceptions.ObjectLostError,
    )


def _cannot_start(error: Exception) -> CrossexamError:
    missing = "No module named 'crossexam" in str(error)
    return CrossexamError(
        "Crossexam is not installed on a node"
        if missing
        else f"a worker cannot be started: {_first_line(error)}",
        where="Ray",
        wanted="the same version of Crossexam and of its packages on all nodes",
        hint=_DOCUMENTATION,
    )


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _connect(address: str | None, note: Note) -> None:
    """Connect this process to the cluster at *address*, unless it is; raises CrossexamError.

    Left to itself, Ray would join whatever cluster runs on this machine, even somebody else's.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report the use of it to its makers
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "--engine ray") from None
    if ray.is_initialized():
        there = ray.get_runtime_context().gcs_address
        if address not in (None, "auto", there):
            raise CrossexamError(
                f"this process is connected to the Ray cluster at {there}",
                wanted=f"the one at {address}",
                hint="call ray.shutdown() first",
            )
        return
    address = address or os.environ.get("RAY_ADDRESS") or _OWN
    if address not in (_OWN, "auto"):
        check_reachable(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=False)
    except (Exception, SystemExit) as error:  # Ray raises bare Exceptions, too
        raise _no_connection(address, error) from None
    if address == _OWN:
        note("started Ray on this machine, for this command alone; --engine ray:HOST:PORT joins a cluster")
    else:
        note(f"joined the Ray cluster at {ray.get_runtime_context().gcs_address}")


def check_reachable(address: str) -> None:
    """Raise CrossexamError unless something listens at *address*: Ray itself tries for minutes."""
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal() and int(port) < 2**16) or "/" in host:
        raise CrossexamError(
            f"'{address}' is not the address of a Ray cluster",
            wanted="HOST:PORT, as in --engine ray:10.0.0.1:6379",
            hint="ray:auto joins the cluster of which this machine is a node; from elsewhere, use `ray job "
            "submit`",
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_REACHABLE_SECONDS):
            return
    except OSError as error:
        raise CrossexamError(
            f"no Ray cluster answers at {address}: {error}",
            wanted="the address that `ray start` printed on the head node",
            hint="check with `ray status` on the head node, and the firewall; leave out the address to use "
            "this machine alone",
        ) from None


def _no_connection(address: str, error: BaseException) -> CrossexamError:
    """Return the error that says why Ray did not connect."""
    text = str(error)
    if address == _OWN:
        return CrossexamError(
            f"Ray could not be started on this machine: {' '.join(text.split()) or type(error).__name__}",
            wanted="a machine on which Ray starts within half a minute",
            hint="repeat the command if the machine was busy, or leave out --engine ray",
        )
    if "ersion mismatch" in text:
        return CrossexamError(
            f"the Ray cluster has other versions: {' '.join(text.split())}",
            wanted="the same version of Ray and Python on all nodes and here",
            hint=f"install that version of ray; {_DOCUMENTATION}",
        )
    return CrossexamError(
        f"cannot connect to the Ray cluster: {' '.join(text.split()) or type(error).__name__}",
        where=address,
        wanted="a running cluster of which this machine is a node",
        hint=f"`ray status` shows what runs; {_DOCUMENTATION}",
    )
