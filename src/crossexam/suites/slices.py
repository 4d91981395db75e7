"""The table of slices: by what the items of a test set are divided."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np

from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLDS
from crossexam.stats.estimate import by_slice
from crossexam.suites.scoring import Scored

#: Values beyond the most frequent are pooled as "(other)".
MOST: Final = 30

# Slice, the key of ``info`` (none: the gold label), the least items of a value of its own, and what sets it.
# fmt: off
SLICES: Final[tuple[tuple[str, str | None, int, str], ...]] = (
    ("gold",        None,          1, "every test set"),
    ("genre",       "genre",       1, "corpora with genres (MultiNLI)"),
    ("pair",        "pair",        5, "antonymy: the word and its antonym"),
    ("kind",        "kind",        1, "antonymy: gradable, complementary, relational (section 4.3)"),
    ("relation",    "relation",    1, "antonymy: of the word, or indirect"),
    ("word class",  "word_class",  1, "antonymy: noun or adjective; spelling errors: content or function"),
    ("side",        "side",        1, "antonymy: the sentence of the base example it was made from"),
    ("how",         "how",         1, "numerical reasoning: which rule made the item"),
    ("question",    "question",    1, "numerical reasoning: the sentence is a question"),
    ("conditional", "conditional", 1, "numerical reasoning: the sentence begins with 'if'"),
)
# fmt: on


def slices_of(scored: Scored) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of *scored* items by every slice of the table that divides them.

    A slice of one value only would repeat the accuracy of the whole and is left out.
    """
    correct = scored.correct
    found: dict[str, dict[str, Estimate]] = {}
    for name, key, minimum, _ in SLICES:
        if key is None:
            values: list[Hashable] = [GOLDS[index] for index in scored.gold.tolist()]
        else:
            values = [_value(example.info.get(key)) for example in scored.examples]
        if len(set(values)) > 1:
            found[name] = by_slice(correct, values, scored.clusters, minimum=minimum, most=MOST)
    return {name: slices for name, slices in found.items() if len(slices) > 1}


def _value(value: Any) -> Hashable:
    """Return what is shown of a *value* of ``info``: "yes", "hot/cold"; None where there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    return str(value)
