"""How many pairs of a training have the parses that its model reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from crossexam.core.example import SIDES, Example
from crossexam.language.parsing.parsers import has_binary_parse


class ParsedPairs(NamedTuple):
    """The number of *pairs*, and of those of which both sentences have a binary parse that fits them."""

    parsed: int
    pairs: int

    @classmethod
    def of(cls, examples: Iterable[Example]) -> ParsedPairs:
        """Return the counts of *examples*.

        >>> info = {"premise_binary_parse": "( It rains )", "hypothesis_binary_parse": "( It shines )"}
        >>> ParsedPairs.of(Example("a", "It rains", text, None, info=info) for text in ("It shines", "It"))
        ParsedPairs(parsed=1, pairs=2)
        """
        parsed = [all(has_binary_parse(example, side) for side in SIDES) for example in examples]
        return cls(sum(parsed), len(parsed))


def unparsed_warning(counts: Mapping[str, ParsedPairs], hint: str | None) -> str | None:
    """Return a warning of the pairs that lack a parse, None if all have one; *counts* are by kind of pairs.

    *hint* says what can be done about it.

    >>> unparsed_warning({"training": ParsedPairs(15, 60), "development": ParsedPairs(9, 9)}, hint=None)
    'warning: the model reads parses, and 45 of 60 training pairs have none for a sentence or both: it reads \
right-branching trees instead'
    """
    lacking = {of: (each.pairs - each.parsed, each.pairs) for of, each in counts.items()}
    told = [f"{missing:,} of {pairs:,} {of}" for of, (missing, pairs) in lacking.items() if missing]
    if not told:
        return None
    return (
        f"warning: the model reads parses, and {' and '.join(told)} pairs have none for a sentence or both: "
        f"it reads right-branching trees instead{f' ({hint})' if hint else ''}"
    )
