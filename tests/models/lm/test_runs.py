"""Runs of language models: prompts that do not fit, a run per template, the report of them together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.engines.local import Processes
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from crossexam.runs.workers import asking_of
from made.commands import invoke
from made.runs import dataset

TWO = dataset("rte", "En")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "pairs.parquet"
    rows = [
        Example("a", "A man sleeps.", "A person sleeps.", "entailment"),
        Example("b", "A dog runs.", "No dog runs.", "contradiction"),
        Example("c", "It rains. " * 200, "It is wet.", "neutral"),
    ]
    write_test_set(path, rows)
    return path


def test_a_run_keeps_answers_and_what_has_none(
    suite: Path, lm_folders: dict[str, Path], tmp_path: Path
) -> None:
    line = ["run", f"lm/{lm_folders['gpt2']}", f"{suite}", "-o", f"{tmp_path / 'run'}", "--template", "gpt3"]
    invoke(*line, "--device", "cpu")
    found = read_run(tmp_path / "run")
    (name,) = found.datasets
    assert found.model == f"lm/{lm_folders['gpt2']} [gpt3]"
    assert found.predictions(name).tolist()[2] == ""
    assert found.outcomes[name].statuses().tolist() == ["answered", "answered", "too_long"]
    assert 0 < found.outcomes[name].label_mass[0] < 1
    details = found.details
    assert details["template"]["name"] == "gpt3"
    assert details["too_long"] == 1
    (tmp_path / "run" / "manifest.json").unlink()
    invoke(*line, "--device", "cpu")
    again = read_run(tmp_path / "run")
    assert again.answers(name)[:2].tolist() == found.answers(name)[:2].tolist()
    assert again.manifest.asked_pairs == 0
    kept = ("device", "max_length", "packed_layers", "batch_tokens", "chat")
    assert [again.details.get(name) for name in kept] == [details[name] for name in kept]


def test_several_templates_are_a_run_each_and_a_report_together(
    suite: Path, lm_folders: dict[str, Path], tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text("like = 'gpt3'\nuser = '{hypothesis} because {premise}'", encoding="utf-8")
    output = tmp_path / "several"
    templates = f"gpt3,lighteval-cf,{own}"
    line = ["run", f"lm/{lm_folders['gpt2']}", f"{suite}", "-o", f"{output}", "--template", templates]
    invoke(*line, "--device", "cpu")
    assert sorted(path.name for path in output.iterdir()) == ["gpt3", "lighteval-cf", "own"]
    # The tiny model has no room for the longest items, which it leaves unanswered.
    invoke("report", f"{output}", "-o", f"{tmp_path / 'report.md'}", "--max-unanswered", "1")
    assert "Prompt templates" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_workers_ask_in_the_same_words(lm_folders: dict[str, Path]) -> None:
    name, options = f"lm/{lm_folders['gpt2']}", {"device": "cpu"}
    here = predict_suite(name, TWO, options=options)
    by_workers = predict_suite(name, TWO, options=options, ask=asking_of(Processes(2)))
    assert by_workers.manifest.model_key == here.manifest.model_key
    assert by_workers.answers("rte").tolist() == here.answers("rte").tolist()


def test_test_sets_of_two_labels_are_asked_about_in_words_for_two(
    lm_folders: dict[str, Path], refused: Any
) -> None:
    name, options = f"lm/{lm_folders['gpt2']}", {"device": "cpu", "threshold": 0.7}
    here = predict_suite(name, TWO, options=options)
    assert here.details["template"]["name"] == "words.two"
    assert here.two_labels
    three = dataset("snli", "N")
    assert "the template words has three labels" in refused(predict_suite, name, three, options=options)
