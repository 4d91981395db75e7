"""Options that say where work is done: in processes of this machine, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from crossexam.engines.engine import Engine
    from crossexam.engines.local import Workers as NumberOfWorkers
    from crossexam.runs.windows import Asking

_WHERE: Final = "Where the work is done"

EngineSpec = Annotated[
    str,
    typer.Option(
        "--engine",
        help="local (this machine), or ray: a Ray cluster, by its address. The results do not depend on it.",
        rich_help_panel=_WHERE,
        metavar="local|ray[:HOST:PORT|:auto]",
    ),
]
Workers = Annotated[
    str | None,
    typer.Option(
        help="Processes, or actors of the cluster: a number, or auto. Default: as many as the cluster has "
        "room for; on this machine, one per core to build from a large base, else one.",
        rich_help_panel=_WHERE,
        metavar="N|auto",
        show_default=False,
    ),
]
CpusPerWorker = Annotated[
    float | None,
    typer.Option(
        "--num-cpus",
        help="CPUs of each worker on the cluster; default: 1.",
        rich_help_panel=_WHERE,
        metavar="N",
        show_default=False,
    ),
]
GpusPerWorker = Annotated[
    float | None,
    typer.Option(
        "--num-gpus",
        help="GPUs of each worker on the cluster, 0.5 to let two share one; default: 0.",
        rich_help_panel=_WHERE,
        metavar="N",
        show_default=False,
    ),
]


def engine_of(
    spec: str,
    workers: str | None,
    num_cpus: float | None,
    num_gpus: float | None,
    *,
    usual: NumberOfWorkers = 1,
    worthwhile: int = 1,
) -> Engine:
    """Return the engine that the options describe; on this machine it has *usual* workers unless stated.

    Raises CrossexamError.

    >>> engine_of("local", None, None, None).workers
    1
    """
    from crossexam.cli.console import note
    from crossexam.engines.table import DEFAULT, EngineOptions, engine_named

    if workers not in (None, "auto") and not (workers.isdecimal() and int(workers) > 0):
        raise CrossexamError(f"--workers is '{workers}'", wanted="auto or a whole number above 0")
    if workers is None:
        count: NumberOfWorkers = usual if spec == DEFAULT else "auto"
    else:
        count = "auto" if workers == "auto" else int(workers)
    return engine_named(spec, EngineOptions(count, num_cpus, num_gpus, worthwhile, note))


def building_engine(spec: str, workers: str | None, num_cpus: float | None, num_gpus: float | None) -> Engine:
    """Return the engine of a build: on this machine, a process per core if a base is large."""
    from crossexam.suites.build import WORTHWHILE

    return engine_of(spec, workers, num_cpus, num_gpus, usual="auto", worthwhile=WORTHWHILE)


def asking(spec: str, workers: str | None, num_cpus: float | None, num_gpus: float | None) -> Asking:
    """Return what has a model asked: this process, or the workers that the options describe."""
    from crossexam.runs.workers import asking_of

    return asking_of(engine_of(spec, workers, num_cpus, num_gpus))
