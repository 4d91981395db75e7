"""The suite ``cross-dataset``: the benchmark of Zhang et al. (2020), section 2, from what is installed.

A test set a corpus, ``base.KEY``, and SNLI's test set, from which the drop is measured.  The splits are
drawn with a declared seed and written beside them as lists of ids with content hashes.

The declared splits of the cross-dataset benchmark, drawn from what is installed (section 2.2).

A pair's place in the draw is a hash of the seed and its two sentences, so that the same corpus gives the
same split on any machine, in whatever order or under whatever ids its files have the pairs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset, content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, write_json
from crossexam.core.manifest import package_version, signature
from crossexam.core.progress import Progress, silent
from crossexam.core.test_sets import TestSetWriter
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.spec import CorpusSpec
from crossexam.suites.bases import noted
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE, Member, member_named
from crossexam.suites.folder import MANIFEST, stands_there

NAME: Final = "cross-dataset"
PAPER: Final = "Zhang et al. 2020, Reliable Evaluations for NLI (arXiv 2010.07676), section 2"
SPLITS: Final = "splits"
_REFERENCE_SPEC: Final[Mapping[str, str]] = {"test": "snli:test", "validation": "snli:dev"}
_FORMAT: Final = 1


@dataclass(frozen=True)
class CrossDatasetRequest:
    """Which *corpora* (keys of MEMBERS; none: all that are installed), which *part* of the splits."""

    corpora: Sequence[str] = ()
    part: str = "test"
    seed: int = 0
    file_format: str = "parquet"
    limit: int | None = None

    def members(self) -> list[Member]:
        """Return the corpora that are asked for; raises CrossexamError."""
        if self.part not in _REFERENCE_SPEC:
            raise CrossexamError(f"--split is '{self.part}'", wanted="test or validation")
        return [member_named(name) for name in self.corpora] or list(MEMBERS.values())


@dataclass(frozen=True)
class Built:
    """What :func:`write_cross_dataset` did: whether anything was *written*, which members are *absent*."""

    written: bool
    absent: tuple[str, ...]


def write_cross_dataset(
    request: CrossDatasetRequest, folder: Path, *, force: bool = False, progress: Progress = silent
) -> Built:
    """Write the suite that *request* asks for into *folder*, the manifest last.

    Corpora that are not installed are left out, and named in the manifest; one that was asked for by name
    must be there.  Raises CrossexamError.
    """
    members = request.members()
    splits: dict[str, Split] = {}
    for done, member in enumerate(members):
        progress("drawing the splits", done, len(members))
        found = split_member(member, request.seed)
        if found is not None:
            splits[member.key] = found
    progress("drawing the splits", len(members), len(members))
    absent = tuple(member.key for member in members if member.key not in splits)
    if not splits or (request.corpora and absent):
        missing = ", ".join(absent)
        raise CrossexamError(
            f"not installed: {missing}",
            wanted="their files in the data folder",
            hint="docs/corpora.md says which files; crossexam fetch NAME gets them",
        )
    manifests = {key: split.manifest(request.seed) for key, split in splits.items()}
    identity = _identity(request, manifests)
    if stands_there(identity, folder, force=force):
        return Built(False, absent)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SPLITS).mkdir(exist_ok=True)
    entries = {}
    for dataset in _datasets(request, splits):
        file = f"{dataset.name}.{request.file_format}"
        rows = _write(folder / file, dataset, request)
        entries[dataset.name] = {
            "file": file,
            **dataset.manifest,
            "rows": len(rows),
            "content_hash": Dataset("", rows).content_hash(),
        }
    for key, manifest in manifests.items():
        write_json(folder / SPLITS / f"{key}.json", manifest)
    write_json(
        folder / MANIFEST,
        {
            "format": _FORMAT,
            "name": NAME,
            "paper": PAPER,
            "signature": signature(
                {"suite": NAME, "part": request.part, "seed": request.seed, "corpora": "+".join(splits)}
            ),
            "request": identity,
            "absent": list(absent),
            "test_sets": entries,
        },
    )
    return Built(True, absent)


def _identity(request: CrossDatasetRequest, manifests: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "suite": NAME,
        "part": request.part,
        "splits": {key: manifest[request.part]["content_hash"] for key, manifest in manifests.items()},
        "seed": request.seed,
        "format": request.file_format,
        "limit": request.limit,
        "version": package_version(),
    }


def _datasets(request: CrossDatasetRequest, splits: Mapping[str, Split]) -> Iterator[Dataset]:
    """Yield the test sets with what their entries of the manifest say, the reference last."""
    for key, split in splits.items():
        examples = split.test if request.part == "test" else split.validation
        if examples:
            yield Dataset(f"base.{key}", examples, _entry(request, split))
    spec = _REFERENCE_SPEC[request.part]
    corpus = CorpusSpec.parse(spec)
    if not corpus.installed():
        return
    counts = {"majority": "entailment", "reference": True, "part": request.part}
    parts = {"corpus": spec, "part": request.part}
    entry = _plain_entry(REFERENCE if request.part == "test" else "snli_dev", signature(parts))
    yield Dataset(f"base.{entry['part']}", tuple(corpus.examples()), {**entry, "cross_dataset": counts})


def _entry(request: CrossDatasetRequest, split: Split) -> dict[str, Any]:
    member = split.member
    reader = READERS.get(member.corpus)
    parts: dict[str, object] = {
        "corpus": member.key,
        "files": "+".join(split.files),
        "part": request.part,
        "seed": request.seed,
    }
    parts |= {"limit": request.limit} if request.limit is not None else {}
    return {
        **_plain_entry(member.key, signature(parts)),
        "projection": reader.projection if reader and not _one_way(split) else None,
        "cross_dataset": {
            "key": member.key,
            "title": member.title,
            "protocol": member.protocol,
            "rule": member.rule,
            "part": request.part,
            "complete": split.complete and request.limit is None,
            "differences": split.differences(),
            "known": member.known,
            "majority": split.commonest(),
        },
    }


def _one_way(split: Split) -> bool:
    """Tell whether the files at hand have the three labels though the corpus's copies may have two."""
    golds = {example.label for example in (*split.validation, *split.test)}
    return len(golds & {"neutral", "contradiction"}) == 2


def _plain_entry(part: str, signed: str) -> dict[str, Any]:
    return {
        "construction": "base",
        "part": part,
        "base_set": None,
        "keeps_label": True,
        "test_class": "base",
        "signature": signed,
        "yield": None,
    }


def _write(path: Path, dataset: Dataset, request: CrossDatasetRequest) -> list[Example]:
    rows = [noted(example, {}) for example in dataset.examples[: request.limit]]
    with (
        finished_or_absent(path) as temporary,
        TestSetWriter(temporary, file_format=request.file_format) as writer,
    ):
        for example in rows:
            writer.write(example)
    return rows


#: A share of a label further from Table 4's than this, in points, is told.
_POINTS: Final = 1.0


@dataclass(frozen=True)
class Split:
    """A corpus of the benchmark as it was split: its *validation* and *test* examples.

    *absent* names the splits that are not installed; *differs* lists what is not as in Table 4.
    """

    member: Member
    validation: Sequence[Example]
    test: Sequence[Example]
    absent: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all that the test set is drawn from is installed, and has labels: as many as Table 4.

        Fewer are whole where the corpus itself has fewer than the paper counts (*known*).
        """
        if len(self.test) < self.member.sizes[1] and not self.member.known:
            return False
        rows = len(self.validation) + len(self.test)
        return not self.absent or self.member.given is not None or rows >= sum(self.member.sizes)

    def commonest(self) -> str | None:
        """Return the most frequent label of the validation set, None where that has none."""
        counts = Counter(example.label for example in self.validation)
        return min(counts, key=lambda label: (-counts[label], str(label))) if counts else None

    def differences(self) -> list[str]:
        """Return what is not as in Table 4: files that are missing, sizes, label shares."""
        found = [f"not installed: {', '.join(self.absent)}"] if self.absent else []
        ours = (len(self.validation), len(self.test))
        for name, here, published in zip(("validation", "test"), ours, self.member.sizes, strict=True):
            if here != published:
                found.append(f"{name} has {here:,} examples, published {published:,}")
        shares = label_shares([*self.validation, *self.test] if self.member.given is None else self.test)
        for label in sorted({*shares, *self.member.shares}):
            here_, there = shares.get(label, 0.0), self.member.shares.get(label, 0.0)  # type: ignore[call-overload]
            if abs(here_ - there) > _POINTS:
                found.append(f"{here_:.1f} % {label}, published {there:.1f} %")
        return found

    def manifest(self, seed: int) -> dict[str, Any]:
        """Return what is written of the split: rule, seed, and ids and content hash of both parts."""
        return {
            "corpus": self.member.key,
            "rule": self.member.rule,
            "seed": seed,
            "files": list(self.files),
            "complete": self.complete,
            "differences": self.differences(),
            "known": self.member.known,
            **{
                name: {"rows": len(part), "content_hash": content_hash(part), "ids": [e.id for e in part]}
                for name, part in (("validation", self.validation), ("test", self.test))
            },
        }


def label_shares(examples: Sequence[Example]) -> dict[str, float]:
    """Return the percentage of each gold label.

    >>> label_shares([Example("a", "P.", "H.", "neutral")])
    {'neutral': 100.0}
    """
    counts = Counter(str(example.label) for example in examples)
    return {label: 100 * count / len(examples) for label, count in sorted(counts.items())}


def split_member(member: Member, seed: int) -> Split | None:
    """Return *member* split with *seed*, None where none of what its test set needs is installed.

    Where only some of its splits are, these are divided in the published proportion.
    """
    pool, absent, files = _pool(member)
    if member.given is not None:
        return _beside_given(member, pool, absent, files, seed)
    if not pool:
        return None
    wanted = len(pool) // 2
    if member.sampled is not None:
        whole = sum(member.sizes)
        wanted = member.sampled if not absent else len(pool) * member.sampled // whole
    first = set(_drawn(pool, seed)[:wanted])
    validation = [example for place, example in enumerate(pool) if place in first]
    test = [example for place, example in enumerate(pool) if place not in first]
    return Split(member, validation, test, absent, files)


def _beside_given(
    member: Member, pool: list[Example], absent: tuple[str, ...], files: tuple[str, ...], seed: int
) -> Split | None:
    test, missing, test_files = _pool(replace(member, splits=(member.given or "",), given=None))
    if missing:
        return None
    first = set(_drawn(pool, seed)[: len(test)])
    validation = [example for place, example in enumerate(pool) if place in first]
    return Split(member, validation, test, absent, (*files, *test_files))


def _pool(member: Member) -> tuple[list[Example], tuple[str, ...], tuple[str, ...]]:
    """Return the labelled examples of all splits of *member*, which are not installed, and the files."""
    examples: list[Example] = []
    absent, files = [], []
    for part in member.splits:
        spec = CorpusSpec.parse(f"{member.corpus}:{part}")
        if not spec.installed():
            absent.append(spec.text)
            continue
        files.append(spec.path().name)
        found = spec.examples()
        single = len(member.splits) == 1
        examples += (example if single else replace(example, id=f"{part}:{example.id}") for example in found)
    return examples, tuple(absent), tuple(files)


def _drawn(pool: Sequence[Example], seed: int) -> list[int]:
    """Return the places of *pool* in the order of the draw."""
    times: Counter[str] = Counter()
    keys = []
    for example in pool:
        text = f"{example.premise}\x1f{example.hypothesis}"
        times[text] += 1
        digest = hashlib.blake2b(f"{seed}\x1f{text}\x1f{times[text]}".encode("utf-8", "surrogatepass"))
        keys.append(digest.digest())
    return sorted(range(len(pool)), key=keys.__getitem__)
