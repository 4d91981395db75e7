"""The paired comparison of what the probabilities of two runs over the same items are worth.

Measured are the items with a gold label that both models answered, and of whose probability each gave the
labels at least half (:data:`crossexam.evaluation.calibration.LEAST_MASS`); the others are counted.  If one
of the models has two labels, both are measured on two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run
from crossexam.core.estimate import PBound
from crossexam.core.labels import Projection
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.calibration import has_low_mass
from crossexam.evaluation.scores import numbered_clusters
from crossexam.evaluation.shares import gives_labels_only
from crossexam.evaluation.unanswered import answered_part
from crossexam.stats.p_values import AtConfidence, holm_of_planned
from crossexam.stats.paired_probabilities import (
    ItemLosses,
    PairedDifference,
    PairedProbabilities,
    Ranked,
    item_losses,
    paired_areas,
    paired_calibration,
    paired_probabilities,
)

_AT_ONCE: Final = 50_000  # items


@dataclass(frozen=True)
class ProbabilityComparison:
    """Two models on a test set: *measured* of their probabilities, over the items that both answered.

    Left out are *unanswered* items, which one of them or both did not answer, and *low_mass* ones, of which
    the labels had too little probability for one of them or both.  *aurc* is the difference in the area under
    the risk-coverage curve.  *brier_p* and *log_loss_p* are the p-values of
    each measure corrected by Holm's method over the test sets, tested or not; None without one.
    """

    name: str
    measured: PairedProbabilities
    unanswered: int
    low_mass: int
    aurc: PairedDifference
    brier_p: float | None = None
    log_loss_p: float | None = None

    @property
    def differences(self) -> dict[str, tuple[PairedDifference, float | None]]:
        """The difference in each measure, by its name in data, and its corrected p-value."""
        found = self.measured
        untested = {"ece": found.ece, "classwise_ece": found.classwise_ece, "aurc": self.aurc}
        return {
            "brier": (found.brier, self.brier_p),
            "log_loss": (found.log_loss, self.log_loss_p),
            **{name: (each, None) for name, each in untested.items()},
        }


def probability_comparisons(
    first: Run, second: Run, *, max_unanswered: float = MAX_UNANSWERED
) -> tuple[ProbabilityComparison, ...]:
    """Return the comparison on each test set that both runs have and for which both gave probabilities.

    The runs are over the same items, and the clusters are those of the accuracies.  Test sets without items
    to measure are left out, and so are those of which one model or both left more than the share
    *max_unanswered* unanswered; their tests were planned and count in Holm's correction.

    >>> from crossexam.core.dataset import Dataset
    >>> from crossexam.core.example import Example
    >>> tiny = Dataset("tiny", tuple(Example(f"i{k}", f"Premise {k}.", "H.", "neutral") for k in range(4)))
    >>> rows = [np.array([[0.1, share, 0.9 - share]] * 4) for share in (0.8, 0.6)]
    >>> sure, unsure = (Run("mine", {"tiny": tiny}, {"tiny": each}) for each in rows)
    >>> (found,) = probability_comparisons(sure, unsure)
    >>> round(found.measured.brier.difference.value, 3), round(found.measured.ece.difference.value, 3)
    (-0.2, -0.2)
    """
    known = answered_part(first, second, max_unanswered)
    loud = [name for name in known[0].datasets if not _are_labels_only(name, *known)]
    clusters = numbered_clusters(known[0]) if loud else {}
    found = [_compared_on(name, *known, clusters.pop(name)) for name in loud]
    planned = [name for name in _compared(first, second) if not _are_labels_only(name, first, second)]
    return _corrected([each for each in found if each.measured.n], len(planned))


def _compared(first: Run, second: Run) -> list[str]:
    """Return the test sets of both runs with gold labels of which accuracy says something."""
    return [
        name
        for name, dataset in first.datasets.items()
        if name in second.datasets and dataset.entry.has_accuracy and (dataset.labels() >= 0).any()
    ]


def _are_labels_only(name: str, *runs: Run) -> bool:
    """Return whether one of *runs* gave answers to test set *name*, but no probabilities."""
    return any(run.answered(name).any() and gives_labels_only(run.answers(name)) for run in runs)


def _corrected(found: list[ProbabilityComparison], planned: int) -> tuple[ProbabilityComparison, ...]:
    """Return the comparisons with p-values corrected over the *planned* test sets, measure by measure."""
    corrected = []
    for measure in ("brier", "log_loss"):
        p_values = [getattr(each.measured, measure).p_value for each in found]
        adjusted = holm_of_planned([*p_values, *[None] * (planned - len(found))])
        of_bounds = [new for old, new in zip(p_values, adjusted, strict=False) if isinstance(old, PBound)]
        # Holm's method gives no value below a smaller one's: one that is equal to a bound is a bound, too.
        corrected.append([PBound(new) if new in of_bounds and new is not None else new for new in adjusted])
    return tuple(
        replace(each, brier_p=brier, log_loss_p=loss)
        for each, brier, loss in zip(found, *corrected, strict=False)
    )


def _compared_on(name: str, first: Run, second: Run, clusters: NDArray[np.int32]) -> ProbabilityComparison:
    """Return the comparison on test set *name*, whose items have these *clusters* [n], without correction."""
    items = _Items.of(name, first, second)
    n = len(items.rows)
    sure, right = np.empty((2, n)), np.empty((2, n), dtype=np.bool_)

    def parts() -> Iterator[tuple[ItemLosses, ItemLosses, NDArray[np.int32]]]:
        for rows, a, b in items.losses(clusters):
            at = np.searchsorted(items.rows, rows)
            sure[:, at], right[:, at] = (a.confidence, b.confidence), (a.right, b.right)
            yield a, b, clusters[rows]

    measured = paired_probabilities(parts(), n)
    one, other = map(Ranked, sure, right)
    area = paired_areas(one, other, clusters[items.rows])
    return ProbabilityComparison(name, measured, items.unanswered, items.low_mass, area)


def compared_calibration(name: str, first: Run, second: Run, clusters: NDArray[np.int32]) -> AtConfidence:
    """Return the difference of two runs in ECE on test set *name*, whose items have these *clusters* [n]."""
    items = _Items.of(name, first, second)
    parts = ((a, b, clusters[rows]) for rows, a, b in items.losses(clusters))
    return paired_calibration(parts, len(items.rows))


@dataclass(frozen=True)
class _Items:
    """The items of a test set that are measured, at *rows*; how many are *unanswered*, or of *low_mass*.

    *gold* [n] are the places of the gold labels of all items among the labels of the *projection*, *answers*
    those of both runs.
    """

    rows: NDArray[np.int32]
    gold: NDArray[np.int64]
    answers: tuple[NDArray[np.float64], NDArray[np.float64]]
    projection: Projection
    unanswered: int
    low_mass: int

    @classmethod
    def of(cls, name: str, first: Run, second: Run) -> _Items:
        """Return the items of test set *name* on which two runs are compared."""
        gold = first.datasets[name].labels()
        labelled = gold >= 0
        answered = labelled & first.answered(name) & second.answered(name)
        kept = answered & ~(has_low_mass(first, name) | has_low_mass(second, name))
        two_labels = first.two_labels or second.two_labels
        projection = first.datasets[name].projection.scored(two_labels=two_labels)
        return cls(
            np.flatnonzero(kept).astype(np.int32),
            projection.places_of(gold).astype(np.int64),
            (first.answers(name), second.answers(name)),
            projection,
            int((labelled & ~answered).sum()),
            int((answered & ~kept).sum()),
        )

    def losses(
        self, clusters: NDArray[np.int32]
    ) -> Iterator[tuple[NDArray[np.int32], ItemLosses, ItemLosses]]:
        """Yield what the answers of both runs are worth, a part of the rows at a time (:func:`_parts`)."""
        for rows in _parts(self.rows, clusters):
            one, other = (
                item_losses(
                    self.projection.shares(answers[rows]),
                    self.gold[rows],
                    self.projection.places[self.projection.predictions(answers[rows])].astype(np.int64),
                )
                for answers in self.answers
            )
            yield rows, one, other


def _parts(rows: NDArray[np.int32], clusters: NDArray[np.int32]) -> Iterator[NDArray[np.int32]]:
    """Yield *rows* in parts of about 50,000, with all rows of one of the *clusters* in the same part."""
    codes = clusters[rows]
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes, kind="stable")
        rows, codes = rows[order], codes[order]
    start = 0
    while start < len(rows):
        last = codes[min(start + _AT_ONCE, len(rows)) - 1]
        end = int(np.searchsorted(codes, last, side="right"))
        yield rows[start:end]
        start = end
