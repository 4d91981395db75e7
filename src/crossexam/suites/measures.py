"""What is measured of a run: accuracy, drop, significance, errors, slices.

Every interval is at 95 % and counts by cluster (``stats.clusters``).  The measures of Naik et al. (2018)
are among them: accuracy (Table 3), the shares of false neutrals (Table 4) and false entailments
(Table 7) in all errors, and the counts of E-C and N-C errors (section 4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset
from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLD_INDEX, LABELS, Gold
from crossexam.core.run import Run
from crossexam.stats.clusters import effective_size
from crossexam.stats.confusion import confusion, error_types, false_share
from crossexam.stats.estimate import accuracy as share_correct
from crossexam.stats.multiple import holm
from crossexam.stats.paired import flip_rate, paired_difference
from crossexam.stats.power import minimum_detectable_drop
from crossexam.stats.significance import McNemar, clustered_mcnemar, mcnemar
from crossexam.stats.unpaired import difference
from crossexam.suites.comparing import Comparison, compare
from crossexam.suites.scoring import Scored, has_two_labels, said_of, score
from crossexam.suites.slices import slices_of

__all__ = ["Comparison", "TestSetResult", "accuracy", "compare", "measure"]


@dataclass(frozen=True)
class TestSetResult:
    """What was measured on one test set; *n* items have a gold label, *unlabelled* have none.

    *drop*: accuracy lost from base to test set, item by item, positive where stress makes it worse; only
    where the construction keeps the label and the base was answered.  *difference*: the same of the two
    accuracies, where the label changes.  *base_accuracy* is that of the paired base examples (so that it
    less *accuracy* is the drop), else of the whole base.

    *p_value* (exact) and *p_mid* are of the sign-flip form of McNemar's test whose unit is the cluster;
    *p_holm* is *p_value* corrected over the test sets of the run; *mcnemar* holds the discordant counts
    and the classical test, which takes items to be independent.  *flip_rate*: share of paired items with
    another prediction than their base.  *confusion*: counts [gold, predicted]; *errors*: ``"E-C"`` is gold
    entailment predicted as contradiction.  The two shares are of all errors, None without errors.

    *projection* says how a test set of other *labels*, or a model of two, was scored; *false_neutral_share*
    is None where not_entailment was, which is no neutral (in ``errors`` its letter is N too).
    """

    __test__ = False  # not a test, whatever pytest thinks of its name

    name: str
    construction: str
    part: str
    n: int
    unlabelled: int
    accuracy: Estimate
    base_set: str | None
    base_accuracy: Estimate | None
    drop: Estimate | None
    difference: Estimate | None
    p_value: float | None
    p_mid: float | None
    p_holm: float | None
    mcnemar: McNemar | None
    minimum_detectable_drop: float | None
    flip_rate: Estimate | None
    confusion: tuple[tuple[int, ...], ...]
    errors: Mapping[str, int]
    false_neutral_share: float | None
    false_entailment_share: float | None
    slices: Mapping[str, Mapping[str, Estimate]]
    projection: str | None
    labels: tuple[Gold, ...] = LABELS


@dataclass(frozen=True)
class _AgainstBase:
    """What is measured of a test set and its base together."""

    base_accuracy: Estimate | None = None
    drop: Estimate | None = None
    difference: Estimate | None = None
    p_value: float | None = None
    p_mid: float | None = None
    mcnemar: McNemar | None = None
    minimum_detectable_drop: float | None = None
    flip_rate: Estimate | None = None


_NOTHING: Final = _AgainstBase()


def accuracy(run: Run) -> dict[str, Estimate]:
    """Return the accuracy of *run* on each of its test sets, in their order."""
    scored = score(run, two_labels=has_two_labels(run))
    return {name: share_correct(each.correct, each.clusters) for name, each in scored.items()}


def measure(run: Run) -> tuple[TestSetResult, ...]:
    """Return the measures of *run*, one result a test set, in their order; raises CrossexamError."""
    two_labels = has_two_labels(run)
    scored = score(run, two_labels=two_labels)
    bases = {_base_set(dataset) for dataset in run.datasets.values()}
    positions = {
        name: {example.id: position for position, example in enumerate(scored[name].examples)}
        for name in scored
        if name in bases
    }
    results = [
        _measure_one(name, dataset, scored, positions, two_labels) for name, dataset in run.datasets.items()
    ]
    p_values = {i: result.p_value for i, result in enumerate(results) if result.p_value is not None}
    for index, adjusted in zip(p_values, holm(list(p_values.values())).tolist(), strict=True):
        results[index] = replace(results[index], p_holm=adjusted)
    return tuple(results)


def _base_set(dataset: Dataset) -> str | None:
    name = dataset.manifest.get("base_set")
    return None if name is None else str(name)


def _measure_one(
    name: str,
    dataset: Dataset,
    scored: Mapping[str, Scored],
    positions: Mapping[str, Mapping[str, int]],
    two_labels: bool,
) -> TestSetResult:
    here, manifest = scored[name], dataset.manifest
    base_set = _base_set(dataset)
    against = _NOTHING
    if base_set is not None and base_set in positions:
        if manifest.get("paired", manifest.get("keeps_label", True)):
            against = _paired(here, scored[base_set], positions[base_set])
        else:
            against = _unpaired(here, scored[base_set])
    labels = here.projection.labels
    table = _table(here)
    neutral = labels.index("neutral") if "neutral" in labels and not two_labels else None
    bare_name, _, part = name.partition(".")
    return TestSetResult(
        name=name,
        construction=str(manifest.get("construction") or bare_name).partition(".")[0],
        part=str(manifest.get("part") or part),
        n=len(here.gold),
        unlabelled=here.unlabelled,
        accuracy=share_correct(here.correct, here.clusters),
        base_set=base_set,
        p_holm=None,
        confusion=tuple(tuple(row) for row in table.tolist()),
        errors=error_types(table, [label[0].upper() for label in labels]),
        false_neutral_share=None if neutral is None else false_share(table, neutral),
        false_entailment_share=false_share(table, labels.index("entailment")),
        slices=slices_of(here),
        projection=said_of(here.projection, two_labels),
        labels=labels,
        **vars(against),
    )


def _table(here: Scored) -> NDArray[np.int64]:
    """Return the counts by gold and predicted label, in the order of the projection's labels."""
    place = np.full(len(GOLD_INDEX), -1, dtype=np.int64)
    for position, label in enumerate(here.projection.labels):
        place[GOLD_INDEX[label]] = position
    return confusion(place[here.gold], place[here.predicted], len(here.projection.labels))


def _paired(here: Scored, base: Scored, position: Mapping[str, int]) -> _AgainstBase:
    """Return what is measured item by item, of the items whose base example was answered and has gold."""
    at = np.fromiter(
        (position.get(example.base or "", -1) for example in here.examples), np.int64, len(here.examples)
    )
    kept = at >= 0
    if not kept.any():
        return _NOTHING
    before, after, clusters = base.correct[at[kept]], here.correct[kept], here.clusters[kept]
    test = clustered_mcnemar(before, after, clusters)
    return _AgainstBase(
        base_accuracy=share_correct(before, clusters),
        drop=paired_difference(before, after, clusters),
        p_value=test.p_exact,
        p_mid=test.p_mid,
        mcnemar=mcnemar(test.b, test.c),
        minimum_detectable_drop=_detectable(before, after, clusters),
        flip_rate=flip_rate(base.predicted[at[kept]], here.predicted[kept], clusters),
    )


def _unpaired(here: Scored, base: Scored) -> _AgainstBase:
    """Return the difference of the accuracies, where items do not keep the label of their base."""
    if not len(here.gold) or not len(base.gold):
        return _NOTHING
    return _AgainstBase(
        base_accuracy=share_correct(base.correct, base.clusters),
        difference=difference(base.correct, here.correct, base.clusters, here.clusters),
    )


def _detectable(
    before: NDArray[np.bool_], after: NDArray[np.bool_], clusters: NDArray[np.int64]
) -> float | None:
    """Return the drop that this many pairs, as discordant as these, would show; None: none at all."""
    drops = before.astype(np.float64) - after
    size = effective_size(drops - drops.mean(), np.unique(clusters, return_inverse=True)[1])
    drop = minimum_detectable_drop(size.n_eff, float(np.mean(before != after)))
    return None if np.isnan(drop) else drop
