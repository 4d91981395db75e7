"""What manifests say of test sets and suites, typed; and the signature of a test set or number.

A manifest is a JSON object beside the files that it describes.  Code builds and reads it through the classes
here, so that a misspelt key is an error of the type checker and not a number that is silently missing.  It is
written and read with a checksum (``core.sealed``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Final

from crossexam.core.arguments import shown
from crossexam.core.errors import DISTRIBUTION, FormatError
from crossexam.core.rules import OURS, with_rules, without_rules

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
_VERSIONED: Final = re.compile(r"(.*)\.v(\d+)")
_FORMAT: Final = 1
#: The construction of a base: the examples of a corpus as they are.
BASE: Final = "base"
#: The class of the test sets whose items are read together, by rules, and not one by one.
CONSISTENCY: Final = "consistency"
#: The fact that announces the SHA-256 of files with the verdicts of judges, until the manifest has these.
NEXT_SHA256: Final = "next_sha256"
#: The fact that records the place of a test set in the cross-dataset benchmark; only that suite writes it.
CROSS_DATASET: Final = "cross_dataset"
#: The fact that names the challenge set that a test set is; only the suite of challenge sets writes it.
CHALLENGE: Final = "challenge"
#: The fact that records the benchmark, the data set and the split of a test set of claims and documents.
FACT_CHECKING: Final = "fact_checking"
#: The fact that says what readers must know of the model by which examples were selected.
SELECTOR_NOTES: Final = "selector_notes"
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
    is that of the file, ``content_hash`` that of the items; suites of earlier versions lack the former.
    ``yields`` are the counts of examples, items and rejections; ``facts`` is all else that is recorded.
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

    @property
    def known_sha256(self) -> frozenset[str]:
        """The SHA-256 that its file may have; none in suites of earlier versions, which did not record it."""
        announced = self.facts.get(NEXT_SHA256)
        later = announced if isinstance(announced, list) else []
        return frozenset(each for each in (self.sha256, *later) if isinstance(each, str))

    @property
    def is_base(self) -> bool:
        """Whether it is a corpus as it is."""
        return self.construction == BASE

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the manifest has it."""
        return {
            **({"file": self.file} if self.file is not None else {}),
            "construction": self.versioned,
            "part": self.part,
            **({"base_set": self.base_set} if self.base_known else {}),
            "keeps_label": self.keeps_label,
            **({"paired": self.paired} if self.paired is not None else {}),
            "test_class": self.test_class,
            "rows": self.rows,
            "content_hash": self.content_hash,
            **({"sha256": self.sha256} if self.sha256 is not None else {}),
            "signature": self.signature,
            "yield": self.yields,
            **({"projection": self.projection} if self.projection is not None else {}),
            **self.facts,
        }

    @classmethod
    def from_json(cls, name: str, entry: Mapping[str, Any]) -> TestSetEntry:
        """Return the entry that *entry* is for the test set *name*; a missing field gets its default.

        Raises FormatError if a field has another type than Crossexam writes.

        >>> TestSetEntry.from_json("negation.dev", {"construction": "negation.v1", "rows": 3}).versioned
        'negation.v1'
        >>> TestSetEntry.from_json("base.dev", {}).is_base
        True
        """
        _check_types(entry, name)
        bare, _, part = name.partition(".")
        construction = str(entry.get("construction") or bare)
        match = _VERSIONED.fullmatch(construction)
        made_by, rules = without_rules(match[1] if match else construction.partition(".")[0])
        return cls(
            construction=made_by,
            rules=rules,
            version=int(match[2]) if match else None,
            part=str(entry.get("part") or part),
            file=entry.get("file"),
            base_set=entry.get("base_set"),
            keeps_label=bool(entry.get("keeps_label", True)),
            paired=entry.get("paired"),
            test_class=str(entry.get("test_class") or BASE),
            rows=entry.get("rows"),
            content_hash=entry.get("content_hash"),
            sha256=entry.get("sha256"),
            signature=entry.get("signature"),
            yields=entry.get("yield"),
            projection=entry.get("projection"),
            base_known="base_set" in entry,
            facts={key: value for key, value in entry.items() if key not in _FIELDS},
        )


_FIELDS: Final[dict[str, type]] = {
    "file": str,
    "construction": str,
    "part": str,
    "base_set": str,
    "keeps_label": bool,
    "paired": bool,
    "test_class": str,
    "rows": int,
    "content_hash": str,
    "sha256": str,
    "signature": str,
    "yield": Mapping,
    "projection": str,
}
_TYPES: Final = {str: "a string", bool: "true or false", int: "a whole number", Mapping: "an object"}


def _check_types(entry: Mapping[str, Any], name: str) -> None:
    if not isinstance(entry, Mapping):
        raise FormatError(f"the entry of test set '{name}' is {shown(entry)}", wanted="an object")
    for key, kind in _FIELDS.items():
        value = entry.get(key)
        wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        if value is not None and wrong:
            raise FormatError(
                f"field '{key}' of test set '{name}' is {shown(value)}", wanted=f"{_TYPES[kind]}"
            )


def entries_of(manifest: Mapping[str, Any]) -> dict[str, TestSetEntry]:
    """Return the entries of the test sets in the *manifest* of a suite, by name; raises FormatError.

    >>> entries_of({"test_sets": {"base.dev": {"rows": 3}}})["base.dev"].rows
    3
    """
    entries: Mapping[str, Mapping[str, Any]] = manifest.get("test_sets") or {}
    if not isinstance(entries, Mapping):
        raise FormatError(f"field 'test_sets' is {shown(entries)}", wanted="an object")
    return {name: TestSetEntry.from_json(name, entry) for name, entry in entries.items()}


@dataclass(frozen=True)
class RunEntry:
    """What the manifest of a saved run says of one test set.

    The model predicted its first ``rows`` items, whose content hash is ``content_hash``.  ``predictions`` and
    ``items`` are files, relative to the folder of the run; ``items_path`` is the absolute path of the items,
    empty if the run holds them itself.  ``dataset`` is the manifest of the test set.  ``sha256`` is that of
    the file of predictions, ``items_sha256`` that of items which the run holds; runs of earlier versions have
    none.
    """

    rows: int
    content_hash: str | None
    predictions: str
    items: str
    items_path: str
    dataset: Mapping[str, Any]
    sha256: str | None = None
    items_sha256: str | None = None

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> RunEntry:
        """Return the entry that *entry* is; raises KeyError if it does not say how many rows there are.

        >>> RunEntry.from_json({"rows": 3, "predictions": "predictions/a.parquet"}).predictions
        'predictions/a.parquet'
        """
        return cls(
            rows=int(entry["rows"]),
            content_hash=entry.get("content_hash"),
            predictions=str(entry.get("predictions") or ""),
            items=str(entry.get("items") or ""),
            items_path=str(entry.get("items_path") or ""),
            dataset=entry.get("dataset") or _NOTHING,
            sha256=entry.get("sha256"),
            items_sha256=entry.get("items_sha256"),
        )


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
