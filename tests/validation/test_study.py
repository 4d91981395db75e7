"""The files of a study: what is kept, undone, refused, left by a kill, and never read when it was damaged."""

import errno
import os
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
from crossexam.validation.study import Study, create_study, open_study


@pytest.fixture
def pair(items: Any, study_of: Any) -> Study:
    """A study of two contradictions by two judges."""
    made: Study = study_of(items("antonymy", "CC"), judges=2)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "study"


#: A file, what is replaced in it by what, and what is said of it.
DAMAGES = [
    ("items.json", '"gold": "contradiction"', '"gold": "neutral"', ": the file was changed by hand"),
    ("manifest.json", "antonymy.dev", "negation.dev", ": the file was changed by hand"),
    ("judge-1.jsonl", '"neutral"', '"neutrbl"', ", line 2: 'neutrbl' is not an answer"),
    ("judge-1.jsonl", '"item": 1', '"item": 7', ", line 1: the study has no item 7"),
    ("judge-1.jsonl", '"item": 1', '"item": "1"', ", line 1: not an answer"),
    ("judge-1.jsonl", "judge-1", "judge-2", ", line 1: not an answer"),
    ("judge-1.jsonl", '"label"', "label", ", line 1: not JSON"),
    ("judge-1.jsonl", "{", "[" * 5000 + "{", ", line 1: not JSON"),
    ("judge-2.jsonl", "", '{"undo": true}\n', ", line 1: there is no answer to undo"),
]


def test_damage_is_an_error_that_names_the_line(
    pair: Study, folder: Path, for_each: Callable[..., None], refused: Callable[..., Any]
) -> None:
    for item, value in ((1, "contradiction"), (2, "neutral")):
        pair.record(Judgement("judge-1", item, "label", value))

    def check(name: str, old: str, new: str, message: str) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")
        try:
            said = refused(open_study, folder)
        finally:
            (folder / name).write_text(text, "utf-8")
        assert said.has(f"{name}{message}", "restore the file from a copy")

    for_each(check, DAMAGES)
    (folder / "judge-2.jsonl").write_text("oops\n")  # by another process, of a study that is open
    assert "judge-2.jsonl, line 1: not JSON" in refused(pair.progress, "judge-2")
    for name in ("judge-2.jsonl", "items.json", "manifest.json"):
        (folder / name).unlink()
        assert f"there is no {name}" in refused(open_study, folder)
    # it has answers
    assert "this folder is not empty" in refused(create_study, folder, [], {}, pair.manifest)


# Kills: a file of answers is only appended to, so that what a kill leaves is a beginning of it


def test_a_kill_loses_at_most_the_answer_in_flight(items: Any, study_of: Any, folder: Path) -> None:
    """Whatever byte was the last, what was saved before counts, and the same answers can be given again."""
    study = study_of(items("antonymy", "CC"), judges=1)
    log = folder / "judge-1.jsonl"
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
            killed = open_study(folder)
        else:
            with pytest.warns(CutOffWarning, match=r"judge-1\.jsonl: the last line is incomplete"):
                killed = open_study(folder)
        assert killed.judgements() == states[done]
        for step in range(done, 4):
            act(killed, step)
        assert killed.judgements() == open_study(folder).judgements() == states[-1]


def test_an_answer_is_on_the_disk_when_it_is_recorded(
    pair: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    """One process at a time appends."""
    synced = []

    def fsync(_: int) -> None:
        lock = alone_in(folder, CrossexamError("busy"))
        lines = (folder / "judge-1.jsonl").read_text("utf-8").count("\n")
        synced.append((lines, refused(lock.__enter__)))

    monkeypatch.setattr(os, "fsync", fsync)
    pair.record(Judgement("judge-1", 1, "label", "neutral"))
    assert synced == [(1, "busy")]
    pair.undo("judge-1")
    assert synced == [(1, "busy"), (2, "busy")]


def test_on_a_full_disk_all_are_saved_or_none(
    pair: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    """The answers of a second judge find no space."""
    first = Judgement("judge-1", 1, "label", "neutral")
    pair.record(first)
    given = [Judgement(judge, 2, "label", "neutral") for judge in pair.judges]
    calls = iter([None, OSError(errno.ENOSPC, "No space left on device")])

    def fsync(_: int) -> None:
        if (error := next(calls)) is not None:
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        said = refused(pair.record_all, given, source="x.csv")
    assert "judge-2.jsonl: no space left on the device" in said
    assert [*pair.judgements()] == open_study(folder).judgements() == [first]
    assert pair.record_all(given, source="x.csv") == 2
    assert pair.judgements() == open_study(folder).judgements()
    assert len(pair.judgements()) == 3


def test_two_processes_share_a_study(pair: Study, folder: Path) -> None:
    """The server sees what was imported meanwhile, and the other way round."""
    imported = open_study(folder)
    pair.record(Judgement("judge-1", 1, "label", "neutral"))
    same = [Judgement("judge-1", item, "label", "neutral") for item in (1, 2)]
    assert imported.record_all(same, source="x.csv") == 1
    assert pair.judgements() == same
    assert pair.undo("judge-1")  # the click, which is not the last line
    assert imported.judgements() == same[1:]


def test_only_its_owner_reads_a_study(pair: Study, folder: Path) -> None:
    pair.record(Judgement("judge-1", 1, "label", "neutral"))
    files = [folder / name for name in ("items.json", "judge-1.jsonl", "judge-2.jsonl")]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    manifest = (folder / "manifest.json").read_text()
    assert not any(secret in manifest for secret in (*pair.judges.values(), pair.secret.hex()))


def test_undo_restores_the_previous_answer(pair: Study, folder: Path) -> None:
    first = pair.progress("judge-1").item
    assert first is not None
    values = ("neutral", "neutral", "contradiction")  # pressed twice
    said = [*(("judge-1", value) for value in values), ("judge-2", "entailment")]
    given = [pair.record(Judgement(judge, first.number, "label", value)) for judge, value in said]
    assert [bool(each) for each in given] == [True, False, True, True]
    assert pair.undo("judge-1")
    assert [answer.value for answer in pair.judgements("judge-1")] == ["neutral"]
    assert pair.undo("judge-1")
    assert not pair.undo("judge-1")
    assert [answer.judge for answer in pair.judgements()] == ["judge-2"]
    assert pair.progress("judge-1").item == first
    assert len((folder / "judge-1.jsonl").read_text("utf-8").splitlines()) == 4  # nothing was deleted


def test_what_is_no_answer_is_not_saved(pair: Study, refused: Callable[..., str]) -> None:
    for wrong, culprit in (
        (Judgement("judge-9", 1, "label", "neutral"), "'judge-9'"),
        (Judgement("judge-1", 7, "label", "neutral"), "no item 7"),
        (Judgement("judge-1", 1, "trivial", "yes"), "'trivial' is not a question about item i00001"),
        (Judgement("judge-1", 1, "label", "yes"), "'yes' is not an answer to 'label'"),
    ):
        given = [Judgement("judge-1", 1, "label", "neutral"), wrong]
        assert culprit in refused(pair.record_all, given, source="x")
        assert pair.judgements() == []  # all or none


def test_any_text_is_kept_as_it_is(study_of: Any) -> None:
    odd = Example("antonymy:\ud800", "A \ud800 lone \x00 one\u2028", "<b>&", "neutral")
    study = study_of(Dataset("antonymy.dev", (odd,), {"construction": "antonymy.v1"}))
    (item,) = study.items.values()
    assert (item.example, item.premise, item.hypothesis) == (odd.id, odd.premise, odd.hypothesis)
