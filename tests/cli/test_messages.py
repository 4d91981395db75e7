"""Mistakes of users: each is one clear message and exit status 2, and leaves nothing behind.

``tests/golden/messages.txt`` has commands, and what is printed for each: ``pytest --accept`` writes the
messages anew.  After ``#`` stands what a message must name, if that is no word of the command.  All commands
run in one folder (``mistakes`` of ``conftest.py``), which has the files to make mistakes with, and which none
of them may change.
"""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from fsspec.implementations.memory import MemoryFileSystem

import crossexam as cx
from crossexam.cli import main
from made.cases import for_each

MESSAGES = Path(__file__).parents[1] / "golden" / "messages.txt"
COMMANDS = re.findall(r"^(?:\$|>>>) .+$", MESSAGES.read_text(encoding="utf-8"), flags=re.MULTILINE)
#: What no message may have: our own traces, and words of Python and its libraries.
FORBIDDEN = re.compile("internal error|Traceback|Errno|recursion|set_int_max_str_digits|codec")


@pytest.fixture
def here(mistakes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of mistakes as the working folder; no corpus is installed, and no URL is cached."""
    monkeypatch.chdir(mistakes)
    monkeypatch.setenv("CROSSEXAM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("CROSSEXAM_DATA", str(mistakes / "emptydir"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    yield mistakes
    shutil.rmtree("out", ignore_errors=True)  # of a test that failed


def contents() -> dict[str, object]:
    """Return what is in the working folder and at URLs: the size and time of each file, and names at URLs."""
    found: dict[str, object] = {}
    for path in Path().rglob("*"):
        seen = path.lstat()
        found[str(path)] = None if path.is_dir() else (seen.st_size, seen.st_mtime_ns)
    return {**found, "memory": sorted(MemoryFileSystem().find("/"))}


def message_of(command: str, crossexam: Callable[..., Any]) -> str:
    """Return the message for the mistake that *command* makes."""
    if command.startswith(">>>"):
        with pytest.raises(cx.CrossexamError) as caught:
            eval(command.removeprefix(">>>").strip(), {"cx": cx, "sys": sys})
        return str(caught.value)
    error = crossexam(command.removeprefix("$ "), status=2).err
    if error.startswith("Usage:"):  # of typer, in a box
        box = re.findall(r"^│(.*)│$", error, flags=re.MULTILINE)
        return re.sub(r"\s+", " ", " ".join(box)).strip()
    assert error.count("crossexam: ") == 1
    message = error.partition("crossexam: ")[2].strip()
    assert re.search("^  (wanted|hint): ", message, flags=re.MULTILINE)
    return message


def names_in(command: str) -> set[str]:
    """Return what a message for *command* can name: its words and their parts, or what stands after ``#``."""
    line, _, named = command.partition("  # ")
    if named:
        return {named}
    words = re.sub(r"""^\$ \w+|^>>> [\w.]+|[()"'{}\[\]]""", " ", line).split()
    parts = {part for word in words for part in (word, *re.split("[=,:]", word), *word.split("/"))}
    parts |= {word.partition("/")[2] for word in words}
    return {part.strip(".,:") for part in parts if len(part) > 1 or part.isdigit()} - {"-o"}


def test_a_mistake_is_one_clear_message(
    here: Path, crossexam: Callable[..., Any], golden: Callable[[str, str], None]
) -> None:
    """It names the mistake and a way out, changes nothing, and says what the golden file says."""
    told, before = {}, contents()

    def check(command: str) -> None:
        message = message_of(command, crossexam).replace(str(here), "HERE")
        told[command] = message
        assert contents() == before
        first, *rest = message.splitlines()
        assert re.search(rf"(?<!\w)({'|'.join(map(re.escape, names_in(command)))})(?!\w)", first), first
        assert len(rest) <= 4
        assert not FORBIDDEN.search(message)

    for_each(check, COMMANDS)
    golden(MESSAGES.name, "\n".join(f"{command}\n{message}\n" for command, message in told.items()))


def test_each_command_has_mistakes() -> None:
    commands = typer.main.get_command(main.app).commands  # type: ignore[attr-defined]
    assert set(commands) <= {command.split()[1] for command in COMMANDS}


@pytest.mark.usefixtures("here")
def test_what_a_hint_recommends_mends_a_damaged_folder(tmp_path: Path, crossexam: Callable[..., Any]) -> None:
    for kind, command, load in (
        ("run", "run builtin/overlap suite", cx.load_run),
        ("suite", "build negation --base pairs.csv", cx.load_suite),
    ):
        for damage in ("cut", "bare"):
            folder = shutil.copytree(f"{kind}_{damage}", tmp_path / f"{kind}_{damage}")
            crossexam(f"{command} --force -o {folder}")
            assert load(folder)
