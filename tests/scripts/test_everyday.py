"""The everyday commands exist, questions at a terminal are answered, and no share is below the floor."""

from __future__ import annotations

import sys

import pytest
from everyday import FLOOR, FOLDERS, keep_to_floor, main


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
