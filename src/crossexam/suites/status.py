"""Which items hold: those that people verified, those they rejected, those that are only proposed.

``info["verdict"]`` is what ``validate verdict --apply`` found (``verified``, ``rejected``);
``info["status"]`` is that of an item whose label its construction only proposes (``proposed`` until it is
judged).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.run import Run

VERDICT: Final = "verdict"
STATUS: Final = "status"
VERIFIED: Final = "verified"
REJECTED: Final = "rejected"
PROPOSED: Final = "proposed"
STATUSES: Final = (VERIFIED, REJECTED, PROPOSED)


def status_of(example: Example) -> str | None:
    """Return whether *example* is verified, rejected or proposed; None where nothing is said of it.

    >>> status_of(Example("a", "p", "h", "neutral", info={"status": "proposed"}))
    'proposed'
    """
    for found in (example.info.get(VERDICT), example.info.get(STATUS)):
        if found in STATUSES:
            return str(found)
    return None


def by_status(run: Run) -> Run:
    """Return *run* with every test set of proposed labels parted into its verified and its proposed items.

    The parts are called ``NAME (verified)`` and ``NAME (proposed)``; rejected items are left out, and the
    manifest counts them.  Test sets whose labels are not proposed stay as they are.
    """
    parted = Run(run.model, {}, {}, run.manifest)
    rejected = 0
    for name, dataset in run.datasets.items():
        if not any(STATUS in example.info for example in dataset):
            parted = _with(parted, name, dataset, run)
            continue
        rejected += sum(status_of(example) == REJECTED for example in dataset)
        for status in (VERIFIED, PROPOSED):
            parted = _with_part(parted, run, name, status)
    if not rejected:
        return parted
    said = f"{rejected} items that people rejected are left out"
    return replace(parted, manifest={**run.manifest, "rejected_items": said})


def verified_only(run: Run) -> Run:
    """Return *run* over the verified items alone, each test set called ``NAME (verified)``.

    Bases stay whole: the drop is measured from them.  Raises CrossexamError where no item is verified.
    """
    kept = Run(run.model, {}, {}, run.manifest)
    counts: Counter[str] = Counter()
    bases = [name for name, dataset in run.datasets.items() if _is_base(dataset)]
    for name, dataset in run.datasets.items():
        counts.update(status_of(example) or "not judged" for example in dataset if name not in bases)
        kept = _with(kept, name, dataset, run) if name in bases else _with_part(kept, run, name, VERIFIED)
    if not counts[VERIFIED]:
        raise CrossexamError(
            f"no item of the test sets of '{run.model}' is verified",
            hint="crossexam validate verdict STUDY --apply SUITE writes what people found into the suite",
        )
    left = ", ".join(f"{counts[key]:,} {key}" for key in (REJECTED, PROPOSED, "not judged") if counts[key])
    said = f"verified items only: {counts[VERIFIED]:,}; left out: {left or 'none'}"
    return replace(kept, manifest={**run.manifest, "scored_items": said})


def _is_base(dataset: Dataset) -> bool:
    return str(dataset.manifest.get("construction") or dataset.name).partition(".")[0] == "base"


def _with(to: Run, name: str, dataset: Dataset, run: Run) -> Run:
    return Run(
        to.model,
        {**to.datasets, name: dataset},
        {**to.probabilities, name: run.probabilities[name]},
        to.manifest,
    )


def _with_part(to: Run, run: Run, name: str, status: str) -> Run:
    """Return *to* with the items of test set *name* that have *status*, where there are any."""
    dataset = run.datasets[name]
    kept = [place for place, example in enumerate(dataset) if status_of(example) == status]
    if not kept:
        return to
    shown = f"{name} ({status})"
    bare, _, part = name.partition(".")
    facts = {"construction": bare, "part": part, **dataset.manifest}
    if "signature" in facts:
        facts["signature"] = f"{facts['signature']}|items:{status}"
    part_of = Dataset(shown, tuple(dataset.examples[place] for place in kept), facts)
    return Run(
        to.model,
        {**to.datasets, shown: part_of},
        {**to.probabilities, shown: run.probabilities[name][kept]},
        to.manifest,
    )
