"""Names that no file system takes: shortened where we make them, one error where the user gave them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crossexam.cli import main
from crossexam.core.errors import CrossexamError
from crossexam.core.files import finished_or_absent, new_folder, shortened, write_text
from crossexam.interop.export import task_name

ROWS = (
    "premise,hypothesis,label\nA man sleeps.,A man is asleep.,entailment\nA dog runs.,A cat runs.,neutral\n"
)
DEMO = "builtin:demo[:20]"


def invoke(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the command line in this process and return its exit code."""
    monkeypatch.setattr("sys.argv", ["crossexam", *arguments])
    try:
        main.run()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("letter", ["x", "é", "日"])
def test_long_names_become_shorter_ones_and_remain_different(letter: str) -> None:
    names = [f"{300 * letter}{number}" for number in range(3)]
    short = {shortened(name) for name in names}
    assert len(short) == 3
    assert short == {shortened(name) for name in names}
    assert all(len(name.encode()) <= 240 - len(".parquet") for name in short)
    assert re.fullmatch("[A-Za-z0-9_]{,200}", task_name(names[0]))


def test_a_suite_over_a_corpus_with_a_long_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (245 * "x" + "1", 245 * "x" + "2"):
        Path(f"{name}.csv").write_text(ROWS, encoding="utf-8")
    bases = [part for name in "12" for part in ("--base", f"{245 * 'x'}{name}.csv")]
    commands = [
        ["build", "negation", *bases, "-o", "suite"],
        ["check", "suite"],
        ["run", "builtin/overlap", "suite", "-o", "run"],
        ["report", "run"],
        ["export", "lm-eval", "suite", "-o", "tasks"],
        ["card", "suite"],
        ["validate", "sample", "suite", "-o", "study"],
    ]
    for command in commands:
        assert invoke(command, monkeypatch) == 0, capsys.readouterr().err
    assert len(list(Path("suite").glob("*.parquet"))) == 4  # two bases and their items
    assert len(list(Path("tasks").glob("*_chat.yaml"))) == 4


@pytest.mark.parametrize(
    "command",
    [
        "build negation --base DEMO -o NAME",
        "run builtin/overlap suite -o NAME",
        "report run -o NAME.html",
        "report run -o NAME.csv",
        "compare run other -o NAME.md",
        "export jsonl suite -o NAME",
        "validate sample suite -o NAME",
        "train bag-of-words --train DEMO --dev DEMO -o NAME",
    ],
)
def test_a_long_output_is_written_or_refused_with_one_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for made in (
        f"build negation --base {DEMO} -o suite",
        "run builtin/overlap suite -o run",
        "run builtin/majority suite -o other",
    ):
        assert invoke(made.split(), monkeypatch) == 0
    suffix = Path(command.split()[-1]).suffix
    longest, too_long = (f"{(size - len(suffix)) * 'n'}" for size in (255, 256))
    assert invoke(command.replace("NAME", longest).replace("DEMO", DEMO).split(), monkeypatch) == 0
    assert Path(f"{longest}{suffix}").exists()
    before = sorted(Path().iterdir())
    capsys.readouterr()
    assert invoke(command.replace("NAME", too_long).replace("DEMO", DEMO).split(), monkeypatch) == 2
    error = capsys.readouterr().err
    assert f"{too_long}{suffix}: a name of 256 bytes is too long\n  wanted: names of at most 255" in error
    assert error.endswith("  hint: choose a shorter name\n")
    assert sorted(Path().iterdir()) == before


def test_what_a_killed_process_left_of_a_long_name_is_swept(tmp_path: Path) -> None:
    path = tmp_path / (255 * "n")
    left = tmp_path / f".{shortened(path.name)}.abcdefgh.part"
    left.touch()
    write_text(path, "whole")
    assert sorted(tmp_path.iterdir()) == [path]


def test_nothing_is_left_if_a_name_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / (256 * "n")
    with pytest.raises(CrossexamError, match="a name of 256 bytes"), finished_or_absent(path):
        pass
    with pytest.raises(CrossexamError, match="a name of 256 bytes"), new_folder(path, purpose="testing"):
        pass
    assert list(tmp_path.iterdir()) == []
