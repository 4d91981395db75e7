"""The result of a gate: its checks, and whether it passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from crossexam.core.dataset import counted_items
from crossexam.core.output.escapes import visible
from crossexam.gates.checks import Check
from crossexam.gates.table import OUTCOMES, check_table, plain_text
from crossexam.reports.table import Table

#: What becomes of open checks.
OpenChecks = Literal["pass", "fail"]
LENIENT: Final[OpenChecks] = "pass"


@dataclass(frozen=True, repr=False)
class GateResult:
    """The *checks* of the rules on a run of *model*, at the two-sided level *alpha*.

    *baseline* is the model that it is compared with, None without a baseline.  *open_checks* says whether
    open ones pass, and *notes* what a reader must know besides the checks.
    """

    model: str
    baseline: str | None
    checks: tuple[Check, ...]
    alpha: float
    open_checks: OpenChecks = LENIENT
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 1 if a check fails, else 2 if one could not be judged, else 0."""
        if any(map(self.fails, self.checks)):
            return 1
        return 2 if any(each.outcome == "not judged" for each in self.checks) else 0

    @property
    def passed(self) -> bool:
        """Whether no check fails, and all could be judged."""
        return self.exit_code == 0

    def fails(self, check: Check) -> bool:
        """Return whether *check* makes the gate fail."""
        return check.fails or (check.outcome == "open" and self.open_checks != LENIENT)

    def check(self) -> GateResult:
        """Return the result itself if it passes; raises AssertionError with the table if it does not."""
        if not self.passed:
            raise AssertionError(visible(plain_text(self.table)))
        return self

    @property
    def table(self) -> Table:
        """The checks as a table, with what a reader must know of them below it."""
        return check_table(self.summary, self.checks, self.alpha / 2, self.notes)

    @property
    def summary(self) -> str:
        """Whether the gate passes, and the number of checks by outcome, in one line."""
        counts = Counter[str](each.outcome for each in self.checks)
        words = {name: "hold" if name == "holds" and counts[name] != 1 else name for name in OUTCOMES}
        found = ", ".join(f"{counts[name]:,} {words[name]}" for name in OUTCOMES if counts[name])
        against = "" if self.baseline is None else f" against {self.baseline}"
        verdict = "passes" if self.passed else "fails" if self.exit_code == 1 else "cannot be judged"
        return (
            f"The gate {verdict}: {self.model}{against}, {counted_items(len(self.checks), 'check')}: {found}"
        )

    def __repr__(self) -> str:
        """Return the summary."""
        return f"GateResult({self.summary!r})"
