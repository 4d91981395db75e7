"""A suite of any number of generated items, written row group by row group.

    python bench/generated.py FOLDER --rows 2000000 [--premises 400] [--seed 0]

Half of the rows are the base, half are its negation test set (``and false is not true``), so that everything
that a report computes from items and their bases has something to compute.  The premises are used over and
over, the hypotheses are nearly all distinct, and so are the pairs.  The files are such as `crossexam build`
writes, but their columns are made without examples, so that ten million rows take a minute or two.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from crossexam.core.files import sha256_of
from crossexam.core.labels import LABELS
from crossexam.core.manifest import BASE, SavedSuiteManifest, TestSetEntry, signature
from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.core.stored.rows import COLUMNS, schema
from crossexam.core.test_sets import ROWS_PER_GROUP

PART: Final = "generated"
_CLAUSE: Final = " and false is not true"
_ADJECTIVES: Final = ("tall", "young", "old", "tired", "happy", "busy", "quiet", "careful")
_NOUNS: Final = (
    "man",
    "woman",
    "doctor",
    "farmer",
    "pilot",
    "singer",
    "teacher",
    "student",
    "painter",
    "guard",
)
_VERBS: Final = ("waits", "sleeps", "reads", "sings", "works", "rests", "cooks", "writes")
_PLACES: Final = ("in the park", "at home", "on the train", "near the lake", "behind the house")

Columns = dict[str, list[Any]]


def premises(count: int, seed: int = 0) -> list[str]:
    """Return *count* different sentences, from as few words as possible."""
    every = [f"A {a} {n} {v} {p}" for a in _ADJECTIVES for n in _NOUNS for v in _VERBS for p in _PLACES]
    random.Random(seed).shuffle(every)
    return [every[k % len(every)] + (f" {k}." if k >= len(every) else ".") for k in range(count)]


def base_columns(start: int, stop: int, given: list[str], rng: random.Random) -> Columns:
    """Return the rows *start* to *stop* of the base; nearly every hypothesis is used once."""
    places = [number % len(given) for number in range(start, stop)]
    counts = [number if rng.random() < 0.98 else number // 2 for number in range(start, stop)]
    return {
        "id": [f"g{number}" for number in range(start, stop)],
        "premise": [given[place] for place in places],
        "hypothesis": [f"Somebody has {count} coins." for count in counts],
        "label": rng.choices(range(len(LABELS)), k=stop - start),
        "base": [None] * (stop - start),
        "construction": [None] * (stop - start),
        "source": [None] * (stop - start),
        "target": [None] * (stop - start),
        "edits": [[]] * (stop - start),
        "info": [
            json.dumps({"cluster": f"p{place}", "genre": _PLACES[place % len(_PLACES)]}) for place in places
        ],
    }


def negated(base: Columns) -> Columns:
    """Return the rows of the construction negation that are made from the rows *base*."""
    ends = [len(hypothesis) - 1 for hypothesis in base["hypothesis"]]
    edit = {"side": "hypothesis", "old": "", "new": _CLAUSE}
    return {
        **base,
        "id": [f"negation:{name}" for name in base["id"]],
        "hypothesis": [f"{hypothesis[:-1]}{_CLAUSE}." for hypothesis in base["hypothesis"]],
        "base": base["id"],
        "construction": ["negation.v1"] * len(ends),
        "source": ["premise"] * len(ends),
        "target": ["hypothesis"] * len(ends),
        "edits": [[{**edit, "start": end, "end": end}] for end in ends],
    }


class _Writer:
    """Writes one test set from columns, and computes its :class:`~crossexam.core.dataset.ContentHash`."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet as pq

        self.rows, self._hash, self._schema = 0, blake2b(digest_size=8), schema(two_labels=False)
        self._parquet = pq.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, columns: Columns) -> None:
        import pyarrow as pa

        self.rows += len(columns["id"])
        rows = zip(columns["id"], columns["premise"], columns["hypothesis"], columns["label"], strict=True)
        text = "".join(f"{name}\x1f{p}\x1f{h}\x1f{LABELS[label]}\x1e" for name, p, h, label in rows)
        self._hash.update(text.encode())
        self._parquet.write_table(pa.table({name: columns[name] for name in COLUMNS}, schema=self._schema))

    def close(self) -> str:
        """Finish the file and return its content hash."""
        self._parquet.close()
        return self._hash.hexdigest()


def write_suite(folder: Path, rows: int, *, premise_count: int = 400, seed: int = 0) -> None:
    """Write a suite of *rows* items, half of them a base, into *folder*; the manifest comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    request = {"suite": "generated", "rows": rows, "premises": premise_count, "seed": seed}
    signed = signature({"corpus": PART, **request})
    base = TestSetEntry(versioned=BASE, part=PART, file=f"{BASE}.{PART}.parquet", signature=signed)
    stress = TestSetEntry(
        versioned="negation.v1",
        part=PART,
        file=f"negation.{PART}.parquet",
        base_set=base.name,
        test_class="distraction",
        signature=signed,
    )
    writers = [_Writer(folder / str(entry.file)) for entry in (base, stress)]
    for whole in _chunks(rows // 2, premise_count, seed):
        writers[0].write(whole)
        writers[1].write(negated(whole))
    entries = [
        replace(
            entry,
            rows=writer.rows,
            content_hash=writer.close(),
            sha256=sha256_of(folder / str(entry.file)),
        )
        for entry, writer in zip((base, stress), writers, strict=True)
    ]
    manifest = SavedSuiteManifest(
        name=PART,
        paper="none",
        signature=signed,
        request=request,
        test_sets={entry.name: entry for entry in entries},
    )
    write_manifest(folder / MANIFEST, manifest.to_json())


def _chunks(rows: int, premise_count: int, seed: int) -> Iterator[Columns]:
    given, rng = premises(premise_count, seed), random.Random(seed + 1)
    for start in range(0, rows, ROWS_PER_GROUP):
        yield base_columns(start, min(start + ROWS_PER_GROUP, rows), given, rng)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--premises", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write_suite(given.folder, given.rows, premise_count=given.premises, seed=given.seed)


if __name__ == "__main__":
    main()
