"""Log-probabilities of tokens as probabilities of labels: those where the answer begins, or none."""

import math

import pytest

from crossexam.models.api.logprobs import label_begun_by, shares_at
from crossexam.models.api.reading import LabelForms, ReadAnswer, read_answer
from made.models import token

WORDS = LabelForms({"entailment": "entailment", "neutral": "neutral", "contradiction": "contradiction"})
TRUE = LabelForms({"entailment": "True", "neutral": "Neither", "contradiction": "False"})


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
