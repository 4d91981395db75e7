"""Studies as CSV for spreadsheets: a row an item, a column a judge and question, to fill in and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import escape_formula, write_text
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS, in_order
from crossexam.validation.study import Answer, Item, Study

#: What stands where an item is not asked a question.
NOT_ASKED: Final = "not asked"
_TEXTS: Final = ("premise", "hypothesis")
_SHORT: Final[Mapping[str, str]] = {"y": "yes", "n": "no"}
_SHORT_LABELS: Final[Mapping[str, str]] = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def column_of(judge: str, question: str) -> str:
    """Return the header of the column for *judge* and *question*; it says what may be filled in.

    >>> column_of("judge-1", "grammatical")
    'judge-1: grammatical (yes/no/cannot_say)'
    """
    values = "/".join((*QUESTIONS[question].values, CANNOT_SAY))
    return f"{judge}: {question} ({values})"


def write_csv(study: Study, path: Path, *, judges: Sequence[str], with_answers: bool = False) -> None:
    """Write *study* as CSV with columns for *judges*, empty unless *with_answers*.

    Rows are in the order of a single judge, else in an order that says nothing.  Gold labels are there only
    in studies of errors, whose judges see them on the page too.
    """
    given = {answer[:3]: answer.value for answer in study.answers()} if with_answers else {}
    questions = in_order(key for item in study.items.values() for key in item.asked)
    errors = any(item.predicted for item in study.items.values())
    stream = io.StringIO()
    writer = csv.writer(stream)
    extra = ["gold label", "model answered", "signs"] if errors else []
    writer.writerow(["item", *_TEXTS, *extra, *(column_of(j, q) for j in judges for q in questions)])
    numbers = study.order(judges[0]) if len(judges) == 1 else list(study.items)
    for item in (study.items[number] for number in numbers):
        signs = "; ".join(f"{category}: {why}" for category, why in item.suggested)
        seen = [str(item.gold), str(item.predicted), signs] if errors else []
        cells = [
            given.get((judge, item.number, question), "") if question in item.asked else NOT_ASKED
            for judge in judges
            for question in questions
        ]
        writer.writerow(
            [escape_formula(cell) for cell in (item.name, item.premise, item.hypothesis, *seen, *cells)]
        )
    write_text(path, "\ufeff" + stream.getvalue())  # the mark by which Excel knows UTF-8


def read_csv(study: Study, path: Path) -> list[Answer]:
    """Return the answers in the spreadsheet *path*; empty cells are none.

    Commas, semicolons and tabs are understood.  Raises FormatError that names the line: an unknown item or
    column, a cell that is no answer, sentences that are not the item's (rows sorted by one column only).
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"not UTF-8: {error.reason}", where=f"{path}, byte {error.start}", hint="save it as CSV UTF-8"
        ) from None
    header = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True)
    answers: list[Answer] = []
    columns: dict[int, tuple[str, str]] | None = None
    names: list[str] = []
    by_name = {item.name: item for item in study.items.values()}
    seen: set[str] = set()
    for line, row in _lines(reader, path):
        where = f"{path}, line {line}"
        if columns is None:
            names = [name.strip() for name in row]
            columns = _columns(study, names, where)
            continue
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(names):
            raise FormatError(f"{len(row)} cells", where=where, wanted=f"{len(names)}, as the header has")
        item = _item(dict(zip(names, row, strict=False)), by_name, seen, where)
        answers += _answers(item, row, columns, where)
    if columns is None:
        raise FormatError("it is empty", where=str(path), wanted="a CSV that `validate export` wrote")
    return answers


def _lines(reader: Iterator[list[str]], path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on."""
    line = 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise FormatError(f"not CSV: {error}", where=f"{path}, line {line}") from None
        if row is None:
            return
        yield line, row
        line = reader.line_num + 1  # type: ignore[attr-defined]


def _columns(study: Study, names: Sequence[str], where: str) -> dict[int, tuple[str, str]]:
    if "item" not in names:
        raise FormatError("no column 'item'", where=where, wanted="a CSV that `validate export` wrote")
    columns: dict[int, tuple[str, str]] = {}
    for place, name in enumerate(names):
        judge, colon, rest = name.partition(": ")
        if not colon:
            continue
        question = rest.partition(" (")[0].strip()
        if judge not in study.judges:
            raise FormatError(
                f"column '{name}': no judge is called '{judge}'", where=where, wanted=", ".join(study.judges)
            )
        if question not in QUESTIONS:
            raise FormatError(
                f"column '{name}': no question is called '{question}'",
                where=where,
                wanted=", ".join(QUESTIONS),
            )
        if (judge, question) in columns.values():
            raise FormatError(f"column '{name}' is there twice", where=where)
        columns[place] = (judge, question)
    if not columns:
        raise FormatError("no column has answers", where=where, wanted="columns such as 'judge-1: label'")
    return columns


def _item(row: Mapping[str, str], by_name: Mapping[str, Item], seen: set[str], where: str) -> Item:
    name = row.get("item", "").strip()
    item = by_name.get(name)
    if item is None:
        raise FormatError(f"the study has no item '{name}'", where=where, wanted="an item such as i00001")
    if name in seen:
        raise FormatError(f"item {name} is there twice", where=where)
    seen.add(name)
    for side, text in zip(_TEXTS, (item.premise, item.hypothesis), strict=True):
        found = row.get(side)
        if found is not None and _plain(found) not in {_plain(text), _plain(escape_formula(text))}:
            raise FormatError(
                f"the {side} is not that of item {name}",
                where=where,
                hint="if the table was sorted, sort whole rows",
            )
    return item


def _plain(text: str) -> str:
    return " ".join(text.split())


def _answers(
    item: Item, row: Sequence[str], columns: Mapping[int, tuple[str, str]], where: str
) -> Iterator[Answer]:
    for place, (judge, question) in columns.items():
        cell = row[place].strip() if place < len(row) else ""
        if not cell or (cell == NOT_ASKED and question not in item.asked):
            continue
        if question not in item.asked:
            raise FormatError(f"item {item.name} is not asked '{question}', but has '{cell}'", where=where)
        yield Answer(judge, item.number, question, value_of(question, cell, where=where))


def value_of(question: str, text: str, *, where: str) -> str:
    """Return the answer to *question* that *text* is; raises FormatError.

    >>> value_of("label", "Neutral ", where="x"), value_of("grammatical", "y", where="x")
    ('neutral', 'yes')
    """
    name = text.strip().removeprefix("'").lower().replace(" ", "_")
    name = (_SHORT_LABELS if question == "label" else _SHORT).get(name, name)
    known = [choice.value for choice in QUESTIONS[question].choices]
    if name not in known:
        raise FormatError(f"'{text}' is no answer to '{question}'", where=where, wanted=", ".join(known))
    return name


def judges_named(study: Study, names: Sequence[str] | None) -> list[str]:
    """Return *names*, or all judges of *study*; raises CrossexamError for one who is none."""
    for name in names or ():
        if name not in study.judges:
            raise CrossexamError(f"no judge is called '{name}'", wanted=", ".join(study.judges))
    return list(names or study.judges)
