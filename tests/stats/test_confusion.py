"""Confusion matrices and their error types."""

from __future__ import annotations

import numpy as np
import pytest

from crossexam.stats.confusion import confusion, error_types, false_share


def test_confusion_counts_gold_by_prediction() -> None:
    gold, predicted = [0, 0, 0, 1, 2, 2], [0, 2, 2, 0, 1, 2]
    table = confusion(gold, predicted)
    assert table.tolist() == [[1, 0, 2], [1, 0, 0], [0, 1, 1]]
    assert error_types(table) == {"E-N": 0, "E-C": 2, "N-E": 1, "N-C": 0, "C-E": 0, "C-N": 1}
    assert [false_share(table, label) for label in range(3)] == [1 / 4, 1 / 4, 2 / 4]
    assert false_share(np.eye(3, dtype=int), 0) is None
    assert confusion([], []).tolist() == [[0] * 3] * 3


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [([0, 3], [0, 0], "from 0 to 2"), ([0], [-1], "from 0 to 2"), ([0], [0, 1], "1 gold labels for 2")],
)
def test_invalid_labels_are_refused(gold: list[int], predicted: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        confusion(gold, predicted)
