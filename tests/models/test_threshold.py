"""Models of two labels: heads with one output, thresholds, and names of not_entailment by every route."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.errors import FormatError
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.models.model import Pair
from crossexam.models.table import open_model
from crossexam.models.threshold import at_threshold, head_shares
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.runs import dataset

TWO, THREE = dataset("base.two", "EEnn"), dataset("base.three", "EECC")
OF = dict(zip([(e.premise, e.hypothesis) for e in TWO], [0.9, 0.7, 0.55, 0.2], strict=True))


def of_each(answer: Callable[[float], Any]) -> Callable[[Sequence[Pair]], list[Any]]:
    """Return a function that answers with what *answer* makes of P(entailment)."""
    return lambda pairs: [answer(OF[pair]) for pair in pairs]


def test_functions_and_files_of_two_labels(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    rows = [{"id": e.id, "p_entailment": share} for e, share in zip(TWO, OF.values(), strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    for model, threshold, expected in (
        (of_each(float), 0.6, 1),
        (of_each(float), 0.8, 0.75),
        (of_each(lambda share: {"entailment": share, "not_entailment": 1 - share}), None, 0.75),
        (of_each(lambda share: "entailment" if share > 0.5 else "not_entailment"), None, 0.75),
        (f"file/{path}", 0.6, 1),
    ):
        for data in (TWO, THREE):
            run = predict_suite(model, data, options={"threshold": threshold})
            assert run.details["two_label"] is True
            assert [each.value for each in accuracy_by_set(run).values()] == [expected]


def test_thresholds_that_are_missing_or_refused() -> None:
    """Single numbers need one, it lies between 0 and 1, and three labels take none."""
    assert "--threshold 0.5" in refused(predict_suite, of_each(float), TWO)
    for threshold in (0, 1, float("nan")):
        assert "the threshold is " in refused(open_model, "hf/x:y", {"threshold": threshold})
    three = of_each(lambda share: [share, 0.0, 1 - share])
    said = refused(predict_suite, three, TWO, options={"threshold": 0.5})
    assert "the answers have three labels" in said


def test_answers_that_are_refused() -> None:
    """Single numbers that are no probabilities, and a mixture of two labels with three, over batches too."""
    for answer in (1.2, -0.1, float("nan"), "entailment", None):
        answers = [0.5, answer, 0.5, 0.5]
        assert "the answer for premise 'Premise 1.' and hypothesis " in refused(
            FormatError, predict_suite, lambda pairs, given=answers: given, TWO, options={"threshold": 0.5}
        )
    mixed = of_each(lambda share: "not_entailment" if share == 0.7 else "neutral")
    said = refused(FormatError, predict_suite, mixed, TWO, options={"batch_size": 1})
    assert "some answers are not_entailment, others are neutral" in said


def test_a_threshold_comes_to_lie_at_one_half() -> None:
    """In a straight line on both sides; what is not entailment is neutral."""
    table = at_threshold(np.array([0.0, 0.1, 0.2, 0.6, 1.0]), 0.2)
    assert table[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert table[:, 1] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])
    logits = np.array([[-800.0], [0.0], [2.0]])  # of one output, whose share is a sigmoid
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(head_shares(logits)[:, 0], [0, 0.5, 0.8807970779778823])
