"""What manifests say of test sets, suites and runs, typed; and the signature of a test set or number.

A manifest is a JSON object beside the files that it describes.  Code builds and reads it through the classes
here, so that a misspelt key is an error of the type checker and not a number that is silently missing.  It is
written and read with a checksum (``core.sealed``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from crossexam.core.errors import DISTRIBUTION, FormatError
from crossexam.core.rules import OURS, with_rules, without_rules
from crossexam.core.sealed import MANIFEST, read_manifest, typed

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_VERSIONED: Final = re.compile(r"(.*)\.v(\d+)")
_FORMAT: Final = 1
#: The construction of a base: the examples of a corpus as they are.
BASE: Final = "base"
#: The class of the test sets whose items are read together, by rules, and not one by one.
CONSISTENCY: Final = "consistency"
#: What the manifest records of a file, which changes when judges relabel its items.
OF_FILE: Final = ("sha256", "content_hash", "signature")
#: The fact that announces the same of files with the verdicts of judges, before these are put there.
NEXT: Final = "next"
#: The fact that records the place of a test set in the cross-dataset benchmark; only that suite writes it.
CROSS_DATASET: Final = "cross_dataset"
#: The fact that names the challenge set that a test set is; only the suite of challenge sets writes it.
CHALLENGE: Final = "challenge"
#: The fact that records the benchmark, the data set and the split of a test set of claims and documents.
FACT_CHECKING: Final = "fact_checking"
#: The fact that says what readers must know of the model by which examples were selected.
SELECTOR_NOTES: Final = "selector_notes"
#: The key of the model whose answers chose the examples of a test set, in its entry.
SELECTED_BY: Final = "selected_by"
#: What readers of the numbers of rejections must know.
REJECTED_NOTE: Final = (
    "An example can be rejected more than once: every word or number that could not be used is counted."
)


@cache
def installed_version(package: str) -> str | None:
    """Return the version of an installed *package*, which is read once per process; None if it is not there.

    >>> installed_version("no-such-package") is None
    True
    """
    from importlib.metadata import PackageNotFoundError, version  # takes longer than all else of the package

    try:
        return version(DISTRIBUTION if package == "crossexam" else package)
    except PackageNotFoundError:
        return None


def package_version() -> str:
    """Return the installed version of Crossexam.

    >>> package_version()[0].isdigit()
    True
    """
    return installed_version("crossexam") or "0+unknown"  # a source tree on sys.path that was never installed


def library_versions(*packages: str) -> dict[str, str]:
    """Return the versions of Crossexam, of Python and of those *packages* that are installed.

    >>> list(library_versions("no-such-package"))
    ['crossexam', 'python']
    """
    import platform

    versions = {"crossexam": package_version(), "python": platform.python_version()}
    return versions | {name: known for name in packages if (known := installed_version(name))}


#: The packages that predictions may depend on.
_OF_PREDICTIONS: Final[tuple[str, ...]] = (
    "crossexam",
    "numpy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "rapidfuzz",
)


def loaded_packages(before: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the versions of the packages that predictions may depend on and that are loaded.

    Those *before*, which gave answers, are kept.
    """
    names = [name for name in _OF_PREDICTIONS if name in sys.modules]
    loaded = {name: known for name in names if (known := installed_version(name))}
    found: dict[str, str] = {**loaded, **(before or {})}
    return {name: found[name] for name in _OF_PREDICTIONS if name in found}


def signature(parts: Mapping[str, object]) -> str:
    """Return *parts* as ``key:value|key:value|version:...`` (after sacreBLEU).

    >>> signature({"corpus": "snli:dev", "seed": 0}).startswith("corpus:snli:dev|seed:0|version:")
    True
    """
    pairs = [f"{key}:{value}" for key, value in parts.items()]
    return "|".join([*pairs, f"version:{package_version()}"])


@dataclass(frozen=True)
class TestSetEntry:
    """What a suite's manifest says of one test set.

    ``construction`` and ``version`` made it (``base`` without a version: a corpus as it is) by ``rules``,
    from the base called ``part``.  ``base_set`` names the test set that its items are compared with;
    ``keeps_label``: they have the gold labels of that set, ``paired`` overrides whether they are compared
    one by one, which else follows from the labels.  ``base_known`` is False if the manifest does not say
    what the base is.  ``projection`` says how three predicted labels are read as the set's two.  ``sha256``
    is that of the file, ``content_hash`` that of the items.  ``yields`` are the counts of examples, items and
    rejections; ``facts`` is all else that is recorded.
    """

    __test__: ClassVar[bool] = False  # pytest collects classes by their name

    construction: str
    part: str
    version: int | None = None
    file: str | None = None
    base_set: str | None = None
    keeps_label: bool = True
    paired: bool | None = None
    test_class: str = BASE
    rows: int | None = None
    content_hash: str | None = None
    sha256: str | None = None
    signature: str | None = None
    yields: Mapping[str, Any] | None = None
    projection: str | None = None
    base_known: bool = True
    rules: str = OURS
    facts: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    @property
    def name(self) -> str:
        """The name of the test set: ``negation.dev_matched``, ``antonymy_released.dev_matched``."""
        return f"{self.made_by}.{self.part}"

    @property
    def made_by(self) -> str:
        """The construction with its rules, unless they are ours: ``antonymy_released``."""
        return with_rules(self.construction, self.rules)

    @property
    def versioned(self) -> str:
        """The construction with its version: ``negation.v1``; ``base`` has none."""
        return self.made_by if self.version is None else f"{self.made_by}.v{self.version}"

    @property
    def compares_items(self) -> bool:
        """Whether its items are compared one by one with those of ``base_set``."""
        return self.keeps_label if self.paired is None else self.paired

    @property
    def has_accuracy(self) -> bool:
        """Whether accuracy says something: items of consistency are only read together with others."""
        return self.test_class != CONSISTENCY

    def about(self, fact: str) -> Mapping[str, Any]:
        """Return what is recorded under *fact*, such as its place in a benchmark; empty if nothing is."""
        found = self.facts.get(fact)
        return found if isinstance(found, Mapping) else {}

    @property
    def of_file(self) -> dict[str, Mapping[str, Any]]:
        """What is recorded of its file, by the SHA-256: as it is, or as it is about to be (``NEXT``)."""
        stated = (*self.facts.get(NEXT, ()), {name: getattr(self, name) for name in OF_FILE})
        return {each["sha256"]: each for each in stated}

    @property
    def is_base(self) -> bool:
        """Whether it is a corpus as it is."""
        return self.construction == BASE

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the manifest has it."""
        stated: dict[str, Any] = {
            "file": self.file,
            "construction": self.versioned,
            "part": self.part,
            "base_set": self.base_set,
            "keeps_label": self.keeps_label,
            "paired": self.paired,
            "test_class": self.test_class,
            "rows": self.rows,
            "content_hash": self.content_hash,
            "sha256": self.sha256,
            "signature": self.signature,
            "yield": self.yields,
            "projection": self.projection,
        }
        if not self.base_known:
            del stated["base_set"]
        known = {name: value for name, value in stated.items() if value is not None or name in _ALSO_NULL}
        return {**known, **self.facts}

    @classmethod
    def from_json(cls, name: str, entry: Mapping[str, Any]) -> TestSetEntry:
        """Return the entry that *entry* is for the test set *name*; a missing field gets its default.

        >>> TestSetEntry.from_json("negation.dev", {"construction": "negation.v1", "rows": 3}).versioned
        'negation.v1'
        >>> TestSetEntry.from_json("base.dev", {}).is_base
        True
        """
        facts = dict(entry)
        stated = {field: facts.pop(field) for field in _STATED if field in facts}
        bare, _, part = name.partition(".")
        construction = facts.pop("construction", None) or bare
        match = _VERSIONED.fullmatch(construction)
        made_by, rules = without_rules(match[1] if match else construction.partition(".")[0])
        return cls(
            construction=made_by,
            rules=rules,
            version=int(match[2]) if match else None,
            part=facts.pop("part", None) or part,
            base_known="base_set" in entry,
            yields=facts.pop("yield", None),
            **stated,
            facts=facts,
        )


#: The fields that the manifest has in another form, and those that it has as they are.
_OTHERWISE: Final = {"construction", "version", "rules", "part", "yields", "base_known", "facts"}
_STATED: Final = {each.name for each in fields(TestSetEntry)} - _OTHERWISE
#: What is written though it is null.
_ALSO_NULL: Final = frozenset({"base_set", "rows", "content_hash", "signature", "yield"})


class _Kind(NamedTuple):
    """A kind of folder with test sets: the *field* of its manifest that says so, and what *writes* it.

    *again* is what to do about one that is not finished, and *use* what to do with one that is.
    """

    field: str
    writes: str
    again: str
    use: str


#: The first whose field a manifest has counts: the manifest of a suite may name a model, too.
_KINDS: Final[Mapping[str, _Kind]] = {
    "study": _Kind(
        "study",
        "crossexam validate sample",
        "crossexam validate sample SUITE -o STUDY",
        "crossexam validate verdict {} reads it",
    ),
    "suite": _Kind(
        "name",
        "crossexam build",
        "run `crossexam build` again; an unfinished build starts over",
        "crossexam run MODEL {} -o RUN runs a model over it",
    ),
    "run": _Kind(
        "model",
        "crossexam run",
        "repeat `crossexam run`, which resumes a run that was stopped, or says why it cannot",
        "crossexam report {} reads it",
    ),
}


class OtherKindError(FormatError):
    """A folder of another kind than the one that was meant."""


def saved_run_in(folder: Path, *, hint: str, otherwise: str | None = None) -> SavedRunManifest:
    """Return the manifest of the run in *folder*; raises what :func:`manifest_in` raises."""
    content = manifest_in(folder, "run", hint=hint, otherwise=otherwise)
    return typed(content, SavedRunManifest, folder / MANIFEST, hint=hint)


def manifest_in(folder: Path, kind: str, *, hint: str, otherwise: str | None = None) -> dict[str, Any]:
    """Return the manifest in *folder*, which is a *kind* of folder: a suite, a run or a study.

    Raises FormatError if it is missing, damaged (*hint* is the way out), or that of something else
    (*otherwise*, else what reads that).
    """
    wanted = f"a folder that `{_KINDS[kind].writes}` wrote"
    if not (folder / MANIFEST).exists():
        what = f"there is no {MANIFEST}: this is not a {kind}, or it was not finished"
        raise FormatError(what, where=str(folder), wanted=wanted, hint=_KINDS[kind].again)
    manifest = read_manifest(folder / MANIFEST, hint=hint)
    found = next(
        (name for name, each in _KINDS.items() if {each.field, "test_sets"} <= manifest.keys()), None
    )
    if found != kind:
        what = f"this is the folder of a {found or 'model'}, not of a {kind}"
        use = _KINDS[found].use.format(folder) if found else None
        raise OtherKindError(what, where=str(folder), wanted=wanted, hint=otherwise or use)
    return manifest


def entries_of(manifest: Mapping[str, Any]) -> dict[str, TestSetEntry]:
    """Return the entries of the test sets in the *manifest* of a suite or a study, by name.

    >>> entries_of({"test_sets": {"base.dev": {"rows": 3}}})["base.dev"].rows
    3
    """
    return {name: TestSetEntry.from_json(name, entry) for name, entry in manifest["test_sets"].items()}


class ChunkCounts(msgspec.Struct, frozen=True):
    """Into how many chunks the items of a test set were divided: the *mean*, and the *most*."""

    mean: float
    most: int


class PredictedSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest of a run says of one test set, before it is saved."""

    rows: int  # items that were predicted, the first ones
    of_rows: int  # all items of the test set
    content_hash: str  # of the items that were predicted
    signature: str | None  # of the test set
    truncated: int | None = None  # items of which the model did not read all
    edit_unseen: int | None = None  # items of which it did not read what the construction changed
    unanswered: Mapping[str, int] | None = None  # items without an answer, by status
    chunks_per_item: ChunkCounts | None = None
    parsed: int | None = None  # items with a parse of both sentences, for a model that reads parses


class RunEntry(PredictedSet, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest of a saved run says of one test set.

    Files are relative to the folder of the run.
    """

    predictions: str  # the file of predictions
    sha256: str  # of that file
    items: str  # the file of the items
    items_path: str  # its absolute path, empty if the run holds it
    items_sha256: str | None = None  # of the file of the items, if the run holds it
    dataset: Mapping[str, Any]  # the manifest of the test set


class PairCounts(NamedTuple):
    """How many pairs a run has; None if the model was not asked about pairs."""

    distinct: int | None = None
    chunks: int | None = None  # distinct parts of pairs, if the model was asked about parts
    asked: int | None = None
    from_store: int | None = None  # whose answers were stored
    truncated: int | None = None


class RunManifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of how predictions were obtained; a run that was made by hand may say nothing.

    ``details`` are open: each kind of model says of itself what it will.
    """

    format: int | None = None
    model: str | None = None
    model_key: str | None = None  # a hash of all that the predictions depend on
    chunk: str | None = None  # the chunks in which a model was asked, with the two below
    aggregate: str | None = None
    asked_model: str | None = None
    details: Mapping[str, Any] | None = None
    distinct_pairs: int | None = None  # this and the next four are the counts of pairs (PairCounts)
    chunk_pairs: int | None = None
    asked_pairs: int | None = None
    pairs_from_store: int | None = None
    truncated_pairs: int | None = None
    limit: int | None = None  # of each test set, only so many items
    seconds: float | None = None
    device: str | None = None
    finished: str | None = None  # when, in UTC
    version: str | None = None  # of Crossexam
    python: str | None = None
    packages: Mapping[str, str] | None = None  # the versions of those that were loaded
    test_sets: Mapping[str, PredictedSet] = {}
    rejected_items: str | None = None  # this and the next three: which items are scored, in words
    undecided_items: str | None = None
    scored_items: str | None = None
    relabelled_items: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        stated: dict[str, Any] = msgspec.to_builtins(self)
        return stated


class SavedRunManifest(RunManifest, frozen=True, kw_only=True, omit_defaults=True):
    """What stands in ``manifest.json`` of a saved run."""

    model: str
    test_sets: Mapping[str, RunEntry]


@dataclass(frozen=True)
class SuiteManifest:
    """What stands in a suite's ``manifest.json``: *request* is all that the bytes of the suite depend on.

    ``bases`` describes what the suite was built from, ``facts`` what only some suites record.
    """

    name: str
    paper: str
    signature: str
    request: Mapping[str, Any]
    test_sets: Sequence[TestSetEntry]
    bases: Sequence[Mapping[str, Any]] | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        return {
            "format": _FORMAT,
            "name": self.name,
            "paper": self.paper,
            "signature": self.signature,
            "request": dict(self.request),
            **self.facts,
            **({"bases": list(self.bases)} if self.bases is not None else {}),
            "test_sets": {entry.name: entry.to_json() for entry in self.test_sets},
        }
