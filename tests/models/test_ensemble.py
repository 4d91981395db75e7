"""Ensembles by the mean of probabilities."""

from collections.abc import Sequence

import numpy as np
import pytest

from crossexam.core.outcome import Outcome
from crossexam.models.ensemble import Mean
from crossexam.models.model import Batch, Pair
from crossexam.models.table import open_model
from made.cases import refused
from made.models import Fixed

SURE, DOUBTFUL = Fixed("sure", (1.0, 0.0, 0.0)), Fixed("doubtful", (0.2, 0.5, 0.3))


def test_the_mean_of_probabilities_and_not_a_vote() -> None:
    """The key is that of the members in any order, of which each is another."""
    one, other = Mean("mean/a", (SURE, DOUBTFUL)), Mean("mean/b", (DOUBTFUL, SURE))
    assert one.predict([("a", "b")] * 2) == pytest.approx(np.array([[0.6, 0.25, 0.15]] * 2))
    assert one.key == other.key
    assert one.key != Mean("mean/a", (SURE, Fixed("third", (0, 1, 0)))).key
    assert "lists a model twice" in refused(open_model, "mean/builtin/majority,builtin/majority")


class Massive(Fixed):
    """A member that gives the label masses in its details."""

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        told = [Outcome(label_mass=mass) for mass in self.details["masses"]]
        return Batch(range(len(pairs)), self.predict(pairs), [None] * len(pairs), told)


def test_of_label_masses_the_least_counts() -> None:
    members = Massive("a", masses=(0.9, 0.2, None)), Massive("b", masses=(0.4, 0.6, 0.7))
    answered = Mean("mean/x", members).answered([("a", "b")] * 3)
    assert [each.label_mass for each in answered.outcomes] == [0.4, 0.2, 0.7]
