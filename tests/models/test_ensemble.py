"""Ensembles by the mean of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.core.outcome import Outcome
from crossexam.models.ensemble import Mean
from crossexam.models.model import Batch, Model, Pair
from crossexam.models.table import open_model


@dataclass(frozen=True)
class Fixed(Model):
    name: str
    row: tuple[float, float, float]
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return self.name

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        return np.array([self.row] * len(pairs))


SURE, DOUBTFUL = Fixed("sure", (1.0, 0.0, 0.0)), Fixed("doubtful", (0.2, 0.5, 0.3))


def test_the_mean_of_probabilities_and_not_a_vote() -> None:
    answers = Mean("mean/x", (SURE, DOUBTFUL)).predict([("a", "b"), ("c", "d")])
    assert answers == pytest.approx(np.array([[0.6, 0.25, 0.15]] * 2))


def test_the_key_is_that_of_the_members_in_any_order() -> None:
    one, other = Mean("mean/a", (SURE, DOUBTFUL)), Mean("mean/b", (DOUBTFUL, SURE))
    assert one.key == other.key
    assert one.key != Mean("mean/a", (SURE, Fixed("third", (0, 1, 0)))).key


def test_what_is_known_of_each_member() -> None:
    model = open_model("mean/builtin/majority,builtin/overlap")
    assert model.name == "mean/builtin/majority,builtin/overlap"
    assert model.details["members"]["builtin/overlap"] == {"version": "overlap.v1"}


def test_mistakes(refused: Any) -> None:
    for name, message in (
        ("mean/builtin/majority", "an ensemble needs at least two models"),
        ("mean/builtin/majority,", "an ensemble needs at least two models"),
        ("mean/builtin/majority,builtin/majority", "the ensemble lists a model twice"),
        ("mean/builtin/majority,bultin/overlap", "did you mean"),
    ):
        assert message in refused(open_model, name)


def test_of_label_masses_the_least_counts() -> None:
    @dataclass(frozen=True)
    class Massive(Fixed):
        masses: tuple[float | None, ...] = ()

        def answered(self, pairs: Sequence[Pair]) -> Batch:
            told = [Outcome(label_mass=mass) for mass in self.masses]
            return Batch(range(len(pairs)), self.predict(pairs), [None] * len(pairs), told)

    rows = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    members = Massive("a", rows[0], masses=(0.9, 0.2, None)), Massive("b", rows[1], masses=(0.4, 0.6, 0.7))
    answered = Mean("mean/x", members).answered([("a", "b")] * 3)
    assert [each.label_mass for each in answered.outcomes] == [0.4, 0.2, 0.7]
