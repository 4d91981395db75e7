"""Counts of items by two classifications, and types of errors."""

import numpy as np

from crossexam.stats.confusion import cross_counts, error_types, false_share
from made.cases import refused


def test_gold_labels_are_counted_by_prediction() -> None:
    gold, predicted = [0, 0, 0, 1, 2, 2], [0, 2, 2, 0, 1, 2]
    table = cross_counts(gold, predicted, (3, 3))
    assert table.tolist() == [[1, 0, 2], [1, 0, 0], [0, 1, 1]]
    assert error_types(table, "ENC") == {"E-N": 0, "E-C": 2, "N-E": 1, "N-C": 0, "C-E": 0, "C-N": 1}
    assert [false_share(table, label) for label in range(3)] == [1 / 4, 1 / 4, 2 / 4]
    assert false_share(np.eye(3, dtype=int), 0) is None
    assert cross_counts([], [], (3, 3)).tolist() == [[0] * 3] * 3


def test_other_codes_are_refused() -> None:
    for rows, columns, says in (
        ([0, 2], [0, 0], "below 2 (rows) and 3 (columns)"),
        ([0], [0, 1], "1 row codes but 2 column codes"),
    ):
        assert says in refused(ValueError, cross_counts, rows, columns, (2, 3))
