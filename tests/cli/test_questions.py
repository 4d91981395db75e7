"""What is asked at a terminal, and what is done with the answers."""

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from crossexam.cli import questions
from crossexam.cli.questions import Ask, asked_labels, with_answers, with_columns
from crossexam.corpora.label_names import UnknownLabelError
from crossexam.options.build import Build
from crossexam.options.groups import reading_of
from crossexam.suites.bases import base_from_spec
from made.corpora import write_lines


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    lines = ("document,claim,verdict", "It rains a lot.,It rains.,yes", "It rains.,It is dry.,no")
    return write_lines(tmp_path / "claims.csv", lines)


def answering(*answers: str) -> Ask:
    """Return what gives *answers* one after another, and fails if there are no more."""
    left = iter(answers)
    return lambda question: next(left)


def options(base: Path | str, columns: str | None = None) -> Build:
    return Build(suite="consistency", output=Path("out"), base=(str(base),), columns=columns)


def test_columns_are_named_by_number_or_name_and_only_what_is_missing_is_asked(
    claims: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {"premise": "document", "hypothesis": "claim", "label": "verdict"}
    assert with_columns(options(claims), answering("1", "7", "claim", "verdict")).columns == columns
    assert "there is no column '7'" in capsys.readouterr().err
    given = options(claims, "hypothesis=claim,label=verdict")
    assert with_columns(given, answering("1")).columns == columns
    unlabelled = with_columns(options(claims), answering("1", "2", ""))
    assert unlabelled.columns == {"premise": "document", "hypothesis": "claim"}
    for unanswered in (answering(""), answering("document", "")):  # it leaves the error of today
        assert with_columns(options(claims), unanswered) == options(claims)
    usual = write_lines(tmp_path / "usual.csv", ["premise,hypothesis,label,genre", "a.,b.,neutral,x"])
    none = write_lines(tmp_path / "none.csv", ["document,claim"])
    wrong = options(claims, "premise=nothing,hypothesis=claim")
    for same in (*map(options, (usual, none, "builtin:demo", "nothing.csv")), wrong):
        assert with_columns(same, answering()) == same


def test_labels_are_asked_until_all_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("premise,hypothesis,label", "It rains.,It is wet.,ok", "It rains.,It is dry.,bad")
    path = write_lines(tmp_path / "a.csv", lines)
    with pytest.raises(UnknownLabelError) as caught:
        list(base_from_spec(str(path)).open())
    error = caught.value
    answers = ("ok=fine", "ok=entailment", "ok=entailment,bad=-")
    assert asked_labels(error, answering(*answers)) == {"ok": "entailment", "bad": None}
    assert "'fine' is not a label" in capsys.readouterr().err
    with pytest.raises(UnknownLabelError, match="unknown label 'ok'"):
        asked_labels(error, answering(""))


def test_the_options_that_say_the_same_are_printed_and_nothing_is_asked_elsewhere_than_at_a_terminal(
    claims: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    seen: list[Build] = []

    def act(answered: Build) -> None:
        seen.append(answered)
        list(base_from_spec(str(claims), reading_of(answered)).open())

    monkeypatch.setattr(questions, "_ask", answering())
    with_answers(options(claims), seen.append)
    assert seen == [options(claims)]
    monkeypatch.setattr(questions, "_ask", answering("1", "2", "3", "1"))
    monkeypatch.setattr(questions, "sys", SimpleNamespace(stdin=Terminal(), stderr=Terminal()))
    with_answers(options(claims), act)
    columns, labels = "premise=document,hypothesis=claim,label=verdict", "yes=entailment,no=not_entailment"
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"next time, add: --columns {columns} --labels {labels}"
    assert reading_of(replace(options(claims, columns), labels=labels)) == reading_of(seen[-1])
