"""Readers of benchmarks of fact checking: LLM-AggreFact, TRUE and SummaC.

The premise is a document and the hypothesis a claim, or a whole summary or response.  1 means that the
document supports all of it, which is entailment; 0 is not_entailment.  Claims about one document form a
cluster, as all pairs with the same premise do.
"""

from __future__ import annotations

from typing import Final

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.core.output.escapes import quoted
from crossexam.corpora.readers.reader import gold_label, pair
from crossexam.corpora.records import Row

#: The key of ``info`` with the name of the data set within its benchmark.
DATA_SET: Final = "dataset"

_SUPPORTED: Final[dict[str, Gold | None]] = {"1": "entailment", "0": "not_entailment"}
#: The cuts of SummaC, and the splits that they are.
CUTS: Final = {"val": "dev", "test": "test"}


def aggrefact(row: Row) -> Row:
    """Read LLM-AggreFact (Tang et al. 2024): dataset, doc, claim, label, contamination_identifier."""
    return pair(
        row["doc"],
        row["claim"],
        gold_label(_SUPPORTED, row["label"]),
        contamination_identifier=row.get("contamination_identifier"),
        **{DATA_SET: row["dataset"]},
    )


def true(row: Row) -> Row:
    """Read TRUE (Honovich et al. 2022): a file per data set, with grounding, generated_text, label.

    The ids of some files are those of documents, so that pairs are named by their numbers.
    """
    return pair(
        row["grounding"],
        row["generated_text"],
        gold_label(_SUPPORTED, row["label"]),
        system=row.get("model"),
    )


def summac(row: Row) -> Row:
    """Read SummaC (Laban et al. 2022): its loader's records, with dataset, document, claim, label, cut."""
    cut = row["cut"]
    if cut not in CUTS:
        raise FormatError(f"unknown cut {quoted(cut)}", where="field 'cut'", wanted=" or ".join(CUTS))
    return pair(
        row["document"],
        row["claim"],
        gold_label(_SUPPORTED, row["label"]),
        split=CUTS[cut],
        system=row.get("model_name"),
        **{DATA_SET: row["dataset"]},
    )
