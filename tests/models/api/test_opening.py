"""In which words, and with which shots, a model behind an endpoint is asked.

Test sets of two labels are asked about in words for two, unless a template is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.models.api.logprobs import label_begun_by
from crossexam.models.api.reading import LabelForms, read_answer
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import default_template, template
from crossexam.models.table import open_model
from crossexam.runs.saved import read_run

TWO, THREE = ("entailment", "not_entailment"), ("entailment", "neutral", "contradiction")


def _dataset(name: str, labels: tuple[Any, ...], **manifest: Any) -> Dataset:
    items = [Example(f"{name}{n}", f"{name} {n}.", f"It is {n}.", labels[n % len(labels)]) for n in range(6)]
    return Dataset(name, tuple(items), manifest)


def _corpus(path: Path, labels: tuple[str, ...]) -> Path:
    rows = _dataset(path.stem, labels)
    lines = [{"premise": e.premise, "hypothesis": e.hypothesis, "label": e.label} for e in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


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
def suites(tmp_path: Path, crossexam_command: Callable[..., Any]) -> dict[str, Path]:
    """The folders of test sets of two labels, of three, and of both."""
    two = ("--base", _corpus(tmp_path / "rte.jsonl", TWO))
    three = ("--base", _corpus(tmp_path / "snli.jsonl", THREE))
    built = {}
    for name, bases in (("two", two), ("three", three), ("both", (*two, *three))):
        built[name] = tmp_path / name
        assert crossexam_command("build", "corpus", *bases, "-o", built[name]).code == 0
    return built


@pytest.fixture
def run(
    answering: Any, suites: dict[str, Path], crossexam_command: Callable[..., Any], tmp_path: Path
) -> Callable[..., Any]:
    """Return a function that runs a model on the suite of this name, into a folder of the same name."""

    def call(name: str, *more: object) -> Any:
        line = ("run", "api/mine", suites[name], "--endpoint", answering.url)
        into = () if "-o" in more else ("-o", tmp_path / f"run-{name}")
        done = crossexam_command(*line, *into, *more)
        assert done.code == 0, done.err
        return done

    return call


def _asked_with(run: Any) -> str:
    return str(run.manifest["details"]["template"]["name"])


def test_the_template_follows_from_the_labels_of_all_test_sets(
    run: Any, tmp_path: Path, answering: Any
) -> None:
    """In a command and in the library; a template that is named wins."""
    for name, expected in (("two", "words.two"), ("three", "words"), ("both", "words")):
        run(name)
        details = read_run(tmp_path / f"run-{name}").manifest["details"]
        assert details["template"]["name"] == expected
        assert details["two_label"] is (expected == "words.two")
        assert details["parse"] == {"exact": 12 if name == "both" else 6}
    named = ("words", "words.two.order-2")
    run("two", "--template", ",".join(named), "-o", tmp_path / "named")
    assert [_asked_with(read_run(tmp_path / "named" / name)) for name in named] == list(named)
    two = Suite("mine", {"rte": _dataset("rte", TWO)})
    for store in (None, tmp_path / "library"):
        assert _asked_with(cx.run("api/mine", two, store=store, endpoint=answering.url)) == "words.two"
    plain = open_model("api/mine", {"endpoint": answering.url})
    assert read_run(tmp_path / "library").manifest["model_key"] != plain.key


def test_dry_runs_batches_and_repeats_ask_in_the_same_words_as_the_run(
    answering: Any, run: Any, tmp_path: Path
) -> None:
    batch, output = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    assert "Answer with exactly one word: yes or no." in run("two", "--dry-run").out
    run("two", "--answer", "text", "--batch-out", batch)
    requests = [json.loads(line) for line in batch.read_text().splitlines()]
    assert all("yes or no" in each["body"]["messages"][0]["content"] for each in requests)
    lines = []
    for each in requests:
        response = {"status_code": 200, "body": answering.answer(each["body"]).body}
        lines.append(json.dumps({"custom_id": each["custom_id"], "response": response, "error": None}))
    output.write_text("\n".join(lines))
    run("two", "--answer", "text", "--batch-in", output)
    assert _asked_with(read_run(tmp_path / "run-two")) == "words.two"
    assert answering.requests == []
    run("two", "--repeat", "1", "-o", tmp_path / "repeated")
    assert all("yes or no" in body["messages"][0]["content"] for body in answering.requests)
    assert len(answering.requests) == 30 + 6 + 6


def test_a_model_is_worded_once(server: Any) -> None:
    """It goes on with what it learnt of the server, wherever test sets are given again."""
    tests = [_dataset("rte", TWO)]
    model = open_model("api/mine", {"endpoint": server.url}, tests=tests)
    assert open_model(model, tests=tests) is model
    assert model.worded_for(two_labels=False).details["template"]["name"] == "words"
    named = open_model("api/mine", {"endpoint": server.url, "template": "gpt3"}, tests=tests)
    assert named.details["template"]["name"] == "gpt3"
    mean = open_model("mean/api/mine,builtin/majority", {"api.endpoint": server.url}, tests=tests)
    assert mean.details["members"]["api/mine"]["template"]["name"] == "words.two"
    # Where neutral alone stands against entailment, answers to a question about two would not be those.
    scitail = _dataset("scitail", THREE[:2], projection="no contradiction")
    model = open_model("api/mine", {"endpoint": server.url}, tests=[scitail])
    assert model.details["template"]["name"] == "words"


def test_the_answers_of_the_two_templates_cannot_be_confused() -> None:
    forms = LabelForms(default_template(two_labels=True).labels)
    for token, label in (("y", "entailment"), ("Yes", "entailment"), (" no", "not_entailment")):
        assert label_begun_by(token, forms) == label
    for text in ("Not entailed.", "There is no way to tell.", "yes and no"):
        assert read_answer(text, forms).label is None
    assert read_answer("No: the premise leaves it open.", forms).label == "not_entailment"


DEMO = "builtin:demo"
SHOTS: dict[str, Any] = {"shots": 4, "shots_from": DEMO}
PAIRS = [("Premise number 1.", "Hypothesis number 1.")]


def test_shots_are_earlier_turns_of_every_question_and_of_the_probe(server: Any, opened: Any) -> None:
    model = opened(**SHOTS, shots_seed=2)
    model.predict(PAIRS)
    words = template("words")
    drawn = draw_shots(words, 4, DEMO, 2).examples
    for body in server.requests:
        system, *turns = body["messages"]
        assert system == {"role": "system", "content": words.system}
        assert [turn["role"] for turn in turns] == ["user", "assistant"] * 4 + ["user"]
        asked = [server.pair_in({"messages": [turn]}) for turn in turns[0:8:2]]
        assert asked == [(shot.premise, shot.hypothesis) for shot in drawn]
        assert [turn["content"] for turn in turns[1::2]] == [words.labels[shot.label] for shot in drawn]
    assert len(server.requests) == 30 + 1
    assert server.asked == PAIRS


def test_the_key_depends_on_shots_and_not_on_how_they_were_found(opened: Any) -> None:
    plain, shown = opened(), opened(**SHOTS)
    assert len({plain.key, shown.key, opened(**SHOTS, shots_seed=1).key}) == 3
    assert opened(shots=4, shots_from=f"{DEMO}[:100000]").key == shown.key
    assert "shots" not in plain.details
    assert shown.details["shots"]["ids"] == list(shown.shots.ids)
    before_there_were_any = open_model("api/x", {"endpoint": "http://127.0.0.1:9/v1"})
    assert before_there_were_any.key == "990a63582b6b08b0eb1355ddc7f8f945"


def test_shots_have_the_labels_of_the_template(server: Any, tmp_path: Path) -> None:
    """A corpus of two labels has none of the three."""
    corpus = str(_corpus(tmp_path / "rte.jsonl", TWO))
    options = {"endpoint": server.url, "shots": 2, "shots_from": corpus}
    model = open_model("api/mine", options, tests=[_dataset("rte", TWO)])
    assert sorted(model.details["shots"]["labels"]) == ["entailment", "not_entailment"]
    with pytest.raises(CrossexamError, match=r"0 examples of (neutral|contradiction)"):
        open_model("api/mine", options, tests=[_dataset("snli", THREE)])


def test_shots_are_in_the_manifest_of_a_run_and_never_asked_about(
    server: Any, tmp_path: Path, opened: Any
) -> None:
    drawn = draw_shots(template("words"), 4, DEMO, 0)
    shot, path = drawn.examples[2], tmp_path / "tiny.parquet"
    texts = [(f"Premise {n}.", f"Hypothesis {n}.") for n in range(5)]
    rows = [Example(f"e{n}", p, h, "neutral") for n, (p, h) in enumerate(texts)]
    write_test_set(path, [*rows, Example("shot", shot.premise, shot.hypothesis, "neutral")])
    with pytest.raises(CrossexamError, match=f"the example {drawn.ids[2]} is shown in the prompts") as caught:
        cx.run("api/mine", path, endpoint=server.url, **SHOTS)
    assert "or with --shots-seed 1" in str(caught.value)
    model = opened(**SHOTS, answer="text")
    assert {len(json.loads(body)["messages"]) for _, body in model.batch_requests(PAIRS)} == {10}
    with pytest.raises(CrossexamError, match="is shown in the prompts"):
        list(model.request_bodies([*PAIRS, (shot.premise, shot.hypothesis)]))
    assert server.requests == []
    write_test_set(path, rows)
    facts = cx.run("api/mine", path, endpoint=server.url, **SHOTS).manifest["details"]["shots"]
    assert facts == drawn.facts["shots"]
