"""The check of a rule on one test set: what was measured, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from crossexam.core.dataset import counted_items
from crossexam.core.estimate import Bounds, Estimate
from crossexam.gates.behind import ItemsBehind
from crossexam.gates.rules import GateRule, Limit

#: What can become of a check.
CheckOutcome = Literal["holds", "broken", "open", "not judged"]


#: What rounding makes of a difference of 0; the probabilities of a baseline are 32-bit numbers.
_ROUNDING: Final = 1e-7


@dataclass(frozen=True)
class Check:
    """A *rule* with one *limit* on one *test_set*: the measured *value*, and the *outcome*.

    The value is of *n* items, of which *missing* could not be measured; against a baseline, it is the
    difference of the run from that.  *p_holds* and *p_broken* are the one-sided p-values of the claims that
    the value keeps to the limit and that it does not, corrected over all checks by Holm's method; None for an
    *observed* quantity, which has no error; *p_floors* says which of them are the smallest that can be
    computed, so that they may be smaller.  For an open check, *detectable* is the nearest true value beyond
    the limit that so many items would show in 80 % of cases, and *items_needed* about how many items would
    settle it, if the value stays as it is; None if there is no such number.  *behind* are the items behind
    the value, if the check fails or is undecided.  *with_missing* are the values of an open check with the
    missing answers counted (:meth:`~crossexam.evaluation.quantities.Quantity.with_missing`).
    """

    rule: GateRule
    limit: Limit
    test_set: str
    value: Estimate
    n: int
    missing: int
    outcome: CheckOutcome
    p_holds: float | None = None
    p_broken: float | None = None
    p_floors: tuple[bool, bool] = (False, False)
    detectable: float | None = None
    items_needed: int | None = None
    behind: ItemsBehind | None = None
    with_missing: tuple[float, ...] = ()

    @property
    def observed(self) -> bool:
        """Whether the value is known without error."""
        return self.p_holds is None

    @property
    def keeps_to_limit(self) -> bool:
        """Whether the value itself is on the right side, whatever its interval."""
        number, threshold = self.value.value, self.limit.threshold
        return number >= threshold if self.limit.side == "above" else number <= threshold

    @property
    def without_loss(self) -> bool:
        """Whether the value is a loss, from the baseline or the base, and is 0 or better.

        So it must be with the missing answers counted as well: a model that refuses what it would get wrong
        has lost it.  It is not if the limit is absolute: a value that keeps to this is not shown to.
        """
        if not self.rule.against_baseline and not (self.rule.measure.is_loss and self.limit.side == "below"):
            return False
        direction = 1 if self.limit.side == "above" else -1
        return all(direction * each >= -_ROUNDING for each in (self.value.value, *self.with_missing))

    @property
    def p_value(self) -> float | None:
        """The p-value of the side on which the value is; None if there is none, or only bounds are known."""
        if isinstance(self.value, Bounds):
            return None
        return self.p_holds if self.keeps_to_limit else self.p_broken

    @property
    def p_at_floor(self) -> bool:
        """Whether :attr:`p_value` is the smallest that can be computed."""
        return self.p_floors[0 if self.keeps_to_limit else 1]

    @property
    def wanted(self) -> str:
        """What the rule wants of the value, in words."""
        number = self.number(abs(self.limit.threshold))
        if self.rule.against_baseline:
            direction = "below" if self.limit.side == "above" else "above"
            return f"at most {number} {direction} the baseline"
        return f"at {'least' if self.limit.side == 'above' else 'most'} {number}"

    @property
    def fails(self) -> bool:
        """Whether the gate fails for this check, whatever becomes of other open ones."""
        return self.outcome == "broken" or (self.outcome == "open" and self.rule.must_be_shown)

    @property
    def undecided(self) -> bool:
        """Whether the check is open and leaves the gate undecided: there is a loss, or an absolute limit."""
        return self.outcome == "open" and not self.fails and not self.without_loss

    def number(self, share: float) -> str:
        """Return *share* in percent, as tables show it."""
        return f"{100 * share:.1f}"

    @property
    def remark(self) -> str:
        """What a reader must know of the check besides its row, in a sentence or two; may be empty."""
        if self.outcome == "not judged":
            return (
                f"{self.missing:,} of {counted_items(self.n, 'item')} could not be measured, so that only "
                "bounds are known. With p-values corrected over all checks, they do not decide."
            )
        if self.outcome != "open":
            return ""
        items = counted_items(self.n - self.missing, "item")
        shown = self.detectable_text
        truth = f"{shown} the baseline" if self.rule.against_baseline else shown
        power = (
            f"{items} are too few to show that the rule is broken, however bad the model is."
            if shown is None
            else f"{items} would show in 80 % of cases that the rule is broken if the truth were {truth}."
        )
        settled = (
            "More items would not settle it if the value stayed as it is."
            if self.items_needed is None
            else f"About {self.items_needed:,} items would settle it if the value stayed as it is."
        )
        unmeasured = f" {self.missing:,} more could not be measured." if self.missing else ""
        return f"{power} {settled}{unmeasured}"

    @property
    def detectable_text(self) -> str | None:
        """The value that so many items would show, in words; None if there is none."""
        if self.detectable is None:
            return None
        if self.rule.against_baseline:
            direction = "below" if self.limit.side == "above" else "above"
            return f"{self.number(abs(self.detectable))} {direction}"
        return f"{self.number(self.detectable)} or {'less' if self.limit.side == 'above' else 'more'}"
