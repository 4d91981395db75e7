"""The labels that judges give, beside those that models predict (Nie et al. 2019, Table 2, row Human).

``info["judge_labels"]`` holds the labels of the single judges (``validate verdict --apply``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from crossexam.core.columns import info_values
from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import JUDGE_LABELS
from crossexam.core.labels import GOLDS, Gold
from crossexam.stats.estimate import share_correct


def shares_of_labels(labels: Sequence[Gold], answers: Sequence[tuple[str, Hashable]]) -> dict[str, Estimate]:
    """Return the share of each of *labels* in *answers*, pairs of a label and the cluster of its item.

    >>> shares = shares_of_labels(["entailment", "neutral"], [("neutral", "a"), ("neutral", "b")])
    >>> {label: share.value for label, share in shares.items()}
    {'entailment': 0.0, 'neutral': 1.0}
    """
    clusters = [cluster for _, cluster in answers]
    return {label: share_correct([given == label for given, _ in answers], clusters) for label in labels}


def judge_shares(dataset: Dataset) -> dict[str, Estimate]:
    """Return the share of each label of *dataset* in the answers of its judges; empty if it has none."""
    answers = [(str(label), cluster) for _, given, cluster in judged_items(dataset) for label in given]
    return shares_of_labels(dataset.projection.labels, answers) if answers else {}


def predicted_shares(run: Run, name: str) -> dict[str, Estimate]:
    """Return the share of each label in the predictions of *run* for the items of *name* that were judged.

    A model of two labels predicts entailment or not_entailment.  Items without an answer are left out.
    """
    dataset, predicted = run.datasets[name], run.scored(name).predicted
    answers = [
        (GOLDS[predicted[row]], cluster) for row, _, cluster in judged_items(dataset) if predicted[row] >= 0
    ]
    labels: tuple[Gold, ...] = (
        ("entailment", "not_entailment") if run.two_labels else dataset.projection.labels
    )
    return shares_of_labels(labels, answers) if answers else {}


def judged_items(dataset: Dataset) -> Iterator[tuple[int, Sequence[Any], int]]:
    """Yield position, labels of the judges, and cluster of each item of *dataset* that has such labels."""
    given = info_values(dataset.examples, [JUDGE_LABELS])[JUDGE_LABELS]
    if not given.values:
        return
    clusters = dataset.clusters()
    for row in np.flatnonzero(given.stated).tolist():
        if labels := given.values[given.codes[row]]:
            yield row, labels, int(clusters[row])
