"""Names that no file system takes: shortened where we make them, one error where the user gave them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.files import finished_or_absent, new_folder, shortened, write_text

pytestmark = pytest.mark.usefixtures("folder")
Crossexam = Callable[..., Any]
ROWS = (
    "premise,hypothesis,label\nA man sleeps.,A man is asleep.,entailment\nA dog runs.,A cat runs.,neutral\n"
)
DEMO = "builtin:demo[:20]"


def test_a_suite_over_a_corpus_with_a_long_name(crossexam: Crossexam) -> None:
    for name in (245 * "x" + "1", 245 * "x" + "2"):
        Path(f"{name}.csv").write_text(ROWS, encoding="utf-8")
    bases = " ".join(f"--base {245 * 'x'}{name}.csv" for name in "12")
    for line in (
        f"build negation {bases} -o suite",
        "check suite",
        "run builtin/overlap suite -o run",
        "report run",
        "export lm-eval suite -o tasks",
        "card suite",
        "validate sample suite -o study",
    ):
        crossexam(line)
    assert len(list(Path("suite").glob("*.parquet"))) == 4  # two bases and their items
    assert len(list(Path("tasks").glob("*_chat.yaml"))) == 4


def test_a_long_output_is_written_or_refused_with_one_error(
    crossexam: Crossexam, for_each: Callable[..., None]
) -> None:
    crossexam(f"build negation --base {DEMO} -o suite")
    for name in ("overlap", "majority"):
        crossexam(f"run builtin/{name} suite -o {name}")

    def check(command: str, suffix: str = "") -> None:
        longest, too_long = (f"{(size - len(suffix)) * 'n'}{suffix}" for size in (255, 256))
        crossexam(f"{command} -o {longest}")
        assert Path(longest).exists()
        before = sorted(Path().iterdir())
        error = crossexam(f"{command} -o {too_long}", 2).err
        assert f"{too_long}: a name of 256 bytes is too long" in error
        assert sorted(Path().iterdir()) == before
        shutil.rmtree(longest) if Path(longest).is_dir() else Path(longest).unlink()

    commands = [
        (f"build negation --base {DEMO}", ""),
        ("run builtin/overlap suite", ""),
        ("report overlap", ".html"),
        ("report overlap", ".csv"),
        ("compare overlap majority", ".md"),
        ("export jsonl suite", ""),
        ("validate sample suite", ""),
        (f"train bag-of-words --train {DEMO} --dev {DEMO}", ""),
    ]
    for_each(check, commands)


def test_nothing_is_left_of_a_long_name(tmp_path: Path) -> None:
    path, too_long = (tmp_path / (size * "n") for size in (255, 256))
    left = tmp_path / f".{shortened(path.name)}.abcdefgh.part"
    left.touch()  # by a process that was killed
    write_text(path, "whole")
    for writing in (finished_or_absent(too_long), new_folder(too_long, purpose="testing")):
        with pytest.raises(CrossexamError, match="a name of 256 bytes"), writing:
            pass
    assert sorted(tmp_path.iterdir()) == [path]
