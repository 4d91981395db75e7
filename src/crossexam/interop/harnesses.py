"""Tasks of other harnesses: the questions as JSON lines, and what makes them tasks, from ``layouts/``.

Prompts and answers are columns of the data, so that nothing in a sentence is taken for a template.  lm-eval
(version 0.4) and lighteval (0.13) have two tasks per test set: one of log-likelihoods, and one of generation,
for chat endpoints, which give none.  Inspect (inspect-ai 0.3) has one, which generates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.files import write_text
from crossexam.core.output.escapes import json_text, one_line
from crossexam.core.output.file_names import task_name
from crossexam.interop.export import hashes
from crossexam.interop.layout import filled
from crossexam.interop.questions import Question, QuestionSet

#: The module of tasks of Inspect and lighteval.
MODULE: Final = "crossexam_tasks.py"
_CHAT: Final = "_chat"


def write_lm_eval_tasks(sets: Sequence[QuestionSet], folder: Path) -> list[str]:
    """Write two YAML files and a file of questions per test set; return the names of the tasks."""
    write_text(folder / "crossexam_data.py", filled("lm_eval_data.py.j2"))
    names = []
    for each in sets:
        name = task_name(each.name)
        file = f"{name}.jsonl"
        _write_questions(each, folder / file)
        values = {"file": file, "about": hashes(each), "delimiter": each.template.delimiter}
        for task in (name, name + _CHAT):
            text = filled("lm_eval_task.yaml.j2", task=task, chat=task != name, **values)
            write_text(folder / f"{task}.yaml", text)
            names.append(task)
    return names


def write_inspect_tasks(sets: Sequence[QuestionSet], folder: Path) -> list[str]:
    """Write the module and a file of questions per test set to *folder*; return the names of the tasks."""
    tasks = {}
    for each in sets:
        name = task_name(each.name)
        _write_questions(each, folder / f"{name}.jsonl")
        shown = one_line(each.name).replace("\\", "").replace('"', "")
        tasks[name] = {"name": name, "shown": shown, "about": hashes(each)}
    write_text(folder / MODULE, filled("inspect_tasks.py.j2", tasks=tasks.values()))
    return list(tasks)


def write_lighteval_tasks(sets: Sequence[QuestionSet], folder: Path) -> list[str]:
    """Write the module and a folder of questions per test set to *folder*; return the names of the tasks.

    The items' ids and texts go into ``Doc.specific``, which lighteval keeps in its details.
    """
    tasks = {}
    for each in sets:
        name = task_name(each.name)
        (folder / name).mkdir()
        _write_questions(each, folder / name / "test.jsonl")
        tasks[name] = {"name": name, "delimiter": each.template.delimiter}
    write_text(folder / MODULE, filled("lighteval_tasks.py.j2", tasks=tasks.values()))
    return [task for name in tasks for task in (name, name + _CHAT)]


def _write_questions(questions: Iterable[Question], path: Path) -> None:
    """Write one question per line, the form in which every harness reads them."""
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for question in questions:
            stream.write(json_text(question.record()) + "\n")
