"""Hints to the source of an error are categories, and need the fitting error."""

from dataclasses import replace
from typing import Any

from crossexam.core.labels import LABELS, Gold
from crossexam.validation.error_sources import suggestions
from crossexam.validation.questions import CATEGORIES
from crossexam.validation.study import Item

E, N, C = LABELS
HINTS: dict[str, tuple[str, str, Gold, Gold]] = {
    "word_overlap": ("The tall man sang a song.", "The song sang a man.", N, E),
    "negation": ("Ann hates tea.", "Ann does not love tea.", E, C),
    "antonymy": ("The doors were open.", "The doors were closed.", C, N),
    "numerical_reasoning": ("Bob ate 3 plums.", "Bob ate seven plums.", C, N),
    "grammaticality": ("The hores ran away.", "A horse fled.", E, N),
    "unknown": ("Ann sang.", "Ann danced.", N, C),
}


def test_hints_are_categories_and_need_the_fitting_error() -> None:
    def suggested(category: str, **changes: Any) -> set[str]:
        item = Item(1, "base.dev", "b", *HINTS[category], "b", ("category",))
        return {category for category, _ in suggestions(replace(item, **changes))}

    for category in HINTS:
        assert category in suggested(category)
        assert suggested(category) <= set(CATEGORIES)
    for category, other in (("negation", {"predicted": N}), ("antonymy", {"gold": E})):
        assert category not in suggested(category, **other)
