"""Antonymy by the authors' script (``make_antonym_adv_samples.py`` of Naik et al., 2018).

A token's sense is that of Lesk over all parts of speech, the last by name of equals; each antonym of a noun
or satellite's lemmas replaces the first occurrence of the token as a substring.  The copy of a hypothesis
becomes the premise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.core.example import KIND, OTHER_SIDE, PAIR, SIDES, Edit, Example, Side
from crossexam.language.lexicons.antonym_kinds import NO_CONTRADICTION, antonym_kind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.word_senses import lesk

_NOT_AS_ANTONYM: Final = "civilian"
_SKIPPED: Final = NO_CONTRADICTION - {_NOT_AS_ANTONYM}
_SCRIPT_CLASSES: Final = {"n": "noun", "s": "adjective"}


def antonymy_by_script(example: Example, resources: Resources) -> Iterator[Outcome]:
    """Yield each sentence and its copy with an antonym, in the order of the side that it is from."""
    found = False
    for side in SIDES:
        words = [token.text.lower() for token in resources.tokens(example, side)]
        context = frozenset(words)
        for number, word in enumerate(words):
            if word in _SKIPPED:
                continue
            sense = lesk(wordnet(), context, word, ties="name")
            if sense is None or wordnet().pos_of(sense) not in _SCRIPT_CLASSES:
                continue
            for place, antonym in enumerate(_antonyms_of_sense(sense)):
                found = True
                yield _item_by_script(example, side, word, antonym, sense, f"{number}.{place}")
    if not found:
        yield Rejection("no noun or satellite adjective with an antonym")


def _antonyms_of_sense(sense: int) -> list[str]:
    """Return the antonyms of all lemmas of *sense* in WordNet's order, as the script keeps them."""
    names = (name for _, name in wordnet().antonyms(sense))
    return [name for name in names if "_" not in name and name != _NOT_AS_ANTONYM]


def _item_by_script(example: Example, side: Side, word: str, antonym: str, sense: int, place: str) -> Outcome:
    """Return the item in which *antonym* replaces the first *word* as a substring of the sentence."""
    start = example.text(side).find(word)
    if start < 0:
        return Rejection("the lower-cased word is not in the sentence")
    if word == antonym:
        return Rejection("the antonym is the word itself")
    edit = Edit(OTHER_SIDE[side], start, start + len(word), word, antonym)
    pos = wordnet().pos_of(sense)
    lemma = next(iter(wordnet().lemmas_of(word, pos)), word)
    info = {
        PAIR: f"{lemma}/{antonym.lower()}",
        KIND: antonym_kind(lemma, antonym.lower()),
        "word_class": _SCRIPT_CLASSES[pos],
        "side": side,
        "sense": wordnet().name(sense),
    }
    return Draft("contradiction", (edit,), side, side, suffix=f":{side}:{place}", info=info)
