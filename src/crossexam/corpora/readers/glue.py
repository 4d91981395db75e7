"""Readers of corpora in GLUE and SuperGLUE: the diagnostic set, CommitmentBank, RTE, WNLI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.labels import LABELS, Gold
from crossexam.corpora.readers.reader import gold_label, pair
from crossexam.corpora.records import Row

# Key of info, column of diagnostic-full.tsv, field of AX-b.jsonl (Wang et al. 2018, section 4).
# fmt: off
_TAGS: Final[tuple[tuple[str, str, str], ...]] = (
    ("lexical_semantics",            "Lexical Semantics",            "lexical-semantics"),
    ("predicate_argument_structure", "Predicate-Argument Structure", "predicate-argument-structure"),
    ("logic",                        "Logic",                        "logic"),
    ("knowledge",                    "Knowledge",                    "knowledge"),
)
# fmt: on


def diagnostic(row: Row) -> Row:
    """Read GLUE's diagnostic set: three labels in diagnostic-full.tsv, two in SuperGLUE's AX-b.jsonl."""
    tags: dict[str, Any] = {
        key: [tag.strip() for tag in (row.get(column) or row.get(field) or "").split(";") if tag.strip()]
        for key, column, field in _TAGS
    }
    if "Premise" in row:
        label = gold_label(_THREE, row["Label"])
        return pair(row["Premise"], row["Hypothesis"], label, domain=row["Domain"], **tags)
    names = _names_in(row, _TWO, _RTE_OF_HUB)
    return pair(row["sentence1"], row["sentence2"], gold_label(names, row["label"]), name=row["idx"], **tags)


Names = Mapping[str, Gold | None]
_THREE: Final[Names] = {label: label for label in LABELS}
_TWO: Final[Names] = {"entailment": "entailment", "not_entailment": "not_entailment"}
# The numbers are those of the hub's copies; those of CommitmentBank are neither GLUE's order nor ours.
_CB_OF_HUB: Final[Names] = {**_THREE, "0": "entailment", "1": "contradiction", "2": "neutral"}
_RTE_OF_HUB: Final[Names] = {**_TWO, "0": "entailment", "1": "not_entailment"}
_WNLI: Final[Names] = {**_TWO, "1": "entailment", "0": "not_entailment"}  # also in GLUE's files
_AGREEING: Final = 0.8  # proportion of annotators in one of three ranges (Jiang and de Marneffe 2019)


def commitment_bank(row: Row) -> Row:
    """Read CommitmentBank: SuperGLUE's files or the hub's copy, or the 1,200 items (de Marneffe et al. 2019).

    The label of an item is the range of the scale from -3 to 3 that has at least 80% of the judgments: below
    0 is contradiction, 0 neutral, above 0 entailment.  If there is no such range, there is no gold label.
    """
    if "Target" not in row:
        label = gold_label(_names_in(row, _THREE, _CB_OF_HUB), row.get("label"))
        return pair(row["premise"], row["hypothesis"], label, name=row.get("idx"))
    column = "Responses" if "Responses" in row else "Reponses"  # misspelt in the published file
    answers = [int(answer) for answer in row[column].split(",")]
    shares = {
        "contradiction": sum(answer < 0 for answer in answers) / len(answers),
        "neutral": sum(answer == 0 for answer in answers) / len(answers),
        "entailment": sum(answer > 0 for answer in answers) / len(answers),
    }
    agreed = next((label for label, share in shares.items() if share >= _AGREEING), None)
    return pair(
        f"{row['Context']} {row['Target']}".strip(),
        row["Prompt"],
        agreed,
        name=row["uID"],
        genre=row["genre"],
        embedding=row["Embedding"],
        verb=row["Verb"],
        judgments=answers,
    )


def _names_in(row: Row, names: Names, of_hub: Names) -> Names:
    """Return the names of labels in *row*: *names*, or those *of_hub* in its copies, which have an ``idx``.

    What numbers mean in a file that is neither is not known.
    """
    return of_hub if "idx" in row else names


def rte(row: Row) -> Row:
    """Read RTE: GLUE's files, SuperGLUE's (premise, hypothesis), or the hub's copy (0 is entailment)."""
    if "premise" in row:
        label = gold_label(_names_in(row, _TWO, _RTE_OF_HUB), row.get("label"))
        return pair(row["premise"], row["hypothesis"], label, name=row.get("idx"))
    return _of_glue(row, _names_in(row, _TWO, _RTE_OF_HUB))


def wnli(row: Row) -> Row:
    """Read WNLI: GLUE's files or the hub's copy; 1 is entailment, unlike in RTE."""
    return _of_glue(row, _WNLI)


def _of_glue(row: Row, names: Names) -> Row:
    name = row["index"] if "index" in row else row.get("idx")
    if name is None:
        raise FormatError("the field 'index' is missing", wanted="index, or idx as in the hub's copy")
    return pair(row["sentence1"], row["sentence2"], gold_label(names, row.get("label")), name=name)
