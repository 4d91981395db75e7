"""Orders of classes: how they are written, what follows them, and which one gold labels support."""

from __future__ import annotations

from typing import Any

import numpy as np

from crossexam.core.errors import FormatError
from crossexam.models.label_order import ORDERS, agreements, parse_order, to_label_columns


def test_columns_follow_the_order() -> None:
    for order in ORDERS:
        shares = {"entailment": 0.5, "neutral": 0.3, "contradiction": 0.2}
        table = np.array([[shares[name] for name in order]])
        assert to_label_columns(table, order).tolist() == [[0.5, 0.3, 0.2]]  # type: ignore[arg-type]


def test_orders_are_checked(refused: Any) -> None:
    assert parse_order(["C", "e", "Neutral"], where="x") == ("contradiction", "entailment", "neutral")
    assert parse_order(["not_entailment", "entailment"], where="x") == ("not_entailment", "entailment")
    for wrong, said in (
        (["entailment"], "is not a class order"),
        (["entailment", "entailment", "neutral"], "is not a class order"),
        (["neutral", "contradiction"], "is not a class order"),
        (["LABEL_0", "neutral", "entailment"], "--label-order: 'LABEL_0' is not a class"),
    ):
        assert said in refused(FormatError, parse_order, wrong, where="--label-order")


def test_the_order_that_gold_labels_support_comes_first() -> None:
    gold = ["neutral", "entailment", "contradiction", "neutral"]
    (best, order), (second, _) = agreements([2, 0, 1, 0], gold)[:2]
    assert (best, order) == (3 / 4, ("entailment", "contradiction", "neutral"))
    assert second < best
