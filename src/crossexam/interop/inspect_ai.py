"""Tasks of Inspect (inspect-ai 0.3): a module with one task per test set, and the questions beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template as Text
from typing import Final

from crossexam.core.files import write_text
from crossexam.core.output.escapes import one_line
from crossexam.interop.asked import AskedSet
from crossexam.interop.export import hashes, task_name
from crossexam.interop.json_lines import write_questions

MODULE: Final = "crossexam_tasks.py"
_HEAD: Final = '''"""Test sets of Crossexam as tasks: inspect eval crossexam_tasks.py --model MODEL

An answer that names no label has no score; accuracy is of the others.  Standard errors are clustered.
"""

import json
import re
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Score, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
KEPT = ("base", "cluster", "test_set", "construction", "premise", "hypothesis", "gold", "labels", "choices")


def read(file: str) -> list[Sample]:
    """Return the questions in a file beside this one."""
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").split("\\n")
    return [sample(json.loads(line)) for line in lines if line]


def sample(question: dict) -> Sample:
    """Return a question as Inspect has it."""
    return Sample(
        id=question["id"],
        input=[MESSAGES[each["role"]](content=each["content"]) for each in question["messages"]],
        target=question["answer"],
        metadata={name: question[name] for name in KEPT},
    )


def named(text: str, choices: list[str]) -> list[str]:
    """Return which of *choices* are named in *text* as words of their own."""
    return [each for each in choices if re.search(rf"(?<!\\w){re.escape(each)}(?!\\w)", text, re.IGNORECASE)]


@scorer(metrics=[accuracy(), stderr(cluster="cluster")])
def label():
    """Compare the only label that the answer names with the right one."""

    async def score(state: TaskState, target: Target) -> Score:
        found = named(state.output.completion, state.metadata["choices"])
        if len(found) != 1:
            return Score.unscored(reason="invalid_response_format")
        return Score(value="C" if found[0] == target.text else "I", answer=found[0])

    return score


def test_set(file: str, **about: str) -> Task:
    """Return the task of a test set."""
    config = GenerateConfig(temperature=0.0, max_tokens=16, logprobs=True, top_logprobs=20)
    return Task(dataset=read(file), solver=generate(), scorer=label(), config=config, metadata=about)
'''
_TASK: Final = Text('''

@task
def $name() -> Task:
    """$test_set"""
    return test_set("$name.jsonl", $about)
''')


def write_inspect_tasks(sets: Sequence[AskedSet], folder: Path) -> list[str]:
    """Write the module and a file of questions per test set to *folder*; return the names of the tasks."""
    code, names = _HEAD, []
    for each in sets:
        name = task_name(each.name)
        write_questions(each, folder / f"{name}.jsonl")
        about = ", ".join(f"{key}={value!a}" for key, value in hashes(each).items())
        shown = one_line(each.name).replace("\\", "").replace('"', "")
        code += _TASK.substitute(name=name, test_set=shown, about=about)
        names.append(name)
    write_text(folder / MODULE, code)
    return names
