"""The constructions, and groups of them, whose rules are the rows of a table."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any, Final

from crossexam.constructions.rules.rule import Rule
from crossexam.core.errors import UnknownNameError

TABLES: Final = {
    "add_amod": "crossexam.constructions.rules.add_amod:RULES",
    "antonymy": "crossexam.constructions.rules.antonymy:RULES",
    "natural_logic": "crossexam.constructions.rules.natural_logic:RULES",
    "numerical_reasoning": "crossexam.constructions.rules.numerical_reasoning:RULES",
    "so_swap": "crossexam.constructions.rules.so_swap:RULES",
    "so_swap_plausible": "crossexam.constructions.rules.so_swap_plausible:RULES",
    "swapped_sentences": "crossexam.constructions.rules.swapped_sentences:RULES",
    "word_pair_swaps": "crossexam.constructions.rules.word_pair_swaps:RULES",
}


def rules_of(construction: str) -> tuple[Rule[Any], ...]:
    """Return the rules of *construction*; raises UnknownNameError if they are not in a table.

    >>> rules_of("so_swap")[0].rejects
    'Did the nun feed the cat?'
    """
    if construction not in TABLES:
        raise UnknownNameError("construction with a table of rules", construction, TABLES)
    rules: tuple[Rule[Any], ...] = resolve_name(TABLES[construction])
    return rules
