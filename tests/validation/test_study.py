"""The files of a study: what is kept, refused, of its owner alone, and never read when it was damaged."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.validation.answer_log import Judgement
from crossexam.validation.study import Study, create_study, open_study
from made.cases import for_each, refused

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


def test_damage_is_an_error_that_names_the_line(pair: Study, folder: Path) -> None:
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


def test_on_a_full_disk_all_are_saved_or_none(
    pair: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
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


def test_only_its_owner_reads_a_study(pair: Study, folder: Path) -> None:
    pair.record(Judgement("judge-1", 1, "label", "neutral"))
    files = [folder / name for name in ("items.json", "judge-1.jsonl", "judge-2.jsonl")]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
    manifest = (folder / "manifest.json").read_text()
    assert not any(secret in manifest for secret in (*pair.judges.values(), pair.secret.hex()))


def test_what_is_no_answer_is_not_saved(pair: Study) -> None:
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
