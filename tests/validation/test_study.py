"""The files of a study: what is kept, undone, refused, left by a kill, and never read when it was damaged."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.locks import alone_in
from crossexam.validation.answer_log import CutOffWarning, Judgement
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.study import Study, create_study, open_study

# Files


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


#: A file, what is replaced in it by what, and what is said of it.
DAMAGES = [
    (
        "items.json",
        '"gold": "contradiction"',
        '"gold": "neutral"',
        "items.json: the file was changed by hand",
    ),
    ("items.json", '"token": "', '"token": "x', "items.json: the file was changed by hand"),
    ("manifest.json", "antonymy.dev", "negation.dev", "manifest.json: the file was changed by hand"),
    ("judge-1.jsonl", '"neutral"', '"neutrbl"', "judge-1.jsonl, line 2: 'neutrbl' is not an answer"),
    ("judge-1.jsonl", '"item": 1', '"item": 7', "judge-1.jsonl, line 1: the study has no item 7"),
    ("judge-1.jsonl", '"item": 1', '"item": "1"', "judge-1.jsonl, line 1: not an answer"),
    ("judge-1.jsonl", '"source"', '"saurce"', "judge-1.jsonl, line 1: not an answer"),
    ("judge-1.jsonl", "judge-1", "judge-2", "judge-1.jsonl, line 1: not an answer"),
    ("judge-1.jsonl", '"label"', "label", "judge-1.jsonl, line 1: not JSON"),
    ("judge-1.jsonl", "\n", "", "judge-1.jsonl, line 1: not JSON"),
    ("judge-1.jsonl", "{", "[" * 5000 + "{", "judge-1.jsonl, line 1: not JSON"),
    ("judge-2.jsonl", "", '{"undo": true}\n', "judge-2.jsonl, line 1: there is no answer to undo"),
]


def test_damage_is_an_error_that_names_the_line(
    items: Any, study_of: Any, tmp_path: Path, for_each: Callable[..., None], refused: Callable[..., str]
) -> None:
    study = study_of(items("antonymy", "CC"), judges=2)
    for item, value in ((1, "contradiction"), (2, "neutral")):
        study.record(Judgement("judge-1", item, "label", value))

    def check(name: str, old: str, new: str, message: str) -> None:
        damaged = shutil.copytree(tmp_path / "study", tmp_path / "damaged")
        try:
            replaced(damaged / name, old, new)
            error = refused(open_study, damaged)
        finally:
            shutil.rmtree(damaged)
        assert message in error
        assert "restore the file from a copy" in error

    for_each(check, DAMAGES)
    (tmp_path / "study" / "judge-2.jsonl").unlink()
    assert "there is no judge-2.jsonl" in refused(open_study, tmp_path / "study")


def test_what_another_process_damaged_is_an_error(
    items: Any, study_of: Any, tmp_path: Path, refused: Callable[..., str]
) -> None:
    """Of a study that is open, too."""
    study = study_of(items("antonymy", "CC"))
    (tmp_path / "study" / "judge-1.jsonl").write_text("oops\n")
    assert "judge-1.jsonl, line 1: not JSON" in refused(study.progress, "judge-1")


# Kills: a file of answers is only appended to, so that what a kill leaves is a beginning of it


def test_a_kill_loses_at_most_the_answer_in_flight(items: Any, study_of: Any, tmp_path: Path) -> None:
    """Whatever byte was the last, what was saved before counts, and the same answers can be given again."""
    study = study_of(items("antonymy", "CC"), judges=1)
    log = tmp_path / "study" / "judge-1.jsonl"
    steps = [log.read_bytes()]
    states = [study.judgements()]

    def act(on: Study, step: int) -> None:
        if step == 2:
            on.undo("judge-1")
        else:
            value = ("neutral", "entailment", "", "contradiction")[step]
            on.record(Judgement("judge-1", 1 + step % 2, "label", value))

    for step in range(4):
        act(study, step)
        steps.append(log.read_bytes())
        states.append(study.judgements())
    whole = steps[-1]
    assert all(whole.startswith(each) for each in steps)
    for size in range(len(whole)):
        log.write_bytes(whole[:size])
        done = max(step for step, each in enumerate(steps) if len(each) <= size)
        if size == len(steps[done]):
            killed = open_study(tmp_path / "study")
        else:
            with pytest.warns(CutOffWarning, match=r"judge-1\.jsonl: the last line is incomplete"):
                killed = open_study(tmp_path / "study")
        assert killed.judgements() == states[done]
        for step in range(done, 4):
            act(killed, step)
        assert killed.judgements() == open_study(tmp_path / "study").judgements() == states[-1]


def test_an_answer_is_on_the_disk_when_it_is_recorded(
    items: Any, study_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(items("antonymy", "CC"))
    synced = []

    def fsync(handle: int, sync: Callable[[int], None] = os.fsync) -> None:
        synced.append((tmp_path / "study" / "judge-1.jsonl").read_text("utf-8").count("\n"))
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    study.record(Judgement("judge-1", 1, "label", "neutral"))
    assert synced == [1]
    study.undo("judge-1")
    assert synced == [1, 2]


def test_one_process_at_a_time_appends(
    items: Any, study_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    study = study_of(items("antonymy", "CC"))
    said = []

    def fsync(_: int) -> None:
        lock = alone_in(tmp_path / "study", CrossexamError("busy"))
        said.append(refused(lock.__enter__))

    monkeypatch.setattr(os, "fsync", fsync)
    study.record(Judgement("judge-1", 1, "label", "neutral"))
    study.undo("judge-1")
    assert said == ["busy"] * 2


def test_on_a_full_disk_all_are_saved_or_none(
    items: Any, study_of: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    """The answers of a second judge find no space."""
    study = study_of(items("antonymy", "CC"), judges=2)
    first = Judgement("judge-1", 1, "label", "neutral")
    study.record(first)
    given = [Judgement(judge, 2, "label", "neutral") for judge in study.judges]
    calls = iter([None, OSError(errno.ENOSPC, "No space left on device")])

    def fsync(_: int) -> None:
        if (error := next(calls)) is not None:
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        said = refused(study.record_all, given, source="x.csv")
    assert "judge-2.jsonl: no space left on the device" in said
    assert (
        [*study.judgements()]
        == open_study(tmp_path / "study").judgements()
        == [("judge-1", 1, "label", "neutral")]
    )
    assert study.record_all(given, source="x.csv") == 2
    assert study.judgements() == open_study(tmp_path / "study").judgements()
    assert len(study.judgements()) == 3


def test_two_processes_share_a_study(items: Any, study_of: Any, tmp_path: Path) -> None:
    """The server sees what was imported meanwhile, and the other way round."""
    page = study_of(items("antonymy", "CC"), judges=1)
    imported = open_study(tmp_path / "study")
    page.record(Judgement("judge-1", 1, "label", "neutral"))
    same = [Judgement("judge-1", item, "label", "neutral") for item in (1, 2)]
    assert imported.record_all(same, source="x.csv") == 1
    assert page.judgements() == same
    assert page.undo("judge-1")  # the click, which is not the last line
    assert imported.judgements() == same[1:]


def test_only_its_owner_reads_a_study(items: Any, study_of: Any, tmp_path: Path) -> None:
    study = study_of(items("negation", "E"))
    study.record(Judgement("judge-1", 1, "label", "neutral"))
    files = [tmp_path / "study" / name for name in ("items.json", *(f"judge-{n}.jsonl" for n in (1, 2, 3)))]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    manifest = (tmp_path / "study" / "manifest.json").read_text()
    assert not any(secret in manifest for secret in (*study.judges.values(), study.secret.hex()))


def test_undo_restores_the_previous_answer(items: Any, study_of: Any, tmp_path: Path) -> None:
    study = study_of(items("antonymy", "CC"))
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
    lines = (tmp_path / "study" / "judge-1.jsonl").read_text("utf-8").splitlines()
    assert ["undo" in json.loads(line) for line in lines] == [False, False, True, True]  # nothing was deleted


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
    empty = open_study(tmp_path / "empty")
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


def test_any_text_is_kept_as_it_is(study_of: Any) -> None:
    odd = Example("antonymy:\ud800", "A \ud800 lone \x00 one\u2028", "<b>&", "neutral")
    study = study_of(Dataset("antonymy.dev", (odd,), {"construction": "antonymy.v1"}))
    (item,) = study.items.values()
    assert (item.example, item.premise, item.hypothesis) == (odd.id, odd.premise, odd.hypothesis)


def test_a_study_of_which_files_are_missing_is_told(
    items: Any, study_of: Any, tmp_path: Path, refused: Callable[..., str]
) -> None:
    study_of(items("antonymy", "CC"))
    for name in ("items.json", "manifest.json"):
        (tmp_path / "study" / name).unlink()
        assert f"there is no {name}" in refused(open_study, tmp_path / "study")
    with pytest.raises(CrossexamError, match="this folder is not empty"):  # it has answers
        create_study(tmp_path / "study", [], {}, {})
