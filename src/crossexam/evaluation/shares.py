"""The probabilities of a run over the labels of each test set, for whatever is measured of them.

A test set without the three labels has the shares of its projection, and a model of two labels those of
entailment and of the rest, on every test set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.labels import ENTAILMENT_OR_NOT, GOLDS, THREE_LABELS, Projection
from crossexam.evaluation.scores import numbered_clusters


@dataclass(frozen=True)
class Shares:
    """The *shares* [n, k] of the k labels of a *projection* for the items with a gold label.

    *gold* and *predicted* are indices of the labels [n], *clusters* numbers that all test sets share [n].
    Rows of items without an answer are not numbers (NaN), and *predicted* means nothing there.  *rows* are
    the places of the items in the test set.
    """

    name: str
    projection: Projection
    shares: NDArray[np.float64]
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    clusters: NDArray[np.int32]
    rows: NDArray[np.int64]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which items have an answer: [n]."""
        mask: NDArray[np.bool_] = ~np.isnan(self.shares[:, 0])
        return mask

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The share of the predicted label of each item [n], NaN without an answer."""
        stated: NDArray[np.float64] = self.shares[np.arange(len(self.gold)), self.predicted]
        return stated

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which predictions equal the gold label [n]; False without an answer."""
        right: NDArray[np.bool_] = (self.gold == self.predicted) & self.answered
        return right

    def at(self, rows: NDArray[np.bool_]) -> Shares:
        """Return the shares of the items at *rows*."""
        return Shares(
            self.name,
            self.projection,
            self.shares[rows],
            self.gold[rows],
            self.predicted[rows],
            self.clusters[rows],
            self.rows[rows],
        )


def gives_labels_only(probabilities: NDArray[np.float64]) -> bool:
    """Return whether all rows of *probabilities* [n, 3] that are answers are a single 1 and zeros.

    >>> gives_labels_only(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
    True
    """
    answers = probabilities[~np.isnan(probabilities).any(axis=1)]
    return bool(((answers == 0.0) | (answers == 1.0)).all())


def projection_for_run(run: Run, name: str) -> Projection:
    """Return the projection by which the answers of *run* to test set *name* are measured."""
    projection = run.datasets[name].projection
    return ENTAILMENT_OR_NOT if run.two_labels and projection is THREE_LABELS else projection


def shares_of(run: Run) -> dict[str, Shares]:
    """Return the shares of each test set of *run* for which the model gave probabilities.

    Test sets without items that have both a gold label and an answer are left out.
    """
    clusters = numbered_clusters(run)
    found = (
        _shares(run, name, clusters[name])
        for name in run.datasets
        if not gives_labels_only(run.answers(name))
    )
    return {each.name: each for each in found if each.answered.any()}


def probabilities_needed(run: Run, what: str) -> CrossexamError:
    """Return the error that *what* needs probabilities, and *run* has labels only."""
    return CrossexamError(
        f"'{run.model}' gives labels without probabilities, from which {what} cannot be computed",
        wanted="a model that gives a probability for each label",
    )


def _shares(run: Run, name: str, clusters: NDArray[np.int32]) -> Shares:
    projection, golds = projection_for_run(run, name), run.datasets[name].labels()
    rows = np.flatnonzero(golds >= 0)
    answers = run.answers(name)[rows]
    answered = ~np.isnan(answers[:, 0])
    place = np.full(len(GOLDS), -1, dtype=np.int64)
    for index in np.unique(golds[rows]).tolist():
        place[index] = projection.labels.index(projection.gold(GOLDS[index]) or GOLDS[index])
    columns = np.zeros(len(GOLDS), dtype=np.int64)
    for column, label in enumerate(projection.labels):
        columns[GOLDS.index(label)] = column
    filled = np.where(answered[:, None], answers, 1 / answers.shape[1])
    shares = projection.shares(filled)
    shares[~answered] = np.nan
    predicted = columns[projection.predictions(filled)]
    return Shares(name, projection, shares, place[golds[rows]], predicted, clusters[rows], rows)
