"""Clusters of uneven sizes, and what the test by sign flips does with them."""

import numpy as np

from crossexam.reports.significance import are_uneven
from crossexam.stats.paired import clustered_mcnemar


def rejected(design: tuple[int, int, int], share: float, *, opposed: bool, rounds: int = 300) -> float:
    """How often p is at most 0.05 for two models of the same expected accuracy.

    A *share* of the large clusters is won by one model as a whole; if *opposed*, it is always the first, and
    the second makes up for it in the small clusters.
    """
    rng, (clusters, large, size) = np.random.default_rng(3), design
    is_large = np.arange(clusters) < large
    codes = np.repeat(np.arange(clusters), np.where(is_large, size, 1))
    assert are_uneven(codes, len(codes))
    of_small = share * large * size / (clusters - large)
    found = 0
    for _ in range(rounds):
        won = rng.random(clusters) < np.where(is_large, share, of_small)
        second = ~is_large if opposed else rng.random(clusters) < 0.5
        first_wins, second_wins = (won & ~second)[codes], (won & second)[codes]
        found += clustered_mcnemar(first_wins, second_wins, codes).p_exact <= 0.05
    return found / rounds


def test_the_test_keeps_its_level_if_large_clusters_favour_a_side() -> None:
    """Sign flips alone reject in 10 to 75 %.

    Often none of 5 clusters of 20 among 95 single ones is won: the sample shows no variance of these, which
    is why they are noted as uneven.
    """
    for design, share in (((60, 2, 50), 0.3), ((300, 15, 20), 0.25)):
        assert rejected(design, share, opposed=False) <= 0.06
        assert rejected(design, share, opposed=True) <= 0.06
    assert rejected((100, 5, 20), 0.25, opposed=True) > 0.15
