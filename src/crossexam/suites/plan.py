"""Plans: what a suite will have, and all that it depends on, said before anything is built.

A suite is a line of ``SUITES`` (``suites/table.py``) whose function turns a :class:`SuiteRequest` into a
:class:`SuitePlan`.  A :class:`TestSetPlan` says of a test set what the manifest will say of it, all that its
bytes depend on, and how its rows are made; test sets that are made of one base together are planned in a
:class:`BasePass`.  :mod:`crossexam.suites.build` alone signs, counts and writes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from crossexam.constructions.apply import YieldCounts
from crossexam.constructions.entry import Construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example
from crossexam.core.manifest import BASE, TestSetEntry, package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.corpora.reading import Reading
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.suites.bases import Base
from crossexam.suites.chunks import ChunkWork


@dataclass(frozen=True)
class SuiteKind:
    """An entry of the table of suites.

    ``plan`` says what a request makes.  ``constructions`` names the constructions that are always applied,
    ``optional`` those that are applied if one of their options is set.  ``options`` is an instance of the
    suite's own dataclass of options, if it has one.  ``base_option`` names the option that ``--base`` sets in
    a suite that is not built from bases, and ``file_options`` those that may name files of the user's, which
    are read as bases are; ``files`` of its options lists these files.
    ``has_keys``: its items have keys although it names no constructions.  ``overview`` is the table to show
    after building; None means the yield table.  ``in_one_process``: the engine of a request has nothing to
    do.
    """

    name: str
    summary: str
    paper: str
    plan: Callable[[SuiteRequest], SuitePlan]
    constructions: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    options: Any = None
    base_option: str | None = None
    file_options: tuple[str, ...] = ()
    has_keys: bool = False
    overview: Overview | None = None
    in_one_process: bool = False


@dataclass(frozen=True)
class Overview:
    """A table of the test sets of a suite: cells from an entry by the header of their column.

    The columns *numbers* are right-aligned.
    """

    title: str
    columns: Mapping[str, Callable[[TestSetEntry], str]]
    numbers: tuple[str, ...] = ()

    def rows(self, entries: Iterable[TestSetEntry]) -> list[tuple[str, ...]]:
        """Return the cells of each of *entries*."""
        return [tuple(cell(entry) for cell in self.columns.values()) for entry in entries]


@dataclass(frozen=True)
class SuiteRequest:
    """What to build: a suite from *bases*, and from *problems* for tests that read word problems.

    *constructions* carry their options; *options* are those of the suite itself.  *per_key* is the maximum
    number of items of one key (:mod:`crossexam.constructions.keys`), None for all.  *reading* says how
    the corpora of a suite are read that is not built from bases; a base has its own.  *engine* carries out
    the work; the files do not depend on it.
    ``suites.table.suite_request`` creates a request from names.
    """

    kind: SuiteKind
    bases: Sequence[Base] = ()
    problems: Sequence[Base] = ()
    constructions: Sequence[Construction] = ()
    options: Any = None
    seed: int = 0
    file_format: str = "parquet"
    limit: int | None = None
    per_key: int | None = None
    tagger: str = "auto"
    recognizer: str = "auto"
    parser: str = "auto"
    reading: Reading = Reading()
    engine: Engine = field(default_factory=InThisProcess, compare=False)
    progress: Progress = field(default=silent, compare=False)

    def resources(self) -> LanguageResources:
        """Return the linguistic resources for the constructions."""
        return LanguageResources(self.tagger, self.recognizer, self.parser)

    def signed(self, base: Base, /, **parts: object) -> dict[str, object]:
        """Return what a test set from *base* depends on: the base, *parts*, and the limit."""
        return {"corpus": base.identified, **parts, "limit": self.limit}

    def plan_of(self, base: Base, facts: Mapping[str, Any] | None = None, /, **parts: object) -> TestSetPlan:
        """Return the plan of *base* itself, with the *facts* of its entry; it also depends on *parts*."""
        entry = TestSetEntry(versioned=BASE, part=base.part, facts=facts or {})
        return TestSetPlan(entry, self.signed(base, **parts), found=partial(projection_of_base, base))


@dataclass(frozen=True)
class Resolved:
    """A part of a signature that is known when the test set is written, as which tagger ``auto`` was.

    Before, *asked* stands for it.  If either is None, the part is left out there.
    """

    asked: object
    found: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class TestSetPlan:
    """A test set that a suite will have.

    *entry* is what the manifest will say of it, but for what follows from its rows, and *signed* all that its
    bytes depend on, in the order of the signature; parts that are None are left out.  *rows* returns its
    items, unless they are made in a :class:`BasePass`.  *found* returns the fields of the entry that are
    known when the rows are written.  Of a *deferred* test set, some items are left out when all are made.
    """

    __test__ = False  # not a test: pytest collects classes by name

    entry: TestSetEntry
    signed: Mapping[str, object]
    rows: Callable[[], Iterable[Example]] | None = None
    found: Callable[[], Mapping[str, Any]] = dict
    deferred: bool = False

    @property
    def asked(self) -> dict[str, object]:
        """What the test set depends on, as known before it is built."""
        return self._parts(lambda part: part.asked)

    @property
    def signature(self) -> str:
        """The signature, once the rows are written."""
        return signature(self._parts(lambda part: part.found()))

    def _parts(self, known: Callable[[Resolved], object]) -> dict[str, object]:
        parts = {
            name: known(part) if isinstance(part, Resolved) else part for name, part in self.signed.items()
        }
        return {name: part for name, part in parts.items() if part is not None}


def projection_of_base(base: Base) -> dict[str, str | None]:
    """Return the fields of an entry that follow from the labels of all of *base*."""
    return {"projection": base.projection.declaration}


@dataclass
class DeferredItems:
    """The *items* of a test set that are not yet written, as some will be left out, and its *counts*."""

    items: list[Example] = field(default_factory=list)
    counts: YieldCounts = field(default_factory=YieldCounts)

    def keep(self, items: list[Example], reason: str) -> None:
        """Leave out all but *items*, for a *reason*."""
        self.counts.leave_out(reason, len(self.items) - len(items))
        self.items = items


@dataclass(frozen=True)
class BasePass:
    """Test sets that are made of *base* in one pass, in chunks, by the processes of the engine.

    *work* returns what they have to do, when the suite is known not to be there yet.  *constructions* are
    those that they apply.  *choose* leaves out items of the deferred test sets, by the names of what made
    them.
    """

    base: Base
    plans: Sequence[TestSetPlan]
    work: Callable[[], ChunkWork]
    constructions: Sequence[Construction] = ()
    choose: Callable[[Mapping[str, DeferredItems]], None] = lambda sets: None


@dataclass(frozen=True)
class SuitePlan:
    """What a suite will have: test sets, alone or made together, in their order.

    *notes* are for the user, even if there is nothing to build.  *facts* returns what the manifest says
    besides, once all is written.  *files* are JSON files to write, by their paths in the folder.
    """

    parts: Sequence[TestSetPlan | BasePass]
    notes: Sequence[str] = ()
    facts: Callable[[], Mapping[str, Any]] = dict
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def test_sets(self) -> Iterator[TestSetPlan]:
        """The plans of all test sets."""
        for part in self.parts:
            yield from part.plans if isinstance(part, BasePass) else (part,)

    def signature(self, request: SuiteRequest) -> str:
        """Return the signature of the suite, with a hash of what each of its test sets depends on."""
        asked = {plan.entry.name: list(plan.asked.items()) for plan in self.test_sets}
        text = json.dumps([asked, self.files], default=str)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return signature({"suite": request.kind.name, "test_sets": digest, "format": request.file_format})

    def described(self, request: SuiteRequest) -> dict[str, Any]:
        """Return what the test sets depend on, all of them together, for readers."""
        given = {"bases": request.bases, "problems": request.problems}
        corpora = {each.identified: name for name, bases in given.items() for each in bases}
        values: dict[str, list[object]] = {}
        for name, part in (pair for plan in self.test_sets for pair in plan.asked.items()):
            value = part if isinstance(part, int | float) else str(part)
            known = values.setdefault(corpora.get(str(value), name), [])
            if value not in known:
                known.append(value)
        together = {name: known[0] if len(known) == 1 else known for name, known in values.items()}
        about = {"format": request.file_format, "version": package_version()}
        return {"suite": request.kind.name, **together, **about}
