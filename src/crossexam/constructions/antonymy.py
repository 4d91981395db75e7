"""Antonymy (Naik et al., 2018, C18-1198, section 3.1).

Each sentence of each pair, premise and hypothesis independently; each adjective and noun; its sense by
Lesk; an antonym of that sense from WordNet.  The original sentence is the premise, the sentence with
the word replaced the hypothesis, the gold label contradiction.

Difference from the paper: replacements in contexts where the two sentences can both be true, or that
make no English, are rejected by the rules of ``antonymy_doubts.py``, each counted with its reason; the
paper takes them all but those of its word list, and its judges found 86 % contradictions.
``--as-published`` keeps them, with the doubts in ``info["doubts"]``.

Difference from the paper: where definitions overlap equally, Lesk takes the sense that WordNet lists
first.  The NLTK of 2018 took the last by name ("white.n.11"), which is arbitrary.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from crossexam.constructions.antonymy_doubts import Antonym, Swap, doubts
from crossexam.constructions.construction import Outcome, Rejection
from crossexam.constructions.resources import Resources
from crossexam.constructions.word_edits import article_edit
from crossexam.core.example import SIDES, Change, Edit, Example, Side
from crossexam.language.inflection import inflect_like, match_case
from crossexam.language.lexicons.antonym_kinds import NO_CONTRADICTION, kind_of
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token
from crossexam.language.word_senses import lesk

_CLASSES: Final = {"JJ": "a", "JJR": "a", "JJS": "a", "NN": "n", "NNS": "n"}
_CACHED: Final = 1 << 14
_CLASS_NAMES: Final = {"a": "adjective", "n": "noun"}


def antonymy(example: Example, resources: Resources, rng: random.Random) -> Iterator[Outcome]:
    """Yield, for each adjective and noun that has one, the sentence and its copy with an antonym."""
    met = found = False
    wordnet = resources.wordnet
    for side in SIDES:
        if not example.text(side):
            continue
        met = True
        tokens = resources.tokens(example, side)
        words = [token.text.lower() for token in tokens]
        sentence = _Sentence(example, side, tokens, words, frozenset(words))
        for position, token in enumerate(tokens):
            pos = _CLASSES.get(token.tag)
            if pos is not None and _has_antonym(wordnet, words[position], resources.indirect):
                found = True
                yield _replaced(sentence, position, pos, resources, rng)
    if met and not found:
        yield Rejection("no adjective or noun with an antonym")


class _Sentence(NamedTuple):
    example: Example
    side: Side
    tokens: Sequence[Token]
    words: list[str]  # the tokens in lower case
    context: frozenset[str]  # the same, for Lesk


def _replaced(
    sentence: _Sentence, position: int, pos: str, resources: Resources, rng: random.Random
) -> Outcome:
    """Return the item that replaces the token at *position*, or why there is none."""
    token = sentence.tokens[position]
    word = sentence.words[position]
    wordnet = resources.wordnet
    if word in NO_CONTRADICTION:
        return Rejection("word on the paper's list")
    sense = lesk(wordnet, sentence.context, word, pos, ties="frequency", satellites=resources.indirect)
    if sense is None:
        return Rejection("no sense found")
    choices, relation = _antonyms(wordnet, sense, word, pos, resources.indirect)
    if not choices:
        return Rejection("the sense has no antonym")
    antonym = choices[0] if len(choices) == 1 else rng.choice(choices)
    new = _fitting(antonym.lemma, token.text, token.tag)
    if isinstance(new, Rejection):
        return new
    swap = Swap(word, pos, sense, antonym, new)
    found = doubts(wordnet, sentence.tokens, sentence.words, position, swap)
    if not resources.as_published:
        first = next(found, None)
        if first:
            return Rejection(first)
    facts: dict[str, Any] = {"relation": relation, "sense": _sense_name(wordnet, sense)}
    still = list(found)
    facts |= {"doubts": still} if still else {}
    return _item(sentence, position, antonym.lemma.lower(), new, _lemma(wordnet, word, pos), facts)


def _item(
    sentence: _Sentence, position: int, antonym: str, new: str, lemma: str, facts: Mapping[str, Any]
) -> Example:
    example, side, tokens, *_ = sentence
    token = tokens[position]
    word_edit = Edit("hypothesis", token.start, token.end, token.text, new)
    edits = (word_edit, *article_edit(example.text(side), tokens, position, new, "hypothesis"))
    info = {
        "pair": f"{lemma}/{antonym}",
        "kind": kind_of(lemma, antonym),
        "word_class": _CLASS_NAMES[_CLASSES[token.tag]],
        "side": side,
        **facts,
    }
    return example.derive(
        "contradiction", Change("antonymy.v1", side, side, edits), suffix=f":{side}:{token.start}", info=info
    )


@lru_cache(maxsize=_CACHED)
def _has_antonym(wordnet: WordNet, word: str, indirect: bool) -> bool:
    if wordnet.has_antonym(word) or not indirect:
        return wordnet.has_antonym(word)
    heads = (head for sense in wordnet.synsets(word, "s") for head in wordnet.similar_to(sense))
    return any(wordnet.antonyms(head) for head in heads)


@lru_cache(maxsize=_CACHED)
def _lemma(wordnet: WordNet, word: str, pos: str) -> str:
    return next(iter(wordnet.lemmas_of(word, pos)), word)


@lru_cache(maxsize=_CACHED)
def _sense_name(wordnet: WordNet, sense: int) -> str:
    return wordnet.name(sense)


@lru_cache(maxsize=_CACHED)
def _antonyms(
    wordnet: WordNet, sense: int, word: str, pos: str, indirect: bool
) -> tuple[tuple[Antonym, ...], str]:
    """Return the antonyms of *word* in *sense*, in WordNet's order, and the relation.

    Antonymy holds between words, not senses: those of synonyms ("similar", "unlike") are left out.  With
    *indirect*, a satellite adjective has the antonyms of the head of its cluster.
    """
    forms = set(wordnet.lemmas_of(word, pos))
    own = [form for form in wordnet.lemmas(sense) if form.lower() in forms]
    direct = tuple(Antonym(*link) for form in own for link in wordnet.antonyms(sense, form))
    if direct or not indirect:
        return direct, "antonym"
    heads = wordnet.similar_to(sense)
    return tuple(Antonym(*link) for head in heads for link in wordnet.antonyms(head)), "indirect"


@lru_cache(maxsize=_CACHED)
def _fitting(lemma: str, word: str, tag: str) -> str | Rejection:
    """Return *lemma* with the inflection and case of *word*, or why it does not fit."""
    if not lemma.replace("-", "").isalpha():
        return Rejection("antonym of several words")
    if lemma.lower() in NO_CONTRADICTION:
        return Rejection("antonym on the paper's list")
    form = inflect_like(lemma, word, tag)
    if form is None:
        return Rejection("antonym has no such form")
    return match_case(form, word)
