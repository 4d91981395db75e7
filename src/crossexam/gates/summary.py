"""The line that gives the reasons of a verdict: how many checks are open, and which are worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from crossexam.core.dataset import counted_items
from crossexam.gates.checks import Check
from crossexam.gates.table import OUTCOMES, value_number

#: As many checks are named; of others there is a number.
_NAMED: Final = 3


def summary_line(checks: Sequence[Check], failing: Sequence[Check], names: Mapping[str, str]) -> str:
    """Return the number of *checks* by outcome, those that are *failing* or not judged, and open ones.

    *names* are the short names of test sets.
    """
    broken = [each for each in failing if each.outcome == "broken"]
    unshown = [each for each in failing if each.outcome == "open"]
    unjudged = [each for each in checks if each.outcome == "not judged"]
    parts = [f"{counted_items(len(checks), 'check')}: {_counts(checks)}"]
    parts += [f"broken: {_listed(broken, names)}"] if broken else []
    parts += [f"not shown to hold, though required: {_listed(unshown, names)}"] if unshown else []
    parts += [f"not judged: {_listed(unjudged, names)}"] if unjudged else []
    parts += _of_open(checks, names)
    if not failing and not unjudged and any(each.undecided for each in checks):
        parts.append(_settling(checks))
    unmeasured = sum({each.test_set: each.missing for each in checks}.values())
    parts += [f"{counted_items(unmeasured, 'item')} could not be measured"] if unmeasured else []
    return "; ".join(parts)


def _counts(checks: Sequence[Check]) -> str:
    counts = Counter[str](each.outcome for each in checks)
    words = {name: "hold" if name == "holds" and counts[name] != 1 else name for name in OUTCOMES}
    return ", ".join(f"{counts[name]:,} {words[name]}" for name in OUTCOMES if counts[name])


def _of_open(checks: Sequence[Check], names: Mapping[str, str]) -> list[str]:
    """Return how many of the open checks are without a loss, and which others are beyond their limit."""
    opened = [each for each in checks if each.outcome == "open"]
    others = [each for each in opened if not each.without_loss]
    worse = [each for each in others if not each.keeps_to_limit]
    without = len(opened) - len(others)
    listed = f" ({_listed(worse, names)})" if worse else ""
    if opened and not others:
        return [f"no loss was seen in the open one{'s' if without > 1 else ''}"]
    parts = [f"no loss was seen in {without:,} of the open ones"] if without else []
    if len(others) == 1:
        is_worse = f"is {'' if worse else 'not '}worse than its limit"
        parts.append(f"the {'other' if without else 'open'} one {is_worse}{listed}")
    elif others:
        which = f"the other {len(others):,}" if without else "the open ones"
        verb = "are worse than their limit" if len(worse) > 1 else "is worse than its limit"
        counted = which if len(worse) == len(others) else f"{len(worse) or 'none'} of {which}"
        parts.append(f"{counted} {verb}{listed}")
    return parts


def _listed(checks: Sequence[Check], names: Mapping[str, str]) -> str:
    """Return the test sets, measures and values of those of *checks* that are furthest from their limits.

    Checks that would read the same have their limits.
    """
    ordered = sorted(checks, key=lambda each: -abs(each.value.value - each.limit.threshold))
    told = [f"{names.get(each.test_set, each.test_set)}: {_value(each)}" for each in ordered]
    shown = [
        text if told.count(text) == 1 else f"{text} ({each.wanted})"
        for each, text in zip(ordered[:_NAMED], told, strict=False)
    ]
    more = [f"{len(checks) - _NAMED:,} more"] if len(checks) > _NAMED else []
    return ", ".join([*shown, *more])


def _value(check: Check) -> str:
    points = " points" if check.rule.against_baseline else ""
    return f"{check.rule.measure.name} {value_number(check)}{points}"


def _settling(checks: Sequence[Check]) -> str:
    """Return how many items would settle those of *checks* that are undecided, if their values stayed."""
    undecided = [each for each in checks if each.undecided]
    all_open = len(undecided) == sum(each.outcome == "open" for each in checks)
    needed = sorted(each.items_needed for each in undecided if each.items_needed is not None)
    never = len(undecided) - len(needed)
    which = "it" if len(undecided) == 1 else "them" if all_open else f"these {len(undecided):,}"
    stayed = "values" if len(undecided) > 1 else "value"
    if not needed:
        return f"more items would not settle {which} if the {stayed} stayed as measured"
    numbers = f"{needed[0]:,}" if needed[0] == needed[-1] else f"{needed[0]:,} to {needed[-1]:,}"
    items = f"about {numbers} items" + (" in each test set" if len(needed) > 1 else "")
    settled = which if not never else f"{len(needed):,} of {which}"
    rest = f", and more would not settle the other{'s' if never > 1 else ''}" if never else ""
    return f"{items} would settle {settled} if the {stayed} stayed as measured{rest}"
