"""In which words, and with which shots, a model behind an endpoint is asked.

Test sets of two labels are asked about in words for two, unless a template is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from made.runs import dataset

DEMO = "builtin:demo"
RTE = dataset("rte", "EnEnEn")


@pytest.fixture
def answering(server: Any) -> Any:
    """The server, which answers in the words of either template."""

    def answer(body: Mapping[str, Any]) -> Any:
        label = server.label_for(body)
        asks_for_two = "one of two words" in body["messages"][0]["content"]
        return server.chat({"entailment": "Yes."}.get(label, "No.") if asks_for_two else label)

    server.answer = answer
    return server


def test_the_template_follows_from_the_labels_of_all_test_sets(answering: Any) -> None:
    snli = dataset("snli", "ENCENC", premises="abcdef")
    for data, expected in (((RTE,), "words.two"), ((snli,), "words"), ((RTE, snli), "words")):
        suite = Suite("mine", {each.name: each for each in data})
        details = cx.run("api/mine", suite, endpoint=answering.url).details
        assert details["template"]["name"] == expected
        assert details["two_label"] is (expected == "words.two")
        assert details["parse"] == {"exact": 6 * len(data)}


def test_dry_runs_batches_and_repeats_ask_in_the_same_words_as_the_run(
    answering: Any, crossexam_command: Any, tmp_path: Path
) -> None:
    batch, tests = tmp_path / "batch.jsonl", tmp_path / "rte.parquet"
    write_test_set(tests, RTE.examples)

    def run(*more: object) -> str:
        line = ("run", "api/mine", tests, "--endpoint", answering.url, "-o", tmp_path / "run", *more)
        return str(crossexam_command(*line).out)

    assert "Answer with exactly one word: yes or no." in run("--dry-run")
    run("--answer", "text", "--batch-out", batch)
    bodies = [json.loads(line)["body"] for line in batch.read_text().splitlines()]
    assert answering.requests == []
    run("--repeat", "1")
    assert [len(bodies), len(answering.requests)] == [30 + 6, 30 + 6 + 6]
    assert all("yes or no" in body["messages"][0]["content"] for body in [*bodies, *answering.requests])


def test_a_model_is_worded_once(server: Any) -> None:
    """It goes on with what it learnt of the server, wherever test sets are given again."""
    tests = [RTE]
    model = open_model("api/mine", {"endpoint": server.url}, tests=tests)
    assert open_model(model, tests=tests) is model
    # Where neutral alone stands against entailment, answers to a question about two would not be those.
    scitail = dataset("scitail", "ENENEN", projection="no contradiction")
    for name, options, data, expected in (
        ("api/mine", {"template": "gpt3"}, tests, "gpt3"),
        ("api/mine", {}, [scitail], "words"),
        ("mean/api/mine,builtin/majority", {}, tests, "words.two"),
    ):
        details = open_model(name, {"api.endpoint": server.url, **options}, tests=data).details
        assert details.get("members", {}).get("api/mine", details)["template"]["name"] == expected
    shots = {"endpoint": server.url, "shots": 2, "shots_from": DEMO}
    drawn = open_model("api/mine", shots, tests=tests).details["shots"]["labels"]
    assert sorted(drawn) == ["entailment", "not_entailment"]


SHOTS: dict[str, Any] = {"shots": 4, "shots_from": DEMO}
PAIRS = [("Premise number 1.", "Hypothesis number 1.")]


def test_shots_are_earlier_turns_of_every_question_and_of_the_probe(server: Any, opened: Any) -> None:
    model = opened(**SHOTS, shots_seed=2)
    model.predict(PAIRS)
    words = template("words")
    drawn = draw_shots(words, 4, DEMO, 2).examples
    for body in server.requests:
        assert body["messages"] == words.messages(*server.pair_in(body), drawn)
        assert len(body["messages"]) == 1 + 2 * 4 + 1
    assert len(server.requests) == 30 + 1
    assert server.asked == PAIRS


def test_shots_are_in_the_manifest_of_a_run_and_never_asked_about(
    server: Any, opened: Any, refused: Any
) -> None:
    drawn = draw_shots(template("words"), 4, DEMO, 0)
    shot = drawn.examples[2]
    asked = [Example("e", *PAIRS[0], "neutral"), Example("shot", shot.premise, shot.hypothesis, "neutral")]
    said = refused(cx.run, "api/mine", Dataset("tiny", asked), endpoint=server.url, **SHOTS)
    assert said.has(f"the example {drawn.ids[2]} is shown in the prompts", "or with --shots-seed 1")
    model = opened(**SHOTS, answer="text")
    assert {len(json.loads(body)["messages"]) for _, body in model.batch_requests(PAIRS)} == {10}
    pairs = [*PAIRS, (shot.premise, shot.hypothesis)]
    assert "is shown in the prompts" in refused(lambda: list(model.request_bodies(pairs)))
    assert server.requests == []
    run = cx.run("api/mine", Dataset("tiny", asked[:1]), endpoint=server.url, **SHOTS)
    assert run.details["shots"] == drawn.facts["shots"]
