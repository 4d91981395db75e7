"""Suites for other programs: as tasks of harnesses, or as pairs to predict: ``crossexam export``.

A harness asks its model in its own way; its log comes back as the model ``log/PATH``, with our statistics.  A
program of your own predicts the pairs of one file, and its predictions come back as ``file/PATH``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from crossexam.core.dataset import Dataset, Suite, have_two_labels
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import new_folder, sha256_of
from crossexam.core.manifest import package_version
from crossexam.core.output.file_names import alike, task_name
from crossexam.core.sealed import FILES, read_manifest, write_manifest
from crossexam.interop.questions import QuestionSet, question_set
from crossexam.models.prompts.table import default_template
from crossexam.models.prompts.table import template as template_named
from crossexam.models.prompts.template import Template

MANIFEST: Final = "crossexam.json"
DEFAULT_TEMPLATE: Final = "gpt3"
_TASKS: Final = "tasks"
_PAIRS: Final = "pairs"


@dataclass(frozen=True)
class Exporter:
    """A format: its *name*, what it is, and the *function* that writes questions, or pairs, to a folder.

    *usage* is the command that runs the tasks, or reads the answers; ``{folder}`` stands for the folder of
    the tasks, and ``{suite}`` for the suite.  A format that *asks* has questions in the words of a template.
    """

    name: str
    description: str
    function: str
    usage: str
    asks: bool = True

    def write(self, sets: Sequence[QuestionSet], folder: Path) -> list[str]:
        """Write the tasks of *sets* to *folder*; return their names."""
        writer: Callable[[Sequence[QuestionSet], Path], list[str]] = resolve_name(self.function)
        return writer(sets, folder)

    def write_pairs(self, datasets: Sequence[Dataset], folder: Path) -> dict[str, int]:
        """Write the distinct pairs of *datasets* to *folder*; return their number by the name of the file."""
        writer: Callable[[Sequence[Dataset], Path], dict[str, int]] = resolve_name(self.function)
        return writer(datasets, folder)


_HERE: Final = "crossexam.interop"
EXPORTERS: Final[dict[str, Exporter]] = {
    exporter.name: exporter
    for exporter in (
        Exporter(
            "lm-eval",
            "tasks of the LM Evaluation Harness: two YAML files per test set",
            f"{_HERE}.harnesses:write_lm_eval_tasks",
            "lm-eval run --model MODEL --tasks crossexam --include_path {folder} --log_samples "
            "--output_path logs (at a chat endpoint: --tasks crossexam_chat --apply_chat_template)",
        ),
        Exporter(
            "inspect",
            "a module of tasks of Inspect, one per test set",
            f"{_HERE}.harnesses:write_inspect_tasks",
            "inspect eval {folder}/crossexam_tasks.py --model MODEL --log-dir logs",
        ),
        Exporter(
            "lighteval",
            "a module of tasks of lighteval, two per test set",
            f"{_HERE}.harnesses:write_lighteval_tasks",
            "lighteval accelerate model_name=MODEL TASK,TASK... --custom-tasks {folder}/crossexam_tasks.py "
            "--output-dir logs --save-details (at an endpoint: the tasks whose names end with _chat)",
        ),
        Exporter(
            "csv",
            "pairs.csv, a row per distinct pair, for programs of your own",
            f"{_HERE}.pairs:write_pairs_csv",
            "crossexam run file/ANSWERS.csv {suite} -o RUN",
            asks=False,
        ),
        Exporter(
            "jsonl",
            "the same as JSON lines, pairs.jsonl",
            f"{_HERE}.pairs:write_pairs_json_lines",
            "crossexam run file/ANSWERS.jsonl {suite} -o RUN",
            asks=False,
        ),
    )
}


@dataclass(frozen=True)
class Exported:
    """What was written: the names of the *tasks*, and the number of *items* and of those left out.

    *empty* are the test sets that were left out, since they have no item with a gold label.  *pairs* is the
    number of distinct pairs, if these were written: the tasks are then their file.
    """

    tasks: Sequence[str]
    items: int
    unlabelled: int = 0
    empty: Sequence[str] = ()
    pairs: int = 0


def template_for(datasets: Iterable[Dataset]) -> Template:
    """Return the template in which *datasets* are asked about if nobody names one.

    >>> template_for([]).name
    'gpt3'
    """
    return (
        default_template(two_labels=True) if have_two_labels(datasets) else template_named(DEFAULT_TEMPLATE)
    )


def export(
    suite: Suite, form: str, folder: Path, template: Template | None = None, *, only: Sequence[str] = ()
) -> Exported:
    """Write the test sets of *suite* to *folder* in the format *form*.

    *only* are patterns of names (``negation.*``), default all.  A format that asks does so in the words of
    *template*.  It leaves out items without a gold label, since harnesses count them as wrong, and test sets
    without any other item, at which lm-eval stops; formats of pairs have them all, and take no template.  If
    the same is in the folder already, nothing is written.  Raises UnknownNameError, CrossexamError if the
    folder has anything else, if a test set has other labels than the template, or if nothing is left.
    """
    if form not in EXPORTERS:
        raise UnknownNameError("format", form, EXPORTERS)
    exporter, chosen = EXPORTERS[form], list(suite.only(only))
    if exporter.asks:
        return _export_tasks(suite, exporter, folder, template or template_for(chosen), chosen)
    if template is not None:
        raise CrossexamError(
            f"{form} has the pairs as they are, without a prompt", where="--template", wanted="no --template"
        )
    return _export_pairs(suite, exporter, folder, chosen)


def _export_pairs(suite: Suite, exporter: Exporter, folder: Path, chosen: Sequence[Dataset]) -> Exported:
    items = sum(map(len, chosen))
    if not items:
        raise CrossexamError("the test sets have no items", where=suite.name, wanted="a test set with items")
    hashed = {each.name: {"items": len(each), "content_hash": each.content_hash()} for each in chosen}
    facts = {**_manifest(exporter.name), "test_sets": hashed}
    done = _written_once(folder, facts, lambda new: {_PAIRS: exporter.write_pairs(chosen, new)})
    return Exported(list(done[_PAIRS]), items, pairs=sum(done[_PAIRS].values()))


def _export_tasks(
    suite: Suite, exporter: Exporter, folder: Path, template: Template, chosen: Sequence[Dataset]
) -> Exported:
    asked = [question_set(dataset, template) for dataset in chosen]
    sets = [each for each in asked if len(each)]
    if not sets:
        raise CrossexamError(
            "no item has a gold label", where=suite.name, wanted="a test set whose items have gold labels"
        )
    _refuse_one_name_for_two(sets)
    counts = {each.name: {"items": len(each), "unlabelled": each.unlabelled, **hashes(each)} for each in sets}
    facts = {**_manifest(exporter.name), "template": template.facts, "test_sets": counts}
    done = _written_once(folder, facts, lambda new: {_TASKS: exporter.write(sets, new)})
    empty = [each.name for each in asked if not len(each)]
    return Exported(done[_TASKS], sum(map(len, sets)), sum(each.unlabelled for each in asked), empty)


def _written_once(
    folder: Path, facts: Mapping[str, Any], write: Callable[[Path], dict[str, Any]]
) -> dict[str, Any]:
    """Return what *write* says of what it writes, or said if *folder* has that already."""
    if (known := _exported_already(folder, facts)) is not None:
        return known
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CrossexamError("the folder is not empty", where=str(folder), wanted="a new or empty folder")
    with new_folder(folder, purpose="exporting") as unfinished:
        done = write(unfinished)
        names = sorted(
            path.relative_to(unfinished).as_posix() for path in unfinished.rglob("[!.]*") if path.is_file()
        )
        files = {name: sha256_of(unfinished / name) for name in names}
        write_manifest(unfinished / MANIFEST, {**facts, **done, FILES: files})
    return done


def _exported_already(folder: Path, facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what was said of the files in *folder* if they are of *facts* and as they were, else None."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return None
    try:
        known = read_manifest(manifest)
    except FormatError:
        return None
    files: dict[str, str] = known.pop(FILES)
    done: dict[str, Any] = {name: known.pop(name) for name in (_TASKS, _PAIRS) if name in known}
    if known != facts or not done:
        return None
    paths = {folder / name: sha256 for name, sha256 in files.items()}
    return done if all(path.is_file() and sha256_of(path) == paths[path] for path in paths) else None


def _refuse_one_name_for_two(sets: Sequence[QuestionSet]) -> None:
    if found := alike(sets, lambda each: task_name(each.name)):
        first, second = (each.name for each in found)
        raise CrossexamError(
            f"'{first}' and '{second}' would both be the task {task_name(second)}",
            wanted="test sets whose names differ in letters or digits",
            hint="export them one by one with --only",
        )


def _manifest(form: str) -> dict[str, Any]:
    return {"format": 1, "crossexam": package_version(), "exported_for": form}


def hashes(sets: QuestionSet) -> dict[str, str]:
    """Return what identifies a test set and the words in which it is asked."""
    return {
        "content_hash": sets.dataset.content_hash(),
        "template": sets.template.name,
        "template_sha256": sets.template.sha256,
    }
