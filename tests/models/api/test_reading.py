"""What is read in replies: labels by rules, none of which guesses; their probabilities; errors and counts.

Errors and counts have the shapes that servers document, which no test here can ask.  OpenAI: types of
openai 3.54.0.  vLLM: chat_completion/protocol.py at 002032ee.  Ollama, Gemini: their pages on compatibility.
"""

import math
from typing import Any

import pytest

from crossexam.corpora.label_names import Names
from crossexam.models.api.endpoint import error_in
from crossexam.models.api.logprobs import label_begun_by, shares_at
from crossexam.models.api.reading import LabelForms, ReadAnswer, chat_forms, read_answer
from crossexam.models.api.replies import Tally, status_of_rejection, usage_of
from crossexam.models.prompts.table import templates
from made.models import token

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})
YES_NO = LabelForms({"entailment": "Yes", "neutral": "Maybe", "contradiction": "No"})
TRUE = LabelForms({"entailment": "True", "neutral": "Neither", "contradiction": "False"})
LONG = LabelForms({"entailment": "yes", "neutral": "it is not possible to tell", "contradiction": "no"})
PADDING = "The premise speaks of two people and of nobody else, which is why it matters what they do. "
TWO = {"entailment": "Yes", "not_entailment": "No"}
OWN: Names = {"supported": "entailment", "unsupported": "not_entailment", "not supported": "not_entailment"}
OWN_WORDS = chat_forms(TWO, {**OWN, "unclear": None, "1": "entailment", "refuted": "contradiction"}, "x")
FORMS = {"words": WORDS, "yes no": YES_NO, "true": TRUE, "long": LONG, "own": OWN_WORDS}


def _text(cell: str | list[str | None]) -> str | None:
    """Return the text in a cell: one that begins with a bracket, and none, are in a list."""
    text = cell[0] if isinstance(cell, list) else cell
    return text and text.replace("<padding>", PADDING)


def test_a_label_is_read_where_the_text_names_one(each_case: Any) -> None:
    """In the words of the template, or in those that were declared beside them."""

    def check(name: str, label: str, rule: str, cell: str | list[str | None]) -> None:
        forms, text = FORMS[name], _text(cell)
        found = read_answer(text, forms)
        assert (found.label, found.rule) == (label, rule)
        assert forms.by_text[text[found.start : found.end].casefold()] == label

    each_case(check)


def test_nothing_is_guessed(each_case: Any) -> None:
    def check(name: str, status: str, cell: str | list[str | None]) -> None:
        found = read_answer(_text(cell), FORMS[name])
        assert (found.label, found.status) == (None, status)

    each_case(check)
    check("words", "unparsed", ["[" * 100_000])


def test_what_the_server_says_of_an_answer_counts() -> None:
    """That it withheld it, or that it was cut: then it is not taken for whole."""
    assert read_answer("neutral", WORDS, finish="content_filter").status == "filtered"
    assert read_answer(None, WORDS, refusal="I cannot.").status == "refused"
    assert read_answer("neutral", WORDS, finish="length").label == "neutral"
    assert read_answer("The answer is neutral", WORDS, finish="length").status == "cut"
    begins = LabelForms({"entailment": "yes", "neutral": "not clear", "contradiction": "no"})
    assert read_answer("no", begins).label == "contradiction"
    assert read_answer("no", begins, finish="length").status == "cut"  # perhaps of "not clear"


def test_every_template_reads_its_own_labels() -> None:
    for shipped in templates().values():
        if not shipped.fixed_labels:
            continue
        forms = LabelForms(shipped.labels)
        for label, form in forms.forms.items():
            assert read_answer(f"The answer is {form}.", forms).label == label


def test_probabilities_are_those_where_the_answer_begins() -> None:
    """The first token is not the answer: probabilities there would say contradiction.

    OpenAI and vLLM send -9999 for what they do not list: it is no bound of what a label may have.
    """
    tokens = [
        token("hm, contradiction"),
        token("Answer", top={"contradiction": -0.5}),
        token(":"),
        token(" neut", -1.0, {" neut": -1.0, " Ent": -2.0, " ent": -3.0, "x": -4.0, "con": -9999.0}),
        token("ral"),
        token("\n"),
    ]
    text = "Answer: neutral"
    found = shares_at(tokens, text, read_answer(text, WORDS), WORDS)
    assert not isinstance(found, str)

    mass = math.exp(-1) + math.exp(-2) + math.exp(-3)
    assert found.mass == pytest.approx(mass)
    assert found.shares["neutral"] == pytest.approx(math.exp(-1) / mass)
    assert found.shares["entailment"] == pytest.approx((math.exp(-2) + math.exp(-3)) / mass)
    assert found.shares["contradiction"] == 0
    assert found.least == pytest.approx(math.exp(-4))


def test_no_probabilities_are_made_up() -> None:
    for tokens, reason in (
        (None, "missing"),
        ([token("entailment")], "misaligned"),
        ([{"token": 7}], "misaligned"),
        ([{"token": "neutral", "logprob": "high"}], "misaligned"),
        ([{"token": "neutral", "bytes": [999], "logprob": -1}], "misaligned"),
    ):
        assert shares_at(tokens, "neutral", ReadAnswer("neutral", start=0, end=7), WORDS) == reason


def test_a_token_that_may_begin_two_labels_counts_for_none() -> None:
    found = [label_begun_by(text, TRUE) for text in ("N", "T", " fals")]
    assert found == ["neutral", "entailment", "contradiction"]
    no = LabelForms({"entailment": "Yes", "neutral": "Neither", "contradiction": "No"})
    assert [label_begun_by(text, no) for text in ("No", "no.")] == ["contradiction"] * 2
    assert [label_begun_by(text, no) for text in ("N", "Not", "", " ")] == [None] * 4
    tokens = [token("N", -0.1, {"N": -0.1, "Y": -9999.0}), token("o")]
    assert shares_at(tokens, "No", ReadAnswer("contradiction", start=0, end=2), no) == "no_label"


def test_errors_in_documented_shapes() -> None:
    for status, body, expected in (
        (400, {"error": {"message": "?", "code": "context_length_exceeded", "param": "m"}}, "too_long"),
        (400, {"error": {"message": "?", "code": "content_filter", "innererror": {}}}, "filtered"),  # Azure
        (400, {"object": "error", "message": "maximum context length is 8."}, "too_long"),  # vLLM
        (400, [{"error": {"code": 400, "message": "API key not valid"}}], None),  # Gemini
        (404, {"error": "model 'x' not found, try pulling it first"}, None),  # Ollama
    ):
        error = error_in(status, body)
        assert error.message not in ("", "None")
        assert status_of_rejection(error) == expected


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
