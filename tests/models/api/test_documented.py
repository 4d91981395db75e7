"""Replies and errors in the shapes that servers document, which no test here can ask.

OpenAI: types of openai 3.54.0.  vLLM: chat_completion/protocol.py at 002032ee.  SGLang: openai/protocol.py at
004c82e0.  Ollama, Anthropic, Gemini: their pages on compatibility with OpenAI.
"""

from __future__ import annotations

from typing import Any

import pytest

from crossexam.models.api.endpoint import error_in
from crossexam.models.api.questions import Way
from crossexam.models.api.reading import LabelForms
from crossexam.models.api.replies import ReplyReader, status_of_rejection, usage_of

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})
READER = ReplyReader(WORDS, Way("logprobs"))


def _token(text: str, logprob: float, **more: Any) -> dict[str, Any]:
    return {"token": text, "logprob": logprob, "bytes": list(text.encode()), **more}


OPENAI = {
    "index": 0,
    "message": {"role": "assistant", "content": "neutral", "refusal": None, "annotations": []},
    "logprobs": {
        "content": [
            _token("neutral", -0.1, top_logprobs=[_token("neutral", -0.1), _token("ent", -2.5)]),
        ],
        "refusal": None,
    },
    "finish_reason": "stop",
}
VLLM = {
    "index": 0,
    "message": {"role": "assistant", "content": "neutral", "reasoning": None, "tool_calls": []},
    "logprobs": {
        "content": [
            _token("ne", -0.1, top_logprobs=[_token("ne", -0.1), _token("ent", -2.5), _token("x", -9999.0)]),
            _token("utral", 0.0, top_logprobs=[_token("utral", 0.0)]),
        ]
    },
    "finish_reason": "stop",
    "stop_reason": None,
    "token_ids": None,
}
SGLANG = {
    "index": 0,
    "message": {"role": "assistant", "content": "neutral", "reasoning_content": None},
    "logprobs": {"content": [_token("neutral", -0.1, top_logprobs=[_token(" ent", -2.5)])]},
    "finish_reason": "stop",
    "matched_stop": 2,
}


@pytest.mark.parametrize("choice", [OPENAI, VLLM, SGLANG], ids=["openai", "vllm", "sglang"])
def test_probabilities_in_documented_shapes(choice: dict[str, Any]) -> None:
    import math

    row, outcome = READER.outcome([choice])
    mass = math.exp(-0.1) + math.exp(-2.5)
    assert row == pytest.approx((math.exp(-2.5) / mass, math.exp(-0.1) / mass, 0))
    assert outcome.label_mass == pytest.approx(mass)
    assert outcome.detail is not None
    assert outcome.detail["least"] == pytest.approx(math.exp(-2.5))


def test_a_refusal_of_openai_is_beside_the_text() -> None:
    choice = {"message": {"content": None, "refusal": "I can't."}, "finish_reason": "stop"}
    assert READER.outcome([choice])[1].status == "refused"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (
            400,
            {"error": {"message": "?", "code": "context_length_exceeded", "param": "messages"}},
            "too_long",
        ),
        (400, {"error": {"message": "?", "code": "content_filter", "innererror": {}}}, "filtered"),  # Azure
        (
            400,
            {"object": "error", "message": "This model's maximum context length is 8 tokens.", "code": 400},
            "too_long",  # vLLM
        ),
        (400, {"detail": "Input length exceeds the context length"}, "too_long"),
        (
            400,
            [{"error": {"code": 400, "message": "API key not valid", "status": "INVALID"}}],
            None,
        ),  # Gemini
        (404, {"error": "model 'x' not found, try pulling it first"}, None),  # Ollama
        (401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, None),
    ],
)
def test_errors_in_documented_shapes(status: int, body: Any, expected: str | None) -> None:
    error = error_in(status, body)
    assert error.message not in ("", "None")
    assert status_of_rejection(error) == expected


def test_tokens_in_documented_shapes() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 7,
        "total_tokens": 16,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5, "accepted_prediction_tokens": 0},
    }
    assert usage_of({"usage": usage}) == {"input": 9, "cached": 4, "output": 7, "reasoning": 5}
    assert usage_of({"usage": {**usage, "prompt_tokens_details": None}})["input"] == 9
    assert usage_of({"usage": None}) == {}
