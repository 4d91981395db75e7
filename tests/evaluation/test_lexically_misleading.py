"""Accuracy where single words mislead: parts of a base."""

import pytest

from crossexam.core.dataset import Run
from crossexam.core.labels import LABELS
from crossexam.evaluation.lexically_misleading import misled_parts
from crossexam.suites.lexically_misleading import SCORE
from made.runs import dataset, run_of


def made(said: str, *, scores: bool = True, votes: str = "555533", name: str = "base.x") -> Run:
    """Six pairs of rising score; of five annotators, so many are for the gold label."""
    golds, rising, info = "ENNCNE", (0.1, 0.2, 0.55, 0.65, 0.75, 0.95), []
    for score, gold, count in zip(rising, golds, votes or "-" * 6, strict=True):
        place = "ENC".index(gold)
        labels = [LABELS[place]] * int(count) + [LABELS[(place + 1) % 3]] * (5 - int(count)) if votes else []
        info.append(({SCORE: score} if scores else {}) | ({"annotator_labels": labels} if labels else {}))
    return run_of({name: said}, dataset(name, golds, info=info), model="mine")


def test_sizes_accuracies_majority_and_annotators_by_hand() -> None:
    whole, half, *_, last = parts = misled_parts(made("ENNENE"))
    assert [part.lam for part in parts] == [0.0, 0.5, 0.6, 0.7]
    assert (whole.size, half.size, last.size) == (6, 4, 2)
    assert whole.model.value == 5 / 6  # "E" for the contradiction
    assert half.model.value == 3 / 4
    assert whole.majority.value == 3 / 6  # neutral
    assert whole.human.expected.value == pytest.approx((4 * 1 + 2 * 3 / 5) / 6)
    assert last.human.expected.value == pytest.approx(3 / 5)
    assert (whole.voted, whole.votes) == (6, {5: 6})
    nobody = misled_parts(made("ENNENE", votes=""))[0]
    assert (nobody.human, nobody.voted) == (None, 0)
    assert misled_parts(made("ENNENE", scores=False)) == misled_parts(made("ENNENE", name="negation.x")) == []
