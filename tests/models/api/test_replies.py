"""Errors and counts in the shapes that servers document, which no test here can ask.

OpenAI: types of openai 3.54.0.  vLLM: chat_completion/protocol.py at 002032ee.
Ollama, Anthropic, Gemini: their pages on compatibility with OpenAI.
"""

from __future__ import annotations

import random
from statistics import median

from crossexam.models.api.endpoint import error_in
from crossexam.models.api.reading import LabelForms
from crossexam.models.api.replies import RunningMedian, Tally, status_of_rejection, usage_of

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})


def test_errors_in_documented_shapes() -> None:
    for status, body, expected in (
        (400, {"error": {"message": "?", "code": "context_length_exceeded", "param": "m"}}, "too_long"),
        (400, {"error": {"message": "?", "code": "content_filter", "innererror": {}}}, "filtered"),  # Azure
        (400, {"object": "error", "message": "maximum context length is 8."}, "too_long"),  # vLLM
        (400, {"detail": "Input length exceeds the context length"}, "too_long"),
        (400, [{"error": {"code": 400, "message": "API key not valid"}}], None),  # Gemini
        (404, {"error": "model 'x' not found, try pulling it first"}, None),  # Ollama
        (401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, None),
    ):
        error = error_in(status, body)
        assert error.message not in ("", "None")
        assert status_of_rejection(error) == expected


def test_tokens_in_documented_shapes() -> None:
    details = {
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    usage = {"prompt_tokens": 9, "completion_tokens": 7, **details}
    assert usage_of({"usage": usage}) == {"input": 9, "cached": 4, "output": 7, "reasoning": 5}
    assert usage_of({"usage": {**usage, "prompt_tokens_details": None}})["input"] == 9


def test_masses_are_tallied() -> None:
    """The median is known at any time, and masses below one half are counted."""
    rng, seen, masses = random.Random(3), list[float](), RunningMedian()
    assert masses.value is None
    for _ in range(200):
        seen.append(rng.choice([0.5, round(rng.random(), 6)]))
        masses.add(seen[-1])
        assert masses.value == median(seen)
    tally = Tally()
    tally.add([{"logprobs": "aligned", "mass": mass} for mass in (0.2, 0.5, 0.9)] + [{"logprobs": "none"}])
    assert tally.facts["logprobs"] == {"aligned": 3, "none": 1, "mass_median": 0.5, "low_mass": 1}
