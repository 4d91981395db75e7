"""Tasks of lighteval (version 0.13): a module with two tasks per test set, and the questions beside it.

One is of log-likelihoods, the other of generation, for endpoints that give none.  The items' ids and texts go
into ``Doc.specific``, which lighteval keeps in its details.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crossexam.core.files import write_text
from crossexam.interop.asked import AskedSet
from crossexam.interop.export import task_name
from crossexam.interop.json_lines import write_questions

MODULE: Final = "crossexam_tasks.py"
_HEAD: Final = '''"""Test sets of Crossexam as tasks of lighteval, for --custom-tasks."""

from pathlib import Path

from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

KEPT = ("id", "test_set", "premise", "hypothesis", "gold", "base", "cluster", "labels", "choices")


def asked(delimiter: str):
    """Return the function that makes a Doc of a question."""

    def ask(line: dict, task_name: str | None = None) -> Doc:
        return Doc(
            task_name=task_name,
            query=line["prompt"],
            choices=[f"{delimiter}{choice}" for choice in line["choices"]],
            gold_index=line["target"],
            specific={name: line[name] for name in KEPT},
        )

    return ask


def test_set(name: str, delimiter: str, **settings: object) -> LightevalTaskConfig:
    """Return a task about the questions in the folder beside this file that the task is named after."""
    return LightevalTaskConfig(
        name=name,
        prompt_function=asked(delimiter),
        hf_repo=str(Path(__file__).with_name(name.removesuffix("_chat"))),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        **settings,
    )


def choice(name: str, delimiter: str) -> LightevalTaskConfig:
    """Return the task in which the log-likelihood of each label is computed."""
    return test_set(name, delimiter, metrics=[Metrics.loglikelihood_acc])


def chat(name: str) -> LightevalTaskConfig:
    """Return the task in which the model writes its answer."""
    return test_set(f"{name}_chat", "", metrics=[Metrics.exact_match], generation_size=16, stop_sequence=[])


TASKS_TABLE = [
'''


def write_lighteval_tasks(sets: Sequence[AskedSet], folder: Path) -> list[str]:
    """Write the module and a folder of questions per test set to *folder*; return the names of the tasks."""
    lines, names = [], []
    for each in sets:
        name = task_name(each.name)
        (folder / name).mkdir()
        write_questions(each, folder / name / "test.jsonl")
        lines += [f"    choice({name!r}, {each.template.delimiter!r}),\n", f"    chat({name!r}),\n"]
        names += [name, f"{name}_chat"]
    write_text(folder / MODULE, f"{_HEAD}{''.join(lines)}]\n")
    return names
