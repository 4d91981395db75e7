"""Tasks of other harnesses: what is in them, and a suite through the harnesses themselves and back."""

import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crossexam.core.dataset import Suite
from crossexam.evaluation.measures import measure
from crossexam.interop.export import export
from crossexam.models.prompts.table import template
from crossexam.runs.run import predict_suite
from made.runs import dataset, negated
from made.scripts import script

#: In a premise, what templates of Jinja would fill.
BASE = dataset("base.dev", "ENC" * 8, premises=[f'"{{{{x}}}}" {k}' for k in range(24)])
NEGATION = negated(BASE, " and false is not true")
SUITE = Suite("tests", {each.name: each for each in (BASE, NEGATION)})
TEXT = 'He said "{{label}} {% raw %}" \\ and {hypothesis}.'
ODD = dataset("negation.dev-1", "EN-C", premises=[TEXT, TEXT, "", ""])


@pytest.mark.slow
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


@pytest.mark.slow
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
    module = script(str(tmp_path / "tasks" / "crossexam_tasks.py"))
    asked = [module.crossexam_base_dev(), module.crossexam_negation_dev()]
    model = get_model("mockllm/model", custom_outputs=map(output, replies))
    logs = run_tasks(asked, model=model, log_dir=str(tmp_path / "logs"), display="none", max_connections=1)
    theirs = [log.results.scores[0].metrics["accuracy"].value for log in logs if log.results]
    run = predict_suite(f"log/{tmp_path / 'logs'}", SUITE)
    assert [each.unanswered() for each in run.outcomes.values()] == [{"refused": 8}] * 2
    results = measure(run, max_unanswered=1.0)
    assert [each.accuracy.value for each in results] == pytest.approx(theirs)
    assert all(np.isfinite(run.probabilities["base.dev"][run.answered("base.dev")]).all(axis=1))


def test_lm_eval_takes_prompts_and_answers_from_columns(tmp_path: Path) -> None:
    """Nothing in a sentence is a template of Jinja: the entries of the YAML are names of columns."""
    suite = Suite("tests", {ODD.name: ODD})
    done = export(suite, "lm-eval", tmp_path / "tasks", template("gpt3"))
    plain, chat = ((tmp_path / "tasks" / f"{task}.yaml").read_text() for task in done.tasks)
    entries = dict(line.split(": ", 1) for line in plain.splitlines())
    parsed = {key: json.loads(text) for key, text in entries.items() if not text.startswith("!")}
    questions = (tmp_path / "tasks" / parsed["dataset_kwargs"]["file"]).read_text("utf-8").split("\n")
    first = json.loads(questions[0])
    assert {parsed["doc_to_text"], parsed["doc_to_choice"], parsed["doc_to_target"]} <= set(first)
    # Some servers send a blank before the first token; exact_match compares all of the text.
    assert re.findall('"function": "([a-z_]+)"', chat) == ["remove_whitespace", "take_first"]
    ours = replace(template("gpt3"), delimiter="!function os.system")
    export(suite, "lm-eval", tmp_path / "ours", ours)
    lines = (tmp_path / "ours" / f"{done.tasks[0]}.yaml").read_text().splitlines()
    assert 'target_delimiter: "!function os.system"' in lines  # a text, not a function
    assert sum("!function" in line for line in lines) == 2


def test_inspect_has_a_task_for_each_test_set_whatever_its_name(tmp_path: Path) -> None:
    suite = Suite("tests", {each.name: each for each in (ODD, dataset('base."""x', "N"))})
    done = export(suite, "inspect", tmp_path / "tasks", template("gpt3"))
    tree = ast.parse((tmp_path / "tasks" / "crossexam_tasks.py").read_text())
    assert set(done.tasks) <= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
