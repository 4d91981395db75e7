"""Too many open files: one error that says the limit and how to raise it, whichever library met it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crossexam.cli import main
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import too_many_files
from crossexam.core.test_sets import read_suite

resource = pytest.importorskip("resource", reason="this system has no such limits")
MANY = OSError(errno.EMFILE, "Too many open files", "suite/base.parquet")


@contextmanager
def no_more_files() -> Iterator[None]:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def invoke(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the command line in this process and return its exit code."""
    monkeypatch.setattr("sys.argv", ["crossexam", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    return int(stopped.value.code or 0)


def caused(error: Exception, by: Exception) -> Exception:
    error.__context__ = by
    return error


@pytest.mark.parametrize(
    "error",
    [
        MANY,
        OSError(errno.ENFILE, "Too many open files in system", "suite/base.parquet"),
        caused(FormatError("the file is damaged", where="suite/base.parquet"), MANY),
    ],
)
def test_it_says_the_limit_and_the_way_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(main, "app", fail)
    assert invoke(["ls"], monkeypatch) == 2
    what, wanted, hint = capsys.readouterr().err.splitlines()
    assert what == "crossexam: suite/base.parquet: too many files are open"
    assert f"which is {resource.getrlimit(resource.RLIMIT_NOFILE)[0]:,} files" in wanted
    assert "`ulimit -n NUMBER`" in hint


def test_a_file_that_cannot_be_opened_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(["build", "negation", "--base", "builtin:demo[:40]", "-o", "suite"], monkeypatch) == 0
    examples = read_suite(Path("suite")).datasets["negation.builtin_demo_40"].examples
    with pytest.raises(CrossexamError, match="parquet: too many files are open") as caught, no_more_files():
        examples[0]
    assert "damaged" not in str(caught.value)


def test_what_only_quotes_it_is_not_taken_for_it() -> None:
    assert too_many_files(FormatError("no label is called 'Too many open files'")) is None
    assert too_many_files(ValueError("os error 240")) is None
    assert too_many_files(OSError(errno.ENOENT, "No such file or directory")) is None
