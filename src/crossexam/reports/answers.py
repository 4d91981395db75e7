"""Answers by label on test sets of one gold label, as Nie et al. (2019) print theirs (Table 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crossexam.core.labels import LABELS, Gold
from crossexam.reports.cells import Cell, Column, Table
from crossexam.reports.measured import Measured
from crossexam.reports.tables import by_test_set
from crossexam.suites.measures import TestSetResult

_STUDY: Final = "nie2019"
#: Tables 2 and 4, and what their rows are called.
_TABLES: Final = {
    "predictions": "{} (published)",
    "adversarial_training": "ESIM trained with {} (published)",
}
_COLUMNS: Final = (
    Column("Test set"),
    Column("Expected"),
    Column("Answered by"),
    Column("Items", "count"),
    *(Column(label.capitalize(), "percent") for label in LABELS),
)


def answer_table(models: Sequence[Measured], *, published_rows: bool = True) -> Table:
    """Return the share of each label in the answers to test sets of one gold label, published ones below."""
    rows: list[tuple[Cell, ...]] = []
    found = [(name, model, result, gold) for name, model, result in by_test_set(models)
             if (gold := only_label(result)) is not None and result.construction != "base"]  # fmt: skip
    for position, (name, model, result, gold) in enumerate(found):
        rows.append((name, gold, model.name, result.n, *_shares(result)))
        is_last = position + 1 == len(found) or found[position + 1][0] != name
        if published_rows and is_last:
            rows += [(name, gold, *row) for row in _published(result.construction)]
    note = "Share of each label in the answers, in percent; expected is the gold label of every item."
    notes = [note, _source()] if any(row[3] is None for row in rows) else [note]
    return Table("Answers by label", _COLUMNS, tuple(rows), tuple(notes), grouped=2)


def only_label(result: TestSetResult) -> Gold | None:
    """Return the gold label of all items of *result*, None where they have several."""
    golds = [label for label, counts in zip(result.labels, result.confusion, strict=True) if sum(counts)]
    return golds[0] if len(golds) == 1 and result.labels == LABELS else None


def _shares(result: TestSetResult) -> tuple[float, ...]:
    answered = [sum(column) for column in zip(*result.confusion, strict=True)]
    return tuple(count / sum(answered) for count in answered)


def _published(construction: str) -> Iterator[tuple[Cell, ...]]:
    """Yield who, no number of items, and the shares of the published answers to *construction*."""
    from crossexam.suites.published import published

    for key, words in _TABLES.items():
        table = published(_STUDY).table(key)
        for row in table.rows:
            shares = [table.value(row, f"{construction}.{label[0].upper()}") for label in LABELS]
            if None not in shares and row != "None":  # without any it is ESIM's row of Table 2
                name = words.format(row)
                yield (name, None, *(round(share / 100, 6) for share in shares if share is not None))


def _source() -> str:
    from crossexam.suites.published import published

    study = published(_STUDY)
    places = " and ".join(study.table(key).place for key in _TABLES)
    return f"Published: {places} of {study.citation} {study.source}; over the authors' items from SNLI dev."
