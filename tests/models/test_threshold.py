"""Models of two labels: heads with one output, thresholds, and names of not_entailment by every route."""

from __future__ import annotations

import json
from collections.abc import Iterable
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


def shares_of(pairs: list[Pair]) -> list[float]:
    return [OF[pair] for pair in pairs]


def columns_of(pairs: list[Pair]) -> list[dict[str, float]]:
    return [{"entailment": OF[pair], "not_entailment": 1 - OF[pair]} for pair in pairs]


def three_of(pairs: list[Pair]) -> list[list[float]]:
    return [[OF[pair], 0.0, 1 - OF[pair]] for pair in pairs]


def names_of(pairs: list[Pair]) -> list[str]:
    return ["entailment" if OF[pair] > 0.5 else "not_entailment" for pair in pairs]


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_functions_of_two_labels() -> None:
    for function, threshold, expected in (
        (shares_of, 0.6, 100),
        (shares_of, 0.5, 75),
        (shares_of, 0.8, 75),
        (columns_of, None, 75),
        (columns_of, 0.6, 100),
        (names_of, None, 75),
        (three_of, None, 75),
    ):
        for data in (TWO, THREE):
            run = predict_suite(function, data, options={"threshold": threshold})
            assert run.manifest["details"]["two_label"] is (function is not three_of)
            assert accuracy(run) == expected


def test_files_of_two_labels(tmp_path: Path) -> None:
    """Even if the rows that are asked for do not show it, and in an ensemble."""
    for number, (row, threshold, expected) in enumerate(
        (
            (lambda share: {"p_entailment": share}, 0.6, 100),
            (lambda share: {"p_entailment": share}, 0.5, 75),
            (lambda share: {"p_entailment": share, "p_not_entailment": 1 - share}, None, 75),
            (lambda share: {"p_entailment": share, "p_not_entailment": 1 - share}, 0.6, 100),
            (lambda share: {"entailment": share, "not_entailment": 1 - share}, None, 75),
            (lambda share: {"prediction": "entailment" if share > 0.5 else "not_entailment"}, None, 75),
        )
    ):
        for data in (TWO, THREE):
            rows = [{"id": e.id, **row(share)} for e, share in zip(data, SHARES, strict=True)]
            path = write(tmp_path / f"{data.name}-{number}.jsonl", rows)
            run = predict_suite(f"file/{path}", data, options={"threshold": threshold})
            assert run.manifest["details"]["two_label"] is True
            assert accuracy(run) == expected
    assert predict_suite(f"file/{path}", TWO, limit=2).manifest["details"]["two_label"] is True
    texts = [{"premise": e.premise, "hypothesis": e.hypothesis, "prediction": "not_entailment"} for e in TWO]
    run = predict_suite(f"mean/file/{write(path, texts)},builtin/overlap", THREE)
    assert run.manifest["details"]["two_label"] is True


def test_thresholds_that_are_missing_or_refused(tmp_path: Path, refused: Any) -> None:
    """Single numbers need one, it lies between 0 and 1, and three labels take none."""
    assert refused(predict_suite, shares_of, TWO).has(
        "single numbers, and nothing says above which value", "--threshold 0.5"
    )
    path = tmp_path / "p.csv"
    path.write_text("id,p_entailment\ni0,0.9\n")
    assert "the only column of probabilities is 'p_entailment', and nothing" in refused(
        open_model, f"file/{path}"
    )
    for threshold in (0, 1, -0.5, 2, float("nan")):
        for kind in ("hf", "py", "file"):
            assert refused(open_model, f"{kind}/x:y", {"threshold": threshold}).has(
                "the threshold is ", "wanted: a number above 0 and below 1"
            )
    assert refused(predict_suite, three_of, TWO, options={"threshold": 0.5}).has(
        "the answers have three labels", "wanted: no --threshold"
    )
    path = write(tmp_path / "p.jsonl", ({"id": e.id, "prediction": "neutral"} for e in TWO))
    assert "the answers have three labels" in refused(
        predict_suite, f"file/{path}", TWO, options={"threshold": 0.5}
    )


def test_answers_that_are_refused(tmp_path: Path, refused: Any) -> None:
    """Single numbers that are no probabilities, and a mixture of two labels with three."""
    for answer in (1.2, -0.1, float("nan"), "entailment", None):
        answers = [0.5, answer, 0.5, 0.5]
        assert "the answer for premise 'Premise 1.' and hypothesis " in refused(
            FormatError, predict_suite, lambda pairs, given=answers: given, TWO, options={"threshold": 0.5}
        )

    def mixed(pairs: list[Pair]) -> list[str]:
        return ["not_entailment" if pair[0].endswith("1.") else "neutral" for pair in pairs]

    for options in ({}, {"batch_size": 1}):  # over batches, too
        assert "some answers are not_entailment, others are neutral" in refused(
            FormatError, predict_suite, mixed, TWO, options=options
        )
    names = zip(TWO, mixed(list(OF)), strict=True)
    path = write(tmp_path / "p.jsonl", ({"id": e.id, "prediction": name} for e, name in names))
    assert "some answers are not_entailment, others are neutral" in refused(
        FormatError, open_model, f"file/{path}"
    )


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


def test_the_order_of_probabilities_stays() -> None:
    shares = np.linspace(0, 1, 101)
    for threshold in (0.01, 0.5, 0.93):
        moved = at_threshold(shares, threshold)
        assert (np.diff(moved[:, 0]) > 0).all()
        np.testing.assert_allclose(moved.sum(axis=1), 1)
    np.testing.assert_allclose(at_threshold(shares, 0.5)[:, 0], shares)


def test_one_output_is_a_sigmoid() -> None:
    logits = np.array([[-800.0], [0.0], [2.0]])
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(head_shares(logits)[:, 0], [0, 0.5, 0.8807970779778823])


def test_a_threshold_comes_to_lie_at_one_half() -> None:
    """In a straight line on both sides; what is not entailment is neutral."""
    shares = np.array([0.0, 0.1, 0.2, 0.6, 1.0])
    table = at_threshold(shares, 0.2)
    assert table[:, 0] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert table[:, 1] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])
    assert not table[:, 2].any()
    assert at_threshold(shares, None)[:, :2] == pytest.approx(np.column_stack([shares, 1 - shares]))
