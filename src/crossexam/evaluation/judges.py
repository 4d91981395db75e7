"""The labels that judges give, beside those that models predict (Nie et al. 2019, Table 2, row Human).

``info["judge_labels"]`` holds the labels of the single judges (``validate verdict --apply``).
"""

from __future__ import annotations

from collections.abc import Sequence

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import JUDGE_LABELS, cluster_of
from crossexam.core.labels import GOLDS, Gold, projection_of
from crossexam.stats.estimate import share_correct


def shares_of_labels(labels: Sequence[Gold], answers: Sequence[tuple[str, str]]) -> dict[str, Estimate]:
    """Return the share of each of *labels* in *answers*, pairs of a label and the cluster of its item.

    >>> shares = shares_of_labels(["entailment", "neutral"], [("neutral", "a"), ("neutral", "b")])
    >>> {label: share.value for label, share in shares.items()}
    {'entailment': 0.0, 'neutral': 1.0}
    """
    clusters = [cluster for _, cluster in answers]
    return {label: share_correct([given == label for given, _ in answers], clusters) for label in labels}


def judge_shares(dataset: Dataset) -> dict[str, Estimate]:
    """Return the share of each label of *dataset* in the answers of its judges; empty if it has none."""
    answers = [
        (str(label), cluster_of(example))
        for example in dataset
        for label in example.info.get(JUDGE_LABELS) or ()
    ]
    return shares_of_labels(_labels(dataset), answers) if answers else {}


def predicted_shares(run: Run, name: str) -> dict[str, Estimate]:
    """Return the share of each label in the predictions of *run* for the items of *name* that were judged.

    A model of two labels predicts entailment or not_entailment.
    """
    dataset = run.datasets[name]
    answers = [
        (GOLDS[label], cluster_of(example))
        for example, label in zip(dataset, run.label_indices(name).tolist(), strict=True)
        if example.info.get(JUDGE_LABELS)
    ]
    labels: tuple[Gold, ...] = ("entailment", "not_entailment") if run.two_labels else _labels(dataset)
    return shares_of_labels(labels, answers) if answers else {}


def _labels(dataset: Dataset) -> tuple[Gold, ...]:
    return projection_of(dataset.manifest, (example.label for example in dataset)).labels
