"""The file of a study: what is kept, undone, refused, and never read when it was damaged."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.study import Judgement, create_study, open_study


def edited(folder: Path, *statements: str) -> None:
    """Carry out *statements* on the database of the study in *folder*."""
    with closing(sqlite3.connect(folder / "study.sqlite")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


TABLES = ("facts", "judges", "items", "orders", "clicks")
NO_CHECKSUMS = (
    *(f"ALTER TABLE {name} DROP COLUMN checksum" for name in TABLES),
    "DELETE FROM facts WHERE name = 'rows'",
    "PRAGMA user_version = 0",
)


@pytest.mark.parametrize("more", [(), ("ALTER TABLE items DROP COLUMN facts",)], ids=["", "no facts"])
def test_a_study_of_an_earlier_version_gets_its_checksums(
    items: Any, study_of: Any, say: Any, tmp_path: Path, more: tuple[str, ...]
) -> None:
    said = {"label": {"antonymy:0": "E"}}
    with study_of(items("antonymy", "EN", status="proposed"), judges=1, answers=said) as study:
        before = study.items
    edited(tmp_path / "study", *NO_CHECKSUMS, *more)
    for _ in range(2):
        with open_study(tmp_path / "study") as study:
            assert more or study.items == before
            kept = [(item.before, item.status) for item in study.items.values()]
            assert kept == [({}, None if more else "proposed")] * 2
            assert [each.value for each in study.judgements()] == ["entailment"]
            say(study, "grammatical", {"antonymy:1": "y"})
            assert study.undo("judge-1")
    edited(tmp_path / "study", "UPDATE clicks SET value = 'neutral' WHERE id = 1")
    with pytest.raises(FormatError, match="row 1 of the table clicks"):
        open_study(tmp_path / "study")


#: Statements, and what is said of the table that they damage.
DAMAGES = [
    ("UPDATE clicks SET value = 'neutral' WHERE id = 2", "row 2 of the table clicks"),
    ("UPDATE clicks SET undone = 1 WHERE id = 1", "row 1 of the table clicks"),
    ("UPDATE clicks SET judge = 'judge-2' WHERE id = 1", "row 1 of the table clicks"),
    ("UPDATE clicks SET value = CAST(value AS BLOB) WHERE id = 3", "row 3 of the table clicks"),
    ("UPDATE clicks SET value = CAST(x'ff' AS TEXT) WHERE id = 3", "row 3 of the table clicks"),
    ("UPDATE clicks SET checksum = NULL WHERE id = 3", "row 3 of the table clicks"),
    ("DELETE FROM clicks WHERE id = 3", "1 of 3 rows of the table clicks are missing"),
    ("DELETE FROM items WHERE number = 2", "2 judges, 1 items, 4 orders, but there were 2 judges, 2 items"),
    ("DELETE FROM facts WHERE name = 'rows'", "but there were others"),
    ("UPDATE items SET gold = 'neutral' WHERE number = 1", "row 1 of the table items"),
    ("UPDATE items SET test_set = 'antonymy.dev ' WHERE number = 1", "row 1 of the table items"),
    ("UPDATE orders SET place = 9 WHERE rowid = 2", "row 2 of the table orders"),
    ("UPDATE judges SET token = 'x' WHERE name = 'judge-2'", "row 2 of the table judges"),
    ("UPDATE facts SET value = 'ab'", "row 1 of the table facts"),
    ("PRAGMA user_version = 0", "the rows have checksums, but the version"),
]


def test_a_damaged_row_is_named_and_never_a_number(
    items: Any, study_of: Any, tmp_path: Path, for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    said = {"label": {"antonymy:0": "CC", "antonymy:1": "C."}}
    study_of(items("antonymy", "CC", status="proposed"), judges=2, answers=said).close()
    with open_study(tmp_path / "study") as study:
        assert len(study.judgements()) == 3

    def check(statement: str, message: str) -> None:
        damaged = shutil.copytree(tmp_path / "study", tmp_path / "damaged")
        try:
            edited(damaged, statement)
            error = refused(open_study, damaged)
        finally:
            shutil.rmtree(damaged)
        assert message in error
        assert "study.sqlite: the database of the study is damaged" in error
        assert "hint: restore the file" in error

    for_each(check, DAMAGES)


def test_only_its_owner_reads_a_study(items: Any, study_of: Any, tmp_path: Path) -> None:
    study = study_of(items("negation", "E"))
    study.record(Judgement("judge-1", 1, "label", "neutral"))
    files = list((tmp_path / "study").glob("study.sqlite*"))
    assert len(files) > 1  # the WAL beside it
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    manifest = (tmp_path / "study" / "manifest.json").read_text()
    assert not any(secret in manifest for secret in (*study.judges.values(), study.secret.hex()))


def test_undo_restores_the_previous_answer(items: Any, study_of: Any, tmp_path: Path) -> None:
    with study_of(items("antonymy", "CC")) as study:
        first = study.progress("judge-1").item
        assert first is not None

        def record(judge: str, value: str) -> bool:
            return bool(study.record(Judgement(judge, first.number, "label", value)))

        assert record("judge-1", "neutral")
        assert not record("judge-1", "neutral")  # pressed twice
        assert record("judge-1", "contradiction")
        assert record("judge-2", "entailment")
        assert study.undo("judge-1")
        assert [answer.value for answer in study.judgements("judge-1")] == ["neutral"]
        assert study.undo("judge-1")
        assert not study.undo("judge-1")
        assert [answer.judge for answer in study.judgements()] == ["judge-2"]
        assert study.progress("judge-1").item == first
    with closing(sqlite3.connect(tmp_path / "study" / "study.sqlite")) as file:
        assert file.execute("SELECT count(*) FROM clicks").fetchone() == (3,)  # nothing was deleted


def test_progress_goes_through_all_questions(items: Any, study_of: Any, tmp_path: Path) -> None:
    study = study_of(items("antonymy", "CC"), judges=1)
    seen = []
    while (progress := study.progress("judge-1")).item is not None:
        question = str(progress.question)
        seen.append((progress.item.number, question, progress.done))
        value = QUESTIONS[question].choices[0].value
        study.record(Judgement("judge-1", progress.item.number, question, value))
    questions = ("label", "grammatical")
    order = study.order("judge-1")
    assert seen == [(number, each, done) for done, number in enumerate(order) for each in questions]
    assert (progress.done, progress.total) == (2, 2)
    create_study(tmp_path / "empty", [], {"judge-1": []}, {"test_sets": {}})
    with open_study(tmp_path / "empty") as empty:
        assert empty.progress("judge-1").item is None


def test_what_is_no_answer_is_not_saved(items: Any, study_of: Any, refused: Callable[..., str]) -> None:
    study = study_of(items("antonymy", "C"))
    good = Judgement("judge-1", 1, "label", "neutral")
    for answer, message in (
        (Judgement("judge-9", 1, "label", "neutral"), "no judge is called 'judge-9'"),
        (Judgement("judge-1", 7, "label", "neutral"), "the study has no item 7"),
        (Judgement("judge-1", 1, "trivial", "yes"), "'trivial' is not a question about item i00001"),
        (Judgement("judge-1", 1, "label", "yes"), "'yes' is not an answer to 'label'"),
    ):
        assert message in refused(study.record_all, [good, answer], source="x")
        assert study.judgements() == []  # all or none


def test_text_that_no_database_holds(study_of: Any) -> None:
    odd = Example("antonymy:0", "A \ud800 lone \x00 one", "<b>&", "neutral")
    study = study_of(Dataset("antonymy.dev", (odd,), {"construction": "antonymy.v1"}))
    assert study.items[1].premise == "A \\ud800 lone \x00 one"


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "study.sqlite").write_bytes(b"not a database, however long this text may be" * 9)
    (tmp_path / "manifest.json").write_text('{"study": "x", "test_sets": {}}')
    with pytest.raises(CrossexamError, match="not the database of a study"):
        open_study(tmp_path)
