"""Suites as tasks of other harnesses, which run them as they are: ``crossexam export``.

A harness asks its model in its own way; its log comes back as the model ``log/PATH``, with our statistics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import Dataset, Suite, have_two_labels
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import new_folder, sha256_of, shortened
from crossexam.core.imports import imported
from crossexam.core.manifest import package_version
from crossexam.core.sealed import FILES, read_manifest, write_manifest
from crossexam.interop.asked import AskedSet, asked_set
from crossexam.models.prompts.table import default_template
from crossexam.models.prompts.table import template as template_named
from crossexam.models.prompts.template import Template

MANIFEST: Final = "crossexam.json"
_TASKS: Final = "tasks"


@dataclass(frozen=True)
class Exporter:
    """A format of tasks: its *name*, what it is, and the function that writes the questions to a folder.

    *usage* is the command that runs the tasks, or reads the answers; ``{folder}`` stands for the folder of
    the tasks, and ``{suite}`` for the suite.
    """

    name: str
    description: str
    function: str
    usage: str

    def write(self, sets: Sequence[AskedSet], folder: Path) -> list[str]:
        """Write the tasks of *sets* to *folder*; return their names."""
        writer: Callable[[Sequence[AskedSet], Path], list[str]] = imported(self.function)
        return writer(sets, folder)


_HERE: Final = "crossexam.interop"
EXPORTERS: Final[dict[str, Exporter]] = {
    exporter.name: exporter
    for exporter in (
        Exporter(
            "lm-eval",
            "tasks of the LM Evaluation Harness: two YAML files per test set",
            f"{_HERE}.lm_eval:write_lm_eval_tasks",
            "lm-eval run --model MODEL --tasks crossexam --include_path {folder} --log_samples "
            "--output_path logs (at a chat endpoint: --tasks crossexam_chat --apply_chat_template)",
        ),
        Exporter(
            "inspect",
            "a module of tasks of Inspect, one per test set",
            f"{_HERE}.inspect_ai:write_inspect_tasks",
            "inspect eval {folder}/crossexam_tasks.py --model MODEL --log-dir logs",
        ),
        Exporter(
            "lighteval",
            "a module of tasks of lighteval, two per test set",
            f"{_HERE}.lighteval:write_lighteval_tasks",
            "lighteval accelerate model_name=MODEL TASK,TASK... --custom-tasks {folder}/crossexam_tasks.py "
            "--output-dir logs --save-details (at an endpoint: the tasks whose names end with _chat)",
        ),
        Exporter(
            "jsonl",
            "a file of questions per test set, for programs of your own",
            f"{_HERE}.json_lines:write_json_lines",
            "crossexam run file/ANSWERS.jsonl {suite} -o RUN",
        ),
    )
}


@dataclass(frozen=True)
class Exported:
    """What was written: the names of the *tasks*, and the number of *items* and of those left out.

    *empty* are the test sets that were left out, since they have no item with a gold label.
    """

    tasks: Sequence[str]
    items: int
    unlabelled: int
    empty: Sequence[str] = ()


def template_for(datasets: Iterable[Dataset]) -> Template:
    """Return the template in which *datasets* are asked about if nobody names one.

    >>> template_for([]).name
    'gpt3'
    """
    return default_template(two_labels=True) if have_two_labels(datasets) else template_named("gpt3")


def export(suite: Suite, form: str, folder: Path, template: Template) -> Exported:
    """Write the test sets of *suite* to *folder* as tasks of the format *form*.

    Items without a gold label are left out, since harnesses count them as wrong, and test sets without any
    other item, at which lm-eval stops.  If these tasks are in the folder already, nothing is written.  Raises
    UnknownNameError, CrossexamError if the folder has anything else, if a test set has other labels than the
    template, or if no item is left.
    """
    if form not in EXPORTERS:
        raise UnknownNameError("format", form, EXPORTERS)
    chosen = [asked_set(dataset, template) for dataset in suite]
    sets = [each for each in chosen if len(each)]
    if not sets:
        raise CrossexamError(
            "no item has a gold label", where=suite.name, wanted="a test set whose items have gold labels"
        )
    _refuse_one_name_for_two(sets)
    facts = _manifest(form, sets, template)
    if (tasks := _exported_already(folder, facts)) is None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CrossexamError(
                "there is something already", where=str(folder), wanted="a new or empty folder"
            )
        with new_folder(folder, purpose="exporting") as unfinished:
            tasks = EXPORTERS[form].write(sets, unfinished)
            names = sorted(
                path.relative_to(unfinished).as_posix()
                for path in unfinished.rglob("[!.]*")
                if path.is_file()
            )
            files = {name: sha256_of(unfinished / name) for name in names}
            write_manifest(unfinished / MANIFEST, {**facts, _TASKS: tasks, FILES: files})
    empty = [each.name for each in chosen if not len(each)]
    return Exported(tasks, sum(map(len, sets)), sum(each.unlabelled for each in chosen), empty)


def _exported_already(folder: Path, facts: Mapping[str, Any]) -> list[str] | None:
    """Return the tasks in *folder* if they are those of *facts* and as they were written, else None."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return None
    try:
        known = read_manifest(manifest)
    except FormatError:
        return None
    tasks, files = known.pop(_TASKS, None), known.pop(FILES, None)
    if known != facts or not isinstance(tasks, list) or not isinstance(files, dict):
        return None
    paths = {folder / name: sha256 for name, sha256 in files.items()}
    return tasks if all(path.is_file() and sha256_of(path) == paths[path] for path in paths) else None


def _refuse_one_name_for_two(sets: Sequence[AskedSet]) -> None:
    first: dict[str, str] = {}
    for each in sets:
        other = first.setdefault(task_name(each.name).lower(), each.name)  # files may ignore case
        if other != each.name:
            raise CrossexamError(
                f"'{other}' and '{each.name}' would both be the task {task_name(each.name)}",
                wanted="test sets whose names differ in letters or digits",
                hint="export them one by one with --only",
            )


def _manifest(form: str, sets: Sequence[AskedSet], template: Template) -> dict[str, Any]:
    return {
        "format": 1,
        "crossexam": package_version(),
        "exported_for": form,
        "template": template.facts,
        "test_sets": {
            each.name: {"items": len(each), "unlabelled": each.unlabelled, **hashes(each)} for each in sets
        },
    }


def hashes(sets: AskedSet) -> dict[str, str]:
    """Return what identifies a test set and the words in which it is asked."""
    return {
        "content_hash": sets.dataset.content_hash(),
        "template": sets.template.name,
        "template_sha256": sets.template.sha256,
    }


def task_name(test_set: str) -> str:
    """Return the name of the task of a test set: letters, digits and underscores; a long one is shortened.

    >>> task_name("negation.multinli_dev-matched")
    'crossexam_negation_multinli_dev_matched'
    """
    return shortened(f"crossexam_{re.sub('[^A-Za-z0-9]', '_', test_set)}", mark="_")
