"""Runs over the items that annotators verified, and over those whose label is only proposed.

``info["verdict"]`` is the result of ``validate verdict --apply`` (``verified``, ``rejected``),
``info["generated_label"]`` the label of the construction if judges replaced it;
``info["status"]`` is the status of an item whose label is only proposed by its construction (``proposed``
until it is judged).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import PROPOSED, REJECTED, STATUS, VERIFIED, is_relabelled, status_of

_PART: Final = "items_status"  # in the manifest of a part: the status of its items


def by_status(run: Run) -> Run:
    """Return *run* with every test set of proposed labels split into its verified and its proposed items.

    The parts are called ``NAME (verified)`` and ``NAME (proposed)``; items without a status stay under
    ``NAME``.  Rejected items are left out and counted in the manifest.  Parts are not split again.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, list[int]]] = {}
    rejected = 0
    for name, dataset in run.datasets.items():
        if _PART in dataset.entry.facts or not any(STATUS in example.info for example in dataset):
            kept[name], places[name] = dataset, (name, list(range(len(dataset))))
            continue
        rejected += sum(status_of(example) == REJECTED for example in dataset)
        for status in (None, VERIFIED, PROPOSED):
            _add_items(kept, places, run, name, status)
    note = {"rejected_items": f"{rejected:,} rejected items are left out"} if rejected else {}
    note |= _relabelled(run.datasets)
    return _run_over(run, kept, places, note)


def verified_only(run: Run) -> Run:
    """Return *run* over the verified items only, each test set called ``NAME (verified)``.

    Bases stay whole, since the drop is measured from them: the base itself, and controls without a status,
    whose labels are those of the corpus.  Raises CrossexamError if no item is verified.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, list[int]]] = {}
    counts: Counter[str] = Counter()
    controls = {dataset.entry.base_set for dataset in run.datasets.values()}
    for name, dataset in run.datasets.items():
        statuses = Counter(status_of(example) or "not judged" for example in dataset)
        if dataset.entry.is_base or (name in controls and set(statuses) <= {"not judged"}):
            kept[name], places[name] = dataset, (name, list(range(len(dataset))))
            continue
        counts += statuses
        _add_items(kept, places, run, name, VERIFIED)
    if not counts[VERIFIED]:
        raise CrossexamError(
            f"no item in the test sets of '{run.model}' has been verified",
            hint="crossexam validate verdict STUDY --apply confirm --suite SUITE verifies items",
        )
    left = ", ".join(f"{counts[key]:,} {key}" for key in (REJECTED, PROPOSED, "not judged") if counts[key])
    note = f"verified items only: {counts[VERIFIED]:,}; left out: {left or 'none'}"
    return _run_over(run, kept, places, {"scored_items": note, **_relabelled(kept)})


def _relabelled(datasets: Mapping[str, Dataset]) -> dict[str, str]:
    """Return what the manifest of a run says of items whose label judges replaced; empty without any."""
    count = sum(is_relabelled(example) for dataset in datasets.values() for example in dataset)
    return {"relabelled_items": f"{count:,} items have the label of the judges"} if count else {}


def _add_items(
    kept: dict[str, Dataset],
    places: dict[str, tuple[str, list[int]]],
    run: Run,
    name: str,
    status: str | None,
) -> None:
    """Add the items of test set *name* that have *status*, if there are any, to *kept* and *places*."""
    dataset = run.datasets[name]
    rows = [row for row, example in enumerate(dataset) if status_of(example) == status]
    if not rows:
        return
    shown = f"{name} ({status})" if status else name
    entry, items = dataset.entry, status or "without status"
    signed = f"{entry.signature}|items:{items}" if entry.signature is not None else None
    entry = replace(entry, signature=signed, facts={**entry.facts, _PART: items})
    kept[shown] = Dataset(shown, tuple(dataset.examples[row] for row in rows), entry.to_json())
    places[shown] = (name, rows)


def _run_over(
    run: Run,
    kept: Mapping[str, Dataset],
    places: Mapping[str, tuple[str, list[int]]],
    note: Mapping[str, str],
) -> Run:
    """Return the run over *kept*; the base of a part is the part of its base with the same status, if any."""
    datasets = {}
    for shown, dataset in kept.items():
        origin, control = places[shown][0], dataset.entry.base_set
        suffix = shown.removeprefix(origin)
        base = next((name for name in (f"{control}{suffix}", control) if name in kept), control)
        if base != control:
            dataset = replace(dataset, manifest=replace(dataset.entry, base_set=base).to_json())
        datasets[shown] = dataset
    probabilities = {shown: run.probabilities[origin][rows] for shown, (origin, rows) in places.items()}
    reading = {
        shown: run.reading[origin].at(rows)
        for shown, (origin, rows) in places.items()
        if origin in run.reading
    }
    return Run(run.model, datasets, probabilities, {**run.manifest, **note}, reading)
