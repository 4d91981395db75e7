"""Whatever is measured is the same for items in a file as for items in memory, and makes no examples."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, ReadItems, Run
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import GOLDS
from crossexam.core.manifest import RunManifest
from crossexam.core.stored import examples as stored_examples
from crossexam.core.test_sets import read_test_set, write_test_set
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.keys import keyed_results
from crossexam.evaluation.lexically_misleading import misled_parts
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.slices import accuracy_by_value
from crossexam.evaluation.verified import by_status, judge_shares, predicted_shares, verified_only
from made.cases import for_each

N = 60
STRESS: dict[str, Any] = {"construction": "antonymy.v1", "base_set": "base.dev", "keeps_label": True}


def base_item(n: int) -> Example:
    gold = None if n % 11 == 0 else GOLDS[n % 3]
    info: dict[str, Any] = {
        "genre": ("fiction", "true", "", None)[n % 4],
        "lexically_misleading_score": n / N,
        "annotator_labels": [GOLDS[n % 3]] * 3 + ["neutral", "-"],
        "phenomena": [["ANTO", "NEG"], ["NEG"], "NEG", [], None][n % 5],
        "premises": n % 2 + 1 if n % 3 else str(n % 2 + 1),
        "question": n % 2 == 0,
    }
    info |= {} if n % 7 else {"cluster": n % 14}
    return Example(f"i{n}", f"The tall man “{n // 3}” waits.", f"It is {n}.", gold, info=info)


def stress_item(n: int) -> Example:
    change = Change("antonymy.v1", "premise", "premise", (Edit("hypothesis", 4, 8, "tall", "short"),))
    info: dict[str, Any] = {"pair": ["tall", "short"] if n % 3 else "hot/cold", "status": "proposed"}
    info |= {"verdict": ("verified", "rejected")[n % 2]} if n % 4 else {}
    info |= {"judge_labels": ["neutral", "entailment"]} if n % 5 == 0 else {}
    info |= {"generated_label": None} if n % 9 == 0 else {}
    return base_item(n).derive("contradiction", change, info=info)


def runs(folder: Path) -> tuple[Run, Run]:
    """Return a run over two test sets in memory, and the same over their files."""
    sets = {"base.dev": [base_item(n) for n in range(N)], "antonymy.dev": [stress_item(n) for n in range(N)]}
    rng = np.random.default_rng(3)
    shares = {name: rng.dirichlet([1, 1, 1], N) for name in sets}
    reading = {name: ReadItems(rng.random(N) < 0.3, rng.random(N) < 0.1) for name in sets}
    in_memory, in_files = {}, {}
    for name, items in sets.items():
        entry = STRESS if name == "antonymy.dev" else {"construction": "base", "base_set": None}
        write_test_set(folder / f"{name}.parquet", items)
        in_memory[name] = Dataset(name, items, entry)
        in_files[name] = Dataset(name, read_test_set(folder / f"{name}.parquet").examples, entry)
    run = Run("m", in_memory, shares, RunManifest(model_key="k"), reading)
    return run, replace(run, datasets=in_files)


MEASURES: dict[str, Callable[[Run], Any]] = {
    "measure": measure,
    "slices of tags": lambda run: accuracy_by_value(run, "phenomenon"),
    "slices of numbers": lambda run: accuracy_by_value(run, "premises"),
    "slices of truth values": lambda run: accuracy_by_value(run, "question"),
    "by status": lambda run: measure(by_status(run)),
    "verified only": lambda run: measure(verified_only(run)),
    "keys": lambda run: keyed_results(run.datasets, score_run(run)),
    "comparison": lambda run: compare_runs(run, run),
    "lexically misleading": misled_parts,
    "judges": lambda run: judge_shares(run.datasets["antonymy.dev"]),
    "predicted for judged items": lambda run: predicted_shares(run, "antonymy.dev"),
    "labels": lambda run: {name: run.predictions(name).tolist() for name in run.datasets},
    "table": lambda run: run.to_arrow(["premises", "phenomena", "genre"]).to_pylist(),
}


def test_files_are_measured_as_memory_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory, in_files = runs(tmp_path)
    monkeypatch.setattr(stored_examples, "ROWS_AT_ONCE", 16)

    def made(*_: object, **__: object) -> None:
        raise AssertionError("an example was made")

    monkeypatch.setattr(stored_examples, "from_row", made)

    def check(name: str) -> None:
        assert repr(MEASURES[name](in_files)) == repr(MEASURES[name](in_memory))

    for_each(check, MEASURES)


def test_no_figure_depends_on_the_hashes_of_a_process(tmp_path: Path) -> None:
    """Texts have other hashes in every process."""
    code = (
        "import sys, crossexam as cx\n"
        "run = cx.run('builtin/overlap', cx.build('consistency', 'builtin:demo[:90]', folder=sys.argv[1]))\n"
        "print(cx.report(run).text('.csv'))"
    )
    said = []
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(cx.__file__).parents[1])}
        command = [sys.executable, "-c", code, str(tmp_path / seed)]
        said.append(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    assert said[0] == said[1] != b""
