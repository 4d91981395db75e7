"""Test sets of two labels are asked about in words for two, unless a template is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import crossexam
from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import Example
from crossexam.models.model import AsksInWords
from crossexam.models.table import open_model
from crossexam.runs.saved import read_run

TWO, THREE = ("entailment", "not_entailment"), ("entailment", "neutral", "contradiction")


def _dataset(name: str, labels: tuple[Any, ...]) -> Dataset:
    items = [Example(f"{name}{n}", f"{name} {n}.", f"It is {n}.", labels[n % len(labels)]) for n in range(6)]
    return Dataset(name, tuple(items))


@pytest.fixture
def answering(server: Any) -> Any:
    """The server, which answers in the words of either template."""

    def answer(body: Mapping[str, Any]) -> Any:
        label = server.label_for(body)
        asks_for_two = "one of two words" in body["messages"][0]["content"]
        return server.chat({"entailment": "Yes."}.get(label, "No.") if asks_for_two else label)

    server.answer = answer
    return server


@pytest.fixture
def folders(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that builds the test sets with these names and labels, and returns their folder."""

    def build(**labels: tuple[str, ...]) -> Path:
        bases = []
        for name, golds in labels.items():
            rows = [
                {"premise": f"{name} {n}.", "hypothesis": f"It is {n}.", "label": golds[n % len(golds)]}
                for n in range(6)
            ]
            path = tmp_path / f"{name}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            bases += ["--base", str(path)]
        folder = tmp_path / "-".join(["suite", *labels])
        assert _crossexam("build", "corpus", *bases, "-o", str(folder)).exit_code == 0
        return folder

    return build


def _crossexam(*line: str) -> Result:
    return CliRunner().invoke(app, line, catch_exceptions=False)


def _run(server: Any, tests: Path, output: Path, *more: str) -> Result:
    line = ("run", "api/mine", str(tests), "-o", str(output), "--endpoint", server.url, *more)
    return _crossexam(*line)


def _asked_with(run: Any) -> str:
    return str(run.manifest["details"]["template"]["name"])


def test_the_template_follows_from_the_labels_of_all_test_sets(
    answering: Any, folders: Callable[..., Path], tmp_path: Path
) -> None:
    two, three, both = folders(rte=TWO), folders(snli=THREE), folders(rte=TWO, snli=THREE)
    for tests, expected in ((two, "words.two"), (three, "words"), (both, "words")):
        output = tmp_path / f"run-{tests.name}"
        done = _run(answering, tests, output)
        assert done.exit_code == 0, done.output
        run = read_run(output)
        assert _asked_with(run) == expected
        assert run.manifest["details"]["two_label"] is (expected == "words.two")
        assert run.manifest["details"]["parse"] == {"exact": run.manifest["distinct_pairs"]}


def test_a_named_template_wins(answering: Any, folders: Callable[..., Path], tmp_path: Path) -> None:
    tests = folders(rte=TWO)
    assert _run(answering, tests, tmp_path / "named", "--template", "words").exit_code == 0
    assert _asked_with(read_run(tmp_path / "named")) == "words"
    done = _run(answering, tests, tmp_path / "both", "--template", "words,words.two.order-2")
    assert done.exit_code == 0, done.output
    assert [_asked_with(read_run(tmp_path / "both" / name)) for name in ("words", "words.two.order-2")] == [
        "words",
        "words.two.order-2",
    ]


def test_a_dry_run_and_a_batch_ask_in_the_same_words_as_the_run(
    answering: Any, folders: Callable[..., Path], tmp_path: Path
) -> None:
    tests, batch, output = folders(rte=TWO), tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    dry = _run(answering, tests, tmp_path / "run", "--dry-run")
    assert "Answer with exactly one word: yes or no." in dry.output
    written = _run(answering, tests, tmp_path / "run", "--answer", "text", "--batch-out", str(batch))
    assert written.exit_code == 0
    requests = [json.loads(line) for line in batch.read_text().splitlines()]
    assert all("yes or no" in each["body"]["messages"][0]["content"] for each in requests)
    replies = [
        {"custom_id": each["custom_id"], "response": {"status_code": 200, "body": found.body}, "error": None}
        for each in requests
        if (found := answering.answer(each["body"]))
    ]
    output.write_text("".join(json.dumps(each) + "\n" for each in replies))
    done = _run(answering, tests, tmp_path / "run", "--answer", "text", "--batch-in", str(output))
    assert done.exit_code == 0, done.output
    assert _asked_with(read_run(tmp_path / "run")) == "words.two"
    assert answering.requests == []


def test_the_library_asks_as_the_command_does(answering: Any, tmp_path: Path) -> None:
    two = Suite("mine", {"rte": _dataset("rte", TWO)})
    for store in (None, tmp_path / "run"):
        assert _asked_with(crossexam.run("api/mine", two, store=store, endpoint=answering.url)) == "words.two"
    assert (
        read_run(tmp_path / "run").manifest["model_key"]
        != open_model("api/mine", {"endpoint": answering.url}).key
    )


def test_pairs_are_asked_again_in_the_same_words(
    answering: Any, folders: Callable[..., Path], tmp_path: Path
) -> None:
    done = _run(answering, folders(rte=TWO), tmp_path / "run", "--repeat", "1")
    assert done.exit_code == 0, done.output
    assert all("yes or no" in body["messages"][0]["content"] for body in answering.requests)
    assert len(answering.requests) == 30 + 6 + 6


def test_shots_have_the_labels_of_the_template(answering: Any, tmp_path: Path) -> None:
    """A corpus of two labels has none of the three."""
    corpus = tmp_path / "rte.jsonl"
    rows = [{"premise": f"p{n}", "hypothesis": f"h{n}", "label": TWO[n % 2]} for n in range(4)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"endpoint": answering.url, "shots": 2, "shots_from": str(corpus)}
    model = open_model("api/mine", options, tests=[_dataset("rte", TWO)])
    assert sorted(model.details["shots"]["labels"]) == ["entailment", "not_entailment"]
    with pytest.raises(crossexam.CrossexamError, match=r"0 examples of (neutral|contradiction)"):
        open_model("api/mine", options, tests=[_dataset("snli", THREE)])


def test_a_model_is_worded_once(server: Any) -> None:
    """It goes on with what it learnt of the server, wherever test sets are given again."""
    tests = [_dataset("rte", TWO)]
    model = open_model("api/mine", {"endpoint": server.url}, tests=tests)
    assert open_model(model, tests=tests) is model
    assert isinstance(model, AsksInWords)
    assert model.worded_for(two_labels=False).details["template"]["name"] == "words"
    named = open_model("api/mine", {"endpoint": server.url, "template": "gpt3"}, tests=tests)
    assert named.details["template"]["name"] == "gpt3"


def test_members_of_an_ensemble_are_worded_too(server: Any) -> None:
    values = {"api.endpoint": server.url}
    mean = open_model("mean/api/mine,builtin/majority", values, tests=[_dataset("rte", TWO)])
    assert mean.details["members"]["api/mine"]["template"]["name"] == "words.two"


def test_the_corpora_with_other_two_labels_are_asked_for_three(server: Any) -> None:
    """Where neutral alone stands against entailment, answers to a question about two would not be those."""
    examples = _dataset("scitail", THREE[:2]).examples
    scitail = Dataset("scitail", examples, {"projection": "no contradiction"})
    model = open_model("api/mine", {"endpoint": server.url}, tests=[scitail])
    assert model.details["template"]["name"] == "words"


def test_the_answers_of_the_two_templates_cannot_be_confused() -> None:
    from crossexam.models.api.logprobs import label_begun_by
    from crossexam.models.api.reading import LabelForms, read_answer
    from crossexam.models.prompts.table import default_template

    forms = LabelForms(default_template(two_labels=True).labels)
    for token, label in (("y", "entailment"), ("Yes", "entailment"), (" no", "not_entailment")):
        assert label_begun_by(token, forms) == label
    for text in ("Not entailed.", "There is no way to tell.", "yes and no"):
        assert read_answer(text, forms).label is None
    assert read_answer("No: the premise leaves it open.", forms).label == "not_entailment"
