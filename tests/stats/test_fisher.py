"""Tests of Fisher's exact test beyond two by two: all tables, a sample of them, and a published value."""

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

from crossexam.stats import fisher
from crossexam.stats.bootstrap import FEWEST_DRAWN
from crossexam.stats.fisher import fisher_exact

# Sanchez Carmona et al. 2018, Table 4: polarity by prediction N, C, E (DAM).
TABLE_4 = np.array([[5, 21, 0], [5, 543, 3], [0, 3, 0], [8, 20, 12]])


def test_more_tables_are_sampled_only_for_small_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    # Agresti 2002, Categorical Data Analysis, p. 57, job satisfaction by income; R's fisher.test: 0.7827
    job = [[1, 2, 1, 0], [3, 3, 6, 1], [10, 10, 14, 9], [6, 7, 12, 11]]
    near = pytest.approx(0.7827, abs=4 * (0.7827 * 0.2173 / 100_000) ** 0.5)
    assert fisher_exact(job, draws=3_000_000) == (near, FEWEST_DRAWN)
    rare = np.array([[9, 1, 2], [2, 8, 1], [3, 3, 9]])  # all of its tables can be summed over: 0.0019
    every = np.zeros((3, 3, 15**4))
    every[:2, :2] = np.indices((15,) * 4).reshape(2, 2, -1)
    every[:2, 2] = rare.sum(axis=1)[:2, None] - every[:2].sum(axis=1)
    every[2] = rare.sum(axis=0)[:, None] - every[:2].sum(axis=0)
    logs = -gammaln(every[:, :, (every >= 0).all(axis=(0, 1))] + 1).sum(axis=(0, 1))
    rarest = logs <= -gammaln(rare + 1).sum() + 1e-7
    exact = fisher_exact(rare)
    assert exact == (pytest.approx(np.exp(logsumexp(logs[rarest]) - logsumexp(logs))), 0)
    monkeypatch.setattr(fisher, "_MOST_PARTIAL", 0)  # samples even if all can be summed over
    found = fisher_exact(rare, draws=3_000_000)
    assert FEWEST_DRAWN < found.draws < 3_000_000
    assert found.p == pytest.approx(exact.p, rel=4 / 1_000**0.5)
    for of_one in ([[5, 7], [0, 0]], [[3, 0], [4, 0]], [[0, 0], [0, 0]]):  # tests nothing
        assert fisher_exact(of_one) == (1.0, 0)
    # no less than the size of the sample allows
    assert fisher_exact(TABLE_4) == (1 / 100_000, 99_999)
