"""What the intervals and p-values of a table assume, and where that matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from crossexam.constructions.keys import keys_are_sampled
from crossexam.core.dataset import Dataset
from crossexam.reports.names import named_together
from crossexam.reports.results import Results, once
from crossexam.stats.clusters import Clusters, cluster_codes

#: Which test the p-values of drops and comparisons are from.
MCNEMAR: Final = (
    "p: McNemar's test by cluster (with word pairs, the larger p of the two), Holm-corrected over the test "
    "sets. Its null hypothesis is that each cluster is as likely to favour one side as the other."
)


#: Clusters that weigh as much as fewer equal ones than these can be uneven.
_MOST_UNEVEN: Final = 60


def intervals_of(test_sets: Mapping[str, Dataset], names: Mapping[str, str]) -> str:
    """Return what the intervals of *test_sets* are: by premise, and by word pair where they have these."""
    keyed = [name for name, dataset in test_sets.items() if keys_are_sampled(dataset.entry.construction)]
    by_pair = f" ({named_together(keyed, test_sets, names)}: and by word pair)" if keyed else ""
    return f"95 % intervals clustered by premise{by_pair}"


def are_uneven(clusters: Clusters, n: int) -> bool:
    """Return whether few of the *clusters* of *n* items hold so many of them that sign flips may mislead.

    :func:`crossexam.stats.paired.clustered_mcnemar` is valid if each cluster is as likely to favour one side
    as the other.  If one side is better in a few large clusters, and the other in many small ones, both may
    be equally accurate and p still too small.  The clusters are uneven if they weigh as much as ``(sum_k
    n_k)^2 / sum_k n_k^2`` equal ones (Kish 1965, *Survey Sampling*), and these are fewer than 60 and than
    half of the clusters.  The limits are ours: with 95 single items, 5 clusters of 20 are uneven, and with
    990, 10 of 50 are not (``tests/reports/test_significance.py`` simulates what p is then).

    >>> are_uneven([0] * 20 + [1] * 20 + list(range(2, 60)), 98), are_uneven(np.arange(300) // 3, 300)
    (True, False)
    """
    sizes = np.bincount(cluster_codes(clusters, n)).astype(np.float64)
    if not n:
        return False
    alike = n**2 / float(sizes @ sizes)
    return alike < min(_MOST_UNEVEN, len(sizes) / 2)


def uneven_clusters_notes(
    tested: Iterable[str], test_sets: Mapping[str, Dataset], names: Mapping[str, str]
) -> list[str]:
    """Return which of the *tested* test sets have so uneven clusters that this assumption matters."""
    uneven = [
        names[name]
        for name in dict.fromkeys(tested)
        if are_uneven(test_sets[name].clusters(), len(test_sets[name]))
    ]
    if not uneven:
        return []
    return [
        f"Few clusters hold many of the items of {', '.join(uneven)}: if these favour one side and the small "
        "clusters the other, p may be too small there."
    ]


@once
def uneven_drops_notes(results: Results) -> list[str]:
    """Return :func:`uneven_clusters_notes` of the test sets whose drops were tested."""
    tested = (name for name, _, result in results.by_test_set() if result.p_value is not None)
    return uneven_clusters_notes(tested, results.test_sets, results.short_names)
