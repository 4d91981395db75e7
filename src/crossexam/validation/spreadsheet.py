"""Studies as CSV for spreadsheets: one row per item, one column per judge and question."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import write_text
from crossexam.core.output.escapes import escape_cell
from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS, exported_questions
from crossexam.validation.study import Item, Study

#: The cell of a question that is not asked about an item.
NOT_ASKED: Final = "not asked"
_TEXTS: Final = ("premise", "hypothesis")
_SHORT: Final[Mapping[str, str]] = {"y": "yes", "n": "no"}
_SHORT_LABELS: Final[Mapping[str, str]] = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def column_of(judge: str, question: str) -> str:
    """Return the header of the column for *judge* and *question*, with the possible answers.

    >>> column_of("judge-1", "grammatical")
    'judge-1: grammatical (yes/no/cannot_say)'
    """
    values = "/".join((*QUESTIONS[question].values, CANNOT_SAY))
    return f"{judge}: {question} ({values})"


def write_csv(
    study: Study,
    path: Path,
    *,
    judges: Sequence[str],
    questions: Sequence[str] | None = None,
    with_answers: bool = False,
) -> None:
    """Write *study* as CSV with columns for *judges*, which are empty unless *with_answers*.

    Rows are in the order of the judge if there is one, else in the random order of their numbers.
    *questions* None stands for all questions; items that none of them is asked about are left out.
    Only studies of errors have gold labels and predictions, and only questions on a sheet of their own have
    what they show; judges see both on the page, too.  Raises CrossexamError for questions that cannot share
    a sheet.
    """
    given = {each[:3]: each.value for each in study.judgements()} if with_answers else {}
    questions = exported_questions((key for item in study.items.values() for key in item.asked), questions)
    errors = any(item.predicted for item in study.items.values())
    stream = io.StringIO()
    writer = csv.writer(stream)
    extra = ["gold label", "prediction", "hints"] if errors else []
    extra += next(iter(study.items.values())).revealed(questions[0])
    writer.writerow(["item", *_TEXTS, *extra, *(column_of(j, q) for j in judges for q in questions)])
    numbers = study.order(judges[0]) if len(judges) == 1 else list(study.items)
    for item in (study.items[number] for number in numbers):
        if not set(questions) & set(item.asked):
            continue
        hints = "; ".join(f"{category}: {why}" for category, why in item.suggested)
        seen = [str(item.gold), str(item.predicted), hints] if errors else []
        seen += item.revealed(questions[0]).values()
        cells = [
            given.get((judge, item.number, question), "") if question in item.asked else NOT_ASKED
            for judge in judges
            for question in questions
        ]
        writer.writerow(
            [escape_cell(cell) for cell in (item.name, item.premise, item.hypothesis, *seen, *cells)]
        )
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
    judgements: list[Judgement] = []
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
            raise FormatError(f"{len(row)} cells", where=where, wanted=f"{len(names)}, as in the header")
        item = _item(dict(zip(names, row, strict=False)), by_name, seen, where)
        judgements += _judgements(item, row, columns, where)
    if columns is None:
        raise FormatError("the file is empty", where=str(path), wanted="a CSV that `validate export` wrote")
    return judgements


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
            raise FormatError(f"there are two columns '{name}'", where=where)
        columns[place] = (judge, question)
    if not columns:
        raise FormatError(
            "there is no column with answers", where=where, wanted="columns such as 'judge-1: label'"
        )
    return columns


def _item(row: Mapping[str, str], by_name: Mapping[str, Item], seen: set[str], where: str) -> Item:
    name = row.get("item", "").strip()
    item = by_name.get(name)
    if item is None:
        raise FormatError(f"the study has no item '{name}'", where=where, wanted="an item such as i00001")
    if name in seen:
        raise FormatError(f"there are two rows for item {name}", where=where)
    seen.add(name)
    for side, text in zip(_TEXTS, (item.premise, item.hypothesis), strict=True):
        found = row.get(side)
        if found is not None and _plain(found) not in {_plain(text), _plain(escape_cell(text))}:
            raise FormatError(
                f"the {side} differs from item {name}",
                where=where,
                hint="if you sorted the spreadsheet, sort whole rows",
            )
    return item


def _plain(text: str) -> str:
    return " ".join(text.split())


def _judgements(
    item: Item, row: Sequence[str], columns: Mapping[int, tuple[str, str]], where: str
) -> Iterator[Judgement]:
    for place, (judge, question) in columns.items():
        cell = row[place].strip() if place < len(row) else ""
        if not cell or (cell == NOT_ASKED and question not in item.asked):
            continue
        if question not in item.asked:
            raise FormatError(
                f"'{question}' is not a question about item {item.name}, but has the answer '{cell}'",
                where=where,
            )
        yield Judgement(judge, item.number, question, value_of(question, cell, where=where))


def value_of(question: str, text: str, *, where: str) -> str:
    """Return the answer to *question* that *text* spells; raises FormatError.

    >>> value_of("label", "Neutral ", where="x"), value_of("grammatical", "y", where="x")
    ('neutral', 'yes')
    """
    name = text.strip().removeprefix("'").lower().replace(" ", "_")
    name = (_SHORT_LABELS if question == "label" else _SHORT).get(name, name)
    known = [choice.value for choice in QUESTIONS[question].choices]
    if name not in known:
        raise FormatError(f"'{text}' is not an answer to '{question}'", where=where, wanted=", ".join(known))
    return name


def judges_named(study: Study, names: Sequence[str] | None) -> list[str]:
    """Return *names*, or all judges of *study*; raises CrossexamError for an unknown judge."""
    for name in names or ():
        if name not in study.judges:
            raise CrossexamError(f"no judge is called '{name}'", wanted=", ".join(study.judges))
    return list(names or study.judges)
