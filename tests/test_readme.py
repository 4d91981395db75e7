"""What the README says works: its table, its Python, its commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossexam.cli.main import app
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import Example
from crossexam.corpora.spec import iter_corpus

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VERBS = {command.name for command in app.registered_commands}


def _commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    whole = (block.replace("\\\n", " ") for block in blocks)
    lines = [line.removeprefix("$ ") for block in whole for line in block.splitlines()]
    return [line for line in lines if line.startswith("crossexam ")]


def test_every_construction_is_in_the_table() -> None:
    for each in CONSTRUCTIONS.values():
        premise, hypothesis, label = each.illustration
        assert f"| `{each.name}` | {premise} | {hypothesis} | {label or '–'} |" in README


@pytest.mark.parametrize("place", ["README.md", "docs/command-line.md"])
def test_every_verb_is_described(place: str) -> None:
    text = (ROOT / place).read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"crossexam {verb}" in text


@pytest.mark.slow
def test_its_python_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(import crossexam.*?)```", README, flags=re.DOTALL)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Estimate(value=" in done.stdout
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_its_construction_runs() -> None:
    (code,) = re.findall(r"```python\n(from crossexam.constructions.*?)```", README, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    example = Example("a", "P.", "It rains.", "neutral")
    (draft,) = names["shout"](example, None, None)
    item = draft.item(example, "shout.v1")
    assert (item.premise, item.hypothesis, item.label) == ("P.", "IT RAINS.", "neutral")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory, tiny_checkpoint: Path) -> Path:
    """A folder with small official-looking corpora and a checkpoint, as the README supposes."""
    folder = tmp_path_factory.mktemp("readme")
    source = ROOT / "src" / "crossexam" / "corpora" / "builtin"
    records = [json.loads(line) for line in (source / "demo.jsonl").open(encoding="utf-8")][:60]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    names = ("snli_1.0_train", "snli_1.0_dev", "multinli_1.0_dev_matched", "multinli_1.0_dev_mismatched")
    for name in names:
        path = folder / "data" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(lines, encoding="utf-8")
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    for name in ("train", "trial", "test_annotated"):
        rows = (f"{name}{n}\tDog {n} runs.\tDog {n} moves.\t4.5\tENTAILMENT\n" for n in range(8))
        (folder / "data" / f"SICK_{name}.txt").write_text(header + "".join(rows), encoding="utf-8")
    claims = [
        f"The bus number {n} was late. Ann walked.,Ann went on foot.,{'yes' if n % 2 else 'no'}\n"
        for n in range(20)
    ]
    (folder / "claims.csv").write_text("document,claim,supported\n" + "".join(claims), encoding="utf-8")
    (folder / "my-checkpoint").symlink_to(tiny_checkpoint)
    return folder


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "CROSSEXAM_DATA": str(folder / "data")}
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    return subprocess.run(
        [sys.executable, "-m", "crossexam.cli.main", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.mark.slow
def test_its_commands_run(workplace: Path) -> None:
    ran = []
    for line in _commands():
        command = line.split("#")[0].split()[1:]
        if command[0] in {"fetch", "demo"} or "serve" in command:  # these have tests of their own
            continue
        done = _run(command, workplace)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        ran.append(command[0])
    steps = ["examine", "build", "check", "run", "run", "report", "compare", "examine"]
    suites = ["build", "run", "report"] * 3  # compositionality, cross-dataset, behaviour
    assert ran == [*steps, *suites, "validate", "validate"]
    for page in ("out/report.html", "report.html"):
        assert "</html>" in (workplace / page).read_text(encoding="utf-8")


def test_the_built_in_corpus_is_what_the_docs_say() -> None:
    assert len(list(iter_corpus("builtin:demo"))) >= 300
