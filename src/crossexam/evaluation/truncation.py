"""How much of the test sets a model did not read, and its accuracy without the items whose edit it missed."""

from __future__ import annotations

from dataclasses import dataclass

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.evaluation.scores import score_run
from crossexam.stats.estimate import share_correct


@dataclass(frozen=True)
class Truncation:
    """The items of a test set of which the model did not read all: *truncated* of *items*.

    Of *edit_unseen* items it read nothing that was changed.  *accuracy* is that on all items with a gold
    label; *accuracy_read* is that without the truncated items; *accuracy_seen* without those whose edit was
    not seen.  The last two are None if no item is left.
    """

    name: str
    items: int
    truncated: int
    edit_unseen: int
    accuracy: Estimate
    accuracy_read: Estimate | None
    accuracy_seen: Estimate | None

    @property
    def share(self) -> float:
        """The share of the items that were truncated."""
        return self.truncated / self.items


def truncations(run: Run) -> tuple[Truncation, ...]:
    """Return the truncation of each test set of *run* that has truncated items; raises CrossexamError."""
    cut = [name for name, reading in run.reading.items() if reading.truncated.any()]
    if not cut:
        return ()
    scored = score_run(run, two_labels=run.two_labels)
    found = []
    for name in cut:
        here, of_set = scored[name], run.reading[name]
        if here.reading is None:
            raise ValueError(f"the scores of {name} do not say what was read")
        shares = [
            share_correct(here.correct[kept], here.clusters[kept]) if kept.any() else None
            for kept in (~here.reading.truncated, ~here.reading.edit_unseen)
        ]
        found.append(
            Truncation(
                name,
                len(of_set.truncated),
                int(of_set.truncated.sum()),
                int(of_set.edit_unseen.sum()),
                share_correct(here.correct, here.clusters),
                *shares,
            )
        )
    return tuple(found)
