"""Answers as probabilities: each stays with its pair, whatever is missing before it."""

from typing import Any

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import LABELS
from crossexam.core.outcome import UNANSWERED
from crossexam.models.answer_words import AnswerWords
from crossexam.models.answers import AnswerPlaces, to_answers
from made.cases import for_each, refused

PAIRS = [("It rains.", "It is wet."), ("A dog.", "A cat.")]
BOTH = AnswerPlaces.about(PAIRS, "f")
OTHER = AnswerWords(order=("contradiction", "neutral", "entailment"))
WORDS = {
    "none": AnswerWords(),
    "own": AnswerWords({"supported": "entailment", "unsupported": "not_entailment", "unclear": None}),
    "numbers": AnswerWords({"1": "entailment", "0": "not_entailment"}),
    "only true": AnswerWords({"true": "entailment"}),
    "other order": OTHER,
    "reversed": AnswerWords({"1": "entailment"}, ("entailment", "not_entailment")),
}


def test_forms_of_answers() -> None:
    def check(answers: Any, words: AnswerWords = WORDS["none"]) -> None:
        table, _ = to_answers(answers, BOTH, words)
        assert table.argmax(axis=1).tolist() == [0, 2]
        assert np.allclose(table.sum(axis=1), 1, atol=1e-12)

    forms = (
        ["E", "contradicts"],
        [{"entailment": 1.0}, {"CONTRADICTION": 0.9999, "neutral": 0.0001}],
        [{"label": "ENTAILMENT", "score": 0.98}, {"label": "contradiction", "score": 0.7}],
        np.array([[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]], dtype=np.float16),
        torch.tensor([[0.7, 0.1, 0.2], [0.1, 0.2, 0.7]], dtype=torch.bfloat16, requires_grad=True),
        (row for row in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])),
        (np.array([2, 0]), OTHER),
        ([[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]], OTHER),
    )
    for_each(check, forms)


def _forms(label: str) -> list[Any]:
    """Return for each form of answers what says *label* in it."""
    share = [float(label == each) for each in LABELS]
    return [label, {label: 1.0}, share, np.array(share), {"label": label}]


GIVEN = st.lists(st.sampled_from([*LABELS, *UNANSWERED]), min_size=1, max_size=6)


@given(given=GIVEN, form=st.integers(0, 4))
def test_answers_stay_with_their_pairs_whatever_is_missing(given: list[str], form: int) -> None:
    pairs = [(f"Premise {k}.", "Hypothesis.") for k in range(len(given))]
    answers = [{"status": each} if each in UNANSWERED else _forms(each)[form] for each in given]
    table, told = to_answers(answers, AnswerPlaces.about(pairs, "f"))
    rows = [[np.nan] * 3 if each in UNANSWERED else [float(each == x) for x in LABELS] for each in given]
    np.testing.assert_array_equal(table, rows)
    missing = set(given) & set(UNANSWERED)
    assert [each.status for each in told] == (
        [each if each in UNANSWERED else "answered" for each in given] if missing else []
    )


def test_answers_that_are_refused(each_case: Any) -> None:
    def check(words: str, answers: Any, *named: str) -> None:
        kind = CrossexamError if words == "reversed" else FormatError
        message = refused(kind, to_answers, answers, BOTH, WORDS[words])
        assert message.has(*named)
        assert len(message) < 600
        assert "a number from 0 to 1" not in message

    each_case(check)
    check("own", ["x" * 5_000, "supported"], f"'It is wet.' is '{'x' * 76}..., which is not a label")
    check("own", [{"status": "y" * 5_000}, "supported"], "'It is wet.' is {'status': 'yyy", "y...\n")
