"""Clusters and the design effect, against Kish's formula and by leaving clusters out."""

import numpy as np
import pytest
from figure_formulas import intervals as formulas
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossexam.stats.clusters import (
    ClusterSums,
    cluster_codes,
    clustered_mean,
    effective_size,
    equal_weights,
    freedom_of,
    normal_quantile,
    student_quantile,
)
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar

RNG = np.random.default_rng(3)
N = 400
PREMISES = RNG.integers(0, 90, N)
KEYS = RNG.zipf(1.6, N) % 40  # a few frequent keys, many rare ones
BOTH = np.stack([PREMISES, KEYS], axis=1)
CORRECT = RNG.random(N) < 0.3 + 0.4 * (KEYS % 3 == 0) + 0.2 * (PREMISES % 2)
OTHER = RNG.random(N) < 0.5
VALUES = RNG.normal(size=N) + PREMISES % 3


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=16))
def test_codes_say_the_same_as_the_names(names: list[str]) -> None:
    codes, n = cluster_codes(names, len(names)), len(set(names))
    assert sorted(set(codes.tolist())) == list(range(n))
    numbers = np.array([ord(name) for name in names])
    for same in (codes, codes + 1, numbers, numbers * 10**9, -numbers, np.array(names)):
        again = cluster_codes(same, len(names))
        assert len({*zip(names, codes.tolist(), again.tolist(), strict=True)}) == n == again.max() + 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clusters", [PREMISES, BOTH])
def test_the_variance_is_that_of_leaving_clusters_out(clusters: NDArray[np.int64], weighted: bool) -> None:
    weights = equal_weights(KEYS, N) if weighted else None
    units = [clusters] if clusters is PREMISES else [PREMISES, KEYS]
    found = clustered_mean(VALUES, clusters, weights)
    mean, error = np.average(VALUES, weights=weights), formulas.variance(VALUES, units, weights) ** 0.5
    of_premises, keys = np.bincount(PREMISES, weights) / (1 if weighted else N), len(np.unique(KEYS))
    freedom = freedom_of(of_premises) if clusters is PREMISES else keys - 1
    assert (found.value, found.error, found.freedom) == pytest.approx((mean, error, freedom))
    half = student_quantile(freedom, 0.9) * error
    assert found.interval((mean - 1e-3, np.inf), 0.9)[:3] == pytest.approx((mean, mean - 1e-3, mean + half))
    residuals = CORRECT - np.average(CORRECT, weights=weights)
    size = effective_size(residuals, cluster_codes(clusters, N), 0.95, weights)
    assert (size.n_eff, size.deff) == pytest.approx(formulas.effective(CORRECT, units, weights))
    assert size.clusters == (len(np.unique(PREMISES)) if clusters is PREMISES else keys)


def test_what_does_not_vary_has_no_error() -> None:
    for values, clusters in (([], None), ([1.0, 2.0], ["x", "x"]), ([1.0, np.inf], None)):
        found = clustered_mean(values, clusters)
        assert np.isinf(found.error)
        assert found.interval((-3.0, 4.0))[1:3] == (-3.0, 4.0)


def test_clusters_that_come_in_parts_have_the_error_of_all() -> None:
    columns = np.stack([VALUES, np.full(N, 0.7)], axis=1)
    sizes, codes = np.bincount(cluster_codes(PREMISES, N)), cluster_codes(PREMISES, N)
    sums = np.stack([np.bincount(codes, each) for each in columns.T], axis=1)
    found = ClusterSums(N, 2)
    for part in (slice(0, 20), slice(20, None)):
        found.add(sizes[part], sums[part].copy())
    for place, column in enumerate(columns.T):
        assert [*found.mean(place)] == pytest.approx([*clustered_mean(column, PREMISES)], abs=1e-8)
    together = clustered_mean(columns.sum(axis=1), PREMISES)
    assert found.variance(slice(None)).sum() == pytest.approx((N * together.error) ** 2)


def test_frequent_keys_widen_the_interval_and_one_counts_as_one_item() -> None:
    one_key = np.stack([np.arange(18), np.zeros(18, dtype=np.int64)], axis=1)
    assert effective_size(np.tile([0.5, -0.5], 9), one_key).n_eff == freedom_of(np.array([0.95, 0.05])) == 1
    assert share_correct([True, False] * 9, one_key)[1:3] == share_correct([True, False] * 9, ["k"] * 18)[1:3]
    # the test by both is the one with the larger p-value
    each_way = [clustered_mcnemar(CORRECT, OTHER, codes).p_exact for codes in (PREMISES, KEYS)]
    assert clustered_mcnemar(CORRECT, OTHER, BOTH).p_exact == max(each_way)
    with pytest.raises(ValueError, match=r"confidence is 95; it must be"):
        normal_quantile(95)
