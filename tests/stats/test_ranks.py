"""Groups of several models by their definition, and differences of their means."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.stats.ranks import differences_of_means, groups_not_apart


def cliques_by_definition(apart: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    m = len(apart)
    subsets = [set(each) for size in range(1, m + 1) for each in combinations(range(m), size)]
    near = [each for each in subsets if not any(apart[pair] for pair in combinations(sorted(each), 2))]
    return sorted(tuple(sorted(each)) for each in near if not any(each < other for other in near))


def test_groups_are_the_maximal_sets_of_models_that_are_not_apart() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        m = int(rng.integers(1, 8))
        upper = np.triu(rng.random((m, m)) < rng.random(), 1)
        apart = upper | upper.T
        assert groups_not_apart(apart) == cliques_by_definition(apart)


def test_test_sets_have_the_same_weight_in_a_mean() -> None:
    small, large = np.array([[True, False]] * 10), np.array([[True, True]] * 1000)
    means, tests = differences_of_means([(small, np.arange(10)), (large, np.arange(10, 1010))])
    assert [mean.value for mean in means] == pytest.approx([1.0, 0.5])
    assert tests[0, 1].difference.value == pytest.approx(0.5)
    one_differs = np.array([[True, True]] * 9 + [[True, False]])  # which does not set them apart
    assert differences_of_means([(one_differs, np.arange(10))]).tests[0, 1].p_value == 1
    with pytest.raises(ValueError, match="the same number of models"):
        differences_of_means([(np.zeros((2, models)), np.arange(2)) for models in (2, 3)])
