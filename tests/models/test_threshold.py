"""Models of two labels: heads with one output, thresholds, and names of not_entailment by every route."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.models.model import Pair
from crossexam.models.table import open_model
from crossexam.models.threshold import at_threshold, head_shares
from crossexam.runs.run import predict_suite

SHARES = [0.9, 0.7, 0.55, 0.2]
TWO = Dataset(
    "base.two",
    tuple(
        Example(f"i{k}", f"Premise {k}.", f"Hypothesis {k}.", label)  # type: ignore[arg-type]
        for k, label in enumerate(["entailment", "entailment", "not_entailment", "not_entailment"])
    ),
)
THREE = Dataset(
    "base.three",
    tuple(
        Example(e.id, e.premise, e.hypothesis, "contradiction" if e.label == "not_entailment" else e.label)
        for e in TWO
    ),
)
OF = {(e.premise, e.hypothesis): share for e, share in zip(TWO, SHARES, strict=True)}


def accuracy(run: Run) -> float:
    (found,) = accuracy_by_set(run).values()
    return 100 * found.value


def of_each(answer: Callable[[float], Any]) -> Callable[[Sequence[Pair]], list[Any]]:
    """Return a function that answers with what *answer* makes of P(entailment)."""
    return lambda pairs: [answer(OF[pair]) for pair in pairs]


def three(share: float) -> list[float]:
    return [share, 0.0, 1 - share]


def name(share: float) -> str:
    return "entailment" if share > 0.5 else "not_entailment"


def test_functions_of_two_labels() -> None:
    for answer, threshold, expected in (
        (float, 0.6, 100),
        (float, 0.5, 75),
        (float, 0.8, 75),
        (lambda share: {"entailment": share, "not_entailment": 1 - share}, None, 75),
        (lambda share: {"entailment": share, "not_entailment": 1 - share}, 0.6, 100),
        (name, None, 75),
        (three, None, 75),
    ):
        for data in (TWO, THREE):
            run = predict_suite(of_each(answer), data, options={"threshold": threshold})
            assert run.manifest["details"]["two_label"] is (answer is not three)
            assert accuracy(run) == expected


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Iterable[dict[str, Any]]], str]:
    """Return a function that writes rows of predictions, and returns the name of the model."""
    numbers = count()

    def rows(given: Iterable[dict[str, Any]]) -> str:
        path = tmp_path / f"{next(numbers)}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in given))
        return f"file/{path}"

    return rows


def test_files_of_two_labels(write: Any) -> None:
    """Even if the rows that are asked for do not show it, and in an ensemble."""
    for row, threshold, expected in (
        (lambda share: {"p_entailment": share}, 0.6, 100),
        (lambda share: {"p_entailment": share}, 0.5, 75),
        (lambda share: {"p_entailment": share, "p_not_entailment": 1 - share}, None, 75),
        (lambda share: {"p_entailment": share, "p_not_entailment": 1 - share}, 0.6, 100),
        (lambda share: {"entailment": share, "not_entailment": 1 - share}, None, 75),
        (lambda share: {"prediction": name(share)}, None, 75),
    ):
        model = write({"id": e.id, **row(share)} for e, share in zip(TWO, SHARES, strict=True))
        for data in (TWO, THREE):
            run = predict_suite(model, data, options={"threshold": threshold})
            assert run.manifest["details"]["two_label"] is True
            assert accuracy(run) == expected
    assert predict_suite(model, TWO, limit=2).manifest["details"]["two_label"] is True
    texts = [{"premise": e.premise, "hypothesis": e.hypothesis, "prediction": "not_entailment"} for e in TWO]
    run = predict_suite(f"mean/{write(texts)},builtin/overlap", THREE)
    assert run.manifest["details"]["two_label"] is True


def test_thresholds_that_are_missing_or_refused(write: Any, refused: Any) -> None:
    """Single numbers need one, it lies between 0 and 1, and three labels take none."""
    assert "--threshold 0.5" in refused(predict_suite, of_each(float), TWO)
    assert "only column of probabilities is 'p_entailment'" in refused(
        open_model, write([{"id": "i0", "p_entailment": 0.9}])
    )
    for threshold in (0, 1, -0.5, float("nan")):
        for kind in ("hf", "py", "file"):
            assert "the threshold is " in refused(open_model, f"{kind}/x:y", {"threshold": threshold})
    neutral = write({"id": e.id, "prediction": "neutral"} for e in TWO)
    for model in (of_each(three), neutral):
        said = refused(predict_suite, model, TWO, options={"threshold": 0.5})
        assert "the answers have three labels" in said


def test_answers_that_are_refused(write: Any, refused: Any) -> None:
    """Single numbers that are no probabilities, and a mixture of two labels with three."""
    for answer in (1.2, -0.1, float("nan"), "entailment", None):
        answers = [0.5, answer, 0.5, 0.5]
        assert "the answer for premise 'Premise 1.' and hypothesis " in refused(
            FormatError, predict_suite, lambda pairs, given=answers: given, TWO, options={"threshold": 0.5}
        )

    def mixed(pairs: list[Pair]) -> list[str]:
        return ["not_entailment" if pair[0].endswith("1.") else "neutral" for pair in pairs]

    both = "some answers are not_entailment, others are neutral"
    for options in ({}, {"batch_size": 1}):  # over batches, too
        assert both in refused(FormatError, predict_suite, mixed, TWO, options=options)
    rows = ({"id": e.id, "prediction": each} for e, each in zip(TWO, mixed(list(OF)), strict=True))
    assert both in refused(FormatError, open_model, write(rows))


def test_a_run_from_the_store_alone_has_two_labels_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "def f(pairs):\n    return ['entailment' if '1' in p else 'not_entailment' for p, _ in pairs]\n"
    (tmp_path / "two_names.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    for model in ("py/two_names:f", "mean/py/two_names:f,builtin/overlap"):
        store = tmp_path / model[:2]
        first, again = (predict_suite(model, THREE, store=store) for _ in range(2))
        assert (again.manifest["asked_pairs"], again.manifest["pairs_from_store"]) == (0, 4)
        assert again.manifest["details"]["two_label"] is first.manifest["details"]["two_label"] is True
        assert accuracy(again) == accuracy(first)


def test_a_threshold_comes_to_lie_at_one_half() -> None:
    """In a straight line on both sides; what is not entailment is neutral."""
    shares = np.array([0.0, 0.1, 0.2, 0.6, 1.0])
    table = at_threshold(shares, 0.2)
    assert table[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert table[:, 1] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])
    assert not table[:, 2].any()
    logits = np.array([[-800.0], [0.0], [2.0]])  # of one output, whose share is a sigmoid
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(head_shares(logits)[:, 0], [0, 0.5, 0.8807970779778823])
    assert at_threshold(shares, None)[:, :2] == pytest.approx(np.column_stack([shares, 1 - shares]))
