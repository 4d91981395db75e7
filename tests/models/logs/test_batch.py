"""The results of batches as models, ``log/RESULTS.jsonl``: lines as OpenAI's API and vLLM write them."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.models.api.batch_files import custom_id
from crossexam.models.label_order import PAIRS
from made.cases import refused
from made.models import token

NAME = "negation.dev"
GPT3 = {"template": "gpt3"}
IDS = [f"negation:{k}" for k in range(4)]


def answer(text: str | None, **more: Any) -> dict[str, Any]:
    return {"message": {"content": text, "refusal": None}, "finish_reason": "stop", **more}


def line(name: str, *choices: Mapping[str, Any], model: str = "gpt-5.1", **response: Any) -> dict[str, Any]:
    body = {"model": model, "choices": list(choices)}
    return {"custom_id": name, "response": {"status_code": 200, "body": body, **response}, "error": None}


def failed(name: str, status: int, message: str, code: str) -> dict[str, Any]:
    return line(name, status_code=status, body={"error": {"message": message, "code": code}})


@pytest.fixture
def of_api(asked: Dataset) -> list[str]:
    """The ids that ``api/`` gives to the pairs of the items."""
    return [custom_id("0123456789abcdef", (item.premise, item.hypothesis)) for item in asked]


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes lines to a file of this name."""

    def write(*lines: Mapping[str, Any], name: str = "out.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return path

    return write


def test_answers_belong_to_ids_or_to_the_pairs_of_api(run: Any, written: Any, of_api: list[str]) -> None:
    """And the template says what they mean."""
    texts = ["True", "Neither", "False", "True"]
    for names in (IDS, of_api):
        lines = [line(name, answer(text)) for name, text in zip(names, texts, strict=True)]
        log = written(*reversed(lines))
        found = run(log, **GPT3)
        assert found.predictions(NAME).tolist() == ["entailment", "neutral", "contradiction", "entailment"]
    assert "it is not known which answer stands for which label" in refused(FormatError, run, log)


def test_refusals_filters_and_prompts_that_are_too_long_are_items_without_an_answer(
    run: Any, written: Any
) -> None:
    log = written(
        line(IDS[0], answer(None, message={"content": None, "refusal": "I cannot help with that."})),
        line(IDS[1], answer("", finish_reason="content_filter")),
        failed(IDS[2], 400, "too many tokens", "context_length_exceeded"),
        line(IDS[3], answer("Tr", finish_reason="length")),
    )
    statuses = run(log, **GPT3).outcomes[NAME].statuses().tolist()
    assert statuses == ["refused", "filtered", "too_long", "cut"]


def test_log_probabilities_and_several_choices_are_probabilities(run: Any, written: Any) -> None:
    likely = token("True", math.log(0.5), {"True": math.log(0.5), "False": math.log(0.3)})
    log = written(
        line(IDS[0], answer("True", logprobs={"content": [likely]})),
        line(IDS[1], *map(answer, ("False", "True", "False", "no idea"))),
        *(line(name, answer("Neither")) for name in IDS[2:]),
    )
    found = run(log, **GPT3).probabilities[NAME][:2]
    np.testing.assert_allclose(found, [[0.625, 0, 0.375], [1 / 3, 0, 2 / 3]], atol=1e-9)


def test_requests_that_failed_are_an_error_until_another_file_has_them(
    run: Any, written: Any, tmp_path: Path
) -> None:
    lines = [line(name, answer("True")) for name in IDS[1:]]
    written(failed(IDS[0], 500, "overloaded", "server_error"), *lines, name="a.jsonl")
    expired = {"code": "batch_expired", "message": "not executed in time"}
    written({"custom_id": IDS[0], "response": None, "error": expired}, name="b.jsonl")
    said = refused(FormatError, run, tmp_path, **GPT3)
    assert "1 of 4 requests failed: 500: not executed in time" in said
    written(line(IDS[0], answer("False")), name="c.jsonl")
    assert run(tmp_path, **GPT3).predictions(NAME)[0] == "contradiction"
    written(line(IDS[0], answer("True")), name="d.jsonl")
    assert "two answers to the request 'negation:0'" in refused(FormatError, run, tmp_path, **GPT3)


def test_requests_and_pairs_of_the_probe_are_left_out(run: Any, written: Any, of_api: list[str]) -> None:
    """--batch-out writes the requests beside the results, and asks about the probe first."""
    request = {"method": "POST", "url": "/v1/chat/completions", "body": {}}
    folder = written(*({"custom_id": name, **request} for name in IDS), name="in.jsonl").parent
    probe = [custom_id("0123456789abcdef", pair) for pair in PAIRS]
    written(*(line(name, answer("True")) for name in probe + of_api))
    assert run(folder, **GPT3).details["files"] == ["out.jsonl"]


def test_an_id_in_several_test_sets_is_one_pair_or_an_error(run: Any, written: Any, asked: Dataset) -> None:
    """Parts of a base keep its ids."""
    log = written(*(line(name, answer("False")) for name in IDS))
    part = Dataset("hard.dev", asked.examples[:2])
    found = run(log, Suite("tests", {NAME: asked, part.name: part}), **GPT3)
    assert found.predictions("hard.dev").tolist() == ["contradiction"] * 2
    other = Dataset("hard.dev", (Example(IDS[0], "Ben has a dog.", "Ben has cats.", "neutral"),))
    said = refused(FormatError, run, log, Suite("tests", {NAME: asked, other.name: other}), **GPT3)
    assert "'negation:0' is in several test sets: negation.dev, hard.dev" in said
