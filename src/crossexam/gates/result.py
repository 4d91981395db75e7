"""The result of a gate: its checks, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, get_args

from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError
from crossexam.gates.checks import Check
from crossexam.gates.summary import summary_line
from crossexam.gates.table import check_table, explanations
from crossexam.gates.text import gate_text
from crossexam.reports.table import Table

#: What becomes of checks that are open and may hide a loss.
OpenChecks = Literal["undecided", "pass", "fail"]
UNDECIDED: Final[OpenChecks] = "undecided"

#: What a gate says of a run.
GateVerdict = Literal["passes", "undecided", "fails", "cannot be judged"]
#: The exit codes of the command by verdict.
EXIT_CODES: Final[Mapping[GateVerdict, int]] = MappingProxyType(
    {"passes": 0, "fails": 1, "cannot be judged": 2, "undecided": 5}
)


def check_open(value: object) -> OpenChecks:
    """Return *value* if it says what becomes of open checks; raises CrossexamError."""
    for each in _OPEN_CHECKS:
        if value == each:
            return each
    raise CrossexamError(f"open is {shown(value)}", wanted="'undecided', 'pass' or 'fail'")


_OPEN_CHECKS: Final[tuple[OpenChecks, ...]] = get_args(OpenChecks)


@dataclass(frozen=True, repr=False)
class GateResult:
    """The *checks* of the rules on a run of *model*, at the two-sided level *alpha*.

    *baseline* is the model that it is compared with, None without a baseline.  *open_checks* says what
    becomes of open ones, *notes* what a reader must know besides the checks, *names* are short names of test
    sets, and *intervals* says how those of the values are clustered.
    """

    model: str
    baseline: str | None
    checks: tuple[Check, ...]
    alpha: float
    open_checks: OpenChecks = UNDECIDED
    notes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    intervals: str = "95 % confidence intervals"

    @property
    def verdict(self) -> GateVerdict:
        """What the gate says of the run.

        It fails if a check does; else it cannot be judged if a check could not be; else it is undecided if a
        check is; else it passes: every check was shown to hold, or is open without a loss.
        """
        if any(map(self.fails, self.checks)):
            return "fails"
        if any(each.outcome == "not judged" for each in self.checks):
            return "cannot be judged"
        return "undecided" if any(each.undecided for each in self.checks) else "passes"

    @property
    def let_through(self) -> bool:
        """Whether the gate is undecided, and that shall pass."""
        return self.verdict == "undecided" and self.open_checks == "pass"

    @property
    def exit_code(self) -> int:
        """The exit code of the command, which tells the verdict; 0 for one that is let through."""
        return 0 if self.let_through else EXIT_CODES[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether the gate passes, or is undecided and let through."""
        return self.exit_code == 0

    def fails(self, check: Check) -> bool:
        """Return whether *check* makes the gate fail."""
        return check.fails or (check.undecided and self.open_checks == "fail")

    def check(self) -> GateResult:
        """Return the result itself if it passed; raises AssertionError with the checks if it did not."""
        if not self.passed:
            raise AssertionError(self.text('cx.gate(..., items="all")'))
        return self

    @property
    def table(self) -> Table:
        """The checks as a wide table, with what a reader must know of them below it."""
        return check_table(self.summary, self.checks, self._notes)

    def text(self, all_items: str) -> str:
        """Return the checks as lines of at most 80 characters; *all_items* is what shows all items."""
        return gate_text(self.summary, self.checks, self.names, self._notes, all_items)

    @property
    def _notes(self) -> tuple[str, ...]:
        return (*explanations(self.checks, self.intervals, self.alpha / 2), *self.notes)

    @property
    def summary(self) -> str:
        """The verdict and the reason for it, in one line."""
        other = "its baseline" if self.baseline == self.model else self.baseline
        against = "" if self.baseline is None else f" against {other}"
        word = f"is {self.verdict}" if self.verdict == "undecided" else self.verdict
        through = ", let through by --open pass" if self.let_through else ""
        reasons = summary_line(self.checks, [each for each in self.checks if self.fails(each)], self.names)
        return f"The gate {word}{through}: {self.model}{against}, {reasons}"

    def __repr__(self) -> str:
        """Return the summary."""
        return f"GateResult({self.summary!r})"
