"""From a record to an example: labelled pairs, word problems, sentences, items of a built test set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.labels import Gold, parse_label
from crossexam.core.tables import from_row
from crossexam.corpora.columns import ANNOTATOR_COLUMNS, INFO_COLUMNS, TAG_COLUMNS, Layout, Shape
from crossexam.corpora.records import Row

#: Kinds of example that are single texts, marked in ``info["kind"]``: they have no hypothesis and no gold.
SINGLE_TEXTS: Final = frozenset({"problem", "sentence"})

_JSON_NAMES: Final = {bool: "true or false", int: "a number", float: "a number", list: "an array",
                      dict: "an object", type(None): "null"}  # fmt: skip


def to_example(row: Row, layout: Layout, identify: Callable[[object], str]) -> Example:
    """Return the example in *row*; *identify* makes the id of what the corpus calls it (None: nothing).

    Raises FormatError whose *where* names the field.
    """
    return _READERS[layout.shape](row, layout, identify)


def expects_gold(example: Example, layout: Layout) -> bool:
    """Return whether a missing label means "no gold", not that such records have none.

    A pair has a gold label where its file has a label column; a word problem or a sentence has not.
    """
    return "label" in layout.columns and example.info.get("kind") not in SINGLE_TEXTS


def _pair(row: Row, layout: Layout, identify: Callable[[object], str]) -> Example:
    columns = layout.columns
    premise = _sentence(row, columns["premise"])
    hypothesis = _sentence(row, columns["hypothesis"])
    label = _label(row, columns["label"]) if "label" in columns else None
    info = _extra(row, layout)
    for name, value in row.items():
        key = INFO_COLUMNS.get(name)
        if key is not None and value is not None and value != "":
            info[key] = _text(row, name) if key.endswith("_parse") else str(value)
    annotators = row.get("annotator_labels") or [row.get(name) for name in ANNOTATOR_COLUMNS]
    if not isinstance(annotators, list):
        raise _wrong_type("annotator_labels", annotators, "an array of labels")
    if any(annotators):
        info["annotator_labels"] = [str(name) for name in annotators if name]
    cluster = info.get("cluster") or info.get("captionID") or info.get("promptID")
    if cluster:
        info["cluster"] = cluster
    return Example(identify(row.get(columns.get("id", "pairID"))), premise, hypothesis, label, info=info)


def _problem(row: Row, layout: Layout, identify: Callable[[object], str]) -> Example:
    columns = layout.columns
    question = _sentence(row, columns["question"])
    info: dict[str, Any] = {"kind": "problem", **_extra(row, layout)}
    if "options" in columns:
        options = _field(row, columns["options"])
        if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
            raise _wrong_type(columns["options"], options, "an array of texts")
        info["options"] = options
    for role in ("rationale", "correct"):
        if role in columns:
            info[role] = _text(row, columns[role])
    return Example(identify(row.get(columns.get("id", "id"))), question, "", None, info=info)


def _single_sentence(row: Row, layout: Layout, identify: Callable[[object], str]) -> Example:
    text = _sentence(row, layout.columns["sentence"])
    name = row.get(layout.columns.get("id", "id"))
    return Example(identify(name), text, "", None, info={"kind": "sentence", **_extra(row, layout)})


def _item(row: Row, layout: Layout, identify: Callable[[object], str]) -> Example:
    example = from_row(row, where="")
    _sentence(row, "premise")
    if example.info.get("kind") not in SINGLE_TEXTS:
        _sentence(row, "hypothesis")
    name = identify(example.id)
    if name == example.id:
        return example
    raise FormatError(f"the id '{example.id}' is there twice", where="field 'id'", wanted="unique ids")


_READERS: Final[dict[Shape, Callable[[Row, Layout, Callable[[object], str]], Example]]] = {
    "pair": _pair,
    "problem": _problem,
    "sentence": _single_sentence,
    "test set": _item,
}


def _field(row: Row, column: str) -> Any:
    try:
        return row[column]
    except KeyError:
        raise FormatError(f"the field '{column}' is missing", wanted="it in every record") from None


def _text(row: Row, column: str) -> str:
    value = _field(row, column)
    if not isinstance(value, str):
        raise _wrong_type(column, value, "a text")
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


def _label(row: Row, column: str) -> Gold | None:
    value = _field(row, column)
    if isinstance(value, float):  # tables with gaps hold 0, 1, 2 as 0.0, 1.0, 2.0 and NaN
        value = None if math.isnan(value) else int(value) if value.is_integer() else value
    if isinstance(value, list | dict | bool):
        raise _wrong_type(column, value, "a label")
    return parse_label(value, where=f"field '{column}'")


def _wrong_type(column: str, value: object, wanted: str) -> FormatError:
    found = _JSON_NAMES.get(type(value), f"a {type(value).__name__}")
    return FormatError(f"{found} where {wanted} should be", where=f"field '{column}'", wanted=wanted)


def _extra(row: Row, layout: Layout) -> dict[str, Any]:
    """Return the tags, and the columns that the user maps to info as what JSON can hold."""
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
