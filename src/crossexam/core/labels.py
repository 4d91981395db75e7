"""The labels of natural language inference and the names that corpora and models give them."""

from __future__ import annotations

from typing import Final, Literal, get_args

from crossexam.core.errors import FormatError

Label = Literal["entailment", "neutral", "contradiction"]
Gold = Literal["entailment", "neutral", "contradiction", "not_entailment"]

#: In the hub's order: 0, 1, 2.  Arrays of probabilities have their columns in this order.
LABELS: Final[tuple[Label, ...]] = get_args(Label)
LABEL_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(LABELS)}

#: What a gold label may be: the three, and what corpora with two labels call everything not entailed.
GOLDS: Final[tuple[Gold, ...]] = get_args(Gold)
GOLD_INDEX: Final[dict[str, int]] = {label: index for index, label in enumerate(GOLDS)}

# Spellings met in published corpora and in the configurations of published checkpoints.
# fmt: off
SYNONYMS: Final[dict[str, Label]] = {
    "entailment":    "entailment",    "entails":  "entailment",    "entail":  "entailment",
    "entailed":      "entailment",    "e":        "entailment",    "yes":     "entailment",
    "neutral":       "neutral",       "n":        "neutral",       "unknown": "neutral",
    "contradiction": "contradiction", "contradicts": "contradiction", "contradict": "contradiction",
    "contradictory": "contradiction", "c":        "contradiction",
}
# "-" is SNLI's mark for "no majority", -1 the hub's, "hidden" MultiNLI's test.
NO_GOLD: Final[frozenset[str]] = frozenset({"-", "", "-1", "none", "null", "hidden"})
# fmt: on

#: What a two-label model or corpus calls everything that is not entailed.
NOT_ENTAILMENT: Final[frozenset[str]] = frozenset(
    {"not_entailment", "not entailment", "non_entailment", "non-entailment", "not-entailment",
     "not_entailed", "not-entailed", "not entailed"}
)  # fmt: skip


def parse_label(text: object, *, where: str | None = None) -> Gold | None:
    """Return the gold label that *text* names, or None where it says that there is no gold.

    Raises FormatError for anything else.

    >>> parse_label("Entails"), parse_label(2), parse_label("-"), parse_label("not entailed")
    ('entailment', 'contradiction', None, 'not_entailment')
    """
    if text is None:
        return None
    if isinstance(text, int) and not isinstance(text, bool) and 0 <= text < len(LABELS):
        return LABELS[text]
    name = str(text).strip().lower()
    if name in SYNONYMS:
        return SYNONYMS[name]
    if name in NO_GOLD:
        return None
    if name in NOT_ENTAILMENT:
        return "not_entailment"
    if name in {"0", "1", "2"}:
        return LABELS[int(name)]
    raise FormatError(
        f"unknown label {text!r}",
        where=where,
        wanted="entailment, neutral, contradiction or not_entailment, or 0, 1, 2 for the first three; "
        "'-' or -1 for no gold",
    )
