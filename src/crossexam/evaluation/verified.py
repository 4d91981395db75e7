"""Which items hold: those that people verified, those they rejected, those that are only proposed.

``info["verdict"]`` is what ``validate verdict --apply`` found (``verified``, ``rejected``);
``info["status"]`` is that of an item whose label its construction only proposes (``proposed`` until it is
judged).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import PROPOSED, REJECTED, STATUS, VERIFIED, status_of

_PART: Final = "items_status"  # in the manifest of a part: which items it has


def by_status(run: Run) -> Run:
    """Return *run* with every test set of proposed labels parted into its verified and its proposed items.

    The parts are called ``NAME (verified)`` and ``NAME (proposed)``; items of which nothing is said stay
    under ``NAME``.  Rejected items are left out, and the manifest counts them.  Parts stay as they are.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, list[int]]] = {}
    rejected = 0
    for name, dataset in run.datasets.items():
        if _PART in dataset.manifest or not any(STATUS in example.info for example in dataset):
            kept[name], places[name] = dataset, (name, list(range(len(dataset))))
            continue
        rejected += sum(status_of(example) == REJECTED for example in dataset)
        for status in (None, VERIFIED, PROPOSED):
            _take(kept, places, run, name, status)
    said = {"rejected_items": f"{rejected:,} items that people rejected are left out"} if rejected else {}
    return _made(run, kept, places, said)


def verified_only(run: Run) -> Run:
    """Return *run* over the verified items alone, each test set called ``NAME (verified)``.

    Bases stay whole, since the drop is measured from them: the base as it is, and controls of which nothing
    is said, whose labels are the corpus's own.  Raises CrossexamError where no item is verified.
    """
    kept: dict[str, Dataset] = {}
    places: dict[str, tuple[str, list[int]]] = {}
    counts: Counter[str] = Counter()
    controls = {dataset.manifest.get("base_set") for dataset in run.datasets.values()}
    for name, dataset in run.datasets.items():
        statuses = Counter(status_of(example) or "not judged" for example in dataset)
        if _is_base(dataset) or (name in controls and set(statuses) <= {"not judged"}):
            kept[name], places[name] = dataset, (name, list(range(len(dataset))))
            continue
        counts += statuses
        _take(kept, places, run, name, VERIFIED)
    if not counts[VERIFIED]:
        raise CrossexamError(
            f"no item of the test sets of '{run.model}' is verified",
            hint="crossexam validate verdict STUDY --apply SUITE writes what people found into the suite",
        )
    left = ", ".join(f"{counts[key]:,} {key}" for key in (REJECTED, PROPOSED, "not judged") if counts[key])
    said = f"verified items only: {counts[VERIFIED]:,}; left out: {left or 'none'}"
    return _made(run, kept, places, {"scored_items": said})


def _is_base(dataset: Dataset) -> bool:
    return str(dataset.manifest.get("construction") or dataset.name).partition(".")[0] == "base"


def _take(
    kept: dict[str, Dataset],
    places: dict[str, tuple[str, list[int]]],
    run: Run,
    name: str,
    status: str | None,
) -> None:
    """Add the items of test set *name* that have *status*, where there are any, to *kept* and *places*."""
    dataset = run.datasets[name]
    found = [place for place, example in enumerate(dataset) if status_of(example) == status]
    if not found:
        return
    shown = f"{name} ({status})" if status else name
    bare, _, part = name.partition(".")
    facts = {"construction": bare, "part": part, **dataset.manifest}
    facts[_PART] = status or "without status"
    if "signature" in facts:
        facts["signature"] = f"{facts['signature']}|items:{status or 'without status'}"
    kept[shown] = Dataset(shown, tuple(dataset.examples[place] for place in found), facts)
    places[shown] = (name, found)


def _made(
    run: Run,
    kept: Mapping[str, Dataset],
    places: Mapping[str, tuple[str, list[int]]],
    said: Mapping[str, str],
) -> Run:
    """Return the run of *kept*; a part's base is the part of its base that has the same status, if any."""
    datasets = {}
    for shown, dataset in kept.items():
        origin, control = places[shown][0], dataset.manifest.get("base_set")
        suffix = shown.removeprefix(origin)
        near = next((name for name in (f"{control}{suffix}", control) if name in kept), control)
        changed = (
            dataset if near == control else replace(dataset, manifest={**dataset.manifest, "base_set": near})
        )
        datasets[shown] = changed
    shares = {shown: run.probabilities[origin][found] for shown, (origin, found) in places.items()}
    return Run(run.model, datasets, shares, {**run.manifest, **said})
