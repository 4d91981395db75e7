"""Shots in chats: earlier turns of each question, part of the key, recorded, and never asked about."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossexam
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.models.api.model import ChatModel
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model

DEMO = "builtin:demo"
SHOTS: dict[str, Any] = {"shots": 4, "shots_from": DEMO}
PAIRS = [("Premise number 1.", "Hypothesis number 1.")]


def test_they_are_earlier_turns_of_every_question_and_of_the_probe(
    server: Any, opened: Callable[..., ChatModel]
) -> None:
    opened(**SHOTS, shots_seed=2).predict(PAIRS)
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


def test_the_key_depends_on_them_and_not_on_how_they_were_found(opened: Callable[..., ChatModel]) -> None:
    plain, shown = opened(), opened(**SHOTS)
    assert len({plain.key, shown.key, opened(**SHOTS, shots_seed=1).key}) == 3
    whole_by_slice = opened(shots=4, shots_from=f"{DEMO}[:100000]")
    assert whole_by_slice.shots.examples == shown.shots.examples
    assert whole_by_slice.key == shown.key
    assert "shots" not in plain.details
    assert shown.details["shots"]["ids"] == list(shown.shots.ids)


def test_a_model_without_them_has_the_key_that_it_had_before_there_were_any() -> None:
    model = open_model("api/x", {"endpoint": "http://127.0.0.1:9/v1"})
    assert model.key == "990a63582b6b08b0eb1355ddc7f8f945"


def test_a_recalled_model_shows_them_too(server: Any, opened: Callable[..., ChatModel]) -> None:
    first = opened(**SHOTS)
    first.predict(PAIRS)
    second = opened(**SHOTS)
    second.recall(json.loads(json.dumps(dict(first.details))))
    second.predict([("Premise number 2.", "Hypothesis number 2.")])
    assert len(server.requests[-1]["messages"]) == 1 + 2 * 4 + 1


def _tests(folder: Path, *, with_shot: bool) -> Path:
    shot = draw_shots(template("words"), 4, DEMO, 0).examples[2]
    texts = [(f"Premise {n}.", f"Hypothesis {n}.") for n in range(5)]
    texts += [(shot.premise, shot.hypothesis)] if with_shot else []
    path = folder / "tiny.parquet"
    write_test_set(path, [Example(f"e{n}", p, h, "neutral") for n, (p, h) in enumerate(texts)])
    return path


def test_nothing_is_sent_if_a_test_set_has_one(server: Any, tmp_path: Path) -> None:
    tests = _tests(tmp_path, with_shot=True)
    drawn = draw_shots(template("words"), 4, DEMO, 0)
    with pytest.raises(CrossexamError, match=f"the example {drawn.ids[2]} is shown in the prompts") as caught:
        crossexam.run("api/mine", tests, endpoint=server.url, **SHOTS)
    assert "or with --shots-seed 1" in str(caught.value)
    assert server.requests == []


def test_they_are_in_the_manifest_of_a_run(server: Any, tmp_path: Path) -> None:
    run = crossexam.run("api/mine", _tests(tmp_path, with_shot=False), endpoint=server.url, **SHOTS)
    facts = run.manifest["details"]["shots"]
    assert (facts["count"], facts["from"], facts["seed"]) == (4, DEMO, 0)
    assert facts["ids"] == list(draw_shots(template("words"), 4, DEMO, 0).ids)


def test_a_batch_and_a_dry_run_have_them_and_refuse_them_as_questions(
    opened: Callable[..., ChatModel], server: Any
) -> None:
    model = opened(**SHOTS, answer="text")
    bodies = [json.loads(body) for _, body in model.batch_requests(PAIRS)]
    assert {len(body["messages"]) for body in bodies} == {10}
    shot = model.shots.examples[0]
    with pytest.raises(CrossexamError, match="is shown in the prompts"):
        list(model.request_bodies([*PAIRS, (shot.premise, shot.hypothesis)]))
    assert server.requests == []
