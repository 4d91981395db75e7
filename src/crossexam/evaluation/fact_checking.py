"""Fact checking: how well a model tells claims that their document supports from others.

A claim counts as supported if the probability of entailment exceeds a threshold: 1/2, another number, or the
one with the highest balanced accuracy in a run of the same model over the development split.  Claims about
one document form a cluster.  The mean over the data sets of a benchmark is unweighted, as that of
LLM-AggreFact (Tang et al. 2024, https://arxiv.org/abs/2404.10774).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossexam.core.arguments import required
from crossexam.core.columns import hashes_of
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.example import SIDES
from crossexam.core.labels import ENTAILMENT_OR_NOT, GOLD_INDEX
from crossexam.core.manifest import FACT_CHECKING
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.calibration import same_model
from crossexam.evaluation.quantities import too_many
from crossexam.evaluation.scores import numbered_clusters
from crossexam.evaluation.shares import gives_labels_only, probabilities_needed
from crossexam.stats.balanced_accuracy import (
    USUAL,
    balanced_accuracy,
    balanced_difference,
    balanced_influences,
    best_threshold,
)
from crossexam.stats.combined import mean_of
from crossexam.stats.estimate import share_correct
from crossexam.stats.roc_auc import roc_auc, roc_influences

_SUPPORTED: Final = GOLD_INDEX["entailment"]
_DEV: Final = "dev"


@dataclass(frozen=True)
class ThresholdChoice:
    """How the threshold is chosen: it is *fixed*, or the best one in a run of the same model in *chosen_on*.

    With *per_set*, each data set has its own, chosen on the development split of that data set.
    """

    fixed: float = USUAL
    chosen_on: tuple[Run, ...] = ()
    per_set: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.fixed < 1:
            raise CrossexamError(
                f"the threshold is {self.fixed:g}", wanted="a number above 0 and below 1, or a run"
            )
        if self.per_set and not self.chosen_on:
            raise CrossexamError(
                "a threshold per data set needs a run over the development split",
                hint="--threshold dev:RUN --threshold-per-set",
            )


def threshold_choice(threshold: float | Run | Sequence[Run], per_set: bool) -> ThresholdChoice:
    """Return how the threshold of fact checking is chosen; raises CrossexamError for anything else."""
    if isinstance(threshold, int | float) and not isinstance(threshold, bool):
        return ThresholdChoice(threshold, per_set=per_set)
    runs = tuple(threshold) if isinstance(threshold, list | tuple) else (threshold,)
    wanted = "a number above 0 and below 1, or a run over the development split"
    chosen_on = tuple(required(each, Run, "threshold", wanted=wanted) for each in runs)
    return ThresholdChoice(chosen_on=chosen_on, per_set=per_set)


class Threshold(NamedTuple):
    """A threshold, and on how many claims (*n*) of which *test_sets* it was chosen; on none if it was fixed.

    *same_documents* of these claims are about documents that the measured claims are about as well.
    """

    value: float
    n: int = 0
    test_sets: tuple[str, ...] = ()
    same_documents: int = 0


class Figures(NamedTuple):
    """What is measured of a data set, or the mean over several.

    *false_support* is the share of the unsupported claims that count as supported, *missed_support* that of
    the supported ones that do not; *balanced_accuracy* is 1 minus the mean of the two.  *roc_auc* is None for
    a model that gives labels only.
    """

    balanced_accuracy: Estimate
    roc_auc: Estimate | None
    false_support: Estimate
    missed_support: Estimate


@dataclass(frozen=True)
class CheckedSet:
    """The *figures* of a data set: of *n* claims with an answer, so many *supported*, about *documents*.

    *unanswered* claims have no answer; if they are too many, the figures are Bounds over all claims.
    """

    test_set: str
    benchmark: str
    title: str
    data_set: str
    split: str
    n: int
    supported: int
    documents: int
    unanswered: int
    threshold: Threshold
    figures: Figures

    @property
    def name(self) -> str:
        """The name of the row of a table."""
        return self.data_set

    @property
    def counts_in_mean(self) -> bool:
        """Whether it has figures, and not only bounds, or claims of one kind."""
        return not np.isnan(self.figures.balanced_accuracy.value)


@dataclass(frozen=True)
class BenchmarkMean:
    """The mean *figures* over the data *sets* of a benchmark, without those *left_out*.

    *shared* documents are in more than one of the data sets, which the intervals allow for.
    """

    benchmark: str
    title: str
    sets: tuple[CheckedSet, ...]
    left_out: tuple[str, ...]
    shared: int
    figures: Figures
    threshold: None = None

    @property
    def name(self) -> str:
        """The name of the row of a table."""
        return f"mean of {len(self.sets)}"

    @property
    def n(self) -> int:
        """The number of claims with an answer."""
        return sum(each.n for each in self.sets)

    @property
    def supported(self) -> int:
        """The number of supported ones among them."""
        return sum(each.supported for each in self.sets)

    @property
    def documents(self) -> int:
        """The number of documents of each data set, added up."""
        return sum(each.documents for each in self.sets)

    @property
    def unanswered(self) -> int:
        """The number of claims without an answer."""
        return sum(each.unanswered for each in self.sets)


@dataclass(frozen=True)
class FactChecking:
    """The data *sets* of a run, and the *means* of each benchmark with more than one of them."""

    sets: tuple[CheckedSet, ...] = ()
    means: tuple[BenchmarkMean, ...] = ()

    @property
    def per_set(self) -> bool:
        """Whether data sets have different thresholds."""
        return len({each.threshold for each in self.sets}) > 1


class _Claims(NamedTuple):
    """The claims of a test set that have a gold label: arrays [n].

    *scores* are the probabilities of entailment, NaN without an answer.
    """

    scores: NDArray[np.float64]
    supported: NDArray[np.bool_]
    clusters: NDArray[np.integer[Any]]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which claims have an answer."""
        return ~np.isnan(self.scores)

    @property
    def has_both_kinds(self) -> bool:
        """Whether there are supported and unsupported claims among those with an answer."""
        kinds = self.supported[self.answered]
        return bool(kinds.any() and not kinds.all())

    def filled(self, right: bool) -> _Claims:
        """Return the claims with missing answers taken as *right*, more so than any other, or as wrong."""
        extreme = np.where(self.supported == right, np.inf, -np.inf)
        return self._replace(scores=np.where(self.answered, self.scores, extreme))

    def only_answered(self) -> _Claims:
        """Return the claims with an answer."""
        kept = self.answered
        return _Claims(self.scores[kept], self.supported[kept], self.clusters[kept])


def checked_sets(run: Run) -> list[str]:
    """Return the names of the test sets of *run* that are data sets of a benchmark of fact checking."""
    return [name for name, dataset in run.datasets.items() if dataset.entry.about(FACT_CHECKING)]


def fact_checking(
    run: Run, thresholds: Mapping[str, Threshold], *, max_unanswered: float = MAX_UNANSWERED
) -> FactChecking:
    """Return the figures of *run* on each data set, at the *thresholds* by test set, and their means."""
    names = checked_sets(run)
    clusters = numbered_clusters(run) if names else {}
    claims = {name: _claims(run, name, clusters[name]) for name in names}
    sets = tuple(_checked(run, name, claims[name], thresholds[name], max_unanswered) for name in names)
    benchmarks = dict.fromkeys(each.benchmark for each in sets)
    grouped = ([each for each in sets if each.benchmark == name] for name in benchmarks)
    means = (_mean(group, claims) for group in grouped if len(group) > 1)
    return FactChecking(sets, tuple(mean for mean in means if mean is not None))


def _checked(run: Run, name: str, claims: _Claims, threshold: Threshold, limit: float) -> CheckedSet:
    place = run.datasets[name].entry.about(FACT_CHECKING)
    missing = int((~claims.answered).sum())
    with_scores = not gives_labels_only(run.answers(name))
    answered = claims.only_answered()
    figures = _figures(answered, threshold.value, with_scores)
    if too_many(missing, len(claims.scores), limit):
        worst, best = (
            _figures(claims.filled(right), threshold.value, with_scores) for right in (False, True)
        )
        figures = _bounds(worst, best)
    return CheckedSet(
        test_set=name,
        benchmark=str(place["benchmark"]),
        title=str(place["title"]),
        data_set=str(place["data_set"]),
        split=str(place["split"]),
        n=len(answered.scores),
        supported=int(answered.supported.sum()),
        documents=len(np.unique(answered.clusters)),
        unanswered=missing,
        threshold=threshold,
        figures=figures,
    )


def _claims(run: Run, name: str, clusters: NDArray[np.integer[Any]]) -> _Claims:
    gold = run.datasets[name].labels()
    labelled = gold >= 0
    scores = ENTAILMENT_OR_NOT.shares(run.answers(name)[labelled])[:, 0]
    return _Claims(scores, gold[labelled] == _SUPPORTED, clusters[labelled])


def _figures(claims: _Claims, threshold: float, with_scores: bool) -> Figures:
    scores, supported, clusters = claims
    correct = (scores > threshold) == supported
    unknown = Estimate(nan, 0.0, 1.0, len(scores), len(np.unique(clusters)))
    return Figures(
        balanced_accuracy=(
            balanced_accuracy(correct, supported, clusters) if claims.has_both_kinds else unknown
        ),
        roc_auc=roc_auc(scores, supported, clusters) if with_scores else None,
        false_support=share_correct(~correct[~supported], clusters[~supported]),
        missed_support=share_correct(~correct[supported], clusters[supported]),
    )


def _bounds(worst: Figures, best: Figures) -> Figures:
    """Return what the figures are at least and at most; of errors, the best case has the fewest."""
    area = None if worst.roc_auc is None or best.roc_auc is None else Bounds(worst.roc_auc, best.roc_auc)
    return Figures(
        Bounds(worst.balanced_accuracy, best.balanced_accuracy),
        area,
        Bounds(best.false_support, worst.false_support),
        Bounds(best.missed_support, worst.missed_support),
    )


def _mean(sets: Sequence[CheckedSet], claims: Mapping[str, _Claims]) -> BenchmarkMean | None:
    """Return the mean over the data sets of one benchmark; None if fewer than two have figures."""
    kept = [each for each in sets if each.counts_in_mean]
    if len(kept) < 2:
        return None
    measured = [claims[each.test_set].only_answered() for each in kept]
    influences = [_influences(of, each.threshold.value) for of, each in zip(measured, kept, strict=True)]
    figures: dict[str, Any] = {}
    for name in Figures._fields:
        parts = [getattr(each.figures, name) for each in kept]
        values, clusters = zip(*(each[name] for each in influences), strict=True)
        figures[name] = None if None in parts else mean_of(parts, values, clusters, (0.0, 1.0))
    documents = np.concatenate([np.unique(each.clusters) for each in measured])
    return BenchmarkMean(
        kept[0].benchmark,
        kept[0].title,
        tuple(kept),
        tuple(each.data_set for each in sets if not each.counts_in_mean),
        int((np.unique(documents, return_counts=True)[1] > 1).sum()),
        Figures(**figures),
    )


def _influences(
    claims: _Claims, threshold: float
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.integer[Any]]]]:
    """Return by figure what its value is the mean of, for each of the claims, and their clusters."""
    scores, supported, clusters = claims
    correct = (scores > threshold) == supported
    return {
        "balanced_accuracy": (balanced_influences(correct, supported), clusters),
        "roc_auc": (roc_influences(scores, supported), clusters),
        "false_support": (1.0 - correct[~supported], clusters[~supported]),
        "missed_support": (1.0 - correct[supported], clusters[supported]),
    }


def balanced_differences(
    first: Run, second: Run, thresholds: tuple[Mapping[str, Threshold], Mapping[str, Threshold]]
) -> dict[str, Estimate]:
    """Return the difference of two runs in balanced accuracy on each data set that both have, by test set.

    It is over the claims that both answered, at the *thresholds* of each run.  Data sets with claims of one
    kind are left out.
    """
    clusters = numbered_clusters(first)
    found = {}
    for name in checked_sets(first):
        if name not in second.datasets:
            continue
        one, other = (_claims(run, name, clusters[name]) for run in (first, second))
        kept = one.answered & other.answered
        gold = one.supported[kept]
        if gold.any() and not gold.all():
            right = [
                (each.scores[kept] > at[name].value) == gold
                for each, at in zip((one, other), thresholds, strict=True)
            ]
            found[name] = balanced_difference(right[0], right[1], gold, one.clusters[kept])
    return found


def thresholds_for(runs: Sequence[Run], choice: ThresholdChoice) -> list[dict[str, Threshold]]:
    """Return the thresholds of each of *runs* by test set; those of runs without data sets are empty.

    Raises CrossexamError if a run of *choice* is of no model of *runs* or is missing for one of them, or if
    the threshold cannot be chosen on it (:func:`chosen_thresholds`).
    """
    having = [run for run in runs if checked_sets(run)]
    if not having and choice != ThresholdChoice():
        raise CrossexamError(
            "a threshold applies only to claims to check, and no run has any",
            where="--threshold",
            wanted="a run over the test sets of crossexam build fact-checking",
        )
    for other in choice.chosen_on:
        if not any(same_model(other, run) for run in having):
            raise CrossexamError(
                "a threshold was chosen for another model than those of the report",
                where=f"a run of '{other.model}'",
                wanted=f"a run of {' or '.join(run.model for run in having)}",
            )
    return [_thresholds(run, choice) if checked_sets(run) else {} for run in runs]


def _thresholds(run: Run, choice: ThresholdChoice) -> dict[str, Threshold]:
    if not choice.chosen_on:
        return dict.fromkeys(checked_sets(run), Threshold(choice.fixed))
    other = next((each for each in choice.chosen_on if same_model(each, run)), None)
    if other is None:
        raise CrossexamError(
            f"no run over the development split is given for '{run.model}'",
            where="--threshold",
            wanted="one for each model of the report",
            hint="repeat --threshold dev:RUN",
        )
    return chosen_thresholds(run, other, per_set=choice.per_set)


def chosen_thresholds(run: Run, other: Run, *, per_set: bool = False) -> dict[str, Threshold]:
    """Return the thresholds of *run*, chosen on *other*, a run of the same model over the development split.

    It has the highest mean balanced accuracy over the data sets of *other*, or, with *per_set*, that on the
    same data set.  Claims without an answer, and data sets with claims of one kind, do not count.

    Raises CrossexamError if *other* was not run over development splits, has labels only, has claims that
    are measured in *run* too, or lacks a data set that is needed.
    """
    where = f"the run of '{other.model}' that the threshold is chosen on"
    _check_split(other, where)
    if all(gives_labels_only(other.answers(name)) for name in checked_sets(other)):
        raise probabilities_needed(other, "a threshold")
    _check_no_claim_shared(run, other, where)
    measured = np.concatenate([run.datasets[name].clusters() for name in checked_sets(run)])
    clusters = {name: other.datasets[name].clusters() for name in checked_sets(other)}
    usable = {
        name: claims.only_answered()
        for name in clusters
        if (claims := _claims(other, name, clusters[name])).has_both_kinds
    }

    def best(names: Sequence[str]) -> Threshold:
        chosen = [usable[name] for name in names]
        value = best_threshold([(each.scores, each.supported) for each in chosen])
        same = sum(int(np.isin(each.clusters, measured).sum()) for each in chosen)
        return Threshold(value, sum(len(each.scores) for each in chosen), tuple(names), same)

    if not per_set:
        _check_found(bool(usable), "no data set has", where)
        return dict.fromkeys(checked_sets(run), best(list(usable)))
    found = {}
    for name in checked_sets(run):
        key = _key(run.datasets[name])
        same = [each for each in usable if _key(other.datasets[each]) == key]
        _check_found(bool(same), f"the data set {key[1]} does not have", where)
        found[name] = best(same)
    return found


def _key(dataset: Dataset) -> tuple[str, str]:
    place = dataset.entry.about(FACT_CHECKING)
    return str(place["benchmark"]), str(place["data_set"])


def _check_found(is_found: bool, what: str, where: str) -> None:
    if not is_found:
        raise CrossexamError(
            f"{what} both supported and unsupported claims with an answer",
            where=where,
            wanted="claims of both kinds, on which a threshold can be chosen",
        )


def _check_split(other: Run, where: str) -> None:
    """Raise CrossexamError unless *other* was run over development splits, as far as it checks claims."""
    places = (other.datasets[name].entry.about(FACT_CHECKING) for name in checked_sets(other))
    splits = {str(place["split"]) for place in places}
    if splits != {_DEV}:
        what = (
            f"it was run over the split '{min(splits - {_DEV})}'" if splits else "it has no claims to check"
        )
        raise CrossexamError(
            what,
            where=where,
            wanted="a run over the development split",
            hint="crossexam build fact-checking --split dev",
        )


def _check_no_claim_shared(run: Run, other: Run, where: str) -> None:
    shared = np.intersect1d(_claim_hashes(run), _claim_hashes(other))
    if len(shared):
        raise CrossexamError(
            f"{len(shared):,} of its claims are measured in the report too, with the same documents",
            where=where,
            wanted="other claims: a threshold that is chosen on what it is judged by proves nothing",
            hint="--only chooses among the benchmarks when building; they share some data sets",
        )


def _claim_hashes(run: Run) -> NDArray[np.uint64]:
    """Return hashes of the claims of *run* with their documents, without regard to case and white space."""
    found = [
        hashes_of([*zip(*(map(_plain, batch[side].to_pylist()) for side in SIDES), strict=True)])
        for name in checked_sets(run)
        for batch in run.datasets[name].columns(*SIDES)
    ]
    return np.concatenate([np.empty(0, dtype=np.uint64), *found])


def _plain(text: str) -> str:
    """Return *text* without regard to case and white space."""
    return " ".join(text.lower().split())
