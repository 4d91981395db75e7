"""The everyday commands exist, questions at a terminal are answered, and no share is below the floor."""

import sys

import pytest
from everyday import FLOOR, FOLDERS, main


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
