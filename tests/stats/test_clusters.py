"""Clusters and the design effect against Kish's formula and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from crossexam.stats.clusters import (
    ClusterSums,
    cluster_codes,
    clustered_mean,
    effective_size,
    equal_weights,
    freedom_of,
    jackknife,
    normal_quantile,
    student_quantile,
)
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar, paired_difference

clusters = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=16)


def test_the_design_effect_of_three_pairs_by_hand() -> None:
    right = np.array([1, 1, 0, 0, 1, 1])
    size = effective_size(right - 4 / 6, np.array([0, 0, 1, 1, 2, 2]))
    between = 3 / 2 * (4 / 9 + 16 / 9 + 4 / 9)
    within = 6 / 5 * (4 * 1 / 9 + 2 * 4 / 9)
    assert size.deff == pytest.approx((between + 0.25 * 2**2) / (within + 0.25 * 2))  # Kish's worst case: 2
    few = (stats.t.ppf(0.975, 5) / stats.t.ppf(0.975, 2)) ** 2
    assert size.n_eff == max(1.0, 6 / size.deff * few) == 1.0
    assert size.clusters == 3


@given(clusters)
def test_codes_say_the_same_as_the_names(names: list[str]) -> None:
    codes = cluster_codes(names, len(names))
    assert sorted(set(codes.tolist())) == list(range(len(set(names))))
    assert len({*zip(names, codes.tolist(), strict=True)}) == len(set(names))
    gaps = codes * 2, codes + 1
    assert cluster_codes(codes, len(names)) is codes  # numbers without gaps are not copied
    for same in gaps:
        assert cluster_codes(same, len(names)).tolist() == codes.tolist()
    numbers = np.array([ord(name) for name in names])
    for same in (numbers, numbers * 10**9, -numbers, np.array(names)):
        again = cluster_codes(same, len(names))
        assert len({*zip(codes.tolist(), again.tolist(), strict=True)}) == len(set(names)) == again.max() + 1


RNG = np.random.default_rng(3)
N = 400
PREMISES = RNG.integers(0, 90, N)
KEYS = RNG.zipf(1.6, N) % 40  # a few frequent keys, many rare ones
BOTH = np.stack([PREMISES, KEYS], axis=1)
CORRECT = RNG.random(N) < 0.3 + 0.4 * (KEYS % 3 == 0) + 0.2 * (PREMISES % 2)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_is_that_of_leaving_clusters_out(weighted: bool) -> None:
    weights = equal_weights(KEYS, N) if weighted else np.full(N, 1 / N)
    mean, codes = float(weights @ CORRECT), cluster_codes(PREMISES, N)
    rest = [np.flatnonzero(codes != code) for code in range(codes.max() + 1)]
    without = [float(weights[rows] @ CORRECT[rows] / weights[rows].sum()) for rows in rest]
    m = len(without)
    assert freedom_of(np.full(4, 0.25)) == pytest.approx(3)
    assert freedom_of(np.array([0.9, 0.05, 0.05])) == 1
    expected = (m - 1) / m * sum((each - mean) ** 2 for each in without)
    sums, shares = np.bincount(codes, weights * (CORRECT - mean)), np.bincount(codes, weights)
    assert jackknife(sums, shares) == pytest.approx(expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_two_way_variance_is_that_of_the_two_less_that_of_both(weighted: bool) -> None:
    weights = equal_weights(KEYS, N) if weighted else np.full(N, 1 / N)
    mean = float(weights @ CORRECT)
    u, worst, total = weights * (CORRECT - mean), 0.0, 0.0
    for codes, sign in ((PREMISES, 1), (KEYS, 1), (PREMISES * 100 + KEYS, -1)):
        dense = cluster_codes(codes, N)
        shares = np.bincount(dense, weights)
        total += sign * jackknife(np.bincount(dense, u), shares)
        worst += sign * N * float(shares @ shares)
    within = N / (N - 1) * N * float(weights @ (CORRECT - mean) ** 2)
    items = 0.25 * N / len(np.unique(KEYS))  # a quarter of a cluster of average size
    deff = (N * N * total + items * worst) / (within + items)
    found = effective_size(CORRECT - mean, cluster_codes(BOTH, N), 0.95, weights if weighted else None)
    assert found.deff == pytest.approx(max(deff, N * float(weights @ weights)))
    assert found.clusters == len(np.unique(KEYS))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clusters", [PREMISES, BOTH])
def test_the_error_of_a_mean_is_the_root_of_this_variance(
    clusters: NDArray[np.int64], weighted: bool
) -> None:
    weights = equal_weights(KEYS, N) if weighted else np.full(N, 1 / N)
    values = RNG.normal(size=N) + PREMISES % 3
    mean, columns = float(weights @ values), clusters.reshape(N, -1)
    both = columns[:, 0] * 100 + columns[:, -1]
    total, held = 0.0, np.bincount(cluster_codes(PREMISES, N), weights)
    for codes, sign in ((columns[:, 0], 1), (columns[:, -1], 1), (both, -1)):
        dense = cluster_codes(codes, N)
        total += sign * jackknife(np.bincount(dense, weights * (values - mean)), np.bincount(dense, weights))
    found = clustered_mean(values, clusters, weights if weighted else None)
    freedom = freedom_of(held) if clusters is PREMISES else len(np.unique(KEYS)) - 1
    assert (found.value, found.error, found.freedom) == pytest.approx((mean, total**0.5, freedom))
    half = student_quantile(freedom, 0.9) * total**0.5
    assert found.interval((mean - 1e-3, np.inf), 0.9)[:3] == pytest.approx((mean, mean - 1e-3, mean + half))


@pytest.mark.parametrize(
    ("values", "clusters"), [([], None), ([1.0, 2.0], ["x", "x"]), ([1.0, np.inf], None)]
)
def test_what_does_not_vary_has_no_error(values: list[float], clusters: list[str] | None) -> None:
    found = clustered_mean(values, clusters)
    assert np.isinf(found.error)
    assert found.interval((-3.0, 4.0))[1:3] == (-3.0, 4.0)


def test_clusters_that_come_in_parts_have_the_error_of_all() -> None:
    columns = np.stack([RNG.normal(size=N) + PREMISES % 3, np.full(N, 0.7)], axis=1)
    sizes, codes = np.bincount(cluster_codes(PREMISES, N)), cluster_codes(PREMISES, N)
    sums = np.stack([np.bincount(codes, each) for each in columns.T], axis=1)
    found = ClusterSums(N, 2)
    for part in (slice(0, 20), slice(20, None)):
        found.add(sizes[part], sums[part].copy())
    for place, column in enumerate(columns.T):
        assert [*found.mean(place)] == pytest.approx([*clustered_mean(column, PREMISES)], abs=1e-8)
    together = clustered_mean(columns.sum(axis=1), PREMISES)
    assert found.variance(slice(None)).sum() == pytest.approx((N * together.error) ** 2)


def test_one_way_twice_is_one_way() -> None:
    """With the same clusters both ways, V + V - V = V; only t is for the plain number of clusters."""
    twice = np.stack([PREMISES, PREMISES], axis=1)
    residuals = CORRECT - CORRECT.mean()
    found, one_way = (effective_size(residuals, cluster_codes(each, N)) for each in (twice, PREMISES))
    assert found.deff == pytest.approx(one_way.deff, rel=0.02)
    assert found.n_eff == pytest.approx(one_way.n_eff, rel=0.02)


def test_the_weighted_mean_is_the_mean_over_keys() -> None:
    means = [CORRECT[key == KEYS].mean() for key in np.unique(KEYS)]
    found = share_correct(CORRECT, BOTH, weights=equal_weights(KEYS, N))
    assert found.value == pytest.approx(np.mean(means))
    assert abs(found.value - CORRECT.mean()) > 0.005
    assert found.low < found.value < found.high
    other = RNG.random(N) < 0.5
    drop = paired_difference(CORRECT, other, BOTH, weights=equal_weights(KEYS, N))
    lost = [CORRECT[key == KEYS].mean() - other[key == KEYS].mean() for key in np.unique(KEYS)]
    assert drop.value == pytest.approx(np.mean(lost))
    assert drop.low < drop.value < drop.high


def test_frequent_keys_widen_the_interval_and_one_counts_as_one_item() -> None:
    keys = np.array([0] * 200 + [*range(1, 201)])
    correct = np.array([True] * 200 + [False, True] * 100)
    by_premise = share_correct(correct)
    two_way = share_correct(correct, np.stack([np.arange(N), keys], axis=1))
    assert two_way.value == by_premise.value == 0.75
    assert two_way.high - two_way.low > 5 * (by_premise.high - by_premise.low)
    one_key = np.stack([np.arange(18), np.zeros(18, dtype=np.int64)], axis=1)
    assert effective_size(np.tile([0.5, -0.5], 9), one_key).n_eff == 1
    assert share_correct([True, False] * 9, one_key)[1:3] == share_correct([True, False] * 9, ["k"] * 18)[1:3]
    other = RNG.random(N) < 0.5  # the test by both is the one with the larger p-value
    each_way = [clustered_mcnemar(CORRECT, other, codes).p_exact for codes in (PREMISES, KEYS)]
    assert clustered_mcnemar(CORRECT, other, BOTH).p_exact == max(each_way)
    with pytest.raises(ValueError, match=r"confidence is 95; it must be"):
        normal_quantile(95)


def test_codes_do_not_depend_on_what_hashes_are() -> None:
    for hashes in ([2**60, -5, 2**60, 7 * 10**17], [3, 2**60, 3, -1]):
        assert cluster_codes(np.array(hashes), 4).tolist() == [0, 1, 0, 2]
