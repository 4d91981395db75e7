"""Contexts in which an antonym gives no contradiction, or no English (see antonymy.py).

Footnote 7 of Naik et al. 2018 names modality, belief, conjunction, metaphor and failed sense
disambiguation as where their labels fail; each rule here is for one of these, and its name is the
reason that the yield table counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from crossexam.language.lexicons.closed_classes import NEGATIONS
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.tokens import Token


class Antonym(NamedTuple):
    """An antonym: its synset and its lemma."""

    synset: int
    lemma: str


class Swap(NamedTuple):
    """A replacement that is thought of: *word*, its part of speech and *sense*, its *antonym*, inflected."""

    word: str
    pos: str
    sense: int
    antonym: Antonym
    new: str


_CACHED: Final = 1 << 15

# Both sentences can be true: what may be hot may be cold (footnote 7: modalities and belief).
_MODAL: Final = frozenset(
    "may might could can if whether unless perhaps maybe possibly probably seem seems seemed think thinks "
    "thought believe believes believed hope hopes hoped want wants wanted wish wishes wished".split()
)
# What sometimes holds and what sometimes fails to hold are no contradiction.
_AT_TIMES: Final = frozenset(
    "sometimes often usually occasionally generally mostly partly typically normally frequently".split()
)
# Words that taggers call adjectives or nouns, whose antonym does not go where they stand; quantifiers that
# do not exclude each other: many are here, and few are there.
_DETERMINERS: Final = frozenset(
    "other same such own more most less least few many much little like whole certain past "
    "different individual".split()
)
_DEGREES: Final = frozenset({"more", "most", "less", "least"})


def doubts(
    wordnet: WordNet, tokens: Sequence[Token], words: Sequence[str], position: int, swap: Swap
) -> Iterator[str]:
    """Yield why *swap* at *position* may give no contradiction or no English; *words* are in lower case."""
    if swap.word in _DETERMINERS:
        yield "determiner or quantifier"
    if stands_in(wordnet, swap, words):
        yield "antonym stands in the sentence"
    if not NEGATIONS.isdisjoint(words):
        yield "under negation"
    if not _MODAL.isdisjoint(words):
        yield "modal, conditional or reported"
    if not _AT_TIMES.isdisjoint(words):
        yield "at times"
    if "than" in words or (position and words[position - 1] in _DEGREES):
        yield "comparison"
    if "?" in words[-3:]:  # quotation marks may follow
        yield "question"
    if swap.pos == "n" and position + 1 < len(tokens) and tokens[position + 1].tag.startswith("NN"):
        yield "part of a compound noun"
    if is_in_name(tokens, position):
        yield "proper name"
    if is_unattested_sense(wordnet, swap.sense, swap.word, swap.pos):
        yield "sense not attested"
    if _total(wordnet, swap.antonym.lemma.lower(), swap.pos) == 0:
        yield "antonym not attested"
    if in_fixed_expression(wordnet, words, position):
        yield "part of a fixed expression"


def stands_in(wordnet: WordNet, swap: Swap, words: Sequence[str]) -> bool:
    """Tell whether a form of the antonym is among *words*: "a man and two women"."""
    lemma = swap.antonym.lemma.lower()
    return lemma in words or any(lemma in _lemmas(wordnet, word, swap.pos) for word in words)


@lru_cache(maxsize=_CACHED)
def _lemmas(wordnet: WordNet, word: str, pos: str) -> tuple[str, ...]:
    return wordnet.lemmas_of(word, pos)


@lru_cache(maxsize=_CACHED)
def is_unattested_sense(wordnet: WordNet, sense: int, word: str, pos: str) -> bool:
    """Tell whether WordNet's tagged texts have *word*, but never in *sense*."""
    return _count(wordnet, sense, word, pos) == 0 < _total(wordnet, word, pos)


def _count(wordnet: WordNet, synset: int, word: str, pos: str) -> int:
    forms = {word, *wordnet.lemmas_of(word, pos)}
    return sum(wordnet.tag_count(synset, form) for form in wordnet.lemmas(synset) if form.lower() in forms)


@lru_cache(maxsize=_CACHED)
def _total(wordnet: WordNet, word: str, pos: str) -> int:
    """Return how often WordNet's tagged texts have *word*; never: "unangry", "grassless"."""
    return sum(_count(wordnet, synset, word, pos) for synset in wordnet.synsets(word, pos))


def in_fixed_expression(wordnet: WordNet, words: Sequence[str], position: int) -> bool:
    """Tell whether WordNet lists the word with its neighbours as one expression: "hot dog", "local call".

    Not where the head is a person: a young man is what it says, although WordNet has a sense for it.
    """
    first, last = max(0, position - 2), min(len(words), position + 3)
    for start in range(first, position + 1):
        for end in range(max(start + 2, position + 1), min(start + 3, last) + 1):
            if _is_expression(wordnet, tuple(words[start:end])):
                return True
    return False


@lru_cache(maxsize=_CACHED)
def _is_expression(wordnet: WordNet, words: tuple[str, ...]) -> bool:
    last = words[-1]
    if last.endswith("s"):
        last = wordnet.morphy(last, "n") or last
    if not any(spelling in wordnet.expressions for spelling in _spellings((*words[:-1], last))):
        return False
    return not _is_person(wordnet, last)


def _spellings(words: tuple[str, ...]) -> tuple[str, str]:
    """Return how WordNet may write *words* as one lemma: hot_dog, left-hand, hot-air_balloon."""
    with_hyphen = "-".join(words) if len(words) == 2 else f"{words[0]}-{words[1]}_{words[2]}"
    return "_".join(words), with_hyphen


@lru_cache(maxsize=_CACHED)
def _is_person(wordnet: WordNet, noun: str) -> bool:
    """Tell whether the first sense of *noun* is a kind of person."""
    senses = wordnet.synsets(noun, "n")[:1]
    pending, seen = list(senses), set(senses)
    while pending:
        synset = pending.pop()
        if wordnet.name(synset) == "person.n.01":
            return True
        new = set(wordnet.hypernyms(synset)) - seen
        pending.extend(new)
        seen |= new
    return False


def is_in_name(tokens: Sequence[Token], position: int) -> bool:
    """Tell whether the word is part of a name: "Old Navy", "the Black Sea", "South African".

    A capital after the sentence's first word shows it, where not all is in capitals.
    """
    word = tokens[position].text
    if position == 0 or not word[0].isupper() or word.isupper():
        return False
    before = tokens[position - 1].text
    return before not in {".", "!", "?", ":", '"', "``", "“", "‘", "("}
