"""Predictions in a file as a model: ``file/PATH``.

The file is JSON lines, a JSON list, CSV, TSV or Parquet, one row per item.  Items are matched by id (columns
``id``, ``pairID`` or ``uid``), else by the text of the pair.  An item without a prediction and a prediction
without an item are errors: neither is ever counted as wrong.

A column ``outcome`` or ``status`` with the statuses of :mod:`crossexam.core.outcome` says which items have no
answer; their predictions must be empty.  If it has other values, it is about something else.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import allow_long_fields, csv_problem, json_problem, sha256_of
from crossexam.core.labels import LABELS
from crossexam.core.outcome import ANSWERED, STATUSES, Outcome, Outcomes
from crossexam.models.answers import NamedLabels, check_probabilities, one_hot
from crossexam.models.label_order import (
    TWO_LABELS,
    Order,
    agreements,
    class_name,
    is_two_label,
    order_text,
    parse_order,
    row_softmax,
    to_label_columns,
)
from crossexam.models.model import Batch, Pair, SetAnswers
from crossexam.models.threshold import at_threshold, check_threshold, missing_threshold, refuse_threshold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED: Final = 5  # ids that an error names
_SHOWN: Final = 40  # characters of a value that an error shows
_INDEX: Final = re.compile("[0-9]{1,3}")  # of a class


@dataclass(frozen=True)
class Options:
    """How the file's numbers are read.

    ``label_order`` is the class order of its lists or class indices; ``threshold`` is the probability above
    which a model of two labels predicted entailment.
    """

    label_order: tuple[str, ...] | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)


@dataclass(frozen=True)
class PredictionFile:
    """Predictions by id or by text, all in memory."""

    name: str
    key: str
    path: Path
    columns: PredictionColumns
    rows: Sequence[Row]
    order: Order | None
    threshold: float | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, matched by text: [n, 3]; raises FormatError."""
        return self.answered(pairs).probabilities

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the predictions for *pairs*, matched by text, and what has none; raises FormatError."""
        examples = [Example(f"pair {k}", p, h, None) for k, (p, h) in enumerate(pairs)]
        table, statuses = self._answers(self._find(examples, by_text=True), examples)
        outcomes = [Outcome(status) for status in statuses] if set(statuses) - {ANSWERED} else []
        return Batch(range(len(pairs)), table, [None] * len(pairs), outcomes)

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each test set of *asked*, by name; raises FormatError.

        Predictions may be for any items of *whole*, the test sets without ``--limit``; others are errors.
        """
        by_text = self.columns.id is None
        self._refuse_extra([example for dataset in whole for example in dataset], by_text)
        examples = [example for dataset in asked for example in dataset]
        table, statuses = self._answers(self._find(examples, by_text=by_text), examples)
        outcomes = Outcomes.of([Outcome(status) for status in statuses], len(statuses))
        self.details["matched_by"] = "text" if by_text else self.columns.id
        answers, start = {}, 0
        for dataset in asked:
            rows = slice(start, start + len(dataset))
            answers[dataset.name] = SetAnswers(table[rows], outcomes.at(rows))
            start = rows.stop
        return answers

    def _name_of(self, row: Row, by_text: bool) -> object:
        if not by_text:
            return str(row[self.columns.id or ""])
        if self.columns.text is None:
            raise FormatError(
                "the file has ids but no text, and pairs have no ids",
                where=str(self.path),
                hint="use it with test sets: crossexam run file/... SUITE",
            )
        premise, hypothesis = self.columns.text
        return row[premise], row[hypothesis]

    def _find(self, examples: Sequence[Example], *, by_text: bool) -> list[Row]:
        index: dict[object, Row] = {}
        for row in self.rows:
            name = self._name_of(row, by_text)
            known = index.setdefault(name, row)
            if known is not row and (self._answer(known), _status(known, self.columns)) != (
                self._answer(row),
                _status(row, self.columns),
            ):
                raise FormatError(
                    f"there are two different predictions for {name!r}",
                    where=str(self.path),
                    wanted="one prediction per item",
                )
        wanted: list[object] = [(e.premise, e.hypothesis) if by_text else e.id for e in examples]
        missing = list(dict.fromkeys(name for name in wanted if name not in index))
        if missing:
            raise FormatError(
                f"{len(missing)} of {len(set(wanted))} items have no prediction: {_listed(missing)}",
                where=str(self.path),
                wanted="a prediction for every item",
                hint=None
                if by_text
                else f"ids are compared as text; the file's first is {next(iter(index))!r}",
            )
        return [index[name] for name in wanted]

    def _refuse_extra(self, examples: Sequence[Example], by_text: bool) -> None:
        known: set[object] = {(e.premise, e.hypothesis) if by_text else e.id for e in examples}
        names = [self._name_of(row, by_text) for row in self.rows]
        extra = list(dict.fromkeys(name for name in names if name not in known))
        if extra:
            raise FormatError(
                f"{len(extra)} of {len(names)} predictions are for items that are in none of the test sets: "
                f"{_listed(extra)}",
                where=str(self.path),
                wanted="predictions for items of these test sets only",
                hint="run it over the suite that the predictions are for, or remove these rows",
            )

    def _answer(self, row: Row) -> tuple[object, ...]:
        return tuple(_hashable(row[name]) for name in self.columns.answer)

    def _answers(
        self, rows: Sequence[Row], examples: Sequence[Example]
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Return the probabilities [n, 3] in *rows*, NaN without an answer, and the statuses [n]."""
        import numpy as np

        statuses = [_status(row, self.columns) for row in rows]
        answered = [k for k, status in enumerate(statuses) if status == ANSWERED]
        table = np.full((len(rows), len(LABELS)), np.nan)
        if len(answered) == len(rows):
            return self._probabilities(rows, examples), statuses
        table[answered] = self._probabilities([rows[k] for k in answered], [examples[k] for k in answered])
        return table, statuses

    def _probabilities(self, rows: Sequence[Row], examples: Sequence[Example]) -> NDArray[np.float64]:
        import numpy as np

        if not rows:
            return np.zeros((0, 3))
        if self.columns.form == "label":
            found = self._from_labels(rows, examples)
        else:
            found = self._from_numbers(self._numbers(rows), examples)
        if self.threshold is None:
            return found
        if not self.details["two_label"]:
            raise refuse_threshold("the predictions have three labels", where=str(self.path))
        return at_threshold(found[:, LABELS.index("entailment")], self.threshold)

    def _from_numbers(self, table: NDArray[np.float64], examples: Sequence[Example]) -> NDArray[np.float64]:
        import numpy as np

        if self.columns.form == "shares":
            if table.shape[1] == 1:
                table = np.concatenate([table, 1 - table], axis=1)
            shares = check_probabilities(table, where=str(self.path))
            return shares if table.shape[1] == len(LABELS) else to_label_columns(shares, TWO_LABELS)
        if self.order is None or table.shape[1] != len(self.order):
            raise self._undeclared(table.argmax(axis=1).tolist(), examples, table.shape[1])
        shares = (
            row_softmax(table)
            if self.columns.form == "logits"
            else check_probabilities(table, where=str(self.path))
        )
        self._watch_order(table.argmax(axis=1).tolist(), examples)
        return to_label_columns(shares, self.order)

    def _numbers(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        import numpy as np

        answers: list[Any] = [self._answer(row) for row in rows]
        if self.columns.form != "shares":
            answers = [self._list_in(answer[0]) for answer in answers]
        try:
            table = np.asarray(answers, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            table = np.zeros(0)
        if table.ndim != 2 or not table.shape[1] or not np.isfinite(table).all():
            named = ", ".join(f"'{name}'" for name in self.columns.answer)
            raise FormatError(
                f"not every row has the same number of finite numbers in {named}",
                where=str(self.path),
                wanted="a number per class, such as 0.9",
            )
        return table

    def _list_in(self, value: object) -> object:
        """Return the list that *value* is, or is the JSON of; raises FormatError if it is text of no list."""
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise FormatError(
                f"{value[:_SHOWN]!r} in column {self.columns.answer[0]!r} is not a list of numbers",
                where=str(self.path),
                wanted="a list such as [0.9, 0.1, 0.0]",
            ) from None

    def _from_labels(self, rows: Sequence[Row], examples: Sequence[Example]) -> NDArray[np.float64]:
        values = [str(row[self.columns.answer[0]]).strip() for row in rows]
        if all(_INDEX.fullmatch(value) for value in values):
            numbers = [int(value) for value in values]
            if self.order is None or max(numbers) >= len(self.order):
                raise self._undeclared(numbers, examples, max(numbers) + 1)
            self._watch_order(numbers, examples)
            values = [self.order[number] for number in numbers]
        names = [class_name(value) for value in values]
        if None in names:
            raise FormatError(
                f"{values[names.index(None)]!r} in column {self.columns.answer[0]!r} is not a label",
                where=f"{self.path}, item {examples[names.index(None)].id}",
                wanted="entailment, neutral, contradiction or not_entailment, or numbers with --label-order",
            )
        indices = ["entailment neutral contradiction".split().index(_three(name)) for name in names]
        return one_hot(indices)

    def _undeclared(self, winners: Sequence[int], examples: Sequence[Example], classes: int) -> FormatError:
        """Return the error that asks for the class order, with the order that the gold labels suggest."""
        asked = order_text(self.order) if self.order else None
        what = (
            f"the declared order {asked} does not have {classes} classes"
            if asked
            else f"the classes in {self.columns.answer[0]!r} have no names, and their order is not declared"
        )
        hint = "--label-order entailment,neutral,contradiction (or whatever the model's order is)"
        judged = [(w, e.label) for w, e in zip(winners, examples, strict=True) if e.label]
        if judged and max(winners) < 3:
            (best, order), (second, _) = agreements([w for w, _ in judged], [g for _, g in judged])[:2]
            hint = (
                f"--label-order {order_text(order)} would agree with the gold label of {100 * best:.1f} % of "
                f"{len(judged)} items, the next best order with {100 * second:.1f} %"
            )
        return FormatError(what, where=str(self.path), wanted="a declared order", hint=hint)

    def _watch_order(self, winners: Sequence[int], examples: Sequence[Example]) -> None:
        """Record a warning if another order agrees far better with gold labels of all three classes."""
        judged = [(w, e.label) for w, e in zip(winners, examples, strict=True) if e.label and not e.change]
        if self.order is None or is_two_label(self.order) or len({gold for _, gold in judged}) < 3:
            return
        scored = agreements([w for w, _ in judged], [gold for _, gold in judged])
        own = next(share for share, order in scored if order == self.order)
        best, order = scored[0]
        if best - own > 0.2:
            self.details["warning"] = (
                f"the order {order_text(order)} agrees with {100 * best:.1f} % of the gold labels, the "
                f"declared one with {100 * own:.1f} %"
            )


def open_predictions(name: str, options: Options) -> PredictionFile:
    """Return the model ``file/PATH``; raises FormatError if the file cannot be read."""
    path = Path(name.partition("/")[2])
    rows = read_rows(path)
    columns = find_columns(list(rows[0]), where=str(path))
    columns = replace(columns, status=_status_column(rows))
    naming = [*(columns.text or ()), *([columns.id] if columns.id else [])]
    for number, row in enumerate(rows):
        needed = [*columns.answer, *naming]
        if _status(row, columns) != ANSWERED:
            needed = naming
            _refuse_prediction(row, columns, where=f"{path}, row {number}")
        lacking = next((column for column in needed if row.get(column) is None), None)
        if lacking is not None:
            raise FormatError(f"no value for {lacking!r}", where=f"{path}, row {number}")
        for column in naming:
            if not isinstance(row[column], str | int):
                raise FormatError(
                    f"{column!r} is a {type(row[column]).__name__}",
                    where=f"{path}, row {number}",
                    wanted="text",
                )
    order = parse_order(options.label_order, where="--label-order") if options.label_order else None
    threshold = options.threshold
    if columns.form == "shares" and len(columns.answer) == 1 and threshold is None:
        raise missing_threshold(f"the only column of probabilities is '{columns.answer[0]}'", where=str(path))
    seed = f"file.v1\x1f{sha256_of(path)}\x1f{order}{'' if threshold is None else f'@{threshold}'}"
    named = NamedLabels()
    if columns.form == "label":
        answered = (row for row in rows if _status(row, columns) == ANSWERED)
        names = {class_name(row[columns.answer[0]]) for row in answered}
        named.add(filter(None, names), where=f"{path}, column '{columns.answer[0]}'")
    details = {
        "predictions": len(rows),
        "column": " ".join(columns.answer),
        "label_order": list(order) if order else None,
        "two_label": named.two_label
        or bool(order and is_two_label(order))
        or (columns.form == "shares" and len(columns.answer) <= len(TWO_LABELS)),
        **({} if threshold is None else {"threshold": threshold}),
    }
    key = hashlib.blake2b(seed.encode(), digest_size=16).hexdigest()
    return PredictionFile(name, key, path, columns, rows, order, threshold, details)


def _status_column(rows: Sequence[Row]) -> str | None:
    """Return the column of *rows* that says which items have no answer: all of its values are statuses."""
    own = {name.strip().lower(): name for name in rows[0]}
    for name in (own[known] for known in _STATUS_COLUMNS if known in own):
        stated = [value for row in rows if not _is_empty(value := row.get(name))]
        if stated and all(isinstance(value, str) and value in STATUSES for value in stated):
            return name
    return None


def _is_empty(value: object) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _status(row: Row, columns: PredictionColumns) -> str:
    """Return the status of *row*: answered unless it states another one."""
    stated = row.get(columns.status) if columns.status is not None else None
    return ANSWERED if _is_empty(stated) else str(stated)


def _refuse_prediction(row: Row, columns: PredictionColumns, *, where: str) -> None:
    given = next((name for name in columns.answer if not _is_empty(row.get(name))), None)
    if given is not None:
        raise FormatError(
            f"{columns.status!r} is {_status(row, columns)!r}, but {given!r} is {row[given]!r}",
            where=where,
            wanted=f"no prediction for an item without an answer, or {ANSWERED!r}",
        )


def _three(name: str | None) -> str:
    return "neutral" if name in (None, "not_entailment") else str(name)


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _listed(names: Sequence[object]) -> str:
    shown = ", ".join(repr(name) for name in names[:_LISTED])
    return f"{shown} and {len(names) - _LISTED} more" if len(names) > _LISTED else shown


Row = Mapping[str, Any]

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


def read_rows(path: Path) -> list[Row]:
    """Return the rows of *path*; raises FormatError that names file and line."""
    readers: dict[str, Callable[[Path], list[Row]]] = {
        ".jsonl": _json,
        ".ndjson": _json,
        ".json": _json,
        ".csv": lambda p: _delimited(p, ","),
        ".tsv": lambda p: _delimited(p, "\t"),
        ".parquet": _parquet,
    }
    if not path.is_file():
        raise FormatError(
            "this is a folder" if path.is_dir() else "no such file",
            where=str(path),
            wanted="a file of predictions",
        )
    if path.suffix.lower() not in readers:
        raise FormatError(
            f"'{path.suffix}' is not a supported format for prediction files",
            where=str(path),
            wanted=", ".join(sorted(readers)),
        )
    rows = readers[path.suffix.lower()](path)
    if not rows:
        raise FormatError("the file holds no predictions", where=str(path), wanted="at least one")
    return rows


def _json(path: Path) -> list[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {json_problem(error)}", where=str(path)) from None
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"not JSON: {json_problem(error)}", where=str(path), wanted="a list of JSON objects"
            ) from None
        numbered = [(f"{path}, row {number}", row) for number, row in enumerate(rows)]
    else:
        numbered = []
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                numbered.append((where, json.loads(line)))
            except (ValueError, RecursionError) as error:
                raise FormatError(
                    f"not JSON: {json_problem(error)}", where=where, wanted="a JSON object"
                ) from None
    for where, row in numbered:
        if not isinstance(row, dict):
            raise FormatError(f"a prediction is a {type(row).__name__}", where=where, wanted="a JSON object")
    return [row for _, row in numbered]


def _delimited(path: Path, delimiter: str) -> list[Row]:
    rows: list[Row] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            allow_long_fields()
            reader = csv.DictReader(stream, delimiter=delimiter, strict=True)
            for row in reader:
                if None in row or None in row.values():
                    raise FormatError(
                        "the line and the header have different numbers of fields",
                        where=f"{path}, line {reader.line_num}",
                    )
                rows.append(row)
    except (UnicodeDecodeError, csv.Error) as error:
        if isinstance(error, csv.Error):
            raise FormatError(f"not a table: {csv_problem(error)}", where=str(path)) from None
        raise FormatError(
            "the file is not UTF-8 text", where=str(path), hint="save it as CSV (UTF-8)"
        ) from None
    return rows


def _parquet(path: Path) -> list[Row]:
    from crossexam.core.stored.foreign_parquet import foreign_frames

    return [row for frame in foreign_frames(path) for row in frame.to_dicts()]


def find_columns(names: Sequence[str], *, where: str) -> PredictionColumns:
    """Return which of the columns *names* hold what; raises FormatError if one is missing.

    >>> find_columns(["uid", "label", "probs"], where="a.jsonl").form
    'probabilities'
    """
    own = {name.strip().lower(): name for name in names}
    identity = next((own[name] for name in _ID_COLUMNS if name in own), None)
    text = next(((own[a], own[b]) for a, b in _TEXT_COLUMNS if a in own and b in own), None)
    if identity is None and text is None:
        raise FormatError(
            "no column identifies the item of a prediction",
            where=where,
            wanted="id, pairID or uid; or premise and hypothesis; or sentence1 and sentence2",
            hint=f"available: {', '.join(names)}",
        )
    for shares in _SHARE_COLUMNS:
        if all(name in own for name in shares):
            return PredictionColumns(identity, text, "shares", tuple(own[name] for name in shares))
    for form, known in (
        ("probabilities", _LIST_COLUMNS),
        ("logits", _LOGIT_COLUMNS),
        ("label", _LABEL_COLUMNS),
    ):
        for name in known:
            if name in own:
                return PredictionColumns(identity, text, form, (own[name],))
    raise FormatError(
        "no column holds predictions",
        where=where,
        wanted="p_entailment, p_neutral and p_contradiction (or p_not_entailment); or probabilities; or "
        "logits; or prediction",
        hint=f"available: {', '.join(names)}",
    )
