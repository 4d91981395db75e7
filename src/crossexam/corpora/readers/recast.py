"""Readers of corpora recast from other annotations: DPR, SPR, FN+ (White et al. 2017)."""

from __future__ import annotations

from typing import Final

from crossexam.core.labels import Gold
from crossexam.corpora.readers.cuts import blocks
from crossexam.corpora.readers.reader import Reader, labelled, pair
from crossexam.corpora.records import Row

_ENTAILED: Final[dict[str, Gold]] = {"entailed": "entailment", "not-entailed": "not_entailment"}


def _recast(row: Row) -> Row:
    """A block of ``provenance, index, text, hypothesis, entailed, partof, split, type-...``."""
    label = labelled(_ENTAILED, row["entailed"])
    return pair(row["text"], row["hypothesis"], label, name=row.get("index"), split=row.get("split"))


DPR: Final = Reader(
    _recast,
    "pairs rebuilt from the source, with the same fields; the blocks as documented",
    cuts={"dpr_data.txt": blocks},
    projection="two labels",
    inner=frozenset({"train", "dev", "test"}),
)
