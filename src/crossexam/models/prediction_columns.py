"""Which columns of a prediction file identify an item, hold the prediction, and say that there is none."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from crossexam.core.errors import FormatError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.outcome import ANSWERED, STATUSES, UNANSWERED
from crossexam.core.output.escapes import quoted
from crossexam.corpora.columns import refuse_absent
from crossexam.models.model import Pair, pair_digest
from crossexam.models.prediction_rows import Row, Rows

#: How rows are matched: by the ids of items, by those of pairs (:func:`pair_id`), by the texts of pairs.
Matching = Literal["id", "pair", "text"]

_PAIR_ID: Final = re.compile("pair-[0-9a-f]{32}")

# Names of columns, lower case, in the order in which they are looked for.
# fmt: off
_ID_COLUMNS: Final = ("id", "pairid", "pair_id", "uid")
_TEXT_COLUMNS: Final = (("premise", "hypothesis"), ("sentence1", "sentence2"))
_SHARE_COLUMNS: Final = (
    ("model_p_entailment", "model_p_neutral", "model_p_contradiction"),  # of our own files
    ("p_entailment",    "p_neutral",    "p_contradiction"),
    ("prob_entailment", "prob_neutral", "prob_contradiction"),
    ("entailment",      "neutral",      "contradiction"),
    ("p_entailment",    "p_not_entailment"),
    ("prob_entailment", "prob_not_entailment"),
    ("entailment",      "not_entailment"),
    ("p_entailment",),
    ("prob_entailment",),
)
_LIST_COLUMNS: Final = ("probabilities", "probs")
_LOGIT_COLUMNS: Final = ("logits",)
_STATUS_COLUMNS: Final = ("outcome", "status")
_LABEL_COLUMNS: Final = ("prediction", "predicted", "predicted_label", "pred", "label")
_FORMS: Final = (
    *(("shares", columns) for columns in _SHARE_COLUMNS),
    *(("probabilities", (column,)) for column in _LIST_COLUMNS),
    *(("logits", (column,)) for column in _LOGIT_COLUMNS),
    *(("label", (column,)) for column in _LABEL_COLUMNS),
)

#: What ``--columns`` can say of a prediction file: what identifies an item, and what holds the prediction.
NAMING_ROLES: Final = ("id", "premise", "hypothesis")
ANSWER_ROLES: Final = ("prediction", "p_entailment", "p_neutral", "p_contradiction", "p_not_entailment",
                       "probabilities", "logits")
ROLES: Final = (*NAMING_ROLES, *ANSWER_ROLES, "status")
# fmt: on


@dataclass(frozen=True)
class PredictionColumns:
    """The names of the columns of a prediction file that identify the item and hold the prediction.

    At least one of ``id`` and ``text`` is not None; *form* is "shares" (one to three named columns),
    "probabilities" (a list), "logits" (a list) or "label".  The column *status*, if there is one, says which
    items have no answer.
    """

    id: str | None
    text: tuple[str, str] | None
    form: str
    answer: tuple[str, ...]
    status: str | None = None

    @property
    def naming(self) -> tuple[str, ...]:
        """The columns that identify the item."""
        return (*(self.text or ()), *([self.id] if self.id else []))

    def status_of(self, row: Row) -> str:
        """Return the status of *row*: answered unless it states another one."""
        stated = row.get(self.status) if self.status is not None else None
        return ANSWERED if is_empty(stated) else str(stated)

    def matching(self, rows: Sequence[Row]) -> Matching:
        """Return how *rows* are matched: by their ids if they have any, most of which may be ids of pairs."""
        if self.id is None:
            return "text"
        of_pairs = sum(_PAIR_ID.fullmatch(str(row[self.id])) is not None for row in rows)
        return "pair" if 2 * of_pairs > len(rows) else "id"


def pair_id(pair: Pair) -> str:
    """Return the id of *pair* in exported files, by which a row stands for all items with this pair.

    >>> pair_id(("It rains.", "It is wet."))
    'pair-80899853b36d20d0a30084472df08b26'
    """
    return f"pair-{pair_digest(pair)}"


def name_in(example: Example, by: Matching) -> object:
    """Return what identifies the row of *example* if rows are matched *by* this."""
    pair = example.premise, example.hypothesis
    return example.id if by == "id" else pair_id(pair) if by == "pair" else pair


def is_empty(value: object) -> bool:
    """Return whether *value* is that of an empty cell."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def find_columns(
    names: Sequence[str], *, where: str, mapping: Mapping[str, str] | None = None
) -> PredictionColumns:
    """Return which of the columns *names* hold what; *mapping* (role to column) takes precedence.

    If the mapping names what identifies an item, or what holds the prediction, no other column does.  Raises
    UnknownNameError for an unknown role, FormatError if a column is missing.

    >>> find_columns(["uid", "label", "probs"], where="a.jsonl").form
    'probabilities'
    >>> find_columns(["uid", "label", "mine"], where="a.csv", mapping={"prediction": "mine"}).answer
    ('mine',)
    """
    mapping = mapping or {}
    for role in mapping:
        if role not in ROLES:
            raise UnknownNameError("role of a column of predictions", role, ROLES, where="--columns")
    refuse_absent(mapping, names, where=where)
    own = {name.strip().lower(): name for name in names}
    identity, text = _naming(own, mapping)
    if identity is None and text is None:
        raise FormatError(
            "no column identifies the item of a prediction",
            where=where,
            wanted="id, pairID or uid; or premise and hypothesis; or sentence1 and sentence2",
            hint=_way_out("id=A (or premise=A,hypothesis=B)", names),
        )
    stated = {role: mapping[role] for role in ANSWER_ROLES if role in mapping}
    known = stated or own
    for form, columns in _FORMS:
        if all(name in known for name in columns):
            status = mapping.get("status")
            return PredictionColumns(identity, text, form, tuple(known[name] for name in columns), status)
    raise FormatError(
        "no column holds predictions",
        where=where,
        wanted="p_entailment, p_neutral and p_contradiction (or p_not_entailment); or probabilities; or "
        "logits; or prediction",
        hint=_way_out("prediction=A", names),
    )


def _way_out(example: str, names: Sequence[str]) -> str:
    return f"{_stating(example)} says which it is; available: {', '.join(names)}"


def _stating(columns: str) -> str:
    return f"--columns {columns} of run, or --set file.columns={columns.partition(' ')[0]},"


def read_labels_instead(names: Sequence[str], mapping: Mapping[str, str]) -> str:
    """Return the end of a hint: what reads labels, if the columns *names* have such as well as probabilities.

    There is none if the *mapping* says where predictions are, or for ``label``, which may be the gold label.

    >>> read_labels_instead(["id", "p_entailment", "Pred"], {})[:52]
    '; --columns prediction=Pred of run, or --set file.co'
    """
    own = {name.strip().lower(): name for name in names}
    labels = next((own[name] for name in _LABEL_COLUMNS if name in own and name != "label"), None)
    if labels is None or any(role in mapping for role in ANSWER_ROLES):
        return ""
    stated = ",".join(f"{role}={column}" for role, column in {**mapping, "prediction": labels}.items())
    return f"; {_stating(stated)} reads the labels in {labels!r} instead"


def _naming(own: Mapping[str, str], mapping: Mapping[str, str]) -> tuple[str | None, tuple[str, str] | None]:
    """Return the columns of id and texts; if *mapping* names one of the two, the other is not looked for."""
    identity = mapping.get("id")
    sides = [mapping.get(side, own.get(side)) for side in ("premise", "hypothesis")]
    text = (sides[0], sides[1]) if sides[0] is not None and sides[1] is not None else None
    if "premise" in mapping or "hypothesis" in mapping:
        return identity, text
    if identity is not None:
        return identity, text
    usual = [(own[first], own[second]) for first, second in _TEXT_COLUMNS if first in own and second in own]
    return next((own[name] for name in _ID_COLUMNS if name in own), None), next(iter(usual), None)


def status_column(found: Rows, stated: str | None) -> str | None:
    """Return the column that says which items have no answer: all of its values are statuses.

    It is the *stated* one, or one of a usual name, unless none of the values there is a status.  Raises
    FormatError if only some of them are, or if the stated column has other values.
    """
    own = {name.strip().lower(): name for name in found.rows[0]}
    usual = [own[known] for known in _STATUS_COLUMNS if known in own]
    for name in usual if stated is None else [stated]:
        values = {k: value for k, row in enumerate(found.rows) if not is_empty(value := row.get(name))}
        others = {k: each for k, each in values.items() if not isinstance(each, str) or each not in STATUSES}
        if values and not others:
            return name
        if others and (stated is not None or len(others) < len(values)):
            index, other = next(iter(others.items()))
            raise FormatError(
                f"{quoted(other)} in column {name!r} is not a status",
                where=found.place(index),
                wanted=", ".join(STATUSES),
                hint=None if stated else f"a column {name!r} about something else needs another name",
            )
    return None


def check_row(row: Row, columns: PredictionColumns, place: Callable[[], str]) -> None:
    """Raise FormatError if *row*, at *place*, does not say what its status and its columns promise."""
    if columns.status_of(row) == ANSWERED:
        lacking = next((name for name in columns.answer if is_empty(row.get(name))), None)
        if lacking is not None:
            raise FormatError(
                f"no value for {lacking!r}",
                where=place(),
                wanted="a prediction, or a status that says why the item has no answer",
                hint=f"the statuses, in a column {columns.status or 'status'!r}, are {', '.join(UNANSWERED)}",
            )
    else:
        given = next((name for name in columns.answer if not is_empty(row.get(name))), None)
        if given is not None:
            raise FormatError(
                f"{columns.status!r} is {columns.status_of(row)!r}, but {given!r} is {quoted(row[given])}",
                where=place(),
                wanted=f"no prediction for an item without an answer, or {ANSWERED!r}",
            )
    for column in columns.naming:
        if row.get(column) is None:
            raise FormatError(f"no value for {column!r}", where=place())
        if not isinstance(row[column], str | int):
            raise FormatError(f"{column!r} is a {type(row[column]).__name__}", where=place(), wanted="text")
