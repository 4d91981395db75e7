"""Suites as tasks of other harnesses: what is asked, what is left out, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.interop.export import EXPORTERS, MANIFEST, Exported, export, template_for
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from made.runs import dataset

ODD = 'He said "{{label}} {% raw %}" \\ and {hypothesis}.'


TASKS = [name for name, each in EXPORTERS.items() if each.asks]
THREE = dataset("negation.dev-1", "EN-C", premises=[ODD, ODD, "", ""])


def exported(form: str, folder: Path, *sets: Dataset, by: str = "gpt3") -> Exported:
    return export(Suite("tests", {each.name: each for each in sets}), form, folder, template(by))


def questions_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


@pytest.mark.parametrize("form", TASKS)
def test_each_format_has_the_questions_in_the_words_of_the_template(form: str, tmp_path: Path) -> None:
    """Test sets without items to ask are left out: lm-eval stops at a task without questions."""
    empty, unlabelled = dataset("numerical_reasoning.dev", ""), dataset("antonymy.dev", "-")
    done = exported(form, tmp_path / "tasks", THREE, empty, unlabelled)
    assert list(done.empty) == ["numerical_reasoning.dev", "antonymy.dev"]
    assert (done.items, done.unlabelled) == (3, 2)
    (file,) = (tmp_path / "tasks").rglob("*.jsonl")
    first, second, last = questions_in(file)
    assert [each["id"] for each in (first, second, last)] == ["negation:0", "negation:1", "negation:3"]
    assert first["prompt"] == template("gpt3").prompt(f"Premise {ODD}.", "Hypothesis 0.")
    assert first["messages"][-1] == {"role": "user", "content": first["prompt"]}
    assert first["choices"] == ["True", "Neither", "False"]
    assert (first["target"], first["answer"], last["target"], last["answer"]) == (0, "True", 2, "False")
    assert first["cluster"] == second["cluster"] != last["cluster"]
    manifest = json.loads((tmp_path / "tasks" / MANIFEST).read_text("utf-8"))
    assert manifest["template"]["sha256"] == template("gpt3").sha256
    about = manifest["test_sets"]["negation.dev-1"]
    assert (about["items"], about["content_hash"]) == (3, THREE.content_hash())
    with pytest.raises(CrossexamError, match="no item has a gold label"):
        exported(form, tmp_path / "other", empty, unlabelled)


def test_questions_are_not_taken_for_predictions(tmp_path: Path) -> None:
    """The gold label in an exported file must not be read as what a model answered."""
    exported("lm-eval", tmp_path / "tasks", THREE)
    with pytest.raises(CrossexamError, match="no column holds predictions"):
        open_model(f"file/{tmp_path / 'tasks' / 'crossexam_negation_dev_1.jsonl'}")


def test_two_labels_need_a_template_with_two(tmp_path: Path) -> None:
    two = dataset("base.rte", "En", labels="two labels")
    with pytest.raises(CrossexamError, match="template 'gpt3' has three labels"):
        exported("lm-eval", tmp_path / "tasks", two)
    exported("lm-eval", tmp_path / "tasks", two, THREE, by="minicheck-llm")
    assert template_for([two]).name == "words.two"
    assert template_for([two, THREE]).name == template_for([THREE]).name == "gpt3"
    asked = questions_in(tmp_path / "tasks" / "crossexam_negation_dev_1.jsonl")
    assert [(each["answer"], each["target"]) for each in asked] == [("Yes", 0), ("No", 1), ("No", 1)]


@pytest.mark.parametrize("form", TASKS)
def test_tasks_that_are_there_already_are_kept(form: str, tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    done = exported(form, folder, THREE)
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    (folder / "__pycache__").mkdir()  # what a harness leaves
    assert exported(form, folder, THREE) == done
    assert {path: path.stat().st_mtime_ns for path in times} == times
    changed = next(path for path in sorted(times) if path.suffix != ".json")
    changed.write_text(changed.read_text() + "\n")
    with pytest.raises(CrossexamError, match="/tasks: "):
        exported(form, folder, THREE)


def test_test_sets_that_would_be_one_task_are_refused(tmp_path: Path) -> None:
    for name in ("Negation.dev-1", "negation.dev_1"):
        with pytest.raises(CrossexamError, match=r"would both be the task crossexam_[nN]egation_dev_1"):
            exported("inspect", tmp_path / "both", THREE, dataset(name, "N"))


def test_pairs_are_all_items_with_those_without_a_gold_label(tmp_path: Path) -> None:
    export(Suite("tests", {THREE.name: THREE}), "csv", tmp_path / "pairs")
    about = json.loads((tmp_path / "pairs" / MANIFEST).read_text("utf-8"))["test_sets"]
    assert about == {THREE.name: {"items": 4, "content_hash": THREE.content_hash()}}
