"""Labels as they are scored: gold labels and predictions under each projection, and ties, by hand."""

import numpy as np

from crossexam.core.labels import GOLDS, PROJECTIONS, THREE_LABELS, ItemLabels, Ties, most_probable
from made.cases import refused

TWO = PROJECTIONS["two labels"]
GIVEN = np.array([0, 1, 2, 3, -1], dtype=np.int8)
#: Entailment, neutral, contradiction, a tie of the first two, and no answer.
TABLE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2], [np.nan] * 3])


def names(indices: np.ndarray) -> list[str | None]:
    return [None if index < 0 else GOLDS[index] for index in indices.tolist()]


def test_labels_under_each_projection() -> None:
    """Of two labels the sum counts; a tie is not entailment, and no answer no label."""
    assert names(TWO.golds(GIVEN)) == ["entailment", *["not_entailment"] * 3, None]
    assert names(THREE_LABELS.golds(GIVEN)) == [*GOLDS, None]
    predicted = ["entailment", "neutral", "contradiction", "neutral", None]
    assert names(THREE_LABELS.predictions(TABLE)) == predicted
    assert [each.class_of(None) for each in (THREE_LABELS, TWO)] == [-1, -1]
    assert names(TWO.predictions(TABLE)) == ["entailment", *["not_entailment"] * 3, None]


def test_golds_have_the_place_of_the_label_that_stands_for_them() -> None:
    assert [each.places_of(GIVEN[:3]).tolist() for each in (THREE_LABELS, TWO)] == [[0, 1, 2], [0, 1, 1]]
    assert TWO.places_of(GIVEN[3:]).tolist() == [1, -1]
    assert "'contradiction' is not one of" in refused(PROJECTIONS["no contradiction"].places_of, GIVEN[:3])
    assert "'not_entailment' is not one of" in refused(THREE_LABELS.places_of, GIVEN)


def test_equal_shares_go_to_the_first_label_that_is_not_entailment() -> None:
    rows = [[1 / 3] * 3, [0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [0.5, 0.5, 0.0], [0.4, 0.3, 0.3]]
    assert most_probable(np.array(rows)).tolist() == [1, 2, 1, 1, 0]


def test_ties_are_counted() -> None:
    """Four ties of five answers: two predicted rightly, and one more possible."""
    shares = np.array([[0.4, 0.4, 0.2]] * 3 + [[0.2, 0.4, 0.4], [0.8, 0.1, 0.1]])
    ties = Ties.among(shares, np.array([1, 0, 2, 1, 0]))
    assert ties == Ties(n=5, count=4, correct=3, right=2, possible=3)
    assert (ties.least, ties.most) == (1 / 5, 4 / 5)


def test_items_as_they_are_scored() -> None:
    scored = ItemLabels(GIVEN, TABLE, TWO, two_labels=False)
    assert scored.gold.tolist() == [0, 3, 3, 3, -1]
    assert scored.correct.tolist() == [True, True, True, True, False]
    np.testing.assert_allclose(scored.shares[:3], [[0.6, 0.4], [0.2, 0.8], [0.1, 0.9]])
