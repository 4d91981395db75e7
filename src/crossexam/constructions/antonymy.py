"""Antonymy (Naik et al., 2018, C18-1198, section 3.1).

Each sentence of each pair, premise and hypothesis independently; each adjective and noun; its sense by
Lesk; an antonym of that sense from WordNet.  The original sentence is the premise, the sentence with
the word replaced the hypothesis, the gold label contradiction.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from crossexam.constructions.construction import Outcome, Rejection
from crossexam.constructions.resources import Resources
from crossexam.core.example import SIDES, Change, Edit, Example, Side
from crossexam.language.inflection import indefinite_article, inflect_like, match_case
from crossexam.language.lexicons.antonym_kinds import NO_CONTRADICTION, kind_of
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token
from crossexam.language.word_senses import lesk

_CLASSES: Final = {"JJ": "a", "JJR": "a", "JJS": "a", "NN": "n", "NNS": "n"}
_CLASS_NAMES: Final = {"a": "adjective", "n": "noun"}


def antonymy(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield, for each adjective and noun that has one, the sentence and its copy with an antonym."""
    found = False
    for side in SIDES:
        if not example.text(side):
            continue
        tokens = resources.tokens(example, side)
        for position, token in enumerate(tokens):
            pos = _CLASSES.get(token.tag)
            if pos is not None and resources.wordnet.has_antonym(token.text.lower()):
                found = True
                yield _replaced(example, side, tokens, position, pos, resources, rng)
    if not found:
        yield Rejection("no adjective or noun with an antonym")


def _replaced(
    example: Example,
    side: Side,
    tokens: Sequence[Token],
    position: int,
    pos: str,
    resources: Resources,
    rng: random.Random,
) -> Outcome:
    """Return the item that replaces the token at *position*, or why there is none."""
    token = tokens[position]
    word = token.text.lower()
    wordnet = resources.wordnet
    if word in NO_CONTRADICTION:
        return Rejection("word on the paper's list")
    sense = lesk(wordnet, [other.text for other in tokens], word, pos)
    if sense is None:
        return Rejection("no sense found")
    choices, relation = _antonyms(wordnet, sense, word, pos, resources.indirect)
    if not choices:
        return Rejection("the sense has no antonym")
    lemma = choices[0] if len(choices) == 1 else rng.choice(choices)
    new = _fitting(lemma, token)
    if isinstance(new, Rejection):
        return new
    edits = (
        Edit("hypothesis", token.start, token.end, token.text, new),
        *_article(example.text(side), tokens, position, new),
    )
    base_form = next(iter(wordnet.lemmas_of(word, pos)), word)
    info = {
        "pair": f"{base_form}/{lemma.lower()}",
        "relation": relation,
        "kind": kind_of(base_form, lemma.lower()),
        "word_class": _CLASS_NAMES[pos],
        "sense": wordnet.name(sense),
        "side": side,
    }
    change = Change("antonymy.v1", side, side, edits)
    return example.derive("contradiction", change, suffix=f":{side}:{token.start}", info=info)


def _antonyms(wordnet: WordNet, sense: int, word: str, pos: str, indirect: bool) -> tuple[list[str], str]:
    """Return the antonyms of *word* in *sense*, in WordNet's order, and the relation.

    Those of the word itself come first, then those of its synonyms in the sense; with *indirect*, a
    satellite adjective has the antonyms of the head of its cluster.
    """
    forms = set(wordnet.lemmas_of(word, pos))
    own = [
        lemma
        for form in wordnet.lemmas(sense)
        if form.lower() in forms
        for _, lemma in wordnet.antonyms(sense, form)
    ]
    if own:
        return own, "antonym"
    synonyms = [lemma for _, lemma in wordnet.antonyms(sense)]
    if synonyms:
        return synonyms, "antonym of a synonym"
    if indirect:
        heads = [lemma for head in wordnet.similar_to(sense) for _, lemma in wordnet.antonyms(head)]
        return heads, "indirect"
    return [], "none"


def _fitting(lemma: str, token: Token) -> str | Rejection:
    """Return *lemma* with the inflection and case of *token*, or why it does not fit."""
    if not lemma.replace("-", "").isalpha():
        return Rejection("antonym of several words")
    if lemma.lower() in NO_CONTRADICTION:
        return Rejection("antonym on the paper's list")
    form = inflect_like(lemma, token.text, token.tag)
    if form is None:
        return Rejection("antonym has no such form")
    return match_case(form, token.text)


def _article(sentence: str, tokens: Sequence[Token], position: int, new: str) -> tuple[Edit, ...]:
    """Return the edit that sets a or an right before the new word, if one is needed."""
    if position == 0:
        return ()
    before, token = tokens[position - 1], tokens[position]
    if before.text.lower() not in {"a", "an"} or not sentence[before.end : token.start].isspace():
        return ()
    article = match_case(indefinite_article(new), before.text)
    if before.text.isupper() and len(before.text) == 1:
        article = article[0].upper() + article[1:].lower()
    if article == before.text:
        return ()
    return (Edit("hypothesis", before.start, before.end, before.text, article),)
