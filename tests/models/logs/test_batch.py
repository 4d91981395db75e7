"""The results of batches as models, ``log/RESULTS.jsonl``: lines as OpenAI's API and vLLM write them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.models.api.batch_files import custom_id
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite as run

ITEMS = tuple(
    Example(f"negation:{k}", f"Ann has {k} cats.", "Ann has cats.", label)
    for k, label in enumerate(["entailment", "neutral", "contradiction", "entailment"])
)
SET = Dataset("negation.dev", ITEMS, {"construction": "negation"})
GPT3 = {"template": "gpt3"}
IDS = [item.id for item in ITEMS]
OF_API = [custom_id("0123456789abcdef", (item.premise, item.hypothesis)) for item in ITEMS]


def answer(text: str | None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": None}
    return {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop", **more}


def line(name: str, *choices: Mapping[str, Any], model: str = "gpt-5.1", **response: Any) -> dict[str, Any]:
    body = {"id": "chatcmpl-1", "object": "chat.completion", "model": model, "choices": list(choices)}
    found = {"status_code": 200, "request_id": "r", "body": body, **response}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": found, "error": None}


def failed(name: str, status: int, message: str, code: str) -> dict[str, Any]:
    return line(name, status_code=status, body={"error": {"message": message, "code": code}})


def write(path: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
    return path


TEXTS = ["True", "The answer is Neither.", "True or False", ""]


def test_answers_belong_to_ids_or_to_the_pairs_of_api(tmp_path: Path) -> None:
    for names in (IDS, OF_API):
        lines = [line(name, answer(text)) for name, text in zip(names, TEXTS, strict=True)]
        path = write(tmp_path / "out.jsonl", list(reversed(lines)))
        found = run(f"log/{path}", SET, options=GPT3)
        assert found.predictions("negation.dev").tolist()[:2] == ["entailment", "neutral"]
        outcomes = found.outcomes["negation.dev"]
        assert outcomes.statuses().tolist() == ["answered", "answered", "ambiguous", "empty"]
        details = found.manifest["details"]
        assert (details["harness"], details["models"]) == ("openai-batch", ["gpt-5.1"])


def test_the_template_says_what_answers_mean(tmp_path: Path) -> None:
    path = write(tmp_path / "out.jsonl", [line(name, answer("True")) for name in IDS])
    with pytest.raises(FormatError, match="it is not known which answer stands for which label"):
        run(f"log/{path}", SET)


def test_refusals_filters_and_prompts_that_are_too_long_are_items_without_an_answer(tmp_path: Path) -> None:
    refusal = answer(None)
    refusal["message"]["refusal"] = "I cannot help with that."
    lines = [
        line(IDS[0], refusal),
        line(IDS[1], answer("", finish_reason="content_filter")),
        failed(IDS[2], 400, "too many tokens", "context_length_exceeded"),
        line(IDS[3], answer("Tr", finish_reason="length")),
    ]
    found = run(f"log/{write(tmp_path / 'out.jsonl', lines)}", SET, options=GPT3)
    assert found.outcomes["negation.dev"].statuses().tolist() == ["refused", "filtered", "too_long", "cut"]


def test_log_probabilities_and_several_choices_are_probabilities(tmp_path: Path) -> None:
    def token(text: str, share: float) -> dict[str, Any]:
        return {"token": text, "logprob": math.log(share), "bytes": list(text.encode())}

    logprobs = {
        "content": [{**token("True", 0.5), "top_logprobs": [token("True", 0.5), token("False", 0.3)]}]
    }
    lines = [
        line(IDS[0], answer("True", logprobs=logprobs)),
        line(IDS[1], answer("False"), answer("True"), answer("False"), answer("no idea")),
        *(line(name, answer("Neither")) for name in IDS[2:]),
    ]
    found = run(f"log/{write(tmp_path / 'out.jsonl', lines)}", SET, options=GPT3)
    np.testing.assert_allclose(
        found.probabilities["negation.dev"][:2], [[0.625, 0, 0.375], [1 / 3, 0, 2 / 3]], atol=1e-9
    )


def test_requests_that_failed_are_an_error_until_another_file_has_them(tmp_path: Path) -> None:
    lines = [line(name, answer("True")) for name in IDS[1:]]
    write(tmp_path / "a.jsonl", [failed(IDS[0], 500, "overloaded", "server_error"), *lines])
    expired = {"code": "batch_expired", "message": "not executed in time"}
    write(tmp_path / "b.jsonl", [{"custom_id": IDS[0], "response": None, "error": expired}])
    with pytest.raises(FormatError, match="1 of 4 requests failed: 500: not executed in time"):
        open_model(f"log/{tmp_path}", GPT3)
    write(tmp_path / "c.jsonl", [line(IDS[0], answer("False"))])
    assert run(f"log/{tmp_path}", SET, options=GPT3).predictions("negation.dev")[0] == "contradiction"
    write(tmp_path / "d.jsonl", [line(IDS[0], answer("True"))])
    with pytest.raises(FormatError, match="two answers to the request 'negation:0'"):
        open_model(f"log/{tmp_path}", GPT3)


def test_requests_beside_the_results_are_left_out(tmp_path: Path) -> None:
    requests = [
        {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": {}} for name in IDS
    ]
    write(tmp_path / "in.jsonl", requests)
    with pytest.raises(FormatError, match="no log of a known harness"):
        open_model(f"log/{tmp_path}")
    write(tmp_path / "out.jsonl", [line(name, answer("True")) for name in IDS])
    assert open_model(f"log/{tmp_path}", GPT3).details["files"] == ["out.jsonl"]


def test_pairs_of_the_probe_are_not_items(tmp_path: Path) -> None:
    """--batch-out asks about them first."""
    names = [custom_id("0123456789abcdef", pair) for pair in PAIRS] + OF_API
    path = write(tmp_path / "out.jsonl", [line(name, answer("True")) for name in names])
    assert len(run(f"log/{path}", SET, options=GPT3).predictions("negation.dev")) == 4


def test_the_results_of_several_models_are_refused(tmp_path: Path) -> None:
    lines = [line(name, answer("True")) for name in IDS]
    write(tmp_path / "out.jsonl", [*lines[1:], line(IDS[0], answer("True"), model="other")])
    with pytest.raises(FormatError, match=r"several models: gpt-5.1, other"):
        open_model(f"log/{tmp_path}", GPT3)
    other = custom_id("fedcba9876543210", (ITEMS[0].premise, ITEMS[0].hypothesis))
    write(tmp_path / "out.jsonl", [line(name, answer("True")) for name in (*OF_API[1:], other)])
    with pytest.raises(FormatError, match=r"several models: api/ with the key 0123456789ab..., api/ with"):
        open_model(f"log/{tmp_path}", GPT3)


def test_an_id_in_several_test_sets_is_one_pair_or_an_error(tmp_path: Path) -> None:
    """Parts of a base keep its ids."""
    log = f"log/{write(tmp_path / 'out.jsonl', [line(name, answer('False')) for name in IDS])}"
    part = Dataset("hard.dev", ITEMS[:2], {"construction": "hard"})
    found = run(log, Suite("tests", {each.name: each for each in (SET, part)}), options=GPT3)
    assert found.predictions("hard.dev").tolist() == ["contradiction"] * 2
    other = Dataset("hard.dev", (Example(IDS[0], "Ben has a dog.", "Ben has cats.", "neutral"),))
    with pytest.raises(FormatError, match=r"'negation:0' is in several test sets: negation.dev, hard.dev"):
        run(log, Suite("tests", {each.name: each for each in (SET, other)}), options=GPT3)
