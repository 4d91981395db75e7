"""Tasks of the LM Evaluation Harness (version 0.4), from YAML files and JSON lines beside them.

Each test set is two tasks: one of multiple choice, for models that give the likelihood of a text, and one of
generation, for chat endpoints, at which the harness refuses multiple choice.  Prompts and answers are columns
of the data, so that nothing in a sentence is taken for a template.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.files import write_text
from crossexam.core.output.escapes import json_text
from crossexam.interop.asked import AskedSet
from crossexam.interop.export import hashes, task_name
from crossexam.interop.json_lines import write_questions

#: The tags of all tasks, by which they are run together.
CHOICE: Final = "crossexam"
CHAT: Final = "crossexam_chat"
#: Tokens of an answer; the longest labels have four or five.
_TOKENS: Final = 16
_LOADER: Final = "crossexam_data.py"
_DATA: Final = "custom_dataset"  # the only value that is a function, whatever a template says
_LOADER_CODE: Final = '''"""The questions beside this file, as the harness loads them."""

from pathlib import Path

import datasets


def load(file: str, **_: object) -> datasets.DatasetDict:
    """Return the questions in *file* as the split "test"."""
    path = str(Path(__file__).with_name(file))
    return datasets.load_dataset("json", data_files={"test": path})
'''


def write_lm_eval_tasks(sets: Sequence[AskedSet], folder: Path) -> list[str]:
    """Write two YAML files and a file of questions per test set; return the names of the tasks."""
    write_text(folder / _LOADER, _LOADER_CODE)
    names = []
    for each in sets:
        name = task_name(each.name)
        write_questions(each, folder / f"{name}.jsonl")
        for task, parts in ((name, _choice(each)), (f"{name}_chat", _chat())):
            write_text(folder / f"{task}.yaml", _yaml({"task": task, **_shared(each, name), **parts}))
            names.append(task)
    return names


def _shared(sets: AskedSet, name: str) -> dict[str, Any]:
    return {
        _DATA: "!function crossexam_data.load",
        "dataset_kwargs": {"file": f"{name}.jsonl"},
        "test_split": "test",
        "doc_to_text": "prompt",
        "metadata": {"version": 1.0, "crossexam": hashes(sets)},
    }


def _choice(sets: AskedSet) -> dict[str, Any]:
    return {
        "tag": CHOICE,
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "target",
        "target_delimiter": sets.template.delimiter,
        "metric_list": [
            {"metric": "acc", "aggregation": "mean", "higher_is_better": True},
            {"metric": "brier_score", "aggregation": "brier_score", "higher_is_better": False},
        ],
    }


def _chat() -> dict[str, Any]:
    return {
        "tag": CHAT,
        "output_type": "generate_until",
        "doc_to_target": "answer",
        "generation_kwargs": {"until": [], "max_gen_toks": _TOKENS, "temperature": 0.0, "do_sample": False},
        # Otherwise exact_match counts " neutral", as some servers send it, as wrong.
        "filter_list": [
            {"name": "none", "filter": [{"function": "remove_whitespace"}, {"function": "take_first"}]}
        ],
        "metric_list": [
            {
                "metric": "exact_match",
                "aggregation": "mean",
                "higher_is_better": True,
                "ignore_case": True,
                "ignore_punctuation": True,
            }
        ],
    }


def _yaml(entries: dict[str, Any]) -> str:
    """Return *entries* as YAML: JSON values, which YAML 1.2 has too, and the tag of functions as it is."""
    lines = []
    for key, value in entries.items():
        text = value if key == _DATA else json_text(value)
        lines.append(f"{key}: {text}")
    return "\n".join(lines) + "\n"
