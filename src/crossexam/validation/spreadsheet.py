"""Studies as CSV for spreadsheets: one row per item, one column per judge and question."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.errors import FormatError
from crossexam.core.files import write_text
from crossexam.core.output.escapes import escape_cell
from crossexam.validation.answer_log import Judgement
from crossexam.validation.exchange import (
    Sheet,
    hints_of,
    item_named,
    items_by_name,
    value_of,
    without_repetitions,
)
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS
from crossexam.validation.study import Item, Study

#: The cell of a question that is not asked about an item.
NOT_ASKED: Final = "not asked"
_TEXTS: Final = ("premise", "hypothesis")


def column_of(judge: str, question: str) -> str:
    """Return the header of the column for *judge* and *question*, with the possible answers.

    >>> column_of("judge-1", "grammatical")
    'judge-1: grammatical (yes/no/cannot_say)'
    """
    values = "/".join((*QUESTIONS[question].values, CANNOT_SAY))
    return f"{judge}: {question} ({values})"


def write_csv(sheet: Sheet, path: Path) -> None:
    """Write *sheet* as CSV, with a column per judge and question.

    Only sheets of errors have gold labels and predictions; judges see both on the page, too.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    extra = ["gold label", "prediction", "hints"] if sheet.of_errors else []
    extra += sheet.revealed(sheet.items[0])
    columns = [(judge, question) for judge in sheet.judges for question in sheet.questions]
    writer.writerow(["item", *_TEXTS, *extra, *(column_of(*column) for column in columns)])
    for item in sheet.items:
        seen = [str(item.gold), str(item.predicted), hints_of(item)] if sheet.of_errors else []
        seen += sheet.revealed(item).values()
        cells = [
            sheet.given.get((judge, item.number, question), "") if question in item.asked else NOT_ASKED
            for judge, question in columns
        ]
        shown = (item.name, item.premise, item.hypothesis, *seen, *cells)
        writer.writerow([escape_cell(cell) for cell in shown])
    write_text(path, "\ufeff" + stream.getvalue())  # the mark by which Excel knows UTF-8


def read_csv(study: Study, path: Path) -> list[Judgement]:
    """Return the judgements in the spreadsheet *path*; empty cells are skipped.

    Cells may be separated by commas, semicolons or tabs.  Raises FormatError, with the line, for an unknown
    item or column, for a cell that is not an answer, and for sentences of another item (if one column was
    sorted alone).
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8: {error.reason}", where=f"{path}, byte {error.start}", hint="save it as CSV UTF-8"
        ) from None
    header = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True)
    return without_repetitions(_found(study, _lines(reader, path), path))


def _found(
    study: Study, lines: Iterator[tuple[str, list[str]]], path: Path
) -> Iterator[tuple[Judgement, str]]:
    """Yield the judgements in *lines*, each with where it is."""
    header = next(lines, None)
    if header is None:
        raise FormatError("the file is empty", where=str(path), wanted="a CSV that `validate export` wrote")
    names, known = [name.strip() for name in header[1]], items_by_name(study)
    columns = _columns(study, names, header[0])
    for where, row in lines:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(names):
            raise FormatError(f"{len(row)} cells", where=where, wanted=f"{len(names)}, as in the header")
        cells = dict(zip(names, row, strict=False))
        item = item_named(cells.get("item", "").strip(), known, where=where)
        _check_texts(item, cells, where)
        yield from ((judgement, where) for judgement in _judgements(item, cells, columns, where))


def _lines(reader: Iterator[list[str]], path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each record after the place where it begins: the file and the line."""
    line = 1
    while True:
        where = f"{path}, line {line}"
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise FormatError(f"not CSV: {error}", where=where) from None
        if row is None:
            return
        yield where, row
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _columns(study: Study, names: Sequence[str], where: str) -> dict[str, tuple[str, str]]:
    """Return judge and question of each column of answers, by its name."""
    if "item" not in names:
        raise FormatError("no column 'item'", where=where, wanted="a CSV that `validate export` wrote")
    columns: dict[str, tuple[str, str]] = {}
    for name in names:
        judge, colon, rest = name.partition(": ")
        if not colon:
            continue
        question = rest.partition(" (")[0].strip()
        for kind, part, known in (("judge", judge, study.judges), ("question", question, QUESTIONS)):
            if part not in known:
                raise FormatError(
                    f"column '{name}': no {kind} is called '{part}'", where=where, wanted=", ".join(known)
                )
        if (judge, question) in columns.values():
            raise FormatError(f"there are two columns '{name}'", where=where)
        columns[name] = (judge, question)
    if not columns:
        raise FormatError(
            "there is no column with answers", where=where, wanted="columns such as 'judge-1: label'"
        )
    return columns


def _check_texts(item: Item, cells: Mapping[str, str], where: str) -> None:
    """Raise FormatError if the sentences of a row are not those of *item*."""
    for side, text in zip(_TEXTS, (item.premise, item.hypothesis), strict=True):
        found = cells.get(side)
        if found is not None and _plain(found) not in {_plain(text), _plain(escape_cell(text))}:
            raise FormatError(
                f"the {side} differs from item {item.name}",
                where=where,
                hint="if you sorted the spreadsheet, sort whole rows",
            )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _judgements(
    item: Item, cells: Mapping[str, str], columns: Mapping[str, tuple[str, str]], where: str
) -> Iterator[Judgement]:
    for name, (judge, question) in columns.items():
        cell = cells.get(name, "").strip()
        if not cell or (cell == NOT_ASKED and question not in item.asked):
            continue
        if question not in item.asked:
            raise FormatError(
                f"'{question}' is not a question about item {item.name}, but has the answer '{cell}'",
                where=where,
            )
        yield Judgement(judge, item.number, question, value_of(question, cell, where=where))
