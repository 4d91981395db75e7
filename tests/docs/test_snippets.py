"""The code in the README and in docs/ works: each block is run, or says in a comment why it is not.

A block is a fence of ``console`` or ``python``.  The blocks of a page are run in order, in a folder that has
what PREPARED lists for the page.  Python that begins with the name of a file, as in ``# mine.py``, is written
to this file.  ``<!-- not run: REASON -->`` above a block leaves it out, and
``<!-- not run (crossexam fetch): REASON -->`` leaves out its commands that begin so; of other programs all
have to be left out.  Commands of Crossexam that are not run are parsed all the same, so their options exist.
"""

import json
import os
import re
import shlex
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from crossexam.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
GROUP: Any = copy(typer.main.get_command(app))
GROUP.commands = dict(GROUP.commands)  # each is made anew whenever it is looked up
PAGES = {
    str(path.relative_to(ROOT)): path for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
}
#: Pages whose code has a test of its own, which also compares what the code shows.
ELSEWHERE = {"docs/library.md": "tests/docs/test_library_page.py"}
#: What a page supposes: commands (first word: crossexam) and Python that are run before its blocks.
_TESTS = "crossexam build negation --base builtin:demo[::18] -o tests"
PREPARED: dict[str, tuple[str, ...]] = {
    "docs/convert.md": (_TESTS,),
    "docs/data.md": (
        "crossexam build negation --base builtin:demo -o tests",
        "crossexam run builtin/overlap tests -o runs/overlap",
    ),
    "docs/figures.md": (_TESTS, "crossexam run builtin/overlap tests -o runs/overlap"),
    "docs/models.md": (_TESTS,),
    "docs/probabilities.md": (
        "crossexam build negation --base builtin:demo[:60] -o tests",
        "crossexam run builtin/minilm tests -o RUN",
        "crossexam run builtin/bag-of-words tests -o BASELINE",
        "crossexam build negation --base builtin:demo[60:120] -o others",
        "crossexam run builtin/minilm others -o OTHER",
    ),
    "docs/studies/cross-dataset.md": ("crossexam build cross-dataset -o fourteen",),
    "docs/validation.md": (
        "crossexam build negation --base builtin:demo[::18] -o out/suite",
        "crossexam run builtin/overlap out/suite -o out/runs/mine",
    ),
}
_FENCE = re.compile(
    r"^(?P<marks>(?:[ \t]*<!--[^\n]*-->\n\s*)*)(?P<indent>[ \t]*)```(?P<language>[^\n`]*)\n"
    r"(?P<code>.*?)^(?P=indent)```[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"<!-- not run(?: \(([^)\n]+)\))?: [^\n]*\S -->")
_SHELLS = ("console", "bash", "sh", "shell")


class Block(NamedTuple):
    """A fence of a page: where it is, and with what the commands begin that are not run, "" for all."""

    page: str
    place: str
    language: str
    code: str
    left_out: list[str]

    def commands(self) -> list[str]:
        """Return the commands of a console block: one per line, and one on each side of ``&&``."""
        whole = self.code.replace("\\\n", " ")
        prompt = "$ " if self.language == "console" else ""
        lines = (line.strip() for line in whole.splitlines())
        typed = (line.removeprefix(prompt) for line in lines if line.startswith(prompt) and line)
        return [command.strip() for line in typed for command in line.split(" && ") if command.strip()]

    def leaves_out(self, command: str) -> bool:
        """Return whether *command* is marked as not run."""
        return any(f"{command} ".startswith(f"{start} ") for start in self.left_out if start)


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """Yield the fences of *text*, with the marks above each."""
    for match in _FENCE.finditer(text):
        indent = match["indent"]
        code = "".join(line.removeprefix(indent) for line in match["code"].splitlines(keepends=True))
        line = text.count("\n", 0, match.start("language")) + 1
        yield Block(page, f"{page}:{line}", match["language"].strip(), code, _MARK.findall(match["marks"]))


BLOCKS = [block for page, path in PAGES.items() for block in blocks_of(page, path.read_text("utf-8"))]
SHELL = [block for block in BLOCKS if block.language in _SHELLS]
COMMANDS = [(block, command) for block in SHELL for command in block.commands()]
RUN = [block for block in BLOCKS if block.language in (*_SHELLS, "python") and "" not in block.left_out]
RUN_PAGES = sorted({block.page for block in RUN} - ELSEWHERE.keys())


def _words(command: str) -> list[str]:
    return shlex.split(command, comments=True)


def _command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command of typer that *words* call, after ``crossexam``, and its arguments."""
    command, rest = GROUP, words[1:]
    while hasattr(command, "commands") and rest:
        assert rest[0] in command.commands, f"there is no command '{rest[0]}'"
        command = command.commands[rest.pop(0)]
    return command, rest


def test_the_options_of_commands_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of commands that are not run."""
    monkeypatch.chdir(tmp_path)
    wrong = []
    for block, command in COMMANDS:
        if command.startswith("crossexam "):
            try:
                called, rest = _command_of(_words(command))
                called.make_context(called.name, rest)
            except Exception as error:  # of click, or no such command
                wrong.append(f"{block.place}: {command}: {error!r}")
    assert wrong == []


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with small files in the formats of published corpora; the sentences are the demo's."""
    folder = tmp_path_factory.mktemp("data")
    demo = ROOT / "src" / "crossexam" / "corpora" / "builtin" / "demo.jsonl"
    records = [json.loads(line) for line in demo.open(encoding="utf-8")][:60]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    parts = {"snli": ("train", "dev", "test"), "multinli": ("train", "dev_matched", "dev_mismatched")}
    for name in (f"{corpus}_1.0_{part}" for corpus in parts for part in parts[corpus]):
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    for name in ("train", "trial", "test_annotated"):
        rows = (f"{name}{n}\tDog {n} runs.\tDog {n} moves.\t4.5\tENTAILMENT\n" for n in range(8))
        (folder / f"SICK_{name}.txt").write_text(header + "".join(rows), encoding="utf-8")
    pairs = []
    for n, each in enumerate(records):
        texts = {"premise": f"{each['sentence1']} It rained.", "hypothesis": each["sentence2"]}
        pairs.append({**texts, "idx": n, "label": "entailment" if n % 2 else "not_entailment"})
    (folder / "RTE").mkdir()
    (folder / "RTE" / "train.jsonl").write_text("".join(json.dumps(each) + "\n" for each in pairs), "utf-8")
    return folder


@pytest.fixture
def workplace(corpora: Path, tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a page is run: with checkpoints, a file of claims, and installed corpora."""
    claims, pairs = ["document,claim,supported"], ["premise,hypothesis,label"]
    for n in range(20):
        said = "yes" if n % 2 else "no"
        claims.append(f"The bus number {n} was late. Ann walked.,Ann went on foot.,{said}")
    for n in range(10):
        pairs.append(f"Dog {n} runs.,Dog {n} moves.,entailment")
        pairs.append(f"Dog {n} sleeps.,Dog {n} runs.,contradiction")
    (tmp_path / "claims.csv").write_text("\n".join([*claims, ""]), encoding="utf-8")
    (tmp_path / "my.csv").write_text("\n".join([*pairs, ""]), encoding="utf-8")
    for name in ("my-checkpoint", "my-model"):
        (tmp_path / name).symlink_to(tiny_checkpoint)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROSSEXAM_DATA", str(corpora))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def _steps(page: str) -> Iterator[tuple[str, str]]:
    """Yield what is run of a page and where it is: commands, and blocks of Python as a whole."""
    yield from ((step, f"before {page}") for step in PREPARED.get(page, ()))
    for block in RUN:
        if block.page == page and block.language == "python":
            yield block.code, block.place
        elif block.page == page:
            yield from ((each, block.place) for each in block.commands() if not block.leaves_out(each))


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN_PAGES)
def test_the_code_of_a_page_runs(page: str, workplace: Path) -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for step, place in _steps(page):
        if step.startswith("crossexam "):
            words = [os.path.expandvars(word) for word in _words(step)[1:]]
            done = CliRunner().invoke(app, words)
            assert done.exit_code == 0, f"{place}: {step}\n{done.output}\n{done.exception!r}"
        elif file := re.match(r"# (\w+)\.py\n", step):
            (workplace / f"{file[1]}.py").write_text(step, encoding="utf-8")
        else:
            exec(compile(step, place, "exec"), names)
