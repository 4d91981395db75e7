"""Replacing a matched word: what else in the sentence has to change, and when the result is no test.

By our rules, the new word takes the inflection of the old one, and articles, pronouns and possessives agree
with it; a noun that cannot be counted does not replace one that can.  By the paper's, the word alone is
replaced, as the list of pairs has it (Sanchez Carmona et al. 2018, section 5.2); only an initial capital is
kept.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from crossexam.constructions.construction import Rejection
from crossexam.constructions.edits import pronoun_edits, replacing
from crossexam.constructions.pair_matching import Match
from crossexam.core.example import Edit, Side
from crossexam.language.agreement import can_replace
from crossexam.language.inflection import match_case
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.nouns import animacy, gender, tells_gender
from crossexam.language.pronouns import Unclear, gendered_pronouns

Rules = Literal["ours", "paper"]


def word_edits(
    text: str, match: Match, side: Side, lemma: str, wordnet: WordNet, rules: Rules = "ours"
) -> tuple[Edit, ...] | Rejection:
    """Return the edits that replace the pair's word on *side* of the matched *text* by *lemma*."""
    tokens, positions = match.tokens[side], match.positions[side]
    if rules == "paper":
        found = (tokens[k] for k in positions)
        return tuple(Edit(side, t.start, t.end, t.text, match_case(lemma, t.text)) for t in found)
    edits = replacing(text, tokens, positions, lemma, side)
    if edits is None:
        return Rejection("no such form")
    antonyms = match.pair.relation == "antonym" and lemma in match.pair[:2]  # one is used as the other is
    if not antonyms and not all(can_replace(tokens, k, lemma) for k in positions):
        return Rejection("the other noun cannot be counted here")
    pronouns = pronoun_edits(tokens, positions, lemma, side, wordnet)
    return Rejection(pronouns.reason) if isinstance(pronouns, Unclear) else (*edits, *pronouns)


def tells_more(
    match: Match, side: Side, words: tuple[str, str], edits: Collection[Edit], wordnet: WordNet
) -> bool:
    """Return whether the sentence on *side* tells the gender that its word leaves open and the other's has.

    *words* are the word on *side*, after *edits*, and the other: "a person lifts her hand" tells as much as
    "a woman lifts her hand", though a person may be a man.
    """
    here, other = words
    if gender(other, wordnet) is None or gender(here, wordnet) is not None:
        return False
    if animacy(here, wordnet) != "person":
        return False
    tokens, positions = match.tokens[side], match.positions[side]
    edited = {edit.start for edit in edits}
    if any(tokens[each.position].start not in edited for each in gendered_pronouns(tokens)):
        return True
    nouns = (t for k, t in enumerate(tokens) if k not in positions and t.tag.startswith("NN"))
    return any(tells_gender(token.text, wordnet) for token in nouns)
