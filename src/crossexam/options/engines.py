"""The engine that options describe: of a command, or of a function of the library."""

from __future__ import annotations

from crossexam.core.progress import Note, unheard
from crossexam.engines.engine import Engine
from crossexam.engines.local import Workers
from crossexam.engines.table import DEFAULT, EngineOptions, engine_named
from crossexam.options.groups import Where


def engine_of(options: Where, *, usual: Workers = 1, worthwhile: int = 1, note: Note = unheard) -> Engine:
    """Return the engine that *options* describe; on this machine it has *usual* workers unless stated.

    *worthwhile* is the number of tasks from which ``auto`` starts processes.  Raises CrossexamError.

    >>> engine_of(Where()).workers, engine_of(Where(workers=3)).workers
    (1, 3)
    """
    workers = options.workers or (usual if options.engine == DEFAULT else "auto")
    how = EngineOptions(workers, options.num_cpus, options.num_gpus, worthwhile, note)
    return engine_named(options.engine, how)
