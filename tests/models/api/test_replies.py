"""From what a server sends to the row of a pair: its errors, its counts of tokens, label masses, texts.

Errors and counts have the shapes that servers document, which no test here can ask.  OpenAI: types of
openai 3.54.0.  vLLM: chat_completion/protocol.py at 002032ee.  Ollama, Gemini: their pages on compatibility.
"""

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import crossexam
from crossexam.core.labels import LABELS
from crossexam.models.api.endpoint import error_in
from crossexam.models.api.replies import Tally, status_of_rejection, usage_of
from crossexam.runs.answers import StoredBatch, joined
from crossexam.runs.saved import read_run


def test_errors_in_documented_shapes(each_case: Any) -> None:
    def check(status: str, expected: str | None, body: Any) -> None:
        error = error_in(int(status), body)
        assert error.message not in ("", "None")
        assert status_of_rejection(error) == expected

    each_case(check)


def test_tokens_in_documented_shapes() -> None:
    usage: dict[str, Any] = {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}
    usage |= {"completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 5}}
    assert usage_of({"usage": usage}) == {"input": 9, "cached": 4, "output": 7, "reasoning": 5}
    assert usage_of({"usage": {**usage, "prompt_tokens_details": None}})["input"] == 9


def test_masses_are_tallied() -> None:
    """Those below one half are counted."""
    tally = Tally()
    tally.add([{"logprobs": "aligned", "mass": mass} for mass in (0.9, 0.2, 0.5)] + [{"logprobs": "none"}])
    assert tally.facts["logprobs"] == {"aligned": 3, "none": 1, "mass_median": 0.5, "low_mass": 1}


def test_another_model_that_answers_is_named_and_texts_are_left_out_if_so_asked(
    server: Any, command: Any, output: Path
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        said = server.chat(f"{server.label_for(body)}\n\nbecause of the zebra")
        return server.response(200, {**said.body, "model": "cheaper"})

    server.answer = answer
    said = "the server answered as 'cheaper', not as 'mine', which was asked for"
    assert said in command("--keep-text", "no").out
    with sqlite3.connect(output / "store.sqlite") as connection:
        rows = connection.execute("SELECT probabilities, more FROM batches").fetchall()
    assert "zebra" not in str(joined([StoredBatch(*row) for row in rows]).details)


def test_answers_of_low_label_mass_are_flagged_counted_and_on_the_page(
    server: Any, command: Any, output: Path
) -> None:
    """In a third of the answers, all labels together have a probability of about 0.2."""
    thirds = list(range(0, 24, 3))

    def answer(body: dict[str, Any]) -> Any:
        label = server.label_for(body)
        shift = 1.5 if server.pair_in(body)[0] in {f"Premise {k}." for k in thirds} else 0.0
        others = {each: -3.0 - shift for each in LABELS if each != label}
        return server.chat(label, {label: -0.2 - shift, **others})

    server.answer = answer
    said = f"in {len(thirds)} of 24 answers, all labels together had a probability below 1/2"
    assert said in command("--answer", "logprobs").out
    run = read_run(output)
    masses = pq.read_table(output / "predictions" / "tiny.parquet")["label_mass"].to_pylist()
    assert [k for k, mass in enumerate(masses) if mass < 0.5] == thirds
    assert said in crossexam.report(run).text(".html")
    assert run.answered("tiny").all()  # flagged, and counted as any other
