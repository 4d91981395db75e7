"""How much of the test sets a model did not read, and its accuracy without the items whose edit it missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.unanswered import PartAccuracies


@dataclass(frozen=True)
class Truncation:
    """The items of a test set of which the model did not read all: *truncated* of *items*.

    Of *edit_unseen* items it read nothing that was changed.  *accuracy* is that on all items with a gold
    label; *accuracy_read* is that without the truncated items; *accuracy_seen* without those whose edit was
    not seen.  The last two are None if no item is left.  All are of the answered items, and Bounds where too
    many were not answered.
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


def truncations(run: Run, *, max_unanswered: float = MAX_UNANSWERED) -> tuple[Truncation, ...]:
    """Return the truncation of each test set of *run* that has truncated items; raises CrossexamError."""
    cut = [name for name, reading in run.reading.items() if reading.truncated.any()]
    if not cut:
        return ()
    scored = score_run(run.restricted_to(cut), two_labels=run.two_labels)
    found = []
    for name in cut:
        here, of_set = PartAccuracies(scored[name], max_unanswered), run.reading[name]
        reading = here.scored.reading
        assert reading is not None
        shares = [
            here.accuracy(kept) if kept.any() else None for kept in (~reading.truncated, ~reading.edit_unseen)
        ]
        found.append(
            Truncation(
                name,
                len(of_set.truncated),
                int(of_set.truncated.sum()),
                int(of_set.edit_unseen.sum()),
                here.accuracy(np.ones(len(here.scored.gold), dtype=np.bool_)),
                *shares,
            )
        )
    return tuple(found)
