"""By whose rules a construction makes its items, and how the names of test sets and items say so."""

from __future__ import annotations

import re
from typing import Final, Literal

#: By whose rules a construction makes its items: ours, those of the paper's text, or those of its script.
Rules = Literal["ours", "paper", "released"]
OURS: Final = "ours"
#: The items that the authors of a study released themselves are named like those of other rules.
AUTHORS: Final = "authors"
_RULES: Final = re.compile(rf"(.+)_(paper|released|{AUTHORS})")


def with_rules(construction: str, rules: str) -> str:
    """Return the name of *construction* under *rules*, in test sets and items; ours go without saying.

    >>> with_rules("antonymy", "released"), with_rules("antonymy", "ours")
    ('antonymy_released', 'antonymy')
    """
    return construction if rules == OURS else f"{construction}_{rules}"


def without_rules(name: str) -> tuple[str, str]:
    """Return the construction that *name* means, and by whose rules (or by whom) the items were made.

    >>> without_rules("antonymy_released"), without_rules("negation")
    (('antonymy', 'released'), ('negation', 'ours'))
    """
    match = _RULES.fullmatch(name)
    return (match[1], match[2]) if match else (name, OURS)
