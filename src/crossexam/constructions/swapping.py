"""Word pairs swapped in situ and ex situ (Sanchez Carmona et al. 2018, sections 5.2, 5.3 and 6.1).

A control is a training example as it is, with the pair that stands in it.  Everything else is derived: the
words exchanged in place (in situ), one sentence copied to both sides so that only the pair differs (ex situ),
or one of two antonyms replaced by a relative of the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from crossexam.constructions.pair_matching import Match
from crossexam.constructions.word_edits import replacing
from crossexam.core.example import HEAVY_INFO, SIDES, Change, Edit, Example, Side, cluster_of
from crossexam.core.labels import Gold

OTHER: Final[Mapping[Side, Side]] = {"premise": "hypothesis", "hypothesis": "premise"}
_VERSION: Final = "v1"


@dataclass(frozen=True)
class Swapped:
    """A control, its *match*, and the edits that exchange the pair's words on each side."""

    control: Example
    match: Match
    edits: Mapping[Side, tuple[Edit, ...]]

    def other_word(self, side: Side) -> str:
        """Return the pair's lemma that is put on *side* in the exchange."""
        pair = self.match.pair
        return pair.second if side == "premise" else pair.first

    def new_word(self, side: Side) -> str:
        """Return the first word that the exchange puts on *side*, in lower case."""
        start = self.match.tokens[side][self.match.positions[side][0]].start
        return next(edit.new.lower() for edit in self.edits[side] if edit.start == start)


def exchange(example: Example, match: Match, name: str) -> Swapped | None:
    """Return *example* as a control of the set *name*, with its exchange; None where a form is missing."""
    edits: dict[Side, tuple[Edit, ...]] = {}
    for side in SIDES:
        lemma = match.pair.second if side == "premise" else match.pair.first
        found = replacing(example.text(side), match.tokens[side], match.positions[side], lemma, side)
        if found is None:
            return None
        edits[side] = found
    info = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    info |= {"cluster": cluster_of(example), "pair": f"{match.word('premise')}/{match.word('hypothesis')}",
             "relation": match.pair.relation}  # fmt: skip
    control = replace(example, id=f"{name}:{example.id}", base=None, change=None, info=info)
    return Swapped(control, match, edits)


def in_situ(swapped: Swapped, name: str, label: Gold, **info: Any) -> Example:
    """Return the control with the pair exchanged: I_TA1, I_TH."""
    edits = (*swapped.edits["premise"], *swapped.edits["hypothesis"])
    change = Change(f"{name}.{_VERSION}", "premise", "hypothesis", edits)
    pair = f"{swapped.new_word('premise')}/{swapped.new_word('hypothesis')}"
    return swapped.control.derive(label, change, info={"pair": pair, **info})


def ex_situ(swapped: Swapped, context: Side, name: str, label: Gold, **info: Any) -> Example:
    """Return the sentence on *context* on both sides, differing in the pair: E_A, E_H."""
    changed = OTHER[context]
    edits = _moved(swapped.edits[context], changed)
    change = Change(f"{name}.{_VERSION}", context, context, edits)
    return swapped.control.derive(
        label, change, info={"pair": _pair(swapped, context), "context": context, **info}
    )


def ex_situ_exchanged(
    swapped: Swapped, control: Example, context: Side, name: str, label: Gold, **info: Any
) -> Example:
    """Return the ex situ *control* with the pair exchanged: E_TA, E_TH."""
    change = Change(f"{name}.{_VERSION}", context, context, _moved(swapped.edits[context], context))
    premise, hypothesis = _pair(swapped, context).split("/")
    return control.derive(label, change, info={"pair": f"{hypothesis}/{premise}", "context": context, **info})


def replaced(swapped: Swapped, side: Side, lemma: str, name: str, label: Gold, **info: Any) -> Example | None:
    """Return the control with the pair's word on *side* replaced by *lemma*: I_TA2, I_TA3; None: no form."""
    match = swapped.match
    text = swapped.control.text(side)
    edits = replacing(text, match.tokens[side], match.positions[side], lemma, side)
    if edits is None:
        return None
    start = match.tokens[side][match.positions[side][0]].start
    new = next(edit.new.lower() for edit in edits if edit.start == start)
    pair = {side: new, OTHER[side]: match.word(OTHER[side])}
    change = Change(f"{name}.{_VERSION}", "premise", "hypothesis", edits)
    return swapped.control.derive(
        label, change, info={"pair": f"{pair['premise']}/{pair['hypothesis']}", **info}
    )


def _pair(swapped: Swapped, context: Side) -> str:
    """Return the pair (premise word, hypothesis word) of the ex situ control on *context*."""
    here, new = swapped.match.word(context), swapped.new_word(context)
    return f"{here}/{new}" if context == "premise" else f"{new}/{here}"


def _moved(edits: tuple[Edit, ...], side: Side) -> tuple[Edit, ...]:
    return tuple(replace(edit, side=side) for edit in edits)
