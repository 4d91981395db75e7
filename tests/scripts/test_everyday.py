"""The everyday commands exist, questions at a terminal are answered, and no share is below the floor."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Any

import pytest
import typer.main
from everyday import COMMANDS, FLOOR, FOLDERS, at_a_terminal, keep_to_floor, main

from crossexam.cli.main import app


def test_there_are_24_commands_whose_options_exist() -> None:
    assert len(COMMANDS) == 24
    for each in COMMANDS:
        command: Any = typer.main.get_command(app)
        words = shlex.split(each.line)
        while hasattr(command, "commands") and words[0] != "PYTHON":
            command = command.commands[words.pop(0)]
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, each.line


def test_a_question_is_answered_when_it_is_shown() -> None:
    program = "print(input('Your name? '), input('Your age? ')); raise SystemExit(3)"
    answers = (("name?", "Ann"), ("age?", "44"))
    status, shown = at_a_terminal([sys.executable, "-c", program], answers, {"env": dict(os.environ)})
    assert status == 3
    assert shown.splitlines()[-1] == "Ann 44"


def test_each_folder_keeps_to_the_floor_as_do_all_together() -> None:
    assert FLOOR == 85
    assert keep_to_floor({"core": (850, 1000), "cli": (90, 100)})
    assert not keep_to_floor({"core": (950, 1000), "cli": (84, 100)})


@pytest.mark.slow
def test_everyday_commands_execute_what_they_did(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for module in ("torch", "datasets", "sklearn", "coverage", "onnx", "onnxscript", "onnxruntime"):
        pytest.importorskip(module)
    monkeypatch.setattr(sys, "argv", ["everyday.py"])
    status = main()
    shown = capfd.readouterr().out
    assert status == 0, shown
    shares = {words[0]: float(words[-2]) for words in map(str.split, shown.splitlines()[-5:])}
    assert set(shares) == {*FOLDERS, "all"}
    assert min(shares.values()) >= FLOOR
