"""In which words, and with which shots, a model behind an endpoint is asked.

Test sets of two labels are asked about in words for two, unless a template is named.
"""

from __future__ import annotations

from typing import Any

import crossexam as cx
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from made.runs import dataset

DEMO = "builtin:demo"
RTE = dataset("rte", "EnEnEn")


def test_the_template_follows_from_the_labels_of_all_test_sets(server: Any) -> None:
    """Where neutral alone stands against entailment, answers to a question about two would not be those."""
    snli, scitail = dataset("snli", "ENC"), dataset("scitail", "ENE", projection="no contradiction")
    for tests, expected in (([RTE], "words.two"), ([RTE, snli], "words"), ([scitail], "words")):
        model = open_model("api/mine", {"endpoint": server.url}, tests=tests)
        assert model.details["template"]["name"] == expected
        assert open_model(model, tests=tests) is model
    member = open_model("mean/api/mine,builtin/majority", {"api.endpoint": server.url}, tests=[RTE])
    assert member.details["members"]["api/mine"]["template"]["name"] == "words.two"


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


def test_shots_are_in_the_manifest_of_a_run_and_never_asked_about(server: Any, refused: Any) -> None:
    drawn = draw_shots(template("words"), 4, DEMO, 0)
    shot = drawn.examples[2]
    asked = [Example("e", *PAIRS[0], "neutral"), Example("shot", shot.premise, shot.hypothesis, "neutral")]
    said = refused(cx.run, "api/mine", Dataset("tiny", asked), endpoint=server.url, **SHOTS)
    assert said.has(f"the example {drawn.ids[2]} is shown in the prompts", "or with --shots-seed 1")
    assert server.requests == []
    run = cx.run("api/mine", Dataset("tiny", asked[:1]), endpoint=server.url, **SHOTS)
    assert run.details["shots"] == drawn.facts["shots"]
