"""Answers as probabilities: each stays with its pair, whatever is missing before it."""

from __future__ import annotations

import numpy as np
import pytest

from crossexam.models.answers import to_answers

PAIRS = [(f"Premise {k}.", "Hypothesis.") for k in range(4)]
REFUSED, CUT = {"status": "refused"}, {"status": "cut"}


@pytest.mark.parametrize(
    "given",
    [
        ["entailment", REFUSED, "neutral", "contradiction"],
        [REFUSED, "contradiction", CUT, "neutral"],
        ["neutral", "neutral", "entailment", CUT],
    ],
)
def test_missing_answers_leave_the_others_with_their_pairs(given: list[object]) -> None:
    table, told = to_answers(given, PAIRS, where="the test")
    names = ["entailment", "neutral", "contradiction"]
    for row, outcome, answer in zip(table, told, given, strict=True):
        if isinstance(answer, dict):
            assert np.isnan(row).all()
            assert outcome.status == answer["status"]
        else:
            assert row.tolist() == [float(name == answer) for name in names]
            assert outcome.status == "answered"


def test_without_any_answer_all_are_missing() -> None:
    table, told = to_answers([REFUSED] * 4, PAIRS, where="the test")
    assert np.isnan(table).all()
    assert [each.status for each in told] == ["refused"] * 4
