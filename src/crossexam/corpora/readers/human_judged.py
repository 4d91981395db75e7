"""Readers of corpora whose pairs people judged: SICK, JOCI, SciTail, MPE, Add-1."""

from __future__ import annotations

from typing import Final

from crossexam.core.labels import Gold
from crossexam.corpora.readers.cuts import headless
from crossexam.corpora.readers.reader import Reader, labelled, pair
from crossexam.corpora.records import Row


def _sick(row: Row) -> Row:
    """SICK: SemEval 2014's three files, or the release of 9,840 pairs (Marelli et al. 2014)."""
    label = row["entailment_judgment"] if "entailment_judgment" in row else row["entailment_label"]
    relatedness = row.get("relatedness_score")
    return pair(row["sentence_A"], row["sentence_B"], label, name=row["pair_ID"], relatedness=relatedness)


_SCITAIL: Final[dict[str, Gold]] = {
    "entails": "entailment", "entailment": "entailment", "neutral": "neutral", "not_entailment": "neutral",
}  # fmt: skip


def _scitail(row: Row) -> Row:
    """SciTail (Khot et al. 2018): tsv_format, snli_format, dgem_format, or the hub's copy."""
    if "sentence1" in row:
        premise, hypothesis, label = row["sentence1"], row["sentence2"], row["gold_label"]
    else:
        premise, hypothesis, label = row["premise"], row["hypothesis"], row["label"]
    return pair(premise, hypothesis, labelled(_SCITAIL, label))


SICK: Final = Reader(_sick, "official files", inner=frozenset())
SCITAIL: Final = Reader(
    _scitail,
    "a copy of the test split as CSV; the three official formats as documented",
    cuts={
        "scitail_1.0_train.tsv": headless(("premise", "hypothesis", "label")),
        "scitail_1.0_dev.tsv": headless(("premise", "hypothesis", "label")),
        "scitail_1.0_test.tsv": headless(("premise", "hypothesis", "label")),
    },
    projection="no contradiction",
)
