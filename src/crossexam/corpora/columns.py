"""Which column of a corpus holds what: the names that published corpora use, and a user's own.

Sources of the names: the headers of SNLI 1.0, MultiNLI 1.0 and their copies on the hub, SICK, GLUE,
AQuA-RAT.  Names that other corpora use for something else (JOCI's ordinal ``LABEL`` beside
``CONTEXT``) are left out on purpose, so that such a file is refused instead of misread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, Literal

from crossexam.core.errors import CrossexamError, FormatError

Shape = Literal["pair", "problem", "sentence", "test set"]

# Compared without regard to case; the first that a file has is taken.
# fmt: off
ROLES: Final[dict[str, tuple[str, ...]]] = {
    "premise":    ("premise", "sentence1", "sentence_1", "sentence_a", "text1", "text_a"),
    "hypothesis": ("hypothesis", "sentence2", "sentence_2", "sentence_b", "text2", "text_b"),
    "label":      ("gold_label", "label", "gold", "entailment_judgment", "entailment_label"),
    "id":         ("pairid", "pair_id", "uid", "id", "idx", "index"),
    "question":   ("question",),
    "options":    ("options",),
    "rationale":  ("rationale",),
    "correct":    ("correct",),
    "sentence":   ("sentence", "text"),
}

#: Column to key of ``info``.  The hub calls the sides premise and hypothesis, the official files
#: sentence1 and sentence2.
INFO_COLUMNS: Final[dict[str, str]] = {
    "genre":                    "genre",
    "captionID":                "captionID",
    "promptID":                 "promptID",
    "cluster":                  "cluster",
    "sentence1_parse":          "premise_parse",
    "sentence2_parse":          "hypothesis_parse",
    "sentence1_binary_parse":   "premise_binary_parse",
    "sentence2_binary_parse":   "hypothesis_binary_parse",
    "premise_parse":            "premise_parse",
    "hypothesis_parse":         "hypothesis_parse",
    "premise_binary_parse":     "premise_binary_parse",
    "hypothesis_binary_parse":  "hypothesis_binary_parse",
}

#: Part-of-speech tags as a list of [word, tag], where a corpus has these instead of parses.
TAG_COLUMNS: Final[dict[str, str]] = {
    "premise_tags":    "premise_tags",     "sentence1_tags": "premise_tags",
    "hypothesis_tags": "hypothesis_tags",  "sentence2_tags": "hypothesis_tags",
    "question_tags":   "premise_tags",
}

#: The single annotators' labels of the official .txt files, where the .jsonl have a list.
ANNOTATOR_COLUMNS: Final = ("label1", "label2", "label3", "label4", "label5")
# fmt: on

_TEST_SET_COLUMNS: Final = frozenset({"id", "premise", "hypothesis", "label", "construction", "edits"})
_PROBLEM_SIGNS: Final = frozenset({"options", "rationale", "correct", "answer"})


@dataclass(frozen=True)
class Layout:
    """What a file's records are and which column plays which role; *extra* maps info keys to columns."""

    shape: Shape
    columns: Mapping[str, str]
    extra: Mapping[str, str] = field(default_factory=dict)


def parse_columns(text: str) -> dict[str, str]:
    """Return the mapping that ``--columns`` states; raises CrossexamError.

    >>> parse_columns("premise=sentence1, hypothesis=sentence2")
    {'premise': 'sentence1', 'hypothesis': 'sentence2'}
    """
    mapping: dict[str, str] = {}
    for piece in text.split(","):
        role, equals, column = (part.strip() for part in piece.partition("="))
        if not (role and equals and column) or role in mapping:
            raise CrossexamError(
                f"'{piece.strip()}' does not name a column",
                where=f"--columns {text}",
                wanted="ROLE=COLUMN,... with each role once, as in premise=sentence1,label=gold",
            )
        mapping[role] = column
    return mapping


def find_layout(names: Iterable[str], mapping: Mapping[str, str] | None = None) -> Layout:
    """Return what a file with the columns *names* holds; *mapping* (role to column) goes first.

    A role that is none of ours puts its column into ``info`` under the role's name.  Raises
    FormatError where a column of *mapping* is not there or a pair lacks a side.

    >>> find_layout(["sentence1", "sentence2", "gold_label"]).columns["label"]
    'gold_label'
    >>> find_layout(["question", "options"]).shape
    'problem'
    """
    names, mapping = list(names), dict(mapping or {})
    for role, column in mapping.items():
        if column not in names:
            near = get_close_matches(column, names, n=1)
            raise FormatError(
                f"no column '{column}' for '{role}'",
                wanted=f"one of the file's columns: {', '.join(names)}",
                hint=f"did you mean '{near[0]}'?" if near else None,
            )
    if not mapping and set(names) >= _TEST_SET_COLUMNS:
        return Layout("test set", {name: name for name in names})
    columns = _roles(names, mapping)
    extra = {key: column for key, column in mapping.items() if key not in ROLES}
    return Layout(_shape(columns, names, mapping), columns, extra)


def _roles(names: list[str], mapping: Mapping[str, str]) -> dict[str, str]:
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    columns: dict[str, str] = {}
    for role, known in ROLES.items():
        found = mapping.get(role) or next((folded[name] for name in known if name in folded), None)
        if found is not None:
            columns[role] = found
    return columns


def _shape(columns: Mapping[str, str], names: list[str], mapping: Mapping[str, str]) -> Shape:
    missing = [side for side in ("premise", "hypothesis") if side not in columns]
    if not missing:
        return "pair"
    if len(missing) == 2:
        if "question" in columns and ("question" in mapping or _PROBLEM_SIGNS & set(names)):
            return "problem"
        if "sentence" in columns and "question" not in columns:
            return "sentence"
    raise FormatError(
        f"no column for the {' or the '.join(missing)}",
        wanted=f"a column called {', '.join(ROLES[missing[0]])}; or question and options; or sentence",
        hint=f"say which it is, as in --columns premise=A,hypothesis=B; the columns are: {', '.join(names)}",
    )
