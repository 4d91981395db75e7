"""Selective prediction of a run: what the model would get wrong if it abstained where it is least sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.evaluation.shares import Shares
from crossexam.stats.estimate import share_correct
from crossexam.stats.selective import RiskCoverage, risk_coverage

#: The coverage at which the accuracy is stated, and the risk at which the coverage is.
COVERAGE: Final = 0.8
RISK: Final = 0.05


@dataclass(frozen=True)
class RiskCurve:
    """The *risk* at every percent of *coverage*, as near as the items come to it, and at the largest [p]."""

    coverage: NDArray[np.float64]
    risk: NDArray[np.float64]

    @classmethod
    def of(cls, whole: RiskCoverage) -> RiskCurve:
        """Return the curve of *whole*, which has a risk for every item."""
        answered = len(whole.risk)
        counts = np.unique([*(round(percent / 100 * whole.n) for percent in range(1, 101)), answered])
        counts = counts[(counts > 0) & (counts <= answered)]
        return cls(counts / whole.n, whole.risk[counts - 1])


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
    curve: RiskCurve


def selective_of(shares: Shares) -> Selective:
    """Return the selective prediction on the test set that has these *shares*.

    Items without an answer are the first on which the model abstains.

    >>> from crossexam.core.dataset import Dataset, Run
    >>> from crossexam.core.example import Example
    >>> from crossexam.evaluation.shares import shares_of
    >>> items = tuple(Example(f"i{k}", f"Premise {k}.", "H.", "neutral") for k in range(5))
    >>> rows = np.array([[0.1, 0.8, 0.1]] * 4 + [[0.6, 0.3, 0.1]])
    >>> (shares,) = shares_of(Run("mine", {"tiny": Dataset("tiny", items)}, {"tiny": rows}))
    >>> found = selective_of(shares)
    >>> found.risk.value, found.accuracy.value, found.coverage.value
    (0.2, 1.0, 0.8)
    """
    wrong, answered = ~shares.correct, shares.answered
    whole = risk_coverage(wrong, shares.confidence, shares.clusters)
    return Selective(
        test_set=shares.name,
        n=len(wrong),
        unanswered=int((~answered).sum()),
        risk=share_correct(wrong[answered], shares.clusters[answered]),
        aurc=whole.area,
        accuracy=whole.accuracy_at(COVERAGE),
        coverage=whole.coverage_at(RISK),
        curve=RiskCurve.of(whole),
    )
