"""Predictions in a file as a model: ``file/PATH``.

The file is JSON lines, a JSON list, CSV, TSV or Parquet, one row per item.  Items are matched by id (columns
``id``, ``pairID`` or ``uid``), else by the text of the pair; in a file that ``crossexam export csv`` began, a
row stands for all items with its pair.  An item without a prediction and a prediction without an item are
errors: neither is ever counted as wrong.

A column ``outcome`` or ``status`` with the statuses of :mod:`crossexam.core.outcome` says which items have no
answer; their predictions must be empty.  A column without any of these is about
something else.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import SIDES, Example
from crossexam.core.files import allow_long_fields, csv_problem, json_problem, sha256_of
from crossexam.core.labels import LABELS
from crossexam.core.outcome import ANSWERED, Outcome, Outcomes
from crossexam.core.output.escapes import quoted
from crossexam.corpora.columns import stated_columns
from crossexam.corpora.label_names import name_of
from crossexam.models.answer_words import AnswerWords, answer_words
from crossexam.models.answers import NamedLabels, check_probabilities, one_hot
from crossexam.models.label_order import (
    ORDERS,
    TWO_LABELS,
    TWO_ORDERS,
    agreements,
    is_two_label,
    order_text,
    parse_order,
    row_softmax,
    to_label_columns,
)
from crossexam.models.model import Batch, Pair, SetAnswers
from crossexam.models.prediction_columns import (
    Matching,
    PredictionColumns,
    Row,
    find_columns,
    name_in,
    read_labels_instead,
    refuse_no_prediction,
    refuse_prediction,
    status_column,
)
from crossexam.models.threshold import at_threshold, check_threshold, missing_threshold, refuse_threshold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED: Final = 5  # ids that an error names
_LISTED_PAIRS: Final = 2
_INDEX: Final = re.compile("[0-9]{1,3}")  # of a class


@dataclass(frozen=True)
class Options:
    """How the file is read.

    ``columns`` says which of its columns are what (``id=uid,prediction=verdict``, or a dict); ``labels`` what
    words and numbers mean (``supported=entailment,unsupported=not_entailment``, or a dict); ``label_order``
    is the class order of its lists or class indices; ``threshold`` is the probability above which a model of
    two labels predicted entailment.
    """

    columns: str | Mapping[str, Any] | None = None
    labels: str | Mapping[str, Any] | None = None
    label_order: tuple[str, ...] | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        stated_columns(self.columns)
        answer_words(self.labels)


@dataclass(frozen=True)
class PredictionFile:
    """Predictions by id or by text, all in memory."""

    name: str
    key: str
    path: Path
    columns: PredictionColumns
    rows: Sequence[Row]
    by: Matching
    words: AnswerWords
    threshold: float | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, matched by text: [n, 3]; raises FormatError."""
        return self.answered(pairs).probabilities

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the predictions for *pairs*, matched by text, and what has none; raises FormatError."""
        examples = [Example(f"pair {k}", p, h, None) for k, (p, h) in enumerate(pairs)]
        by: Matching = "pair" if self.by == "pair" else "text"
        table, statuses = self._answers(self._find(examples, by), examples)
        outcomes = [Outcome(status) for status in statuses] if set(statuses) - {ANSWERED} else []
        return Batch(range(len(pairs)), table, [None] * len(pairs), outcomes)

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each test set of *asked*, by name; raises FormatError.

        Predictions may be for any items of *whole*, the test sets without ``--limit``; others are errors.
        """
        self._refuse_extra([example for dataset in whole for example in dataset])
        examples = [example for dataset in asked for example in dataset]
        table, statuses = self._answers(self._find(examples, self.by), examples)
        outcomes = Outcomes.of([Outcome(status) for status in statuses], len(statuses))
        self.details["matched_by"] = self.columns.id if self.by == "id" else self.by
        answers, start = {}, 0
        for dataset in asked:
            rows = slice(start, start + len(dataset))
            answers[dataset.name] = SetAnswers(table[rows], outcomes.at(rows))
            start = rows.stop
        return answers

    def _name_of(self, row: Row, by: Matching) -> object:
        if by != "text":
            return str(row[self.columns.id or ""])
        if self.columns.text is None:
            raise FormatError(
                "the file has ids but no text, and pairs have no ids",
                where=str(self.path),
                hint="use it with test sets: crossexam run file/... SUITE",
            )
        premise, hypothesis = self.columns.text
        return row[premise], row[hypothesis]

    def _find(self, examples: Sequence[Example], by: Matching) -> list[Row]:
        index: dict[object, Row] = {}
        for row in self.rows:
            name = self._name_of(row, by)
            known = index.setdefault(name, row)
            if known is not row and (self._answer(known), self.columns.status_of(known)) != (
                self._answer(row),
                self.columns.status_of(row),
            ):
                raise FormatError(
                    f"there are two different predictions for {_named(name)}",
                    where=str(self.path),
                    wanted="one prediction per item",
                )
        wanted = [name_in(example, by) for example in examples]
        missing = {n: e for n, e in zip(wanted, examples, strict=True) if n not in index}
        if missing:
            raise self._lacks(missing, len(set(wanted)), by, next(iter(index)))
        return [index[name] for name in wanted]

    def _lacks(self, missing: Mapping[object, Example], of: int, by: Matching, first: object) -> FormatError:
        """Return the error that some items have no prediction, with the way to get them."""
        names = [e.id if by == "id" else (e.premise, e.hypothesis) for e in missing.values()]
        compared = f"ids are compared as text; the file's first is {quoted(first)}; " if by == "id" else ""
        return FormatError(
            f"{len(missing):,} of {of:,} {'items' if by == 'id' else 'pairs'} have no prediction: "
            f"{_listed(names)}",
            where=str(self.path),
            wanted="a prediction for every item",
            hint=f"{compared}{self._or_by_text}crossexam export csv SUITE -o FOLDER (or jsonl) writes the "
            "pairs to predict",
        )

    def _refuse_extra(self, examples: Sequence[Example]) -> None:
        known = {name_in(example, self.by) for example in examples}
        names = [self._name_of(row, self.by) for row in self.rows]
        extra = list(dict.fromkeys(name for name in names if name not in known))
        if extra:
            raise FormatError(
                f"{len(extra):,} of {len(names):,} predictions are for items that are in none of the test "
                f"sets: {_listed(extra)}",
                where=str(self.path),
                wanted="predictions for items of these test sets only",
                hint=f"{self._or_by_text}run it over the suite that the predictions are for, or remove these "
                "rows",
            )

    @property
    def _or_by_text(self) -> str:
        """What matches rows by their texts, if they are matched by ids and have texts."""
        if self.by != "id" or self.columns.text is None:
            return ""
        sides = ",".join(map("=".join, zip(SIDES, self.columns.text, strict=True)))
        return f"--columns {sides} compares the texts instead of ids; "

    def _answer(self, row: Row) -> tuple[object, ...]:
        return tuple(_hashable(row[name]) for name in self.columns.answer)

    def _answers(
        self, rows: Sequence[Row], examples: Sequence[Example]
    ) -> tuple[NDArray[np.float64], list[str]]:
        """Return the probabilities [n, 3] in *rows*, NaN without an answer, and the statuses [n]."""
        import numpy as np

        statuses = [self.columns.status_of(row) for row in rows]
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
            shares = self._checked(table, examples)
            return shares if table.shape[1] == len(LABELS) else to_label_columns(shares, TWO_LABELS)
        if self.words.order is None or table.shape[1] != len(self.words.order):
            raise self._undeclared(table.argmax(axis=1).tolist(), examples, table.shape[1])
        shares = row_softmax(table) if self.columns.form == "logits" else self._checked(table, examples)
        self._watch_order(table.argmax(axis=1).tolist(), examples)
        return to_label_columns(shares, self.words.order)

    def _checked(self, table: NDArray[np.float64], examples: Sequence[Example]) -> NDArray[np.float64]:
        return check_probabilities(
            table, lambda number: f"the prediction for {quoted(examples[number].id)}", where=str(self.path)
        )

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
                f"{quoted(value)} in column {self.columns.answer[0]!r} is not a list of numbers",
                where=str(self.path),
                wanted="a list such as [0.9, 0.1, 0.0]",
            ) from None

    def _from_labels(self, rows: Sequence[Row], examples: Sequence[Example]) -> NDArray[np.float64]:
        column = self.columns.answer[0]
        values = [row[column] for row in rows]
        names = [name_of(value) for value in values]
        if all(map(_INDEX.fullmatch, names)) and not any(map(_INDEX.fullmatch, self.words.declared)):
            numbers = [int(name) for name in names]
            if self.words.order is None or max(numbers) >= len(self.words.order):
                raise self._undeclared(numbers, examples, max(numbers) + 1)
            self._watch_order(numbers, examples)
        labels = self.words.labels_of(
            values,
            lambda number: f"column {column!r} is {quoted(values[number])}",
            lambda number: f"{self.path}, {self._named(rows[number])}",
        )
        return one_hot([LABELS.index("neutral" if each == "not_entailment" else each) for each in labels])

    def _named(self, row: Row) -> str:
        """Return what *row* itself says of the item that it is for."""
        return " and ".join(f"{column} {quoted(row[column])}" for column in self.columns.naming)

    def _undeclared(self, winners: Sequence[int], examples: Sequence[Example], classes: int) -> FormatError:
        """Return the error that asks for the class order, with the order that the gold labels suggest."""
        asked = order_text(self.words.order) if self.words.order else None
        what = (
            f"the declared order {asked} does not have {classes} classes"
            if asked
            else f"the classes in {self.columns.answer[0]!r} have no names, and their order is not declared"
        )
        judged = [(w, e.label) for w, e in zip(winners, examples, strict=True) if e.label]
        golds = [gold for _, gold in judged]
        orders = ORDERS if "not_entailment" not in golds or classes > len(TWO_LABELS) else TWO_ORDERS
        likely = [TWO_LABELS] if orders is TWO_ORDERS else [TWO_LABELS, LABELS][len(judged) > 0 :]
        hint = " or ".join(f"--label-order {order_text(each)}" for each in likely)
        hint += " (or whatever the model's order is)"
        if judged and max(winners) < len(orders[0]):
            (best, order), (second, _) = agreements([w for w, _ in judged], golds, orders)[:2]
            hint = (
                f"--label-order {order_text(order)} would agree with the gold label of {100 * best:.1f} % of "
                f"{len(judged)} items, the next best order with {100 * second:.1f} %"
            )
        return FormatError(what, where=str(self.path), wanted="a declared order", hint=hint)

    def _watch_order(self, winners: Sequence[int], examples: Sequence[Example]) -> None:
        """Record a warning if another order agrees far better with gold labels of all three classes."""
        judged = [(w, e.label) for w, e in zip(winners, examples, strict=True) if e.label and not e.change]
        if (
            self.words.order is None
            or is_two_label(self.words.order)
            or len({gold for _, gold in judged}) < 3
        ):
            return
        scored = agreements([w for w, _ in judged], [gold for _, gold in judged])
        own = next(share for share, order in scored if order == self.words.order)
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
    mapping = stated_columns(options.columns)
    columns = find_columns(list(rows[0]), where=str(path), mapping=mapping)
    threshold = options.threshold
    if columns.form == "shares" and len(columns.answer) == 1 and threshold is None:
        raise missing_threshold(
            f"the only column of probabilities is '{columns.answer[0]}'",
            where=str(path),
            otherwise=read_labels_instead(list(rows[0]), mapping or {}),
        )
    columns = replace(columns, status=status_column(rows, columns.status, where=str(path)))
    naming = columns.naming
    for number, row in enumerate(rows, 1):
        if columns.status_of(row) != ANSWERED:
            refuse_prediction(row, columns, where=f"{path}, row {number}")
        else:
            refuse_no_prediction(row, columns, where=f"{path}, row {number}")
        lacking = next((column for column in naming if row.get(column) is None), None)
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
    words = answer_words(options.labels, order)
    seed = f"file.v1\x1f{sha256_of(path)}\x1f{order}{'' if threshold is None else f'@{threshold}'}"
    seed += f"\x1f{words.identity}\x1f{sorted((mapping or {}).items())}" if words.identity or mapping else ""
    named = NamedLabels()
    if columns.form == "label":
        answered = (row for row in rows if columns.status_of(row) == ANSWERED)
        names = {words.label_of(row[columns.answer[0]]) for row in answered}
        named.add(filter(None, names), where=f"{path}, column '{columns.answer[0]}'")
    details = {
        "predictions": len(rows),
        "column": " ".join(columns.answer),
        "label_order": list(order) if order else None,
        **words.facts,
        "two_label": named.two_label
        or bool(order and is_two_label(order))
        or (columns.form == "shares" and len(columns.answer) <= len(TWO_LABELS)),
        **({} if threshold is None else {"threshold": threshold}),
    }
    key = hashlib.blake2b(seed.encode(), digest_size=16).hexdigest()
    return PredictionFile(name, key, path, columns, rows, columns.matching(rows), words, threshold, details)


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _named(name: object) -> str:
    return f"({', '.join(map(quoted, name))})" if isinstance(name, tuple) else quoted(name)


def _listed(names: Sequence[object]) -> str:
    most = _LISTED_PAIRS if isinstance(names[0], tuple) else _LISTED
    shown = ", ".join(map(_named, names[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


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
        numbered = [(f"{path}, row {number}", row) for number, row in enumerate(rows, 1)]
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
