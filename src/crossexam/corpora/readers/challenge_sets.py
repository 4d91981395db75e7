"""Readers of challenge sets: HANS, MultiNLI-hard, stress tests, Breaking NLI, ConjNLI, MoNLI, MED."""

from __future__ import annotations

import re
from typing import Final

from crossexam.core.labels import Gold
from crossexam.corpora.readers.reader import gold_label, pair, shared_info
from crossexam.corpora.records import Row

_HANS: Final[dict[str, Gold | None]] = {
    "entailment": "entailment", "non-entailment": "not_entailment", "0": "entailment", "1": "not_entailment",
}  # fmt: skip


def hans(row: Row) -> Row:
    """Read HANS (McCoy et al. 2019): the official table, or the hub's copy (0 is entailment)."""
    kinds = {key: row[key] for key in ("heuristic", "subcase", "template")}
    if "premise" in row:
        return pair(row["premise"], row["hypothesis"], gold_label(_HANS, row["label"]), **kinds)
    label = gold_label(_HANS, row["gold_label"])
    return pair(row["sentence1"], row["sentence2"], label, name=row["pairID"], **kinds, **shared_info(row))


def multinli_hard(row: Row) -> Row | None:
    """Read MultiNLI-hard (Gururangan et al. 2018): its own files, or all of MultiNLI with a field ``hard``.

    The official test files hide their labels.
    """
    if "hard" in row and str(row["hard"]) not in {"1", "True", "true"}:
        return None
    return pair(row["sentence1"], row["sentence2"], row["gold_label"], name=row["pairID"], **shared_info(row))


def naik_stress(row: Row) -> Row:
    """Read the stress tests of Naik et al. (2018): MultiNLI's fields, without parses, which do not fit.

    ``pairID`` is that of the MultiNLI pair, which several items share, and is missing in the numerical test.
    """
    info = {key: row[key] for key in ("genre", "promptID") if key in row}
    return pair(row["sentence1"], row["sentence2"], row["gold_label"], base_pair=row.get("pairID"), **info)


def breaking_nli(row: Row) -> Row:
    """Read Breaking NLI (Glockner et al. 2018): SNLI's fields, and the category of the replaced word."""
    return pair(
        row["sentence1"],
        row["sentence2"],
        row["gold_label"],
        name=row["pairID"],
        category=row["category"],
        annotator_labels=row.get("annotator_labels"),
    )


_CONJUNCTIONS: Final = ("and", "or", "but", "nor")


def conjnli(row: Row) -> Row:
    """Read ConjNLI (Saha et al. 2020): three columns; the test file has no Label.

    The files do not name the conjunction: ``conjunction`` is the one that occurs as a word in either
    sentence, or "several" if different ones do.
    """
    words = set(re.findall(r"\w+", f"{row['Premise']} {row['Hypothesis']}".lower()))
    found = [each for each in _CONJUNCTIONS if each in words]
    conjunction = found[0] if len(found) == 1 else "several" if found else "none"
    return pair(row["Premise"], row["Hypothesis"], row.get("Label"), conjunction=conjunction)


def monli(row: Row) -> Row:
    """Read MoNLI (Geiger et al. 2020): entailment or neutral, and the WordNet distance of the two words.

    Its pairs were labelled with these two labels, as those of SciTail, so it has the same projection.
    """
    words = [row[key] for key in ("sentence1_lex", "sentence2_lex") if key in row]
    return pair(row["sentence1"], row["sentence2"], row["gold_label"], depth=row.get("depth"), words=words)


_MONOTONE: Final = "_monotone"
_MED: Final[dict[str, Gold | None]] = {"entailment": "entailment", "neutral": "not_entailment"}


def med(row: Row) -> Row:
    """Read MED (Yanaka et al. 2019): ``genre`` is a list of tags separated by colons.

    The first is crowd or paper.  One of the others is the monotonicity; the rest are phenomena and the
    sources of a pair.  Its README says that ``neutral`` stands for neutral and contradiction.
    """
    origin, *tags = (tag.strip() for tag in row["genre"].split(":"))
    monotonicity = next((tag.removesuffix(_MONOTONE) for tag in tags if tag.endswith(_MONOTONE)), None)
    others = [tag for tag in tags if not tag.endswith(_MONOTONE)]
    return pair(
        row["sentence1"],
        row["sentence2"],
        gold_label(_MED, row["gold_label"]),
        name=row["pairID"],
        origin=origin,
        monotonicity=monotonicity,
        phenomena=others,
    )
