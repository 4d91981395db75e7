"""The family of a control: an example with a word pair, and the edits that exchange or replace its words.

By our rules, the new word takes the inflection of the old one, and articles, pronouns and possessives agree
with it; a noun that cannot be counted does not replace one that can.  By the paper's, the word alone is
replaced, as the list of pairs has it (Sanchez Carmona et al. 2018, section 5.2); only an initial capital is
kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, cast

from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.natural_logic import are_same_otherwise
from crossexam.constructions.pair_matching import Match
from crossexam.constructions.rules.word_pair_swaps import Replacing, against
from crossexam.core.example import (
    DOUBTS,
    ONLY_PAIR,
    OTHER_SIDE,
    PAIR,
    RELATION,
    SIDES,
    Edit,
    Example,
    Side,
    light_info,
)
from crossexam.core.labels import Label
from crossexam.language.inflection import match_case
from crossexam.language.pronouns import Unclear

Rules = Literal["ours", "paper"]


@dataclass(frozen=True)
class Family:
    """A *control*, the *match* of its pair, and the *edits* that exchange the pair's words on each side."""

    control: Example
    match: Match
    edits: Mapping[Side, tuple[Edit, ...]]
    rules: Rules = "ours"

    @property
    def is_ours(self) -> bool:
        """Whether the items are made by our rules."""
        return self.rules == "ours"

    @property
    def gold(self) -> Label:
        """The label of the control, which has one."""
        return cast(Label, self.control.label)

    @cached_property
    def words(self) -> Mapping[Side, str]:
        """The word of the pair on each side, as inflected there, in lower case."""
        return {side: self.match.word(side) for side in SIDES}

    @cached_property
    def exchanged(self) -> Mapping[Side, str]:
        """The word on each side after the exchange."""
        return {side: self.inserted(side, self.edits[side]) for side in SIDES}

    def inserted(self, side: Side, edits: Iterable[Edit]) -> str:
        """Return the word that *edits* insert in the first place of the pair's word on *side*, in lower case.

        If they insert several, as in *is seated*, it is the last.
        """
        start = self.match.tokens[side][self.match.positions[side][0]].start
        return next(edit.new.lower().split()[-1] for edit in edits if edit.start == start)

    def in_situ(self, **info: Any) -> Draft:
        """Return the control with the pair exchanged: I_TA1, I_TH.  Natural logic provides the label."""
        edits = (*self.edits["premise"], *self.edits["hypothesis"])
        return Draft(None, edits, info={PAIR: _pair(self.exchanged), **info}, base=self.control)

    def ex_situ(self, context: Side, **info: Any) -> Draft:
        """Return the sentence on *context* on both sides, differing in the pair: E_A, E_H."""
        words = {context: self.words[context], OTHER_SIDE[context]: self.exchanged[context]}
        return self._copied(context, OTHER_SIDE[context], words, self.control, info)

    def ex_situ_exchanged(self, control: Example, context: Side, **info: Any) -> Draft:
        """Return the ex situ *control* with the pair exchanged: E_TA, E_TH."""
        words = {context: self.exchanged[context], OTHER_SIDE[context]: self.words[context]}
        return self._copied(context, context, words, control, info)

    def _copied(
        self, context: Side, edited: Side, words: Mapping[Side, str], base: Example, info: Mapping[str, Any]
    ) -> Draft:
        edits = tuple([edit._replace(side=edited) for edit in self.edits[context]])
        facts = {PAIR: _pair(words), "context": context, **info}
        return Draft(None, edits, context, context, info=facts, base=base)

    def replaced(self, side: Side, lemma: str, **info: Any) -> Draft | Rejection:
        """Return the control with the pair's word on *side* replaced by *lemma*: I_TA2, I_TA3.

        A rejection if *lemma* does not fit.
        """
        edits = word_edits(self.control.text(side), self.match, side, lemma, self.rules)
        if isinstance(edits, Rejection):
            return edits
        words = {**self.words, side: self.inserted(side, edits)}
        return Draft(None, edits, info={PAIR: _pair(words), **info}, base=self.control)


def family_of(example: Example, match: Match, name: str, rules: Rules = "ours") -> Family | Rejection:
    """Return the family of *example* as a control of the set *name*, or why a word does not fit."""
    edits: dict[Side, tuple[Edit, ...]] = {}
    doubts = dict.fromkeys(match.doubts)
    for side in SIDES:
        lemma = match.pair.second if side == "premise" else match.pair.first
        found = by_ours = word_edits(example.text(side), match, side, lemma)
        if rules == "paper":
            found = word_edits(example.text(side), match, side, lemma, "paper")
        if isinstance(found, Rejection):
            return found
        edits[side] = found
        if isinstance(by_ours, Rejection):  # which the paper's rules ignore
            doubts[by_ours.reason] = None
    info = light_info(example) | {
        PAIR: f"{match.word('premise')}/{match.word('hypothesis')}",
        RELATION: match.pair.relation,
        ONLY_PAIR: are_same_otherwise(*match.sentences),
        **({DOUBTS: list(doubts)} if doubts else {}),
    }
    control = replace(example, id=f"{name}:{example.id}", base=None, change=None, info=info)
    return Family(control, match, edits, rules)


def word_edits(
    text: str, match: Match, side: Side, lemma: str, rules: Rules = "ours"
) -> tuple[Edit, ...] | Rejection:
    """Return the edits that replace the pair's word on *side* of the matched *text* by *lemma*."""
    tokens, positions = match.tokens[side], match.positions[side]
    if rules == "paper":
        found = (tokens[k] for k in positions)
        return tuple(Edit(side, t.start, t.end, t.text, match_case(lemma, t.text)) for t in found)
    view = Replacing(match.pair, match.pos, text, tokens, positions, lemma, side)
    first = next(against(view), None)
    if first or view.edits is None:
        return Rejection(first.reason if first else "no such form")
    return (*view.edits, *(() if isinstance(view.pronouns, Unclear) else view.pronouns))


def _pair(words: Mapping[Side, str]) -> str:
    return f"{words['premise']}/{words['hypothesis']}"
