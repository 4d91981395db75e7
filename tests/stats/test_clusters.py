"""Clusters and the design effect against Kish's formula and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossexam.stats.clusters import cluster_codes, effective_size, normal_quantile

clusters = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=16)


def test_design_effect_of_equal_clusters_is_kishs_one_plus_icc() -> None:
    # Kish 1965: deff = 1 + (size - 1) ICC.  Of 3000 clusters of 4, 2000 agree (their pairs correlate by 1)
    # and 1000 are halved (by -1/3): ICC = (2 x 1 - 1/3) / 3 = 5/9, and deff = 1 + 3 x 5/9 = 8/3.
    agree = np.repeat([1.0, 0.0] * 1000, 4)
    halves = np.tile([1.0, 1.0, 0.0, 0.0], 1000)
    right = np.concatenate([agree, halves])
    codes = np.repeat(np.arange(3000), 4)
    assert effective_size(right - 0.5, codes).deff == pytest.approx(1 + 3 * 5 / 9, rel=2e-3)


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
    numbers = np.array([ord(name) for name in names])
    for same in (numbers, numbers * 10**9, -numbers, np.array(names)):
        again = cluster_codes(same, len(names))
        assert len({*zip(codes.tolist(), again.tolist(), strict=True)}) == len(set(names)) == again.max() + 1


def test_confidence_is_checked() -> None:
    with pytest.raises(ValueError, match=r"confidence is 95; it must be"):
        normal_quantile(95)


def test_numbers_without_gaps_are_not_copied() -> None:
    codes = np.array([0, 2, 1, 0])
    assert cluster_codes(codes, 4) is codes
    assert cluster_codes(codes + 1, 4).tolist() == [0, 2, 1, 0]
    assert cluster_codes(codes * 2, 4).tolist() == [0, 2, 1, 0]
