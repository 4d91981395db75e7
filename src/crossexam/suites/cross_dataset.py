"""The suite ``cross-dataset``: the benchmark of Zhang et al. (2020), section 2, from what is installed.

A test set a corpus, ``base.KEY``, and SNLI's test set, from which the drop is measured.  The splits are
drawn with a declared seed and written beside them as lists of ids with content hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import finished_or_absent, write_json
from crossexam.core.progress import Progress, silent
from crossexam.core.signature import package_version, signature
from crossexam.core.tables import TestSetWriter
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.subsets.scored import noted
from crossexam.suites.fourteen_corpora import MEMBERS, REFERENCE, Member, member_named
from crossexam.suites.splitting import Split, split_member
from crossexam.suites.standing import MANIFEST, stands_there

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
            f"not installed: {missing}", wanted="their files in the data folder",
            hint="docs/corpora.md says which files; crossexam fetch NAME gets them",
        )  # fmt: skip
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
        entries[dataset.name] = {"file": file, **dataset.manifest, "rows": len(rows),
                                 "content_hash": Dataset("", rows).content_hash()}  # fmt: skip
    for key, manifest in manifests.items():
        write_json(folder / SPLITS / f"{key}.json", manifest)
    write_json(folder / MANIFEST, {
        "format": _FORMAT,
        "name": NAME,
        "paper": PAPER,
        "signature": signature({"suite": NAME, "part": request.part, "seed": request.seed,
                                "corpora": "+".join(splits)}),
        "request": identity,
        "absent": list(absent),
        "test_sets": entries,
    })  # fmt: skip
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
    try:
        resolve(spec)
    except CrossexamError:
        return
    counts = {"majority": "entailment", "reference": True, "part": request.part}
    parts = {"corpus": spec, "part": request.part}
    entry = _plain_entry(REFERENCE if request.part == "test" else "snli_dev", signature(parts))
    yield Dataset(f"base.{entry['part']}", tuple(iter_corpus(spec)), {**entry, "cross_dataset": counts})


def _entry(request: CrossDatasetRequest, split: Split) -> dict[str, Any]:
    member = split.member
    reader = READERS.get(member.corpus)
    parts: dict[str, object] = {"corpus": member.key, "files": "+".join(split.files), "part": request.part,
                                "seed": request.seed}  # fmt: skip
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
