"""The probabilities of a run over the labels of each test set, for whatever is measured of them.

A test set without the three labels has the shares of its projection, and a model of two labels those of
entailment and of the rest, on every test set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import Projection
from crossexam.core.stretches import stretches
from crossexam.evaluation.scores import numbered_clusters, with_accuracy


@dataclass(frozen=True)
class Shares:
    """The shares of the k labels of a *projection* for the n items of a test set with a gold label.

    *gold* and *predicted* are indices of the labels [n], *confidence* is the share of the predicted label
    [n], not a number (NaN) for items without an answer, where *predicted* means nothing.  *clusters* are
    numbers 0, 1, ... [n], *rows* the places of the items among the *answers* to the whole test set.
    """

    name: str
    projection: Projection
    answers: NDArray[np.float64]
    rows: NDArray[np.int32]
    gold: NDArray[np.int8]
    predicted: NDArray[np.int8]
    confidence: NDArray[np.float64]
    clusters: NDArray[np.int32]

    @property
    def shares(self) -> NDArray[np.float64]:
        """The shares of the labels [n, k], NaN without an answer; computed anew, as they take much memory."""
        shares = np.empty((len(self.rows), len(self.projection.labels)))
        for part in stretches(len(self.rows)):
            shares[part] = self.projection.shares(self.answers[self.rows[part]])
        return shares

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which items have an answer: [n]."""
        mask: NDArray[np.bool_] = ~np.isnan(self.confidence)
        return mask

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which predictions equal the gold label [n]; False without an answer."""
        right: NDArray[np.bool_] = (self.gold == self.predicted) & self.answered
        return right

    def at(self, rows: NDArray[np.bool_]) -> Shares:
        """Return the shares of the items at *rows*, a mask [n]; if these are all, nothing is copied."""
        if rows.all():
            return self
        return Shares(
            self.name,
            self.projection,
            self.answers,
            self.rows[rows],
            self.gold[rows],
            self.predicted[rows],
            self.confidence[rows],
            self.clusters[rows],
        )


def gives_labels_only(probabilities: NDArray[np.float64]) -> bool:
    """Return whether all rows of *probabilities* [n, 3] that are answers are a single 1 and zeros.

    >>> gives_labels_only(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
    True
    """
    for part in stretches(len(probabilities)):
        rows = probabilities[part]
        if not ((rows == 0.0) | (rows == 1.0) | np.isnan(rows).any(axis=1, keepdims=True)).all():
            return False
    return True


def shares_of(run: Run) -> Iterator[Shares]:
    """Yield the shares of each test set of *run* for which the model gave probabilities, one at a time.

    Test sets without items that have both a gold label and an answer are left out.
    """
    for name in with_accuracy(run).datasets:
        if not gives_labels_only(run.answers(name)):
            found = _shares(run, name)
            if not np.isnan(found.confidence).all():
                yield found


def probabilities_needed(run: Run, what: str) -> CrossexamError:
    """Return the error that *what* needs probabilities, and *run* has labels only."""
    return CrossexamError(
        f"'{run.model}' gives labels without probabilities, from which {what} cannot be computed",
        wanted="a model that gives a probability for each label",
    )


def _shares(run: Run, name: str) -> Shares:
    projection = run.datasets[name].projection.scored(two_labels=run.two_labels)
    golds = run.datasets[name].labels()
    rows = np.flatnonzero(golds >= 0).astype(np.int32)
    gold = projection.places_of(golds[rows])
    answers = run.answers(name)
    predicted, confidence = np.empty(len(rows), dtype=np.int8), np.empty(len(rows))
    for part in stretches(len(rows)):
        given = answers[rows[part]]
        predicted[part] = projection.places[projection.predictions(given)]
        confidence[part] = projection.shares(given)[np.arange(len(given)), predicted[part]]
    clusters = numbered_clusters(run.restricted_to([name]))[name][rows]
    return Shares(name, projection, answers, rows, gold, predicted, confidence, clusters)
