"""Columns: which column of a file has which role, and how a record becomes an example.

A record is a labelled pair, a word problem, a sentence, or an item of a built test set.  The column names
are those of SNLI 1.0, MultiNLI 1.0 and their copies on the hub, SICK, GLUE and AQuA-RAT.  Names that other
corpora use for something else (JOCI's ordinal ``LABEL`` with ``CONTEXT``) are left out on purpose, so that
such a file is refused instead of misread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, Literal

from crossexam.core.arguments import required
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import (
    ANNOTATOR_LABELS,
    BINARY_PARSE_KEY,
    CAPTION_ID,
    CLUSTER,
    CORRECT,
    GENRE,
    KIND,
    OPTIONS,
    PARSE_KEY,
    PROMPT_ID,
    RATIONALE,
    SINGLE_TEXTS,
    TAGS_KEY,
    Example,
)
from crossexam.core.labels import Gold
from crossexam.core.output.escapes import quoted
from crossexam.core.stored.rows import from_row
from crossexam.corpora.label_names import LabelNames
from crossexam.corpora.records import Row, json_name

Shape = Literal["pair", "problem", "sentence", "test set"]

# Compared without regard to case; the first that a file has is used.
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

#: Columns and their keys in ``info``.  The hub calls the sides premise and hypothesis, the official files
#: sentence1 and sentence2.
INFO_COLUMNS: Final[dict[str, str]] = {
    "genre":                    GENRE,
    "captionID":                CAPTION_ID,
    "promptID":                 PROMPT_ID,
    "cluster":                  CLUSTER,
    "sentence1_parse":          PARSE_KEY["premise"],
    "sentence2_parse":          PARSE_KEY["hypothesis"],
    "sentence1_binary_parse":   BINARY_PARSE_KEY["premise"],
    "sentence2_binary_parse":   BINARY_PARSE_KEY["hypothesis"],
    "premise_parse":            PARSE_KEY["premise"],
    "hypothesis_parse":         PARSE_KEY["hypothesis"],
    "premise_binary_parse":     BINARY_PARSE_KEY["premise"],
    "hypothesis_binary_parse":  BINARY_PARSE_KEY["hypothesis"],
}

#: Columns with POS tags as a list of [word, tag], for corpora that have them instead of parses.
TAG_COLUMNS: Final[dict[str, str]] = {
    "premise_tags":    TAGS_KEY["premise"],     "sentence1_tags": TAGS_KEY["premise"],
    "hypothesis_tags": TAGS_KEY["hypothesis"],  "sentence2_tags": TAGS_KEY["hypothesis"],
    "question_tags":   TAGS_KEY["premise"],
}

#: The labels of the single annotators in the official .txt files; the .jsonl files have a list.
ANNOTATOR_COLUMNS: Final = ("label1", "label2", "label3", "label4", "label5")
# fmt: on

_TEST_SET_COLUMNS: Final = frozenset({"id", "premise", "hypothesis", "label", "construction", "edits"})
_PROBLEM_SIGNS: Final = frozenset({"options", "rationale", "correct", "answer"})


@dataclass(frozen=True)
class Layout:
    """The kind of a file's records and the column of each role.

    *extra* maps keys of ``info`` to columns, *labels* says how the values of the label column are read.
    """

    shape: Shape
    columns: Mapping[str, str]
    extra: Mapping[str, str] = field(default_factory=dict)
    labels: LabelNames = field(default_factory=LabelNames)


def parse_columns(text: str) -> dict[str, str]:
    """Return the mapping of roles to columns in *text*, the value of ``--columns``; raises CrossexamError.

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


def stated_columns(columns: Any) -> dict[str, str] | None:
    """Return what *columns*, the value of ``--columns`` or a dict in its place, maps; None if it is None.

    Raises CrossexamError.

    >>> stated_columns("premise=text_a"), stated_columns({"label": "gold"})
    ({'premise': 'text_a'}, {'label': 'gold'})
    """
    if isinstance(columns, str):
        return parse_columns(columns)
    wanted = "a dict of roles to columns, such as {'premise': 'text_a', 'label': 'gold'}"
    if columns is None or not required(columns, Mapping, "columns", wanted=wanted):
        return None
    if not all(isinstance(each, str) for pair in columns.items() for each in pair):
        raise CrossexamError("columns has names that are not strings", wanted=wanted)
    return dict(columns)


def refuse_absent(mapping: Mapping[str, str], names: Collection[str], *, where: str | None = None) -> None:
    """Raise FormatError if a column of *mapping* (role to column) is not among *names*."""
    for role, column in mapping.items():
        if column not in names:
            near = get_close_matches(column, names, n=1)
            raise FormatError(
                f"no column '{column}' for '{role}'",
                where=where,
                wanted=f"one of the file's columns: {', '.join(names)}",
                hint=f"did you mean '{near[0]}'?" if near else None,
            )


def find_layout(names: Iterable[str], mapping: Mapping[str, str] | None = None) -> Layout:
    """Return the layout of a file with the columns *names*; *mapping* (role to column) takes precedence.

    The column of any other role is put into ``info`` under that name.  Raises FormatError if a column of
    *mapping* is missing, if a pair lacks a side, or if it lacks a label and *mapping* has a role almost so
    called.

    >>> find_layout(["sentence1", "sentence2", "gold_label"]).columns["label"]
    'gold_label'
    >>> find_layout(["question", "options"]).shape
    'problem'
    """
    names, mapping = list(names), dict(mapping or {})
    refuse_absent(mapping, names)
    if not mapping and set(names) >= _TEST_SET_COLUMNS:
        return Layout("test set", {name: name for name in names})
    columns = roles_of(names, mapping)
    extra = {key: column for key, column in mapping.items() if key not in ROLES}
    shape = _shape(columns, names, mapping)
    if shape == "pair" and "label" not in columns:
        _refuse_misspelt(["label"], mapping)
    return Layout(shape, columns, extra)


def roles_of(names: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the column of each role among *names*, by *mapping* (role to column) or by their usual names."""
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    columns: dict[str, str] = {}
    for role, known in ROLES.items():
        column = mapping.get(role) or next((folded[name] for name in known if name in folded), None)
        if column is not None:
            columns[role] = column
    return columns


def _shape(columns: Mapping[str, str], names: list[str], mapping: Mapping[str, str]) -> Shape:
    missing = [side for side in ("premise", "hypothesis") if side not in columns]
    if not missing:
        return "pair"
    if len(missing) == 2:
        if "question" in columns and ("question" in mapping or _PROBLEM_SIGNS & set(names)):
            return "problem"
        if "sentence" in mapping or ("sentence" in columns and not _others(columns, names)):
            return "sentence"
    _refuse_misspelt(missing, mapping)
    raise FormatError(
        f"no column for the {' or the '.join(missing)}",
        wanted=f"a column called {', '.join(ROLES[missing[0]])}; or question and options; or sentence",
        hint="name them with --columns premise=A,hypothesis=B,label=C (without labels, no label=C), "
        f"or sentence=A for tests of single sentences; the columns are: {', '.join(names)}",
    )


def _others(columns: Mapping[str, str], names: Iterable[str]) -> set[str]:
    """Return the columns beside one of sentences that may hold the other side of a pair, or its label."""
    return {*names} - {columns.get("id"), columns["sentence"], *INFO_COLUMNS, *TAG_COLUMNS}


def _refuse_misspelt(missing: Iterable[str], mapping: Mapping[str, str]) -> None:
    """Raise FormatError if a role of *mapping* is almost one of those *missing*, or another name of one."""
    for role in missing:
        for stated, column in mapping.items():
            near = get_close_matches(stated.lower(), ROLES[role], n=1, cutoff=0.8)
            if near and stated not in ROLES:
                raise FormatError(
                    f"there is no {role}, and '{stated}' is not a role",
                    wanted=f"the roles that are read: {', '.join(ROLES)}",
                    hint=f"did you mean {role}={column}?",
                )


#: Makes the id of an example from the corpus's own (None if it has none), its texts and its label.
Identify = Callable[[object, str, str, Gold | None], str]


def to_example(row: Row, layout: Layout, identify: Identify) -> Example:
    """Return the example in *row*, whose id *identify* makes.

    Raises FormatError, which names the field.
    """
    return _READERS[layout.shape](row, layout, identify)


def expects_gold(example: Example, layout: Layout) -> bool:
    """Return whether a missing label means that annotators did not agree on a gold label.

    Pairs in a file with a label column should have one; word problems and sentences never do.
    """
    return "label" in layout.columns and example.info.get(KIND) not in SINGLE_TEXTS


def _pair(row: Row, layout: Layout, identify: Identify) -> Example:
    columns = layout.columns
    premise = _sentence(row, columns["premise"])
    hypothesis = _sentence(row, columns["hypothesis"])
    label = _label(row, columns["label"], layout.labels) if "label" in columns else None
    info = _extra(row, layout)
    for name, value in row.items():
        key = INFO_COLUMNS.get(name)
        if key is not None and value is not None and value != "":
            info[key] = _text(row, name) if key.endswith("_parse") else str(value)
    annotators = row.get("annotator_labels") or [row.get(name) for name in ANNOTATOR_COLUMNS]
    if not isinstance(annotators, list):
        raise _wrong_type("annotator_labels", annotators, "an array of labels")
    if any(annotators):
        info[ANNOTATOR_LABELS] = [str(name) for name in annotators if name]
    cluster = info.get(CLUSTER) or info.get(CAPTION_ID) or info.get(PROMPT_ID)
    if cluster:
        info[CLUSTER] = cluster
    name = identify(row.get(columns.get("id", "pairID")), premise, hypothesis, label)
    return Example(name, premise, hypothesis, label, info=info)


def _problem(row: Row, layout: Layout, identify: Identify) -> Example:
    columns = layout.columns
    question = _sentence(row, columns["question"])
    info: dict[str, Any] = {KIND: "problem", **_extra(row, layout)}
    if "options" in columns:
        options = _field(row, columns["options"])
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            raise _wrong_type(columns["options"], options, "an array of strings")
        info[OPTIONS] = options
    for role, key in (("rationale", RATIONALE), ("correct", CORRECT)):
        if role in columns:
            info[key] = _text(row, columns[role])
    name = identify(row.get(columns.get("id", "id")), question, "", None)
    return Example(name, question, "", None, info=info)


def _single_sentence(row: Row, layout: Layout, identify: Identify) -> Example:
    text = _sentence(row, layout.columns["sentence"])
    name = identify(row.get(layout.columns.get("id", "id")), text, "", None)
    return Example(name, text, "", None, info={KIND: "sentence", **_extra(row, layout)})


def _item(row: Row, layout: Layout, identify: Identify) -> Example:
    example = from_row(row, where="")
    _sentence(row, "premise")
    if example.info.get(KIND) not in SINGLE_TEXTS:
        _sentence(row, "hypothesis")
    name = identify(example.id, example.premise, example.hypothesis, example.label)
    if name == example.id:
        return example
    raise FormatError(f"the id {quoted(example.id)} is not unique", where="field 'id'", wanted="unique ids")


_READERS: Final[dict[Shape, Callable[[Row, Layout, Identify], Example]]] = {
    "pair": _pair,
    "problem": _problem,
    "sentence": _single_sentence,
    "test set": _item,
}


def _field(row: Row, column: str) -> Any:
    try:
        return row[column]
    except KeyError:
        raise FormatError(
            f"the field '{column}' is missing", wanted="the same fields in every record"
        ) from None


def _text(row: Row, column: str) -> str:
    value = _field(row, column)
    if not isinstance(value, str):
        raise _wrong_type(column, value, "a string")
    return value


def _sentence(row: Row, column: str) -> str:
    text = _text(row, column)
    if not text or text.isspace():
        raise FormatError("the text is empty", where=f"field '{column}'", wanted="a sentence")
    if "\0" in text:
        position = text.index("\0")
        raise FormatError(
            f"a NUL character at position {position}", where=f"field '{column}'", wanted="a sentence"
        )
    return text


def _label(row: Row, column: str, labels: LabelNames) -> Gold | None:
    value = _field(row, column)
    if isinstance(value, list | dict):
        raise _wrong_type(column, value, "a label")
    return labels.gold(value, where=f"field '{column}'")


def _wrong_type(column: str, value: object, wanted: str) -> FormatError:
    return FormatError(f"{json_name(value)} instead of {wanted}", where=f"field '{column}'", wanted=wanted)


def _extra(row: Row, layout: Layout) -> dict[str, Any]:
    """Return the POS tags and the columns that the user maps to ``info``, as values that JSON can hold."""
    info: dict[str, Any] = {}
    for column in TAG_COLUMNS.keys() & row.keys():
        if not isinstance(row[column], list | None):
            raise _wrong_type(column, row[column], "an array of [word, tag]")
        if row[column]:
            info[TAG_COLUMNS[column]] = row[column]
    for key, column in layout.extra.items():
        value = row.get(column)
        if value is not None and value != "":
            known = isinstance(value, str | int | float | bool | list | dict)
            info[key] = value if known else str(value)
    return info
