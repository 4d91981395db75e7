"""Selective prediction of a run: what the model would get wrong if it abstained where it is least sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.evaluation.shares import Shares, probabilities_needed, shares_of
from crossexam.stats.estimate import share_correct
from crossexam.stats.selective import RiskCoverage, risk_coverage

#: The coverage at which the accuracy is stated, and the risk at which the coverage is.
COVERAGE: Final = 0.8
RISK: Final = 0.05


@dataclass(frozen=True)
class Selective:
    """Selective prediction on a test set of *n* items with a gold label, *unanswered* of them not answered.

    *risk* is the share of wrong answers if all are given, *aurc* the area under the risk-coverage *curve*.
    *accuracy* is that at :data:`COVERAGE`, not a number (nan) if fewer items have an answer; *coverage* is
    the largest with a risk of at most :data:`RISK`.
    """

    test_set: str
    n: int
    unanswered: int
    risk: Estimate
    aurc: Estimate
    accuracy: Estimate
    coverage: Estimate
    curve: RiskCoverage


def selective_results(run: Run, shares: Mapping[str, Shares] | None = None) -> tuple[Selective, ...]:
    """Return the selective prediction of *run* on each test set for which the model gave probabilities.

    Items without an answer are the first on which it abstains.  *shares* are those of the run, if they are
    known.  Raises CrossexamError if it gave labels only.

    >>> import numpy as np
    >>> from crossexam.core.dataset import Dataset
    >>> from crossexam.core.example import Example
    >>> items = tuple(Example(f"i{k}", f"Premise {k}.", "H.", "neutral") for k in range(5))
    >>> rows = np.array([[0.1, 0.8, 0.1]] * 4 + [[0.6, 0.3, 0.1]])
    >>> (found,) = selective_results(Run("mine", {"tiny": Dataset("tiny", items)}, {"tiny": rows}))
    >>> found.risk.value, found.accuracy.value, found.coverage.value
    (0.2, 1.0, 0.8)
    """
    found = shares_of(run) if shares is None else shares
    if not found:
        raise probabilities_needed(run, "a risk-coverage curve")
    return tuple(_selective(each) for each in found.values())


def _selective(here: Shares) -> Selective:
    wrong, confidence, answered = ~here.correct, here.confidence, here.answered
    curve = risk_coverage(wrong, confidence, here.clusters)
    return Selective(
        test_set=here.name,
        n=len(wrong),
        unanswered=int((~answered).sum()),
        risk=share_correct(wrong[answered], here.clusters[answered]),
        aurc=curve.area,
        accuracy=curve.accuracy_at(COVERAGE),
        coverage=curve.coverage_at(RISK),
        curve=curve,
    )
