"""Scores on the cross-dataset benchmark (Zhang et al., 2020): mean accuracy, and its difference from SNLI.

The columns of their Table 2, each with an interval: items that share a premise form a cluster, of whatever
corpora they are; but the difference from SNLI takes SNLI for independent of them, and is no narrower for what
they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.manifest import CROSS_DATASET
from crossexam.evaluation.measures import TestSetResult
from crossexam.evaluation.scores import Scored, score_both
from crossexam.published.figures import published
from crossexam.stats.combined import difference_of, mean_of, ratio_less_one
from crossexam.stats.paired import relative_difference
from crossexam.stats.ranks import differences_of_means
from crossexam.suites.cross_dataset_corpora import MEMBERS, REFERENCE

_SNLI = {REFERENCE: "SNLI test", "snli_dev": "SNLI dev"}


@dataclass(frozen=True)
class BenchmarkScore:
    """The *accuracies* by corpus, their *mean*, the accuracy on SNLI or another *reference*, and the
    *difference* and *relative* difference of the mean from it, as shares; None if that is not a test set.

    *missing* corpora are not included; only a part of the *incomplete* ones is; the *added* ones are not of
    the benchmark.  *reference_cut*: only a part of the reference is included.
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
    added: tuple[str, ...] = ()
    reference_cut: bool = False

    @property
    def is_published(self) -> bool:
        """Whether the mean is over corpora of the benchmark alone, and measured from SNLI."""
        return not self.added and self.reference_name in _SNLI.values()

    @property
    def title(self) -> str:
        """The title of the score: that of the benchmark only if all fourteen corpora are included in full."""
        sets = "" if self.part == "test" else " (validation sets)"
        cut = f"; {self.reference_name} in part" if self.reference_cut else ""
        if not self.is_published:
            measured = "" if self.reference_name in _SNLI.values() else f", against {self.reference_name}"
            return f"Cross-dataset evaluation{sets}: {self.corpora}{measured}{cut}"
        if not self.missing and not self.incomplete and not self.reference_cut:
            return f"Cross-dataset benchmark{sets}"
        count = f"{len(self.accuracies)} of {len(MEMBERS)} corpora{self._cut}{cut}"
        return f"Part of the cross-dataset benchmark{sets}: {count}"

    @property
    def corpora(self) -> str:
        """How many corpora there are, and how many of them are of the benchmark."""
        ours = len(self.accuracies) - len(self.added)
        more = f" and {len(self.added)} added" if self.added else ""
        return f"{ours} of the {len(MEMBERS)} corpora of the benchmark{more}{self._cut}"

    @property
    def _cut(self) -> str:
        """How many of the corpora are not whole."""
        if not self.incomplete:
            return ""
        count = len(self.incomplete)
        return f", {count} in part" if count < len(self.accuracies) else ", all in part"

    @property
    def figures(self) -> dict[str, Estimate]:
        """The mean and both differences by name, those that there are."""
        named = {"mean": self.mean, "difference": self.difference, "relative": self.relative}
        return {name: figure for name, figure in named.items() if figure is not None}


def about(dataset: Dataset) -> Mapping[str, Any]:
    """Return what the manifest of *dataset* says of its place in the benchmark; empty if it has none."""
    return dataset.entry.about(CROSS_DATASET)


def benchmark_score(run: Run, results: Sequence[TestSetResult]) -> BenchmarkScore | None:
    """Return the score of *run* from its *results*; None if it holds no corpus of the benchmark.

    A corpus of which too many items were not answered is left out, and counted among the missing ones.
    """
    accuracies: dict[str, Estimate] = {}
    scored: dict[str, Scored] = {}
    incomplete: list[str] = []
    added: list[str] = []
    reference: Estimate | None = None
    reference_cut = False
    reference_name, part = "SNLI test", "test"
    for result in results:
        dataset = run.datasets.get(result.name)
        place = about(dataset) if dataset is not None else {}
        if result.only_bounds:  # a mean over bounds would be none of the corpora
            continue
        if place.get("reference"):
            reference = result.accuracy
            reference_cut = not _is_whole(dataset, place)
            reference_name = str(place.get("title") or _SNLI[result.part])
        elif "key" in place and result.parts is not None and result.n:
            accuracies[place["key"]] = result.accuracy
            scored[place["key"]] = result.parts.scored.known
            part = str(place.get("part", part))
            incomplete += [] if _is_whole(dataset, place) else [place["key"]]
            added += [place["key"]] if place.get("added") else []
    if not accuracies:
        return None
    mean = mean_of(
        list(accuracies.values()),
        [each.correct.astype(np.float64) for each in scored.values()],
        [each.units for each in scored.values()],
        (0.0, 1.0),
    )
    return BenchmarkScore(
        accuracies=accuracies,
        mean=mean,
        reference=reference,
        difference=difference_of(mean, reference) if reference else None,
        relative=ratio_less_one(mean, reference) if reference else None,
        missing=tuple(key for key in MEMBERS if key not in accuracies),
        incomplete=tuple(incomplete),
        part=part,
        reference_name=reference_name,
        added=tuple(added),
        reference_cut=reference_cut,
    )


def _is_whole(dataset: Dataset | None, place: Mapping[str, Any]) -> bool:
    """Return whether *dataset* has every item of its corpus: neither built nor run with a limit."""
    return bool(place.get("complete", True)) and (
        dataset is None or dataset.entry.rows in (None, len(dataset))
    )


def mean_difference(
    test_sets: Mapping[str, Dataset], one: Mapping[str, Scored], other: Mapping[str, Scored]
) -> Estimate | None:
    """Return the difference of two models in the mean accuracy over the corpora among *test_sets*.

    *one* and *other* are their scores on the items that both answered, as of
    :func:`~crossexam.evaluation.scores.score_both`, and paired within a corpus: the difference of several
    models in their mean over test sets (:func:`crossexam.stats.ranks.differences_of_means`).  None without a
    corpus, or if of one there is no item that both answered.
    """
    names = [name for name, dataset in test_sets.items() if "key" in about(dataset)]
    if not names or not all(len(one[name].correct) for name in names):
        return None
    sets = [(np.stack([one[name].correct, other[name].correct], axis=1), one[name].units) for name in names]
    return differences_of_means(sets).tests[0, 1].difference


class RelativeGain(NamedTuple):
    """How much better a model is than a base model, on the *reference* and in the *mean*, in relative terms.

    A gain of 0.05 is an accuracy 1.05 times that of the base model; None if one of the two was not run there.
    """

    reference: Estimate | None
    mean: Estimate


def relative_gain(run: Run, base: Run) -> RelativeGain | None:
    """Return the relative improvement of *run* over *base* (Table 3); None if they share no corpus.

    The mean is over the corpora that both were run on.
    """
    shared = [name for name in run.datasets if name in base.datasets]
    corpora = [name for name in shared if "key" in about(run.datasets[name])]
    references = [name for name in shared if about(run.datasets[name]).get("reference")]
    if not corpora:
        return None
    one, other = score_both(run, base)

    def gain(names: Sequence[str]) -> Estimate:
        pairs = [(one[name].correct, other[name].correct, one[name].clusters) for name in names]
        return relative_difference(pairs)

    return RelativeGain(gain(references[:1]) if references else None, gain(corpora))


class PublishedScore(NamedTuple):
    """The mean over some corpora, the accuracy on SNLI, and the difference of the two, as published.

    *reported* is the accuracy on SNLI that the model's own paper reports, if there is one.  All but that and
    *reference* are *computed* here from rounded figures unless they are of all fourteen corpora.
    """

    mean: float
    reference: float
    difference: float
    relative: float
    reported: float | None = None
    computed: bool = False


def published_scores(keys: Sequence[str]) -> dict[str, PublishedScore]:
    """Return the scores over the corpora *keys* of each system of Table 5 that has them all.

    Over all fourteen they are as printed in Table 2.

    >>> published_scores(list(MEMBERS))["ESIM"][:4]
    (0.56, 0.875, -0.315, -0.36)
    >>> published_scores(["sick", "cb"])["ESIM"].computed
    True
    """
    table, summary = (published("zhang2020").table(name) for name in ("accuracy", "summary"))
    scores: dict[str, PublishedScore] = {}
    for system in table.rows:
        figures = [table.value(system, key) for key in keys]
        snli = table.value(system, REFERENCE)
        if snli is None or any(figure is None for figure in figures):
            continue
        computed = set(keys) != MEMBERS.keys()
        mean = sum(figure for figure in figures if figure is not None) / len(figures)
        shown = (mean, snli, mean - snli, 100 * (mean / snli - 1))
        if not computed:
            printed = summary.cells[system]
            shown = (printed["mean"], snli, printed["difference"], printed["relative"])
        mean, snli, difference, relative = (round(figure / 100, 6) for figure in shown)
        reported = summary.value(system, f"{REFERENCE}.reported")
        own = None if reported is None else round(reported / 100, 6)
        scores[system] = PublishedScore(mean, snli, difference, relative, own, computed)
    return scores
