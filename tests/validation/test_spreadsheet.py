"""Studies that travel: spreadsheets and Label Studio, there and back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.example import Change, Edit, Example
from crossexam.core.output.escapes import escape_cell
from crossexam.validation.exchange import sheet_of
from crossexam.validation.label_studio import labelling_config, read_tasks, write_tasks
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.sampling import SampleRequest, sample_suite
from crossexam.validation.spreadsheet import read_csv, write_csv
from crossexam.validation.study import Study, open_study

PREMISES = ('=HYPERLINK("http://x")', "+1 is a number.", "Two\nlines, and a comma.", "Plain; with “quotes”.")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """Four antonymy items with premises that spreadsheets choke on, and one that is asked its label alone."""
    antonymy = tuple(
        Example(f"antonymy:secret{n}", premise, "-5 <b>&amp;</b>", "contradiction")
        for n, premise in enumerate(PREMISES)
    )
    spelling = (Example("spelling:secret", "Ann sang.", "Ann sagn.", "entailment"),)
    suite = Suite(
        "tiny",
        {
            "antonymy.dev": Dataset("antonymy.dev", antonymy, {"construction": "antonymy.v1"}),
            "spelling.dev": Dataset(
                "spelling.dev", spelling, {"construction": "spelling_error_content_word.v1"}
            ),
        },
    )
    sample_suite(suite, tmp_path / "study", SampleRequest(judges=2, seed=1), origin="tiny")
    return open_study(tmp_path / "study")


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


def test_a_sheet_hides_what_judges_must_not_see_and_runs_no_formula(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(sheet_of(study), path)
    text = path.read_text("utf-8-sig")
    assert not any(secret in text for secret in ("secret", "antonymy", *study.judges.values()))
    table = rows(path)
    assert len(table) == 5
    assert LABEL in table[0]
    assert GRAMMATICAL in table[0]
    cells = [cell for row in table for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]
    assert '\'=HYPERLINK("http://x")' in cells
    assert {row[GRAMMATICAL] for row in table} == {"", "not asked"}
    assert {row[LABEL] for row in table} == {""}


def test_what_spreadsheets_run(for_each: Callable[..., None]) -> None:
    def check(start: str) -> None:
        assert escape_cell(f"{start}1+1") == f"'{start}1+1".replace("\r\n", "\n")
        assert escape_cell("\r=1") == r"\x0d=1"

    for_each(check, ["=", "+", "-", "@", "\t", "\r\n", "\n", "＝"])


def test_a_judge_has_a_sheet_in_the_judges_order(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(sheet_of(study, ["judge-2"]), path)
    assert [row["item"] for row in rows(path)] == [study.items[n].name for n in study.order("judge-2")]
    assert not any("judge-1" in name for name in rows(path)[0])
    with pytest.raises(CrossexamError, match="no judge is called 'ann'"):
        sheet_of(study, ["ann"])


def test_a_sheet_comes_back_and_twice_changes_nothing(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(sheet_of(study), path)
    table = rows(path)
    for row in table:
        row[LABEL] = "Contradiction " if "Plain" in row["premise"] else "e"
        row[GRAMMATICAL] = row[GRAMMATICAL] or "Y"
    read = []
    for delimiter in ",;\t":
        rewrite(path, table, delimiter=delimiter)
        read.append(read_csv(study, path))
    answers = read[0]
    assert read == [answers] * 3
    assert len(answers) == 5 + 4
    assert study.record_all(answers, source="x.csv") == 9
    assert study.record_all(read_csv(study, path), source="x.csv") == 0
    by_premise = {study.items[a.item].premise: a.value for a in study.judgements("judge-1")}
    assert by_premise[PREMISES[3]] == "contradiction"
    assert by_premise[PREMISES[0]] == "entailment"
    assert {answer.value for answer in study.judgements("judge-2")} == {"yes"}
    write_csv(sheet_of(study, with_answers=True), path)
    assert set(read_csv(study, path)) == set(study.judgements())
    assert not study.undo("judge-1")  # undo is for what was clicked


def mangled(study: Study, path: Path, change: Any) -> FormatError:
    write_csv(sheet_of(study), path)
    table = rows(path)
    change(table)
    rewrite(path, table)
    with pytest.raises(FormatError) as caught:
        read_csv(study, path)
    return caught.value


def test_errors_name_the_line(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(sheet_of(study), path)
    table = rows(path)
    lines = {}
    line = 2
    for place, row in enumerate(table):
        lines[place] = line
        line += 1 + row["premise"].count("\n")

    def set_cell(place: int, column: str, text: str) -> Any:
        return lambda found: found[place].__setitem__(column, text)

    assert max(lines.values()) > len(table) + 1 or "\n" in table[-1]["premise"]  # a cell of two lines
    for place, line in lines.items():
        error = mangled(study, path, set_cell(place, LABEL, "maybe"))
        assert str(error).startswith(f"{path}, line {line}: 'maybe' is not an answer to 'label'")
    assert "wanted: entailment, neutral, contradiction, cannot_say" in str(error)
    error = mangled(study, path, set_cell(1, "item", "i00099"))
    assert f"line {lines[1]}: the study has no item 'i00099'" in str(error)
    error = mangled(study, path, set_cell(1, "premise", table[0]["premise"]))
    assert "the premise differs from item" in str(error)
    assert "sort whole rows" in str(error)
    error = mangled(study, path, set_cell(1, "item", table[0]["item"]))
    assert "differs from item" in str(error)
    alone = next(n for n, row in enumerate(table) if row[GRAMMATICAL] == "not asked")
    error = mangled(study, path, set_cell(alone, GRAMMATICAL, "yes"))
    assert f"line {lines[alone]}: 'grammatical' is not a question about item {table[alone]['item']}" in str(
        error
    )


def test_a_row_may_be_there_twice_but_not_with_two_answers(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    write_csv(sheet_of(study), path)
    first, *others = rows(path)
    first[LABEL] = "neutral"
    rewrite(path, [first, *others, first])
    assert [each.value for each in read_csv(study, path)] == ["neutral"]
    rewrite(path, [first, *others, first | {LABEL: "entailment"}])
    with pytest.raises(FormatError, match=r"line \d+: 'judge-1' gives two answers to 'label'"):
        read_csv(study, path)


def test_what_is_no_sheet_of_the_study(
    study: Study, tmp_path: Path, for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    path = tmp_path / "x.csv"

    def check(content: bytes, message: str) -> None:
        path.write_bytes(content)
        assert message in refused(read_csv, study, path)

    for_each(
        check,
        [
            (b"", "the file is empty"),
            (b"a,b\n", "no column 'item'"),
            (b"item,premise\n", "there is no column with answers"),
            (b"item,ann: label\n", "no judge is called 'ann'"),
            (b"item,judge-1: colour\n", "no question is called 'colour'"),
            (b"item,judge-1: label,judge-1: label (x)\n", "there are two columns"),
            (b"item,judge-1: label\ni00001,neutral,more\n", "line 2: 3 cells"),
            (b'item,judge-1: label\n"i00001,neutral\n', "line 2: not CSV"),
            (b"item,judge-1: label\n\xff\n", "not UTF-8"),
        ],
    )


# The question that shows the change


@pytest.fixture
def of_changes(tmp_path: Path) -> Study:
    """Ask about an item that was changed, and about one that was not."""
    change = Change("c.v1", "premise", "hypothesis", (Edit("hypothesis", 4, 7, "hot", "cold"),))
    examples = (
        Example("x", "Tea.", "The cold tea.", "neutral", "b", change),
        Example("y", "Milk.", "The milk.", "neutral"),
    )
    suite = Suite("tiny", {"c.dev": Dataset("c.dev", examples, {"construction": "c.v1"})})
    request = SampleRequest(judges=1, questions=("label", "grammar_kept"))
    sample_suite(suite, tmp_path / "changes", request, origin="tiny")
    return open_study(tmp_path / "changes")


def test_only_its_own_sheet_shows_the_change(of_changes: Study, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="'grammar_kept' shows the change") as caught:
        sheet_of(of_changes)
    assert "--question label, then --question grammar_kept" in str(caught.value)
    write_csv(sheet_of(of_changes, questions=["label"]), tmp_path / "1.csv")
    write_csv(sheet_of(of_changes, questions=["grammar_kept"]), tmp_path / "2.csv")
    assert "hot" not in (tmp_path / "1.csv").read_text("utf-8-sig")
    assert len(rows(tmp_path / "1.csv")) == 2
    (row,) = rows(tmp_path / "2.csv")  # nothing of the other item was changed
    assert row["hypothesis before the change"] == "The hot tea."
    assert row["premise before the change"] == ""
    rewrite(tmp_path / "2.csv", [{**row, "judge-1: grammar_kept (yes/no/cannot_say)": "n"}])
    assert [each.value for each in read_csv(of_changes, tmp_path / "2.csv")] == ["no"]
    with pytest.raises(UnknownNameError, match="no question of this study is called 'sensible'"):
        sheet_of(of_changes, questions=["sensible"])


def test_only_its_own_tasks_show_the_change(of_changes: Study, tmp_path: Path) -> None:
    for question, shown, tasks in (("label", False, 2), ("grammar_kept", True, 1)):
        config = write_tasks(sheet_of(of_changes, questions=[question]), tmp_path / "x.json")
        written = json.loads((tmp_path / "x.json").read_text("utf-8"))
        assert len(written) == tasks
        assert {each["data"]["asked"] for each in written} == {question}
        assert (
            "hypothesis before the change: The hot tea." in [each["data"].get("revealed") for each in written]
        ) is shown
        names = [each.get("name") for each in ElementTree.parse(config).iter("Choices")]
        assert names == [question]
        assert ("$revealed" in config.read_text("utf-8")) is shown


# Label Studio


def test_the_configuration_has_every_choice(study: Study) -> None:
    tree = ElementTree.fromstring(labelling_config(sheet_of(study)))
    names = {text.get("name") for text in tree.iter("Text")}
    for choices in tree.iter("Choices"):
        assert choices.get("toName") in names
        question = QUESTIONS[str(choices.get("name"))]
        assert [each.get("value") for each in choices] == [choice.value for choice in question.choices]
    required = {each.get("name"): each.get("required") for each in tree.iter("Choices")}
    assert required == {"label": "true", "grammatical": "false"}  # one item is not asked


def exported(study: Study, path: Path, who: object) -> list[dict[str, Any]]:
    """What Label Studio makes of our tasks: annotations with ids, and much that we do not read."""
    tasks: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    for number, task in enumerate(tasks, 1):
        common = {"to_name": "hypothesis", "type": "choices", "origin": "manual"}
        result = [
            {"id": f"r{number}{name}", "from_name": name, "value": {"choices": [value]}, **common}
            for name, value in (("label", "neutral"), ("grammatical", "no"))
        ]
        given = {"id": number, "completed_by": who, "was_cancelled": False, "lead_time": 2.5}
        cancelled = {"id": 99, "completed_by": 77, "was_cancelled": True, "result": []}
        task |= {"id": number, "project": 1, "predictions": []}
        task["annotations"] = [{**given, "result": result}, cancelled]
    return tasks


@pytest.mark.parametrize("who", [3, {"id": 3, "email": "ann@example.org"}, {"email": "ann@example.org"}])
def test_tasks_come_back(study: Study, tmp_path: Path, who: object) -> None:
    path = tmp_path / "x.json"
    config = write_tasks(sheet_of(study, ["judge-2"]), path)
    assert config == tmp_path / "x.xml"
    text = path.read_text(encoding="utf-8") + config.read_text(encoding="utf-8")
    assert not any(secret in text for secret in ("secret", "antonymy", *study.judges.values()))
    tasks = exported(study, path, who)
    path.write_text(json.dumps(tasks), encoding="utf-8")
    names = {"3": "judge-1", "ann@example.org": "judge-1"}
    answers = read_tasks(study, path, names=names)
    assert len(answers) == 5 + 4  # the item that is not asked for its grammar is left alone
    assert {answer.judge for answer in answers} == {"judge-1"}
    assert study.record_all(answers, source="x.json") == 9
    assert study.record_all(read_tasks(study, path, names=names), source="x.json") == 0
    write_tasks(sheet_of(study, with_answers=True), path)
    assert set(read_tasks(study, path)) == set(study.judgements())
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(FormatError, match=r"the annotator .* is not a judge") as caught:
        read_tasks(study, path)
    assert "=judge-1" in str(caught.value.hint)


def test_errors_name_the_task(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_tasks(sheet_of(study, ["judge-1"]), path)
    tasks = exported(study, path, "judge-1")

    def error(change: Any) -> str:
        found = json.loads(json.dumps(tasks))
        change(found)
        path.write_text(json.dumps(found, indent=1), encoding="utf-8")
        with pytest.raises(FormatError) as caught:
            read_tasks(study, path)
        return str(caught.value)

    def result(found: Any, n: int) -> Any:
        return found[n]["annotations"][0]["result"][0]

    choices = [{"from_name": "label", "type": "choices", "value": {"choices": ["entailment"]}}]
    second = {"completed_by": "judge-1", "result": choices}
    for change, message in (
        (
            lambda found: result(found, 1)["value"].update(choices=["red"]),
            "task 2: 'red' is not an answer to 'label'",
        ),
        (lambda found: found[2].pop("data"), "task 3: not a task of this study"),
        (
            lambda found: result(found, 0)["value"].update(choices=["neutral", "entailment"]),
            "task 1: not a task of this study (ValueError",
        ),
        (lambda found: found[3]["data"].update(item="i7"), "task 4: the study has no item 'i7'"),
        (
            lambda found: found[0]["annotations"].append(second),
            "task 1: 'judge-1' gives two answers to 'label'",
        ),
    ):
        assert message in error(change)
    path.write_text('[\n{"a": 1},\n}', encoding="utf-8")
    with pytest.raises(FormatError, match="line 3: not JSON"):
        read_tasks(study, path)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(FormatError, match="not a list of tasks"):
        read_tasks(study, path)
