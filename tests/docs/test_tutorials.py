"""Tutorials work as written where they need files of the reader: a model, a plug-in, answers of a judge.

A block with a title is a file that the reader saves; the other blocks are run in order.  ``pip install`` is
replaced by the entry points of the ``pyproject.toml`` of the page.
"""

import csv
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

import crossexam
from crossexam.constructions.table import PLUG_INS
from crossexam.core.test_sets import read_suite

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fence of a page: its language, the name of the file that it is, if it is one, and its text."""

    language: str
    title: str
    text: str


def blocks_of(page: str) -> list[Block]:
    return [Block(*found) for found in _FENCE.findall((TUTORIALS / page).read_text(encoding="utf-8"))]


def install(folder: Path) -> None:
    """Do what pip does with the page's pyproject.toml: write the entry points where Python finds them."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    facts = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\n", encoding="utf-8")
    lines = [f"{name} = {value}\n" for name, value in project["entry-points"][PLUG_INS].items()]
    (facts / "entry_points.txt").write_text(f"[{PLUG_INS}]\n{''.join(lines)}", encoding="utf-8")


def run(words: list[str], folder: Path) -> str:
    """Run Python in a new process, in *folder*, and return what it prints."""
    path = os.pathsep.join([str(Path(crossexam.__file__).parents[1]), str(folder)])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout + done.stderr


def judge(sheet: Path, suite: Path) -> None:
    """Fill in the sheet of one judge, who agrees with the generated labels."""
    items = [item for test_set in read_suite(suite) for item in test_set.examples]
    labels = {(item.premise, item.hypothesis): item.label for item in items}
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    for row in rows:
        row[3] = str(labels[row[1], row[2]])
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.mark.slow
def test_a_stress_test_of_the_reader_is_built_judged_and_reported(tmp_path: Path) -> None:
    blocks = blocks_of("new-stress-test.md")
    for block in blocks:
        if block.title:  # the page tells the reader to save it
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
    install(tmp_path)
    printed = ""
    for block in blocks:
        if block.language == "text":
            assert_printed(block, printed)
        elif block.language == "python" and not block.title:
            printed = run(["-c", block.text], tmp_path)
        elif block.language == "console":
            printed = ""
            for line in re.findall(r"^\$ (crossexam .*)", block.text, re.MULTILINE):
                words = shlex.split(line)
                if words[:3] == ["crossexam", "validate", "import"]:
                    judge(tmp_path / words[-1], tmp_path / "denied")
                printed += run(["-m", *words], tmp_path)
    assert (tmp_path / "denied.html").exists()


def assert_printed(block: Block, printed: str) -> None:
    """Assert that the sentences of *block* were printed; cells of tables may have other frames."""
    flat = " ".join(printed.split())
    sentences = [line for line in block.text.splitlines() if line and not re.match(r" |\||\w+\.\w+ ", line)]
    assert [line for line in sentences if " ".join(line.split()) not in flat] == []
