"""The table of engines, and their names: ``local``, ``ray``, ``ray:HOST:PORT`` or ``ray:auto``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from crossexam.core.choice import name_and_argument
from crossexam.core.errors import CrossexamError
from crossexam.core.progress import Note, unheard
from crossexam.engines.engine import Engine
from crossexam.engines.local import Workers, local_engine
from crossexam.engines.ray import RayEngine


@dataclass(frozen=True)
class EngineOptions:
    """What is asked of the workers of an engine.

    *workers* is their number, ``auto`` as many as there is place for; a worker takes *num_cpus* and
    *num_gpus* of a node, None for what is usual.  *worthwhile* is the number of tasks from which ``auto``
    starts processes of this machine.
    """

    workers: Workers = "auto"
    num_cpus: float | None = None
    num_gpus: float | None = None
    worthwhile: int = 1
    note: Note = unheard


@dataclass(frozen=True)
class EngineKind:
    """What an engine is, and how it is made; *is_cluster* if it has an address and places for workers.

    It is made from its address, None if none is stated, and the options.
    """

    summary: str
    make: Callable[[str | None, EngineOptions], Engine]
    is_cluster: bool


def _ray(address: str | None, options: EngineOptions) -> Engine:
    stated = None if options.workers == "auto" else options.workers
    cpus = 1.0 if options.num_cpus is None else options.num_cpus
    return RayEngine(address, stated, cpus, options.num_gpus or 0.0, options.note)


ENGINES: Final[dict[str, EngineKind]] = {
    "local": EngineKind(
        "processes of this machine",
        lambda _, options: local_engine(options.workers, worthwhile=options.worthwhile),
        is_cluster=False,
    ),
    "ray": EngineKind("actors of a Ray cluster: ray, ray:HOST:PORT, ray:auto", _ray, is_cluster=True),
}
DEFAULT: Final = "local"


def engine_named(text: str, options: EngineOptions = EngineOptions()) -> Engine:
    """Return the engine that *text* names; nothing is started.

    Raises CrossexamError for an unknown engine, and for an option that it does not have.

    >>> engine_named("local", EngineOptions(workers=1)).workers
    1
    >>> engine_named("ray:10.0.0.1:6379", EngineOptions(num_gpus=1)).address
    '10.0.0.1:6379'
    """
    addressed = {each: f"{each}:HOST:PORT, {each}:auto, or {each} alone" for each in _clusters()}
    name, address = name_and_argument("engine", text, ENGINES, addressed, where="--engine")
    kind = ENGINES[name]
    for option, value in {"--num-cpus": options.num_cpus, "--num-gpus": options.num_gpus}.items():
        if value is not None and not kind.is_cluster:
            raise CrossexamError(
                f"{option} has no effect on the engine '{name}'",
                hint=f"leave it out, or choose the engine: --engine {' or '.join(_clusters())}",
            )
    return kind.make(address or None, options)


def _clusters() -> list[str]:
    return [name for name, kind in ENGINES.items() if kind.is_cluster]
