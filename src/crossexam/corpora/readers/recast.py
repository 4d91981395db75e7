"""Readers of corpora recast from other annotations: DPR, SPR, FN+ (White et al. 2017)."""

from __future__ import annotations

from typing import Final

from crossexam.core.labels import Gold
from crossexam.corpora.readers.reader import gold_label, pair
from crossexam.corpora.records import Row

_ENTAILED: Final[dict[str, Gold | None]] = {"entailed": "entailment", "not-entailed": "not_entailment"}


def recast(row: Row) -> Row:
    """Read a block (provenance, index, text, hypothesis, entailed, partof), or an object of DNC's JSON.

    The Diverse NLI Collection (Poliak et al. 2018) has context, hypothesis, label, split, pair-id and
    type-of-inference.
    """
    if "context" in row:
        label = gold_label(_ENTAILED, row["label"])
        kind = row.get("type-of-inference")
        return pair(
            row["context"], row["hypothesis"], label, name=row["pair-id"], split=row["split"], inference=kind
        )
    split = row["partof"] if "partof" in row else row["split"]
    label = gold_label(_ENTAILED, row["entailed"])
    return pair(
        row["text"],
        row["hypothesis"],
        label,
        name=row.get("index"),
        split=split,
        replaced=row.get("good_word"),
    )
