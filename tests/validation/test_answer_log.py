"""A file of answers is only appended to: a kill loses one at most, and the last can be undone."""

import os
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.locks import alone_in
from crossexam.validation.answer_log import CutOffWarning, Judgement
from crossexam.validation.study import Study, open_study
from made.cases import refused


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
    pair: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
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


def test_two_processes_share_a_study(pair: Study, folder: Path) -> None:
    """The server sees what was imported meanwhile, and the other way round."""
    imported = open_study(folder)
    pair.record(Judgement("judge-1", 1, "label", "neutral"))
    same = [Judgement("judge-1", item, "label", "neutral") for item in (1, 2)]
    assert imported.record_all(same, source="x.csv") == 1
    assert pair.judgements() == same
    assert pair.undo("judge-1")  # the click, which is not the last line
    assert imported.judgements() == same[1:]


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
