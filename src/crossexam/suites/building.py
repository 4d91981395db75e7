"""Build suites: one pass over each base, every test set written as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

from crossexam.constructions.making import CHUNK, Maker, chunks
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.collection import seldom_collected
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, write_json
from crossexam.core.progress import Progress, silent
from crossexam.core.signature import signature
from crossexam.core.tables import TestSetWriter
from crossexam.models.opening import Model, open_model
from crossexam.subsets.lexically_misleading import scored, subset_name
from crossexam.suites.bases import Base, describe, distinct_parts
from crossexam.suites.growing import GrowingSet, Sink
from crossexam.suites.misled import MisledSet
from crossexam.suites.request import Request
from crossexam.suites.standing import stands_there
from crossexam.suites.table import SuiteKind, suite_named

__all__ = ["Request", "build_in_memory", "build_to_folder"]

_MANIFEST: Final = "manifest.json"
_FORMAT: Final = 1


def _grow(
    request: Request, open_sink: Callable[[str], Sink], progress: Progress
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Build all test sets of *request*; yield name and manifest entry of each when it is complete."""
    kind_names = request.constructions()
    on_pairs = [name for name in kind_names if not CONSTRUCTIONS[name].reads_problems]
    on_problems = [name for name in kind_names if CONSTRUCTIONS[name].reads_problems]
    for base in request.bases:
        own_problems = on_problems if not request.problems else []
        yield from _grow_one(
            base, [*on_pairs, *own_problems], request.include_base, request, open_sink, progress
        )
    for base in request.problems:
        yield from _grow_one(base, on_problems, False, request, open_sink, progress)


def _grow_one(
    base: Base, names: Sequence[str], with_base: bool, request: Request, open_sink: Callable[[str], Sink],
    progress: Progress,
) -> Iterator[tuple[str, dict[str, Any]]]:  # fmt: skip
    resources = request.resources()
    base_set = f"base.{base.part}"
    sets = [GrowingSet(base_set, base, None, open_sink(base_set))] if with_base else []
    for name in [each for each in request.constructions() if each in names]:
        full_name = f"{name}.{base.part}"
        maker = Maker(CONSTRUCTIONS[name], resources, seed=request.seed)
        sets.append(GrowingSet(full_name, base, maker, open_sink(full_name)))
    lambdas = suite_named(request.suite).lambdas if with_base else ()
    misled = [MisledSet(lam, base, _word_model(), open_sink(f"{subset_name(lam)}.{base.part}"))
              for lam in lambdas]  # fmt: skip
    done = 0
    with seldom_collected():
        for chunk in chunks(base.open(), CHUNK):
            resources.prepare(chunk)
            if misled:
                answers = _word_model().predict([(e.premise, e.hypothesis) for e in chunk])
                for each in misled:
                    each.take(chunk, answers)
                whole = scored(Dataset(base_set, tuple(chunk)), answers).examples
            for growing in sets:
                for example in whole if misled and growing.maker is None else chunk:
                    growing.take(example)
            done += len(chunk)
            progress(f"building from {base.spec}", done, None)
    if done == 0:
        raise CrossexamError(f"the base {base.spec} has no examples with a gold label")
    progress(f"building from {base.spec}", done, done)
    for growing in sets:
        yield growing.name, growing.entry(base_set if with_base else None, request)
    for each in misled:
        yield each.name, each.entry(request.limit)


@cache
def _word_model() -> Model:
    """Return the bag-of-words model that says which examples mislead."""
    return open_model("builtin/bag-of-words")


def build_in_memory(request: Request, *, progress: Progress = silent) -> Suite:
    """Return the suite that *request* describes without writing anything."""
    distinct_parts(request.bases)
    items: dict[str, list[Example]] = {}
    entries = dict(_grow(request, lambda name: items.setdefault(name, []).append, progress))
    datasets = {name: Dataset(name, items[name], entry) for name, entry in entries.items()}
    return Suite(suite_named(request.suite).name, datasets, _manifest(request, entries))


def build_to_folder(
    request: Request, folder: Path, *, force: bool = False, progress: Progress = silent
) -> bool:
    """Write the suite that *request* describes into *folder*; return False where it stands there already.

    The manifest is written last.  Raises CrossexamError where *folder* holds something else, unless
    *force*.
    """
    distinct_parts(request.bases)
    if stands_there(request.identity(), folder, force=force):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob(".*.part"):
        stale.unlink()
    suffix = request.file_format
    with ExitStack() as stack:

        def open_sink(name: str) -> Sink:
            temporary = stack.enter_context(finished_or_absent(folder / f"{name}.{suffix}"))
            return stack.enter_context(TestSetWriter(temporary, file_format=suffix)).write

        entries = dict(_grow(request, open_sink, progress))
    entries = {name: {"file": f"{name}.{suffix}", **entry} for name, entry in entries.items()}
    write_json(folder / _MANIFEST, _manifest(request, entries))
    return True


def _manifest(request: Request, entries: Mapping[str, Any]) -> dict[str, Any]:
    kind: SuiteKind = suite_named(request.suite)
    identity = request.identity()
    return {
        "format": _FORMAT,
        "name": kind.name,
        "paper": kind.paper,
        "signature": signature(
            {"suite": kind.name, "bases": "+".join(identity["bases"]), "seed": request.seed}
        ),
        "request": identity,
        "bases": [describe(base) for base in (*request.bases, *request.problems)],
        "test_sets": dict(entries),
    }
