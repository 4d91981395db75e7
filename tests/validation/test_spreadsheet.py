"""Studies that travel as spreadsheets, there and back."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.validation.exchange import sheet_of
from crossexam.validation.label_studio import write_tasks
from crossexam.validation.spreadsheet import read_csv, write_csv
from crossexam.validation.study import Study
from made.cases import refused


@pytest.fixture
def sheet(study: Study, tmp_path: Path) -> Path:
    write_csv(sheet_of(study), tmp_path / "x.csv")
    return tmp_path / "x.csv"


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def rewrite(path: Path, table: list[dict[str, str]], *, delimiter: str = ",") -> None:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(table[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(table)
    path.write_text(stream.getvalue(), encoding="utf-8")


LABEL = "judge-1: label (entailment/neutral/contradiction/cannot_say)"
GRAMMATICAL = "judge-2: grammatical (yes/no/cannot_say)"


def test_a_sheet_hides_what_judges_must_not_see_and_runs_no_formula(study: Study, sheet: Path) -> None:
    text = sheet.read_text("utf-8-sig")
    assert not any(secret in text for secret in ("secret", "antonymy", *study.judges.values()))
    cells = [cell for row in rows(sheet) for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]


def test_a_sheet_comes_back_and_twice_changes_nothing(study: Study, sheet: Path) -> None:
    table = rows(sheet)
    for row in table:
        row[LABEL] = "Contradiction " if "Plain" in row["premise"] else "e"
        row[GRAMMATICAL] = row[GRAMMATICAL] or "Y"
    read = []
    for delimiter in ",;\t":
        rewrite(sheet, table, delimiter=delimiter)
        read.append(read_csv(study, sheet))
    assert read == [read[0]] * 3
    assert study.record_all(read[0], source="x.csv") == len(read[0]) == 5 + 4
    assert study.record_all(read_csv(study, sheet), source="x.csv") == 0
    by_premise = {study.items[a.item].premise: a.value for a in study.judgements("judge-1")}
    assert (by_premise["Plain; with “quotes”."], by_premise['=HYPERLINK("http://x")']) == (
        "contradiction",
        "entailment",
    )
    assert {answer.value for answer in study.judgements("judge-2")} == {"yes"}
    write_csv(sheet_of(study, with_answers=True), sheet)
    assert set(read_csv(study, sheet)) == set(study.judgements())
    assert not study.undo("judge-1")  # undo is for what was clicked


def test_errors_name_the_line(study: Study, sheet: Path) -> None:
    table = rows(sheet)
    before = [sum(1 + row["premise"].count("\n") for row in table[:n]) for n in range(len(table))]
    assert before[-1] > len(table) - 1  # a cell has two lines

    def said(place: int, column: str, text: str) -> Any:
        changed = [{**row, column: text} if n == place else row for n, row in enumerate(table)]
        rewrite(sheet, changed)
        return refused(FormatError, read_csv, study, sheet)

    for place, lines in enumerate(before):
        assert f"{sheet}, line {2 + lines}: 'maybe'" in said(place, LABEL, "maybe")
    assert said(1, "item", "i00099").has("the study has no item 'i00099'")
    assert said(1, "premise", table[0]["premise"]).has("the premise differs from item", "sort whole rows")
    alone = [row[GRAMMATICAL] for row in table].index("not asked")
    assert said(alone, GRAMMATICAL, "yes").has("'grammatical' is not a question")
    first = table[0] | {LABEL: "neutral"}
    rewrite(sheet, [first, *table[1:], first | {LABEL: "entailment"}])
    assert "'judge-1' gives two answers to 'label'" in refused(FormatError, read_csv, study, sheet)


def test_what_is_no_sheet_of_the_study(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for content, message in (
        (b"", "the file is empty"),
        (b"item,ann: label\n", "no judge is called 'ann'"),
        (b"item,judge-1: label,judge-1: label (x)\n", "there are two columns"),
        (b"item,judge-1: label\ni00001,neutral,more\n", "line 2: 3 cells"),
        (b"item,judge-1: label\n\xff\n", "not UTF-8"),
    ):
        path.write_bytes(content)
        assert message in refused(read_csv, study, path)


def test_only_its_own_sheet_and_tasks_show_the_change(of_a_change: Any, tmp_path: Path) -> None:
    study = of_a_change("label", "grammar_kept")
    with pytest.raises(CrossexamError, match="'grammar_kept' shows the change"):
        sheet_of(study)
    path = tmp_path / "x.csv"
    for question, shown in (("label", False), ("grammar_kept", True)):
        sheet = sheet_of(study, questions=[question])
        write_csv(sheet, path)
        (row,) = rows(path)
        config = write_tasks(sheet, tmp_path / "x.json")
        (task,) = json.loads((tmp_path / "x.json").read_text("utf-8"))
        assert ("hot" in str(row), "The hot tea." in str(task)) == (shown, shown)
        assert ("$revealed" in config.read_text("utf-8")) is shown
    rewrite(path, [{**row, "judge-1: grammar_kept (yes/no/cannot_say)": "n"}])
    assert [each.value for each in read_csv(study, path)] == ["no"]
