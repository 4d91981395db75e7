"""The calibration of a run: whether the probabilities of a model are those of being right.

The probability of a prediction is that of the predicted label, after the projection of a test set that does
not have the three labels.  Items without a gold label or without an answer are left out, and so are those of
which a model gave the labels less than half of its probability (:data:`LEAST_MASS`); each is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Run, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.labels import LABELS, Gold
from crossexam.evaluation.shares import Shares, probabilities_needed, shares_of
from crossexam.stats.calibration import (
    CalibrationError,
    ReliabilityBin,
    calibration_error,
    equal_mass_bins,
    equal_width_bins,
    fit_temperature,
    reliability,
    tempered,
)
from crossexam.stats.clusters import cluster_codes
from crossexam.stats.estimate import share_correct
from crossexam.stats.losses import brier_scores, log_losses, mean_loss

#: The least probability that all labels have together for an item to be measured; below it, probabilities
#: that were normalised to 1 say little about the model.
LEAST_MASS: Final = 0.5

#: The fewest items on which a temperature is fitted.
FEWEST: Final = 100


@dataclass(frozen=True)
class Calibration:
    """The calibration of a model on a test set, over the *n* items that are measured.

    *unanswered* items had no answer, *low_mass* ones too little probability on all labels.  *confidence* is
    the mean probability of the predictions, *accuracy* the share that is right.  *ece* has bins of equal
    width, *ece_equal_mass* bins of as many items, *classwise* is the mean over the *labels* (equal width).
    *brier* is the sum over the labels; *log_loss* is infinite if a gold label has the probability 0, as for
    *impossible* items.  *bins* are those of *ece*.
    """

    test_set: str
    labels: tuple[Gold, ...]
    n: int
    unanswered: int
    low_mass: int
    impossible: int
    confidence: float
    accuracy: Estimate
    ece: CalibrationError
    ece_equal_mass: CalibrationError
    classwise: CalibrationError
    brier: Estimate
    log_loss: Estimate
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True)
class Temperature:
    """A *temperature* fitted on *n* items of the *test_sets* of another run of the same model.

    *left_out* items of that run share a premise with those that are measured.
    """

    temperature: float
    n: int
    left_out: int
    test_sets: tuple[str, ...]


def has_low_mass(run: Run, name: str) -> NDArray[np.bool_]:
    """Return of which items of test set *name* all labels together had less than :data:`LEAST_MASS`: [n].

    False where that is not known.
    """
    low: NDArray[np.bool_] = run.outcomes_of(name).label_mass < LEAST_MASS
    return low


def are_measured(run: Run, shares: Shares) -> NDArray[np.bool_]:
    """Return of which items with these *shares* calibration is measured [n]: the answered ones, by mass."""
    return shares.answered & ~has_low_mass(run, shares.name)[shares.rows]


def calibration_of(run: Run, shares: Shares) -> Calibration:
    """Return the calibration of *run* on the test set that has these *shares*.

    >>> from crossexam.core.dataset import Dataset
    >>> from crossexam.core.example import Example
    >>> items = tuple(Example(f"i{k}", f"Premise {k}.", "H.", "neutral") for k in range(4))
    >>> rows = np.array([[0.1, 0.8, 0.1]] * 3 + [[0.8, 0.1, 0.1]])
    >>> run = Run("mine", {"tiny": Dataset("tiny", items)}, {"tiny": rows})
    >>> (found,) = (calibration_of(run, shares) for shares in shares_of(run))
    >>> found.confidence, found.accuracy.value, round(found.ece.error.value, 3)
    (0.8, 0.75, 0.05)
    """
    measured = are_measured(run, shares)
    kept = shares.at(measured)
    stated, right = kept.confidence, kept.correct
    clusters = cluster_codes(kept.clusters, len(right))
    width = equal_width_bins(stated)
    of_labels = _of_labels(kept, clusters)
    return Calibration(
        test_set=shares.name,
        labels=shares.projection.labels,
        n=len(right),
        unanswered=int((~shares.answered).sum()),
        low_mass=int((shares.answered & ~measured).sum()),
        impossible=of_labels.impossible,
        confidence=float(stated.mean()) if len(stated) else float("nan"),
        accuracy=share_correct(right, clusters),
        ece=calibration_error(stated, right, width, clusters),
        ece_equal_mass=calibration_error(stated, right, equal_mass_bins(stated), clusters),
        classwise=of_labels.classwise,
        brier=of_labels.brier,
        log_loss=of_labels.log_loss,
        bins=reliability(stated, right, width, clusters),
    )


class _OfLabels(NamedTuple):
    """What is measured of the shares of all labels: the fields of :class:`Calibration`."""

    classwise: CalibrationError
    brier: Estimate
    log_loss: Estimate
    impossible: int


def _of_labels(kept: Shares, clusters: NDArray[np.int64]) -> _OfLabels:
    shares, gold = kept.shares, kept.gold
    is_gold = gold[:, None] == np.arange(shares.shape[1])
    classwise = calibration_error(shares, is_gold, equal_width_bins(shares), clusters)
    del is_gold
    brier = mean_loss(brier_scores(shares, gold, kept.predicted), clusters, most=2.0)
    losses = log_losses(shares, gold, kept.predicted)
    return _OfLabels(classwise, brier, mean_loss(losses, clusters), int(np.isinf(losses.observed).sum()))


def temperature_from(other: Run, run: Run) -> Temperature:
    """Return the temperature fitted on *other*, a run of the same model over other items than those of *run*.

    Items of *other* that share a premise with items of *run* are left out, and counted: a temperature that is
    fitted on the items that it is judged by is not evidence.  Raises CrossexamError if the models differ, if
    either gave labels only, or if fewer than :data:`FEWEST` items are left.
    """
    if not same_model(other, run):
        raise CrossexamError(
            f"the temperature of '{run.model}' cannot be fitted on predictions of another model",
            where=f"a run of '{other.model}'",
            wanted="a run of the same model, with the same options, over other test sets",
        )
    if next(shares_of(run), None) is None:
        raise probabilities_needed(run, "a temperature")
    measured = np.concatenate([dataset.clusters() for dataset in run.datasets.values()])
    parts = {each.name: _items_to_fit(other, each, measured) for each in shares_of(other)}
    if not parts:
        raise probabilities_needed(other, "a temperature")
    n, left_out = (sum(counts) for counts in zip(*(part.counts for part in parts.values()), strict=True))
    if n < FEWEST:
        raise CrossexamError(
            f"{counted_items(n, 'item')} to fit a temperature on: of {n + left_out:,} items, {left_out:,} "
            "share a premise with items that are measured",
            where=f"the run of '{other.model}' that the temperature is fitted on",
            wanted=f"at least {FEWEST} items with other premises, as in another split",
        )
    whole = [np.concatenate(column) for column in zip(*(part[:3] for part in parts.values()), strict=True)]
    fitted_on = tuple(name for name, part in parts.items() if part.counts[0])
    return Temperature(fit_temperature(*whole), n, left_out, fitted_on)


def same_model(first: Run, second: Run) -> bool:
    """Return whether both runs are of the same model with the same options."""
    keys = [run.manifest.model_key or run.model for run in (first, second)]
    return bool(keys[0] == keys[1])


class _ToFit(NamedTuple):
    """Items on which a temperature is fitted: arrays [n, 3] as of :func:`fit_temperature`.

    *counts*: how many they are, and how many were left out.
    """

    probabilities: NDArray[np.float64]
    right: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    counts: tuple[int, int]


def _items_to_fit(run: Run, shares: Shares, measured: NDArray[np.uint64]) -> _ToFit:
    """Return the items of a test set of *run* that share no cluster with those that are *measured*."""
    usable = are_measured(run, shares)
    other = ~np.isin(run.datasets[shares.name].clusters()[shares.rows], measured)
    kept = usable & other
    columns = np.zeros((len(shares.projection.labels), len(LABELS)), dtype=bool)  # of each label
    for place, group in enumerate(shares.projection.columns):
        columns[place, list(group)] = True
    counted = np.broadcast_to(columns.any(axis=0), (int(kept.sum()), len(LABELS)))
    counts = int(kept.sum()), int((usable & ~other).sum())
    return _ToFit(run.answers(shares.name)[shares.rows[kept]], columns[shares.gold[kept]], counted, counts)


def at_temperature(run: Run, temperature: float) -> Run:
    """Return *run* at a *temperature*: :func:`crossexam.stats.calibration.tempered` of its probabilities."""
    rows = {name: tempered(run.answers(name), temperature) for name in run.datasets}
    return replace(run, probabilities=rows)
