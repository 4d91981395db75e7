"""What judges said of items: runs over those that they verified, and the labels that they gave.

``info["verdict"]`` is the result of ``validate verdict --apply`` (``verified``, ``rejected``),
``info["generated_label"]`` the label of the construction if judges replaced it, and ``info["judge_labels"]``
holds the labels of the single judges (Nie et al. 2019, Table 2, row Human);
``info["status"]`` is the status of an item whose label is only proposed by its construction: until it is
judged ``proposed``, or ``undecided`` if the construction doubts the label, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from crossexam.core.columns import examples_at, info_values, status_codes
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import ITEM_STATUSES, JUDGE_LABELS, PROPOSED, REJECTED, UNDECIDED, VERIFIED
from crossexam.core.labels import GOLDS, Gold
from crossexam.stats.estimate import share_correct

_PART: Final = "items_status"  # in the manifest of a part: the status of its items
_Rows = NDArray[np.bool_] | slice  # of a test set
_ALL: Final = slice(None)
_NOT_SCORED: Final = (REJECTED, UNDECIDED)


def is_proposed(name: str) -> bool:
    """Return whether *name* is of a test set whose labels are only proposed.

    >>> is_proposed("i_th.snli_train (proposed)")
    True
    """
    return name.endswith(f"({PROPOSED})")


def by_status(run: Run) -> Run:
    """Return *run* with every test set of proposed labels split into its verified and its proposed items.

    The parts are called ``NAME (verified)`` and ``NAME (proposed)``; items without a status stay under
    ``NAME``.  Rejected and undecided items are left out and counted in the manifest.  Parts are not split
    again.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, _Rows]] = {}
    left_out: Counter[str] = Counter()
    for name, dataset in run.datasets.items():
        if _PART in dataset.entry.facts or not dataset.has_proposed_labels:
            kept[name], places[name] = dataset, (name, _ALL)
            continue
        statuses = _statuses(dataset)
        left_out += Counter(status for status in statuses.tolist() if status in _NOT_SCORED)
        for status in (None, VERIFIED, PROPOSED):
            _add_items(kept, places, run, name, statuses, status)
    note = {
        f"{key}_items": f"{left_out[key]:,} {key} items are left out" for key in _NOT_SCORED if left_out[key]
    }
    note |= _relabelled(run.datasets)
    if not note and kept.keys() == run.datasets.keys():
        return run
    return _run_over(run, kept, places, note)


def verified_only(run: Run) -> Run:
    """Return *run* over the verified items only, each test set called ``NAME (verified)``.

    Bases stay whole, since the drop is measured from them: the base itself, and controls without a status,
    whose labels are those of the corpus.  Raises CrossexamError if no item is verified.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, _Rows]] = {}
    counts: Counter[str] = Counter()
    controls = {dataset.entry.base_set for dataset in run.datasets.values()}
    for name, dataset in run.datasets.items():
        statuses = _statuses(dataset)
        judged = Counter(status or "not judged" for status in statuses.tolist())
        if dataset.entry.is_base or (name in controls and set(judged) <= {"not judged"}):
            kept[name], places[name] = dataset, (name, _ALL)
            continue
        counts += judged
        _add_items(kept, places, run, name, statuses, VERIFIED)
    if not counts[VERIFIED]:
        raise CrossexamError(
            f"no item in the test sets of '{run.model}' has been verified",
            hint="crossexam validate verdict STUDY --apply confirm --suite SUITE verifies items",
        )
    left = ", ".join(
        f"{counts[key]:,} {key}" for key in (REJECTED, PROPOSED, UNDECIDED, "not judged") if counts[key]
    )
    note = f"verified items only: {counts[VERIFIED]:,}; left out: {left or 'none'}"
    return _run_over(run, kept, places, {"scored_items": note, **_relabelled(kept)})


def _statuses(dataset: Dataset) -> NDArray[np.object_]:
    """Return the status of each item [n], None if it has none."""
    return np.array([*ITEM_STATUSES, None], dtype=object)[status_codes(dataset.examples)]  # None is -1


def _relabelled(datasets: Mapping[str, Dataset]) -> dict[str, str]:
    """Return what the manifest of a run says of items whose label judges replaced; empty without any."""
    count = sum(int(dataset.relabelled.sum()) for dataset in datasets.values())
    return {"relabelled_items": f"{count:,} items have the label of the judges"} if count else {}


def _add_items(
    kept: dict[str, Dataset],
    places: dict[str, tuple[str, _Rows]],
    run: Run,
    name: str,
    statuses: NDArray[np.object_],
    status: str | None,
) -> None:
    """Add the items of test set *name* that have *status*, if there are any, to *kept* and *places*."""
    dataset = run.datasets[name]
    rows = statuses == status
    if not rows.any():
        return
    shown = f"{name} ({status})" if status else name
    entry, items = dataset.entry, status or "without status"
    signed = f"{entry.signature}|items:{items}" if entry.signature is not None else None
    entry = structs.replace(entry, signature=signed, facts={**entry.facts, _PART: items})
    kept[shown] = Dataset(shown, examples_at(dataset.examples, rows), entry.to_json())
    places[shown] = (name, rows)


def _run_over(
    run: Run,
    kept: Mapping[str, Dataset],
    places: Mapping[str, tuple[str, _Rows]],
    note: Mapping[str, str],
) -> Run:
    """Return the run over *kept*; the base of a part is the part of its base with the same status, if any."""
    datasets = {}
    for shown, dataset in kept.items():
        origin, control = places[shown][0], dataset.entry.base_set
        suffix = shown.removeprefix(origin)
        base = next((name for name in (f"{control}{suffix}", control) if name in kept), control)
        if base != control:
            dataset = replace(dataset, manifest=structs.replace(dataset.entry, base_set=base).to_json())
        datasets[shown] = dataset
    probabilities = {shown: run.probabilities[origin][rows] for shown, (origin, rows) in places.items()}
    reading = {
        shown: run.reading[origin].at(rows)
        for shown, (origin, rows) in places.items()
        if origin in run.reading
    }
    outcomes = {
        shown: run.outcomes[origin].at(rows)
        for shown, (origin, rows) in places.items()
        if origin in run.outcomes
    }
    return Run(run.model, datasets, probabilities, structs.replace(run.manifest, **note), reading, outcomes)


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

    The labels are those that are scored (:meth:`~crossexam.core.dataset.Run.scored`).  Items without an
    answer are left out.
    """
    dataset, scored = run.datasets[name], run.scored(name)
    predicted = scored.predicted
    answers = [
        (GOLDS[predicted[row]], cluster) for row, _, cluster in judged_items(dataset) if predicted[row] >= 0
    ]
    return shares_of_labels(scored.projection.labels, answers) if answers else {}


def judged_items(dataset: Dataset) -> Iterator[tuple[int, Sequence[Any], int]]:
    """Yield position, labels of the judges, and cluster of each item of *dataset* that has such labels."""
    given = info_values(dataset.examples, [JUDGE_LABELS])[JUDGE_LABELS]
    if not given.values:
        return
    clusters = dataset.clusters()
    for row in np.flatnonzero(given.stated).tolist():
        if labels := given.values[given.codes[row]]:
            yield row, labels, int(clusters[row])
