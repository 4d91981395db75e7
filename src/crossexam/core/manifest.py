"""What manifests say of test sets, suites and runs, typed; and the signature of a test set or number.

A manifest is a JSON object beside the files that it describes.  Code builds and reads it through the classes
here, so that a misspelt key is an error of the type checker and not a number that is silently missing.  It is
written and read with a checksum (``core.sealed``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from crossexam.core.errors import DISTRIBUTION, FormatError
from crossexam.core.rules import without_rules
from crossexam.core.sealed import MANIFEST, as_json, converted, read_manifest, typed

_VERSIONED: Final = re.compile(r"(.*)\.v\d+")
#: The construction of a base: the examples of a corpus as they are.
BASE: Final = "base"
#: The class of the test sets whose items are read together, by rules, and not one by one.
CONSISTENCY: Final = "consistency"
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


@cache
def _processor() -> str:
    """Return the name of this machine's processor, which only Linux tells in words."""
    import platform

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


#: What the last digits of figures may depend on besides versions: a processor, and how torch uses it.
Machine = dict[str, str | int]


def used_machines(before: Sequence[Machine] = (), *, by_torch: bool = True) -> list[Machine]:
    """Return the machines *before*, on which a training was begun, and this one unless it is among them.

    It is the processor and, of a training *by_torch*, the best vector instructions and the number of threads
    that torch uses.

    >>> used_machines(used_machines()) == used_machines()
    True
    """
    here: Machine = {"processor": _processor()}
    if by_torch and (torch := sys.modules.get("torch")):
        here["instructions"] = torch.backends.cpu.get_cpu_capability()
        here["threads"] = torch.get_num_threads()
    return [*before] if here in before else [*before, here]


def signature(parts: Mapping[str, object]) -> str:
    """Return *parts* as ``key:value|key:value|version:...`` (after sacreBLEU).

    >>> signature({"corpus": "snli:dev", "seed": 0}).startswith("corpus:snli:dev|seed:0|version:")
    True
    """
    pairs = [f"{key}:{value}" for key, value in parts.items()]
    return "|".join([*pairs, f"version:{package_version()}"])


def _always(default: Any) -> Any:
    """Return a field that is written even if it has its *default*."""
    return msgspec.field(default_factory=lambda: default)


class FileRecord(msgspec.Struct, frozen=True):
    """What a manifest says of the file of a test set, all of which changes when judges relabel its items."""

    sha256: str
    content_hash: str | None  # of the items
    signature: str | None


class TestSetEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a manifest says of one test set; ``facts`` are what only some suites record.

    A suite says all that is written always; less is known of a corpus, or of examples in memory.
    """

    __test__: ClassVar[bool] = False  # pytest collects classes by their name

    file: str | None = None
    versioned: str = msgspec.field(name="construction")  # negation.v1; a corpus as it is is a base
    part: str  # the base that it was made from
    base_set: str | None = _always(None)  # the test set that its items are compared with
    keeps_label: bool = _always(True)  # its items have the gold labels of that set
    paired: bool | None = None  # whether they are compared one by one, if not as the labels say
    test_class: str = _always(BASE)
    rows: int | None = _always(None)
    content_hash: str | None = _always(None)  # of the items
    sha256: str | None = None  # of the file
    signature: str | None = _always(None)
    yields: Mapping[str, Any] | None = msgspec.field(default_factory=lambda: None, name="yield")
    projection: str | None = None  # how three predicted labels are read as the two of the set
    facts: Mapping[str, Any] = {}
    verdict: Mapping[str, Any] | None = None  # that of judges, which was applied to the items
    next: Sequence[FileRecord] = ()  # the file with the verdicts of judges, before it is put there
    unverified: bool = False  # no checksum vouches for the file, which is outside of its suite
    spec: str | None = None  # of a corpus, with the two below
    counts: Mapping[str, Any] | None = None  # of records that were read and left out
    path: str | None = None  # of the file, while it is read

    @property
    def name(self) -> str:
        """The name of the test set: ``negation.dev_matched``, ``antonymy_released.dev_matched``."""
        return f"{self.made_by}.{self.part}"

    @property
    def made_by(self) -> str:
        """The construction with its rules, unless they are ours: ``antonymy_released``."""
        match = _VERSIONED.fullmatch(self.versioned)
        return match[1] if match else self.versioned.partition(".")[0]

    @property
    def construction(self) -> str:
        """The name of the construction: ``antonymy``."""
        return without_rules(self.made_by)[0]

    @property
    def rules(self) -> str:
        """By whose rules the construction made it."""
        return without_rules(self.made_by)[1]

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
    def records(self) -> dict[str, FileRecord]:
        """What is recorded of its file, by the SHA-256: as it is, or as it is about to be."""
        known = {each.sha256: each for each in self.next}
        if self.sha256 is not None:
            known[self.sha256] = FileRecord(self.sha256, self.content_hash, self.signature)
        return known

    def of_file(self, record: FileRecord) -> TestSetEntry:
        """Return the entry of the file of *record*."""
        return replace(self, **msgspec.structs.asdict(record))

    @property
    def is_base(self) -> bool:
        """Whether it is a corpus as it is."""
        return self.construction == BASE

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the manifest has it."""
        return as_json(self)


def entry_of(
    name: str, stated: Mapping[str, Any], where: Path | str, *, hint: str | None = None
) -> TestSetEntry:
    """Return what is *stated* of the test set *name*, which says what it is made of if nothing else does.

    Raises FormatError, with *hint* as the way out, if a field has another type.

    >>> entry_of("negation.dev", {"construction": "negation.v1", "rows": 3}, "manifest.json").versioned
    'negation.v1'
    >>> entry_of("base.dev", {}, "manifest.json").is_base
    True
    """
    construction, _, part = name.partition(".")
    named = {
        "construction": stated.get("construction") or construction,
        "part": stated.get("part") or part,
    }
    return typed({**stated, **named}, TestSetEntry, f"{where}, test set {name}", hint=hint)


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
        "crossexam run MODEL {} -o RUN runs a model over it; in Python, cx.load_suite reads it",
    ),
    "run": _Kind(
        "model",
        "crossexam run",
        "repeat `crossexam run`, which resumes a run that was stopped, or says why it cannot",
        "crossexam report {} reads it; in Python, cx.load_run",
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
    found = _kind_of(manifest)
    if found != kind:
        what = f"this is the folder of a {found or 'model'}, not of a {kind}"
        use = _KINDS[found].use.format(folder) if found else None
        raise OtherKindError(what, where=str(folder), wanted=wanted, hint=otherwise or use)
    return manifest


def _kind_of(manifest: Mapping[str, Any]) -> str | None:
    """Return the kind of folder that has *manifest*, None if it has no test sets."""
    return next((name for name, each in _KINDS.items() if {each.field, "test_sets"} <= manifest.keys()), None)


def kind_and_use(folder: Path) -> tuple[str, str] | None:
    """Return whether *folder* is that of a suite, a run or a study, and what reads it; None if it is none."""
    try:
        kind = _kind_of(read_manifest(folder / MANIFEST))
    except (FormatError, OSError):
        return None
    return None if kind is None else (kind, _KINDS[kind].use.format(folder))


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


class BaseRead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the manifest of a suite says of a corpus that it was built from."""

    part: str
    spec: str
    identity: str  # of the content, as it was read
    read: Mapping[str, Any]  # how many records were read and left out
    reading: Mapping[str, Any] = {}  # the options with which it was read


class SuiteManifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a suite; one that was made by hand, or of several, may say nothing."""

    format: int | None = None
    name: str | None = None
    paper: str | None = None
    signature: str | None = None
    request: Mapping[str, Any] = {}  # all that the bytes of the suite depend on
    facts: Mapping[str, Any] = {}  # what only some suites record
    bases: Sequence[BaseRead] = ()
    test_sets: Mapping[str, TestSetEntry] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as it is written."""
        test_sets = {name: entry.to_json() for name, entry in self.test_sets.items()}
        return {**as_json(self), "test_sets": test_sets}


class SavedSuiteManifest(SuiteManifest, frozen=True, kw_only=True, omit_defaults=True):
    """What stands in ``manifest.json`` of a suite."""

    format: int = _always(1)
    name: str
    paper: str
    signature: str
    request: Mapping[str, Any]
    test_sets: Mapping[str, TestSetEntry]


def saved_suite_in(folder: Path, *, hint: str, otherwise: str | None = None) -> SavedSuiteManifest:
    """Return the manifest of the suite in *folder*; raises what :func:`manifest_in` raises."""
    content, path = manifest_in(folder, "suite", hint=hint, otherwise=otherwise), folder / MANIFEST
    stated = converted(content["test_sets"], dict[str, dict[str, Any]], path, hint=hint)
    entries = {name: entry_of(name, each, path, hint=hint) for name, each in stated.items()}
    without = next((name for name, each in entries.items() if each.file is None), None)
    if without is not None:
        raise FormatError(f"test set '{without}' names no file", where=str(path), hint=hint)
    return typed({**content, "test_sets": entries}, SavedSuiteManifest, path, hint=hint)
