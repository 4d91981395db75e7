"""Scores on the cross-dataset benchmark (Zhang et al., 2020): mean accuracy, and its difference from SNLI.

The columns of their Table 2, each with an interval: corpora are independent; within a corpus, items that
share a premise form a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.manifest import CROSS_DATASET
from crossexam.evaluation.measures import TestSetResult
from crossexam.evaluation.scores import score_run
from crossexam.published.figures import published
from crossexam.stats.combined import less, mean_of, ratio_less_one
from crossexam.stats.paired import paired_difference
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE

_SNLI = {REFERENCE: "test", "snli_dev": "dev"}


@dataclass(frozen=True)
class BenchmarkScore:
    """The *accuracies* by corpus, their *mean*, the accuracy on SNLI (*reference*), and the *difference* and
    *relative* difference of the mean from it, as shares; None if SNLI is not among the test sets.

    *missing* corpora are not included; only a part of the *incomplete* ones is installed.
    """

    accuracies: Mapping[str, Estimate]
    mean: Estimate
    reference: Estimate | None
    difference: Estimate | None
    relative: Estimate | None
    missing: tuple[str, ...]
    incomplete: tuple[str, ...]
    part: str = "test"
    reference_name: str = "SNLI test"

    @property
    def title(self) -> str:
        """The title of the score: that of the benchmark only if all fourteen corpora are included in full."""
        sets = "" if self.part == "test" else " (validation sets)"
        if not self.missing and not self.incomplete:
            return f"Cross-dataset benchmark{sets}"
        whole = len(self.accuracies) - len(self.incomplete)
        more = f", {len(self.incomplete)} in part" if self.incomplete else ""
        return f"Part of the cross-dataset benchmark{sets}: {whole} of {len(MEMBERS)} corpora{more}"

    @property
    def figures(self) -> dict[str, Estimate]:
        """The mean and both differences by name, those that there are."""
        named = {"mean": self.mean, "difference": self.difference, "relative": self.relative}
        return {name: figure for name, figure in named.items() if figure is not None}


def about(dataset: Dataset) -> Mapping[str, Any]:
    """Return what the manifest of *dataset* says of its place in the benchmark; empty if it has none."""
    found = dataset.entry.facts.get(CROSS_DATASET)
    return found if isinstance(found, Mapping) else {}


def benchmark_score(run: Run, results: Sequence[TestSetResult]) -> BenchmarkScore | None:
    """Return the score of *run* from its *results*; None if it holds no corpus of the benchmark."""
    accuracies: dict[str, Estimate] = {}
    incomplete: list[str] = []
    reference: Estimate | None = None
    reference_name, part = "SNLI test", "test"
    for result in results:
        dataset = run.datasets.get(result.name)
        place = about(dataset) if dataset is not None else {}
        if place.get("reference"):
            reference, reference_name = result.accuracy, f"SNLI {_SNLI[result.part]}"
        elif "key" in place and dataset is not None and result.n:
            accuracies[place["key"]] = result.accuracy
            part = str(place.get("part", part))
            whole = place["complete"] and dataset.entry.rows in (None, len(dataset))
            incomplete += [] if whole else [place["key"]]
    if not accuracies:
        return None
    mean = mean_of(list(accuracies.values()))
    return BenchmarkScore(
        accuracies=accuracies,
        mean=mean,
        reference=reference,
        difference=less(mean, reference) if reference else None,
        relative=ratio_less_one(mean, reference) if reference else None,
        missing=tuple(key for key in MEMBERS if key not in accuracies),
        incomplete=tuple(incomplete),
        part=part,
        reference_name=reference_name,
    )


def mean_difference(first: Run, second: Run) -> Estimate | None:
    """Return the difference of two runs in the mean accuracy over the corpora they share.

    Paired item by item within a corpus; corpora are independent.  None if they share none.
    """
    names = [
        name for name in first.datasets if name in second.datasets and "key" in about(first.datasets[name])
    ]
    if not names:
        return None
    two_labels = first.two_labels or second.two_labels
    one, other = score_run(first, two_labels=two_labels), score_run(second, two_labels=two_labels)
    return mean_of(
        [paired_difference(one[name].correct, other[name].correct, one[name].clusters) for name in names]
    )


class PublishedScore(NamedTuple):
    """The mean over some corpora, the accuracy on SNLI, and the difference of the two, as published."""

    mean: float
    reference: float
    difference: float
    relative: float


def published_scores(keys: Sequence[str]) -> dict[str, PublishedScore]:
    """Return the scores over the corpora *keys* of each system of Table 5 that has them all."""
    table = published("zhang2020").table("accuracy")
    scores: dict[str, PublishedScore] = {}
    for system in table.rows:
        figures = [table.value(system, key) for key in keys]
        snli = table.value(system, REFERENCE)
        if snli is None or any(figure is None for figure in figures):
            continue
        mean = sum(figure for figure in figures if figure is not None) / len(figures)
        row = (mean / 100, snli / 100, (mean - snli) / 100, mean / snli - 1)
        scores[system] = PublishedScore(*(round(figure, 6) for figure in row))
    return scores
