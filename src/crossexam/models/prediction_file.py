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

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import SIDES, Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import LABELS
from crossexam.core.outcome import ANSWERED, Outcomes
from crossexam.core.output.escapes import quoted
from crossexam.corpora.columns import stated_columns
from crossexam.corpora.label_names import name_of
from crossexam.models.answer_words import AnswerWords, answer_words
from crossexam.models.answers import AnswerPlaces, to_answers
from crossexam.models.label_order import (
    ORDERS,
    TWO_LABELS,
    TWO_ORDERS,
    NamedLabels,
    agreements,
    is_two_label,
    order_text,
    parse_order,
    row_softmax,
)
from crossexam.models.model import Batch, Model, Pair, SetAnswers
from crossexam.models.prediction_columns import (
    Matching,
    PredictionColumns,
    check_row,
    find_columns,
    name_in,
    read_labels_instead,
    status_column,
)
from crossexam.models.prediction_rows import Row, read_rows
from crossexam.models.threshold import check_threshold, missing_threshold

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crossexam.core.outcome import Outcome

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
class PredictionFile(Model):
    """Predictions by id or by text, all in memory."""

    name: str
    key: str
    path: Path
    columns: PredictionColumns
    rows: Sequence[Row]
    by: Matching
    words: AnswerWords
    named: NamedLabels
    threshold: float | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        """Return the predictions for *pairs*, matched by text, and what has none; raises FormatError."""
        examples = [Example(f"pair {k}", p, h, None) for k, (p, h) in enumerate(pairs)]
        by: Matching = "pair" if self.by == "pair" else "text"
        table, outcomes = self._answers(self._find(examples, by), examples)
        return Batch(range(len(pairs)), table, [None] * len(pairs), outcomes)

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each test set of *asked*, by name; raises FormatError.

        Predictions may be for any items of *whole*, the test sets without ``--limit``; others are errors.
        """
        self._refuse_extra([example for dataset in whole for example in dataset])
        examples = [example for dataset in asked for example in dataset]
        table, told = self._answers(self._find(examples, self.by), examples)
        outcomes = Outcomes.of(told, len(table))
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
        return tuple(row[name] for name in self.columns.answer)

    def _answers(
        self, rows: Sequence[Row], examples: Sequence[Example]
    ) -> tuple[NDArray[np.float64], list[Outcome]]:
        """Return the probabilities [n, 3] in *rows*, NaN without an answer, and what became of each item."""
        statuses = [self.columns.status_of(row) for row in rows]
        answered = [k for k, status in enumerate(statuses) if status == ANSWERED]
        given, words = self._as_returned([rows[k] for k in answered], [examples[k] for k in answered])
        answers: list[Any] = [{"status": status} for status in statuses]
        for k, answer in zip(answered, given, strict=True):
            answers[k] = answer
        places = AnswerPlaces(
            len(rows),
            str(self.path),
            lambda number: f"{self.path}, {self._named(rows[number])}",
            lambda number, value: self._said(rows[number], value),
        )
        return to_answers(answers, places, words, threshold=self.threshold, named=self.named)

    def _said(self, row: Row, value: object) -> str:
        """Return what an error says of the *value* of the prediction in *row*."""
        columns = self.columns.answer
        if self.columns.form == "label":
            return f"column {columns[0]!r} is {quoted(row[columns[0]])}"
        return f"the prediction in {', '.join(map(repr, columns))} is {quoted(value)}"

    def _as_returned(self, rows: Sequence[Row], examples: Sequence[Example]) -> tuple[Any, AnswerWords]:
        """Return the predictions in *rows* as a function may return them, with the words that they are in."""
        form, order = self.columns.form, self.words.order
        if not rows:
            return [], self.words
        if form == "label":
            names = [name_of(row[self.columns.answer[0]]) for row in rows]
            self._check_indices(names, examples)
            return names, self.words
        table = self._numbers(rows)
        count = table.shape[1]
        if form == "shares":
            shares = table[:, 0].tolist() if count == 1 else table
            return shares, AnswerWords(order=TWO_LABELS if count == len(TWO_LABELS) else None)
        winners = table.argmax(axis=1).tolist()
        if order is None or count != len(order):
            raise self._undeclared(winners, examples, count)
        self._watch_order(winners, examples)
        return row_softmax(table) if form == "logits" else table, self.words

    def _check_indices(self, names: Sequence[str], examples: Sequence[Example]) -> None:
        """Raise FormatError if *names* are class indices of which nobody declared the order."""
        is_declared = any(map(_INDEX.fullmatch, self.words.declared))
        if is_declared or not all(map(_INDEX.fullmatch, names)):
            return
        numbers = [int(name) for name in names]
        if self.words.order is None or max(numbers) >= len(self.words.order):
            raise self._undeclared(numbers, examples, max(numbers) + 1)
        self._watch_order(numbers, examples)

    def _numbers(self, rows: Sequence[Row]) -> NDArray[np.float64]:
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
    found = read_rows(path)
    rows, mapping = found.rows, stated_columns(options.columns)
    columns = find_columns(list(rows[0]), where=str(path), mapping=mapping)
    if columns.form == "shares" and len(columns.answer) == 1 and options.threshold is None:
        raise missing_threshold(
            f"the only column of probabilities is '{columns.answer[0]}'",
            where=str(path),
            otherwise=read_labels_instead(list(rows[0]), mapping or {}),
        )
    columns = replace(columns, status=status_column(found, columns.status))
    for index, row in enumerate(rows):
        check_row(row, columns, partial(found.place, index))
    order = parse_order(options.label_order, where="--label-order") if options.label_order else None
    words, named = answer_words(options.labels, order), NamedLabels()
    if columns.form == "label":
        answered = (row for row in rows if columns.status_of(row) == ANSWERED)
        labels = {words.label_of(row[columns.answer[0]]) for row in answered}
        named.add(filter(None, labels), where=f"{path}, column '{columns.answer[0]}'")
    details = {
        "predictions": len(rows),
        "column": " ".join(columns.answer),
        "label_order": list(order) if order else None,
        **words.facts,
        "two_label": named.two_label
        or bool(order and is_two_label(order))
        or (columns.form == "shares" and len(columns.answer) <= len(TWO_LABELS)),
        **({} if options.threshold is None else {"threshold": options.threshold}),
    }
    seed = f"file.v1\x1f{sha256_of(path)}\x1f{order}"
    seed += "" if options.threshold is None else f"@{options.threshold}"
    seed += f"\x1f{words.identity}\x1f{sorted((mapping or {}).items())}" if words.identity or mapping else ""
    key = hashlib.blake2b(seed.encode(), digest_size=16).hexdigest()
    by = columns.matching(rows)
    return PredictionFile(name, key, path, columns, rows, by, words, named, options.threshold, details)


def _named(name: object) -> str:
    return f"({', '.join(map(quoted, name))})" if isinstance(name, tuple) else quoted(name)


def _listed(names: Sequence[object]) -> str:
    most = _LISTED_PAIRS if isinstance(names[0], tuple) else _LISTED
    shown = ", ".join(map(_named, names[:most]))
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
