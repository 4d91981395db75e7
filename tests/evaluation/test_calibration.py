"""What is measured of probabilities: labels only, two labels, temperatures."""

from math import inf
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.calibration import calibration_of, temperature_from
from crossexam.evaluation.distributions import people_results
from crossexam.evaluation.shares import shares_of
from made.runs import stating


def test_which_labels_and_items_count() -> None:
    """Of labels alone nothing is measured; not_entailment is right for contradiction."""
    run = stating("NN", [[0, 1, 0], [1, 0, 0]])
    assert ([*shares_of(run)], people_results(run)) == ([], ())
    model = stating("CE", [[0.3, 0.7, 0.0], [0.9, 0.1, 0.0]], details={"two_label": True})
    (shares,) = shares_of(model)
    assert shares.gold.tolist() == [1, 0]
    found = calibration_of(model, shares)
    assert (found.confidence, found.accuracy.value) == (pytest.approx(0.8), 1.0)
    three = stating("NN-", [[0.9, 0.0, 0.1], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05]])
    found = calibration_of(three, *shares_of(three))
    assert (found.n, found.impossible) == (2, 1)  # one without a gold label, one of probability 0
    assert (found.log_loss.value, found.log_loss.high) == (inf, inf)


def over(first: int, count: int, sharp: float = 3.0, **manifest: Any) -> Run:
    """A run whose probabilities are those of being right to the power of *sharp*."""
    rng = np.random.default_rng(first)
    true = rng.dirichlet([2, 1, 1], count)
    gold = (rng.random((count, 1)) > np.cumsum(true, axis=1)).sum(axis=1)
    rows = true**sharp / (true**sharp).sum(axis=1, keepdims=True)
    return stating("".join("ENC"[k] for k in gold), rows, premises=range(first, first + count), **manifest)


def test_a_temperature_is_fitted_on_other_premises_only() -> None:
    run = over(0, 500)
    found = temperature_from(over(450, 2000), run)  # 50 premises are those of the run
    assert (found.n, found.left_out, found.test_sets) == (1950, 50, ("base.own",))
    assert found.temperature == pytest.approx(3.0, rel=0.15)
    with pytest.raises(CrossexamError, match="of 500 items, 500 share a premise"):
        temperature_from(run, run)
    with pytest.raises(CrossexamError, match="another model"):
        temperature_from(over(1000, 200, model_key="x"), run)
