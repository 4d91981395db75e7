"""What a model has on the cross-dataset benchmark: one mean, and what it is off the training corpus.

The columns of Table 2 of Zhang et al. (2020), each with an interval: corpora are independent, items of one
premise are one cluster within theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.evaluation.measures import TestSetResult
from crossexam.evaluation.scores import has_two_labels, score
from crossexam.stats.combined import less, mean_of, ratio_less_one
from crossexam.stats.paired import paired_difference
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE

_ABOUT = "cross_dataset"
_SNLI = {REFERENCE: "test", "snli_dev": "dev"}


@dataclass(frozen=True)
class BenchmarkScore:
    """The *accuracies* by corpus, their *mean*, SNLI test (*reference*), the *difference* in shares and
    the *relative* difference of the mean from it; None where SNLI was not asked.

    *missing* corpora are not in, of *incomplete* ones only a part is installed.
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
        """Return the name: that of the benchmark only where all fourteen corpora are in, whole."""
        sets = "" if self.part == "test" else " (validation sets)"
        if not self.missing and not self.incomplete:
            return f"Cross-dataset benchmark{sets}"
        whole = len(self.accuracies) - len(self.incomplete)
        more = f", {len(self.incomplete)} in part" if self.incomplete else ""
        return f"Part of the cross-dataset benchmark{sets}: {whole} of {len(MEMBERS)} corpora{more}"


def about(dataset: Dataset) -> Mapping[str, Any]:
    """Return what the manifest of *dataset* says of its place in the benchmark; empty where it has none."""
    found = dataset.manifest.get(_ABOUT)
    return found if isinstance(found, Mapping) else {}


def benchmark_score(run: Run, results: Sequence[TestSetResult]) -> BenchmarkScore | None:
    """Return the score of *run* from its *results*; None where it holds no corpus of the benchmark."""
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
            whole = place["complete"] and dataset.manifest.get("rows", len(dataset)) == len(dataset)
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
    """Return how much more *first* has than *second* in the mean of the corpora that both answered.

    Item by item within a corpus, the corpora independent.  None where they share none.
    """
    names = [
        name for name in first.datasets if name in second.datasets and "key" in about(first.datasets[name])
    ]
    if not names:
        return None
    two_labels = has_two_labels(first) or has_two_labels(second)
    one, other = score(first, two_labels=two_labels), score(second, two_labels=two_labels)
    return mean_of(
        [paired_difference(one[name].correct, other[name].correct, one[name].clusters) for name in names]
    )
