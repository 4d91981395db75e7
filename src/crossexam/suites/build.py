"""Build suites: one pass over each base, every test set written as it grows.

A test set while it grows: items go out as they are made, what the manifest says is counted.

What is to be built: a suite, its bases, and all that its bytes depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from crossexam.constructions.apply import CHUNK, Maker, chunks
from crossexam.constructions.resources import Resources, adjectives_identity
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.dataset import ContentHash, Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import HEAVY_INFO, Example, cluster_of
from crossexam.core.files import finished_or_absent, write_json
from crossexam.core.manifest import package_version, signature
from crossexam.core.progress import Progress, seldom_collected, silent
from crossexam.core.test_sets import TestSetWriter
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.suites.bases import Base, describe, distinct_parts
from crossexam.suites.folder import stands_there
from crossexam.suites.lexically_misleading import MisledSet, scored, subset_name
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
    base: Base,
    names: Sequence[str],
    with_base: bool,
    request: Request,
    open_sink: Callable[[str], Sink],
    progress: Progress,
) -> Iterator[tuple[str, dict[str, Any]]]:
    resources = request.resources()
    base_set = f"base.{base.part}"
    sets = [GrowingSet(base_set, base, None, open_sink(base_set))] if with_base else []
    for name in [each for each in request.constructions() if each in names]:
        full_name = f"{name}.{base.part}"
        maker = Maker(CONSTRUCTIONS[name], resources, seed=request.seed)
        sets.append(GrowingSet(full_name, base, maker, open_sink(full_name)))
    lambdas = suite_named(request.suite).lambdas if with_base else ()
    misled = [
        MisledSet(lam, base, _word_model(), open_sink(f"{subset_name(lam)}.{base.part}")) for lam in lambdas
    ]
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


Sink = Callable[[Example], None]


class GrowingSet:
    """A test set while it grows: its name, maker (None for the base itself) and where items go."""

    def __init__(self, name: str, base: Base, maker: Maker | None, sink: Sink) -> None:
        self.name, self.base, self.maker = name, base, maker
        self.rows = 0
        self._sink, self._hash = sink, ContentHash()

    def take(self, example: Example) -> None:
        """Add what this set makes of *example*."""
        for item in self.maker.items(example) if self.maker else (_light(example),):
            self.rows += 1
            self._hash.update(item)
            self._sink(item)

    def entry(self, base_set: str | None, request: Request) -> dict[str, Any]:
        """Return this set's entry of the suite's manifest."""
        construction = self.maker.construction if self.maker else None
        parts: dict[str, object] = {"corpus": f"{self.base.spec}@{self.base.identity}"}
        if self.maker and construction:
            parts["construction"] = construction.versioned
            parts |= _used(self.maker.resources, construction.uses)
        if request.as_published:
            parts["rules"] = "as-published"
        if request.indirect:
            parts["antonyms"] = "indirect"
        if construction and request.both_directions and "adjectives" in construction.uses:
            parts["directions"] = "both"
        if construction and construction.draws:
            parts["seed"] = request.seed
        parts |= {"limit": request.limit} if request.limit is not None else {}
        return {
            "construction": construction.versioned if construction else "base",
            "part": self.base.part,
            "base_set": base_set if construction and not construction.reads_problems else None,
            "keeps_label": construction.keeps_label if construction else True,
            "test_class": construction.test_class if construction else "base",
            "rows": self.rows,
            "content_hash": self._hash.hexdigest(),
            "signature": signature(parts),
            "yield": self.maker.counts.as_dict() if self.maker else None,
        }


def _light(example: Example) -> Example:
    """Return *example* without what only constructions read, with its cluster."""
    info = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    return replace(example, info=info | {"cluster": cluster_of(example)})


#: What signatures call a resource where its name has changed: a signature must stay what it was.
_SIGNED_AS: Final = {"tagger": "annotator"}


def _used(resources: Resources, uses: Iterable[str]) -> dict[str, object]:
    """Return the signature's parts for the resources that a construction uses."""
    from importlib.metadata import version

    facts: dict[str, Callable[[], object]] = {
        "tagger": lambda: resources.tagger.name,
        "recognizer": lambda: resources.recognizer.name,
        "parser": lambda: resources.parser.name,
        "adjectives": lambda: resources.adjectives.name,
        "wordnet": lambda: resources.wordnet.version,
        "tautology": lambda: resources.tautology,
        "lemminflect": lambda: version("lemminflect"),
    }
    return {_SIGNED_AS.get(name, name): facts[name]() for name in uses}


@dataclass(frozen=True)
class Request:
    """What to build: *suite*, from *bases* and, for tests that read word problems, *problems*."""

    suite: str
    bases: Sequence[Base]
    problems: Sequence[Base] = ()
    seed: int = 0
    file_format: str = "parquet"
    tagger: str = "auto"
    recognizer: str = "auto"
    tautology: str | None = None
    indirect: bool = False
    as_published: bool = False
    parser: str = "auto"
    adjectives: str | None = None
    both_directions: bool = False
    include_base: bool = True
    limit: int | None = None

    def resources(self) -> Resources:
        """Return the resources that the constructions look things up in."""
        chosen = Resources(
            self.tagger,
            self.recognizer,
            indirect=self.indirect,
            as_published=self.as_published,
            parser_spec=self.parser,
            adjectives_spec=self.adjectives,
            both_directions=self.both_directions,
        )
        return replace(chosen, tautology=self.tautology) if self.tautology is not None else chosen

    def constructions(self) -> tuple[str, ...]:
        """Return the names of the constructions, the free tautology among them if one is given."""
        names = suite_named(self.suite).constructions
        return (*names, "tautology") if self.tautology is not None and "tautology" not in names else names

    def identity(self) -> dict[str, Any]:
        """Return what the built bytes depend on."""
        return {
            "suite": self.suite,
            "constructions": [CONSTRUCTIONS[name].versioned for name in self.constructions()],
            "lambdas": list(suite_named(self.suite).lambdas),
            "bases": [f"{base.spec}@{base.identity}" for base in self.bases],
            "problems": [f"{base.spec}@{base.identity}" for base in self.problems],
            "seed": self.seed,
            "format": self.file_format,
            "annotator": self.tagger,
            "recognizer": self.recognizer,
            "tautology": self.tautology,
            "indirect": self.indirect,
            "as_published": self.as_published,
            "parser": self.parser,
            "adjectives": adjectives_identity(self.adjectives),
            "both_directions": self.both_directions,
            "limit": self.limit,
            "version": package_version(),
        }
