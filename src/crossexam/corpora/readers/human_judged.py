"""Readers of corpora labelled by human judgments: SICK, JOCI, SciTail, MPE, Add-1."""

from __future__ import annotations

import re
from typing import Final

from crossexam.core.errors import FormatError
from crossexam.core.labels import Gold
from crossexam.corpora.readers.reader import gold_label, pair, shared_info
from crossexam.corpora.records import Row


def sick(row: Row) -> Row:
    """Read SICK (Marelli et al. 2014): SemEval's files, the release of 9,840 pairs, or the hub's copy."""
    label = next(row[name] for name in ("entailment_judgment", "entailment_label", "label") if name in row)
    name = row["pair_ID"] if "pair_ID" in row else row["id"]
    related = row.get("relatedness_score")
    score = None if related is None else float(related)
    return pair(row["sentence_A"], row["sentence_B"], label, name=name, relatedness=score)


_ORDINAL: Final[dict[str, Gold | None]] = {
    "5": "entailment", "4": "neutral", "3": "neutral", "2": "neutral", "1": "contradiction", "0": None,
}  # fmt: skip


def joci(row: Row) -> Row:
    """Read JOCI (Zhang et al. 2017): from 5, very likely, to 1, impossible; 0, nonsensical, is not gold.

    Very likely is read as entailment and impossible as contradiction, as in Poliak et al. (2018).
    """
    return pair(
        row["CONTEXT"],
        row["HYPOTHESIS"],
        gold_label(_ORDINAL, row["LABEL"]),
        name=row.get("HYPOTHESIS_ID"),
        ordinal=row["LABEL"],
        context_from=row["CONTEXT_FROM"],
        hypothesis_from=row["HYPOTHESIS_FROM"],
        subset=row["SUBSET"],
    )


_SCITAIL: Final[dict[str, Gold | None]] = {
    "entails": "entailment", "entailment": "entailment", "neutral": "neutral", "not_entailment": "neutral",
}  # fmt: skip


def scitail(row: Row) -> Row:
    """Read SciTail (Khot et al. 2018): tsv_, snli_, predictor_ or dgem_format, or the hub's copy."""
    if "sentence1" in row:
        label = gold_label(_SCITAIL, row["gold_label"])
        return pair(row["sentence1"], row["sentence2"], label, **shared_info(row))
    return pair(row["premise"], row["hypothesis"], gold_label(_SCITAIL, row["label"]))


_CAPTION: Final = re.compile(r"(?:(\S+?)(?:#\d+)?/)?(.*)")
_JUDGED: Final = ("entailment", "neutral", "contradiction")


def mpe(row: Row) -> Row:
    """Read MPE (Lai et al. 2017): the premise is four captions of one picture, joined in order.

    ``judgments`` counts how many of five annotators chose entailment, neutral, contradiction.
    """
    captions = [_CAPTION.fullmatch(row[f"premise{number}"]) for number in (1, 2, 3, 4)]
    premise = " ".join(found[2].strip() for found in captions if found)
    picture = captions[0][1] if captions[0] else None
    label = row.get("gold_label")
    judgments = [int(row[f"{name}_judgments"]) for name in _JUDGED] if label else None
    return pair(premise, row["hypothesis"], label, name=row["ID"], captionID=picture, judgments=judgments)


_ADD_ONE: Final[dict[str, Gold | None]] = {
    "entailed": "entailment",         "entailment": "entailment",         "1": "entailment",
    "not-entailed": "not_entailment", "not_entailment": "not_entailment", "0": "not_entailment",
}  # fmt: skip
_MARKUP: Final = re.compile(r"</?[bu]>")
_NOT_ABOVE, _FROM, _CUT = 3.0, 4.0, 3.5


def is_straightforward(score: float) -> bool:
    """Return whether a mean *score* says clearly whether a pair of Add-1 is entailed: at most 3, at least 4.

    Only such pairs count in the test set of Pavlick and Callison-Burch (2016).

    >>> is_straightforward(3.0), is_straightforward(3.5), is_straightforward(4.0)
    (True, False, True)
    """
    return not _NOT_ABOVE < score < _FROM


def add_one(row: Row) -> Row:
    """Read Add-1 (Pavlick and Callison-Burch 2016): mean scores from 1 to 5, or a copy that has labels."""
    premise, hypothesis = (" ".join(_MARKUP.sub("", row[side]).split()) for side in ("premise", "hypothesis"))
    if "label" in row:
        score = row.get("mean_human_score")
        label = gold_label(_ADD_ONE, row["label"])
    else:
        score = _score(row["score"])
        undecided = row["split"] == "test" and not is_straightforward(score)
        label = None if undecided else "entailment" if score >= _CUT else "not_entailment"
    return pair(premise, hypothesis, label, score=score, adjective=row.get("adjective"), noun=row.get("noun"))


def _score(text: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = 0.0
    if 1 <= score <= 5:
        return score
    raise FormatError(f"'{text}' is not a mean score", where="field 'score'", wanted="a number from 1 to 5")
