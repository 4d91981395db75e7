"""Models without the packages that run them: these are named first, whatever else is missing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import crossexam
from crossexam.cli import main
from crossexam.core.dataset import Dataset
from crossexam.core.errors import MissingExtraError, how_to_install
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set

TESTS = Dataset("tiny", (Example("e", "It rains.", "It is wet.", "entailment"),))


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Hide torch, and let no request to the hub through; return whether the hub was to be asked, by call."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    asked: list[bool] = []

    def snapshot_download(name: str, *, local_files_only: bool = False, **_: Any) -> str:
        asked.append(not local_files_only)
        raise LocalEntryNotFoundError(name)

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    return asked


@pytest.mark.parametrize("model", ["hf/some/model", "lm/gpt2", "mean/builtin/overlap,hf/some/model"])
@pytest.mark.parametrize("command", ["run", "examine", "library"])
def test_a_missing_package_is_named_before_the_hub_is_asked(
    without_torch: list[bool],
    command: str,
    model: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = model.rpartition(",")[2]
    said = f"{name} needs the package 'torch', which is not installed\n  hint: {how_to_install('torch')}"
    if command == "library":
        with pytest.raises(MissingExtraError) as caught:
            crossexam.run(model, TESTS)
        assert str(caught.value) == said
    else:
        tests = tmp_path / "tiny.parquet"
        write_test_set(tests, TESTS.examples)
        what = [str(tests)] if command == "run" else ["--base", "builtin:demo"]
        monkeypatch.setattr(sys, "argv", ["crossexam", command, model, *what, "-o", str(tmp_path / "out")])
        with pytest.raises(SystemExit) as stop:
            main.run()
        assert stop.value.code == 2
        assert capsys.readouterr().err == f"crossexam: {said}\n"
        assert not (tmp_path / "out").exists()
    assert not any(without_torch)


def test_with_them_the_hub_is_named(without_torch: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(crossexam.CrossexamError, match="the hub could not be reached"):
        crossexam.run("hf/no-such-owner/no-such-model", TESTS)


def test_a_checkpoint_that_is_here_names_them_when_it_is_to_predict(
    tiny_checkpoint: Path, without_torch: list[bool]
) -> None:
    with pytest.raises(MissingExtraError, match="needs the package 'torch', which is not installed"):
        crossexam.run(f"hf/{tiny_checkpoint}", TESTS)
    assert without_torch == []
