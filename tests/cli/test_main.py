"""The command line as a whole: its version, what a terminal cannot print, and errors of our own."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.cli import main
from made.commands import Crossexam


def test_the_version_is_printed(crossexam: Crossexam) -> None:
    assert crossexam("--version").out.strip()


def test_other_exceptions_are_ours_and_told_in_a_log(
    failing: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = failing(ZeroDivisionError("oops \udcff"), 3, "ls \udcff")  # a name that is not UTF-8
    (log,) = tmp_path.glob("crossexam-*.log")
    assert str(log) in said
    assert "arguments: ls \\udcff" in log.read_text("utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.usefixtures("folder")
def test_what_the_terminal_cannot_print_is_escaped(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    written = {stream: io.BytesIO() for stream in ("stdout", "stderr")}
    for stream, into in written.items():
        monkeypatch.setattr(sys, stream, io.TextIOWrapper(into, encoding=encoding, write_through=True))
    for name, verb, status in (
        ("日本.csv", "build negation -o out --base", 2),
        ("caf\udce9.csv", "build negation -o out --base", 2),
        ("suites", "ls", 0),
    ):
        monkeypatch.setattr(sys, "argv", ["crossexam", *verb.split(), name])
        with pytest.raises(SystemExit) as stopped:
            main.run()
        assert (stopped.value.code or 0) == status
    assert written["stderr"].getvalue().count(b"no such file") == 2
