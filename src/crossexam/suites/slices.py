"""The table of slices: by what the items of a test set are divided."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.estimate import Estimate
from crossexam.core.labels import GOLDS
from crossexam.stats.estimate import by_slice
from crossexam.suites.scoring import Scored

#: Values beyond the most frequent are pooled as "(other)".
MOST: Final = 30

# Slice, the key of ``info`` (none: the gold label), the least items of a value of its own, whether an item
# counts under each value of a list (tags), and what sets it.
# fmt: off
SLICES: Final[tuple[tuple[str, str | None, int, bool, str], ...]] = (
    ("gold",               None,                1, False, "every test set"),
    ("genre",              "genre",             1, False, "corpora with genres (MultiNLI)"),
    ("pair",               "pair",              5, False, "antonymy: the word and its antonym"),
    ("kind",               "kind",              1, False, "antonymy: gradable, complementary, relational"),
    ("relation",           "relation",          1, False, "antonymy: of the word, or indirect"),
    ("word class",         "word_class",        1, False, "antonymy: noun ...; spelling errors: content ..."),
    ("side",               "side",              1, False, "antonymy: the sentence it was made from"),
    ("how",                "how",               1, False, "numerical reasoning: which rule made the item"),
    ("question",           "question",          1, False, "numerical reasoning: the sentence is a question"),
    ("conditional",        "conditional",       1, False, "numerical reasoning: it begins with 'if'"),
    ("lexical semantics",  "lexical_semantics", 1, True,  "GLUE diagnostic: its four groups of phenomena"),
    ("predicate-argument structure",
                           "predicate_argument_structure", 1, True, "GLUE diagnostic"),
    ("logic",              "logic",             1, True,  "GLUE diagnostic"),
    ("knowledge",          "knowledge",         1, True,  "GLUE diagnostic"),
    ("domain",             "domain",            1, False, "GLUE diagnostic: where the text is from"),
    ("category",           "category",          1, False, "Breaking NLI: what kind of word was replaced"),
    ("heuristic",          "heuristic",         1, False, "HANS: what a model may rely on"),
    ("subcase",            "subcase",           1, False, "HANS: the thirty constructions"),
    ("monotonicity",       "monotonicity",      1, False, "MED: upward, downward, non"),
    ("phenomenon",         "phenomena",         1, True,  "MED: what else it tests; its collection"),
    ("origin",             "origin",            1, False, "MED: from the crowd or from papers"),
    ("section",            "section",           1, False, "FraCaS: nine topics"),
    ("premises",           "premises",          1, False, "FraCaS: how many"),
    ("subset",             "subset",            1, False, "JOCI: how the pair was had"),
    ("ordinal",            "ordinal",           1, False, "JOCI: 5 very likely to 1 impossible"),
    ("context from",       "context_from",      1, False, "JOCI: the collection of the context"),
    ("embedding",          "embedding",         1, False, "CommitmentBank: question, modal, negation ..."),
    ("inference",          "inference",         1, False, "the Diverse NLI Collection: type of inference"),
    ("old label",          "old_label",         1, False, "ChaosNLI: the gold label before"),
)
# fmt: on


def slices_of(scored: Scored) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of *scored* items by every slice of the table that divides them.

    A slice of one value only would repeat the accuracy of the whole and is left out.  Where an item has
    several tags it counts under each, so that the items of a slice may be more than those of the test set.
    """
    found: dict[str, dict[str, Estimate]] = {}
    for name, key, minimum, tagged, _ in SLICES:
        items, values = _values(scored, key, tagged)
        if len(set(values)) > 1:
            found[name] = by_slice(
                scored.correct[items], values, scored.clusters[items], minimum=minimum, most=MOST
            )
    return {name: slices for name, slices in found.items() if len(slices) > 1}


def _values(scored: Scored, key: str | None, tagged: bool) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Return the items [n] and their values under *key*; *tagged*: an item once for each of its tags."""
    if key is None:
        return np.arange(len(scored.examples)), [GOLDS[index] for index in scored.gold.tolist()]
    given = [example.info.get(key) for example in scored.examples]
    if not tagged:
        return np.arange(len(given)), [_value(value) for value in given]
    pairs = [
        (item, _value(tag))
        for item, value in enumerate(given)
        for tag in dict.fromkeys(value if isinstance(value, list | tuple) else [value])
    ]
    return np.array([item for item, _ in pairs], dtype=np.int64), [tag for _, tag in pairs]


def _value(value: Any) -> Hashable:
    """Return what is shown of a *value* of ``info``: "yes", "hot/cold"; None where there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    return str(value)
