"""Suites through the harnesses themselves and back: export, run there, read the log (extra ``interop``)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import Example
from crossexam.evaluation.measures import measure
from crossexam.interop.export import export
from crossexam.models.prompts.table import template
from crossexam.runs.run import predict_suite

pytestmark = pytest.mark.slow
BASE = Dataset(
    "base.dev",
    tuple(
        Example(f"e{k}", f'Ann said "{{{{x}}}}" {k} times.', f"Ann spoke {k} times.", label)
        for k, label in enumerate(["entailment", "neutral", "contradiction"] * 8)
    ),
    {"construction": "base"},
)
NEGATION = Dataset(
    "negation.dev",
    tuple(
        Example(f"n{k}", each.premise, f"{each.hypothesis} and false is not true", each.label, base=each.id)
        for k, each in enumerate(BASE.examples)
    ),
    {"construction": "negation", "base_set": "base.dev"},
)
SUITE = Suite("tests", {each.name: each for each in (BASE, NEGATION)})


def test_lm_eval_runs_what_was_exported_and_its_log_has_its_accuracies(tmp_path: Path) -> None:
    """The dummy of lm-eval answers by chance: every number of its table comes back."""
    pytest.importorskip("lm_eval", reason="lm-eval (extra interop) is not installed")
    export(SUITE, "lm-eval", tmp_path / "tasks", template("gpt3"))
    words = f"-m lm_eval run --model dummy --tasks crossexam --include_path {tmp_path}/tasks --log_samples"
    command = [sys.executable, *words.split(), "--output_path", str(tmp_path / "logs")]
    home = {"HF_HOME": str(tmp_path / "hf"), "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, check=True, env={**os.environ, **home}, capture_output=True, cwd=tmp_path)
    (table,) = tmp_path.glob("logs/**/results_*.json")
    theirs = json.loads(table.read_text(encoding="utf-8"))["results"]
    ours = measure(predict_suite(f"log/{tmp_path / 'logs'}", SUITE))
    assert [each.accuracy.value for each in ours] == pytest.approx(
        [theirs[f"crossexam_{name}_dev"]["acc,none"] for name in ("base", "negation")]
    )


def test_inspect_runs_what_was_exported_and_its_log_has_its_answers(tmp_path: Path) -> None:
    """One reply in three names no label; Inspect leaves these out, and so do we, with their status."""
    pytest.importorskip("inspect_ai", reason="inspect-ai (extra interop) is not installed")
    from inspect_ai import eval as run_tasks
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    replies = ["True", "I cannot tell.", "False"] * 16

    def output(text: str) -> ModelOutput:
        said = ModelOutput.from_content("mockllm/model", text)
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it loads a tokenizer
        return said

    export(SUITE, "inspect", tmp_path / "tasks", template("gpt3"))
    spec = importlib.util.spec_from_file_location("exported", tmp_path / "tasks" / "crossexam_tasks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tasks = [module.crossexam_base_dev(), module.crossexam_negation_dev()]
    model = get_model("mockllm/model", custom_outputs=map(output, replies))
    logs = run_tasks(tasks, model=model, log_dir=str(tmp_path / "logs"), display="none", max_connections=1)
    theirs = [log.results.scores[0].metrics["accuracy"].value for log in logs if log.results]
    run = predict_suite(f"log/{tmp_path / 'logs'}", SUITE)
    assert {name: each.unanswered() for name, each in run.outcomes.items()} == {
        "base.dev": {"refused": 8},
        "negation.dev": {"refused": 8},
    }
    results = measure(run, max_unanswered=1.0)
    assert [each.accuracy.value for each in results] == pytest.approx(theirs)
    assert all(np.isfinite(run.probabilities["base.dev"][run.answered("base.dev")]).all(axis=1))
