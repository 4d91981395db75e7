"""What the models of ``figures_data.json`` said, and which labels that makes them predict."""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

import numpy as np
from figure_formulas.intervals import Array

LABELS = ("entailment", "neutral", "contradiction")
TWO = ("entailment", "not_entailment")
ORDER = ("neutral", "contradiction", "not_entailment", "entailment")  # of equally probable labels
LIMIT = 0.05  # of the share of missing answers, above which only bounds are known
TIED = 2e-6  # probabilities that differ by no more are equal


class Answers(NamedTuple):
    """What a model said of the items of a test set that have a gold label: arrays [n]."""

    labels: tuple[str, ...]
    ids: Array
    bases: Array
    gold: Array  # names of labels
    predicted: Array  # names of labels, "" without an answer
    best: Array  # the sets of the most probable labels, of which one is predicted
    shares: Array  # [n, k], NaN without an answer
    premise: Array
    key: Array | None  # the word pair in either order
    stated: Array | None  # the pair as it is stated
    status: Array
    mass: Array

    @property
    def right(self) -> Array:
        right: Array = self.gold == self.predicted
        return right

    @property
    def answered(self) -> Array:
        answered: Array = self.predicted != ""
        return answered

    @property
    def missing(self) -> int:
        return int((~self.answered).sum())

    @property
    def too_few(self) -> bool:
        """Whether so many answers are missing that only bounds are known."""
        return too_many(self.missing, len(self.gold))

    @property
    def ends(self) -> list[tuple[str, Answers]]:
        """The answers at both ends: missing ones taken as wrong, and as right."""
        return [(side, self.filled(right)) for side, right in (("least", False), ("most", True))]

    @property
    def units(self) -> list[Array]:
        return [self.premise] if self.key is None else [self.premise, self.key]

    @property
    def top(self) -> Array:
        """The probability of the predicted label."""
        pairs = zip(self.shares, self.predicted, strict=True)
        found = [p[self.labels.index(label)] if label else nan for p, label in pairs]
        return np.array(found).round(12)  # equal ones are equal

    def at(self, kept: Array) -> Answers:
        columns: dict[str, Any] = self._asdict()
        for name, column in columns.items():
            if isinstance(column, np.ndarray):
                columns[name] = column[kept]
        return Answers(**columns)

    def filled(self, right: bool) -> Answers:
        """Return them with missing answers taken as right, or as wrong."""
        return self._replace(
            predicted=np.where(self.answered, self.predicted, self.gold if right else "wrong")
        )


def answers_of(data: Any, model: str, name: str) -> Answers:
    """Return the answers of *model* to the items of test set *name* that have a gold label."""
    entry = data["test_sets"][name]
    labels = TWO if entry["manifest"].get("projection") == "two labels" else LABELS
    items = [each for each in entry["items"] if each["gold"]]
    given = [each["answers"][model] for each in items]
    rows = np.array([[nan] * 3 if isinstance(each, str) else each for each in given])
    shares = rows if labels is LABELS else np.stack([rows[:, 0], rows[:, 1] + rows[:, 2]], axis=1)
    best = [
        frozenset(label for label, share in zip(labels, row, strict=True) if share >= row.max() - TIED)
        for row in shares
    ]
    stated = next((key for key in ("pair", "how") if key in items[0]), None)
    keys = None if stated is None else np.array(["/".join(sorted(each[stated].split("/"))) for each in items])
    mass = data["label_mass"].get(model, {}).get(name, {})
    return Answers(
        labels,
        np.array([each["id"] for each in items]),
        np.array([each.get("base", "") for each in items]),
        np.array([each["gold"] for each in items]),
        np.array([min(each, key=ORDER.index, default="") for each in best]),
        np.array(best),
        shares / shares.sum(axis=1, keepdims=True),
        np.array([each["cluster"] for each in items]),
        keys if stated == "pair" else None,  # the rules of numerical reasoning are no sample
        keys,
        np.array([each if isinstance(each, str) else "answered" for each in given]),
        np.array([mass.get(each["id"], 1.0) for each in items]),
    )


def too_many(missing: int, count: int) -> bool:
    return missing > LIMIT * count
