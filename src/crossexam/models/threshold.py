"""Models that give one number, the probability that the premise entails the hypothesis, and a threshold.

Detectors of hallucinations and verifiers of claims are often of this kind.  Their thresholds differ, and
no threshold is ever assumed: ``--threshold`` declares it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABEL_INDEX
from crossexam.models.label_order import TWO_LABELS, Order, row_softmax, to_label_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_threshold(threshold: float | None) -> None:
    """Raise CrossexamError unless *threshold* is None or lies between 0 and 1.

    >>> check_threshold(0.5), check_threshold(None)
    (None, None)
    """
    if threshold is not None and not 0 < threshold < 1:
        raise CrossexamError(f"the threshold is {threshold:g}", wanted="a number above 0 and below 1")


class MissingThresholdError(CrossexamError):
    """A model gives one number per pair, and the value above which it means entailment is not known."""


def missing_threshold(what: str, *, where: str, otherwise: str = "") -> MissingThresholdError:
    """Return the error that *what*, a model with one number per pair, needs a threshold.

    *otherwise* ends the hint with another way out.
    """
    return MissingThresholdError(
        f"{what}, but the value above which it means entailment is not known",
        where=where,
        wanted="a declared threshold",
        hint="--threshold 0.5 (or what its card says) reads higher values as entailment and others as "
        f"not_entailment{otherwise}",
    )


def refuse_threshold(what: str, *, where: str) -> CrossexamError:
    """Return the error that *what*, a model of three labels, takes no threshold."""
    return CrossexamError(
        f"{what}, and the most probable one is predicted",
        where=where,
        wanted="no --threshold, which is for models of two labels",
    )


def at_threshold(entailed: NDArray[np.float64], threshold: float | None) -> NDArray[np.float64]:
    """Return probabilities of entailment [n] as [n, 3] in the order of ``LABELS``, for models of two labels.

    With a *threshold*, probabilities are stretched on both sides of it so that it comes to lie at one half,
    where all measures of two labels divide; their order stays.

    >>> import numpy as np
    >>> at_threshold(np.array([0.4, 0.8, 0.9]), 0.8).round(3).tolist()
    [[0.25, 0.75, 0.0], [0.5, 0.5, 0.0], [0.75, 0.25, 0.0]]
    """
    shares = np.asarray(entailed, dtype=np.float64)
    if threshold is not None:
        below = shares / (2 * threshold)
        above = 0.5 + (shares - threshold) / (2 * (1 - threshold))
        shares = np.where(shares <= threshold, below, above)
    return to_label_columns(np.stack([shares, 1 - shares], axis=1), TWO_LABELS)


def head_shares(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities [n, k] that *logits* stand for; [n, 2] if the head has one output.

    >>> import numpy as np
    >>> head_shares(np.array([[0.0]])).tolist()
    [[0.5, 0.5]]
    """
    if logits.shape[1] != 1:
        return row_softmax(logits)
    first = 1 / (1 + np.exp(-logits))
    return np.concatenate([first, 1 - first], axis=1)


def label_probabilities(
    shares: NDArray[np.float64], order: Order, threshold: float | None
) -> NDArray[np.float64]:
    """Return *shares* [n, k] of classes in *order* as [n, 3] in the order of ``LABELS``.

    >>> import numpy as np
    >>> label_probabilities(np.array([[0.5, 0.5]]), ("entailment", "not_entailment"), 0.25).round(3).tolist()
    [[0.667, 0.333, 0.0]]
    """
    columns = to_label_columns(shares, order)
    return columns if threshold is None else at_threshold(columns[:, LABEL_INDEX["entailment"]], threshold)
