"""Matching word pairs in examples (Sanchez Carmona et al. 2018, section 5.2).

Of a pair (w1, w2), w1 occurs in the premise and w2 in the hypothesis, and after the swap neither remains in
its place.  Deviation: the paper compares word forms (*as_written*); by our rules any inflected
form matches, and the replacement has the same inflection (*sunsets* becomes *sunrises*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from crossexam.constructions.construction import Rejection, Resources
from crossexam.constructions.natural_logic import (
    PairSentence,
    Rest,
    in_relation,
    other_words,
    repeats,
    rest_of,
)
from crossexam.constructions.rules.word_pair_swaps import Occurrence, PartsOfSpeech, against
from crossexam.core.example import SIDES, Example, Side
from crossexam.language.inflection import PARTS
from crossexam.language.lexicons.closed_classes import INDEFINITES
from crossexam.language.lexicons.noun_groups import PLURAL_NOUNS
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.polarity import Direction, polarity_at
from crossexam.language.remembered import ALL_WORDS, remembered
from crossexam.language.tokens import Token, words

#: Words that do not behave like others of their class: pronouns tagged as nouns, light verbs, and relational
#: nouns (*a girlfriend in a crowd*).
NOT_SWAPPED: Final = INDEFINITES | frozenset(
    "one thing be have do make get go take come give let keep put wife husband girlfriend boyfriend "
    "fiance fiancee bride groom mistress widow widower".split()
)
_MISSING: Final = "another part of speech"
# Hypernyms in WordNet, but synonyms (a guy, a man) or unrelated (a girl, a woman) in common usage.
_CONTESTED: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in "man/guy man/gentleman man/fellow man/chap man/bloke man/dude man/lad boy/lad woman/lady "
    "woman/gal woman/dame girl/lass road/street kid/child "
    "girl/woman girl/adult boy/man boy/adult phone/cellphone".split()
)


@dataclass(frozen=True)
class Match:
    """A *pair* in an example: its first word in the premise, its second in the hypothesis.

    *pos* is their part of speech, None if any.  *tokens* are the tagged tokens of each side, *positions* the
    indices of the pair's word among them.  *doubts*: why our rules would not have matched it.
    """

    pair: WordPair
    pos: str | None
    tokens: Mapping[Side, Sequence[Token]]
    positions: Mapping[Side, tuple[int, ...]]
    doubts: tuple[str, ...] = ()

    def word(self, side: Side) -> str:
        """Return the first occurrence of the pair's word on *side*, as inflected there, in lower case."""
        return self.tokens[side][self.positions[side][0]].text.lower()

    def is_plural(self, side: Side) -> bool:
        """Return whether the first occurrence of the pair's word on *side* is a plural noun."""
        token = self.tokens[side][self.positions[side][0]]
        return token.tag == "NNS" or token.text.lower() in PLURAL_NOUNS

    @cached_property
    def sentences(self) -> tuple[PairSentence, PairSentence]:
        """The premise and the hypothesis, each with the places of its word."""
        first, second = (PairSentence(self.tokens[side], frozenset(self.positions[side])) for side in SIDES)
        return first, second

    @cached_property
    def directions(self) -> Mapping[Side, Direction]:
        """The monotonicity of the context in which the pair's word first occurs on each side."""
        return {side: polarity_at(self.tokens[side], self.positions[side][0]).direction for side in SIDES}

    @cached_property
    def rest(self) -> Rest:
        """What the rest of the hypothesis adds to the premise."""
        return rest_of(*self.sentences)

    @cached_property
    def is_covered(self) -> bool:
        """Whether the premise entails the hypothesis, given that its word entails that of the hypothesis.

        In upward contexts, the premise may say more, but has to say all words of the hypothesis of the same
        things.  In others, the two must be the same apart from the pair: "no animals eat here" does not
        entail "no dogs eat".
        """
        if all(direction == "up" for direction in self.directions.values()):
            return self.rest == "covered" and in_relation(*self.sentences)
        premise, hypothesis = map(other_words, self.sentences)
        return premise == hypothesis

    @cached_property
    def rest_in_relation(self) -> Rest:
        """What the rest of the hypothesis adds, if the relations between its words count, too."""
        if self.rest == "covered" and not self.is_covered:
            return "open" if repeats(*self.sentences) else "unclear"
        return self.rest


class PairTable:
    """Word pairs by their first word, in both directions.

    Pairs that give doubtful items are left out, unless *every* is true.

    >>> table = PairTable([WordPair("dog", "animal", "hypernym", "n")])
    >>> [(pair.first, pair.second, pair.relation) for pair in table.of("animal")]
    [('animal', 'dog', 'hyponym')]
    """

    def __init__(self, pairs: Iterable[WordPair], *, every: bool = False) -> None:
        self._by_first: dict[str, dict[tuple[str, str | None], WordPair]] = {}
        for pair in pairs:
            if not every and ({pair.first, pair.second} & NOT_SWAPPED or is_contested(pair)):
                continue
            for each in (pair, pair.reversed()):
                self._by_first.setdefault(each.first, {}).setdefault((each.second, each.pos), each)

    def __len__(self) -> int:
        """Return the number of pairs, where each direction counts."""
        return sum(map(len, self._by_first.values()))

    def of(self, first: str) -> Iterable[WordPair]:
        """Return the pairs whose first word is *first*."""
        return self._by_first.get(first, {}).values()

    def candidates(self, example: Example) -> list[WordPair]:
        """Return the pairs of which *example* may contain inflected forms, in the order of the premise."""
        premise, hypothesis = (
            dict.fromkeys(lemma for token in words(example.text(side)) for lemma in _lemmas(token.text))
            for side in SIDES
        )
        return [pair for lemma in premise for pair in self.of(lemma) if pair.second in hypothesis]

    def as_written(self, example: Example) -> list[WordPair]:
        """Return the pairs that *example* contains as they are written, in the order of the premise."""
        premise, hypothesis = (
            dict.fromkeys(token.text.lower() for token in words(example.text(side))) for side in SIDES
        )
        return [pair for word in premise for pair in self.of(word) if pair.second in hypothesis]


def is_contested(pair: WordPair) -> bool:
    """Return whether *pair* is a hypernym pair in WordNet, but not in common usage.

    >>> is_contested(WordPair("guy", "man", "hypernym")), is_contested(WordPair("man", "woman", "antonym"))
    (True, False)
    """
    return pair.relation in {"hypernym", "hyponym"} and frozenset(pair[:2]) in _CONTESTED


@remembered(ALL_WORDS)
def _lemmas(word: str) -> tuple[str, ...]:
    """Return *word* in lower case and its possible lemmas."""
    word = word.lower()
    return tuple(dict.fromkeys((word, *wordnet().lemmas_of(word)))) if word[:1].isalpha() else ()


class _Sentence(NamedTuple):
    """The *tokens* of a sentence, and the lemmas of all of them."""

    tokens: Sequence[Token]
    lemmas: frozenset[str]


class _Found(NamedTuple):
    """Where the words of a pair are on each side, and what the rules are asked of."""

    positions: Mapping[Side, tuple[int, ...]]
    occurrences: Sequence[Occurrence]
    parts: PartsOfSpeech


def matches(
    example: Example, table: PairTable, resources: Resources, *, as_written: bool = False
) -> Iterator[Match | Rejection]:
    """Yield the pairs of *table* that occur in *example*, and the reasons for rejecting other candidates.

    By the paper's matching, the words of a pair have to occur *as_written*, and no more is asked: two words
    are one pair, as the part of speech that our rules hold least against.
    """
    found = table.as_written(example) if as_written else table.candidates(example)
    if not found:
        yield Rejection("no pair of the list")
        return
    sentences = {side: _sentence(resources.tokens(example, side)) for side in SIDES}
    if not as_written:
        yield from (_match(pair, sentences) for pair in found)
        return
    by_words: dict[tuple[str, str], list[Match | Rejection]] = {}
    for pair in found:
        by_words.setdefault((pair.first, pair.second), []).append(_match_as_written(pair, sentences))
    yield from (min(same, key=_doubtful) for same in by_words.values())


def _doubtful(match: Match | Rejection) -> int:
    return len(match.doubts) if isinstance(match, Match) else 0


def _sentence(tokens: Sequence[Token]) -> _Sentence:
    return _Sentence(tokens, frozenset(lemma for token in tokens for lemma in _lemmas(token.text)))


def _match_as_written(pair: WordPair, sentences: Mapping[Side, _Sentence]) -> Match | Rejection:
    wanted: dict[Side, str] = {"premise": pair.first, "hypothesis": pair.second}
    tokens = {side: sentence.tokens for side, sentence in sentences.items()}
    positions: dict[Side, tuple[int, ...]] = {
        side: tuple(k for k, token in enumerate(tokens[side]) if token.text.lower() == word)
        for side, word in wanted.items()
    }
    if not all(positions.values()):
        return Rejection("part of another word in the parse")
    found = _found(pair, sentences)
    # what is not found by our rules is said first
    missing = (_MISSING,) if not all(found.positions.values()) else ()
    doubts = dict.fromkeys((*missing, *_reasons(found)))
    return Match(pair, pair.pos, tokens, positions, tuple(doubts))


def _match(pair: WordPair, sentences: Mapping[Side, _Sentence]) -> Match | Rejection:
    found = _found(pair, sentences)
    first = next(_reasons(found), None)
    if first:
        return Rejection(first)
    tokens = {side: sentence.tokens for side, sentence in sentences.items()}
    return Match(pair, next(iter(found.parts.parts)), tokens, found.positions)


def _found(pair: WordPair, sentences: Mapping[Side, _Sentence]) -> _Found:
    """Return where the words of *pair* are, in any form."""
    wanted: dict[Side, tuple[str, str]] = {
        "premise": (pair.first, pair.second),
        "hypothesis": (pair.second, pair.first),
    }
    positions: dict[Side, tuple[int, ...]] = {}
    occurrences: list[Occurrence] = []
    parts: set[str] = set()
    for side, (word, other) in wanted.items():
        tokens, lemmas = sentences[side]
        here = tuple(k for k, token in enumerate(tokens) if word in _forms_of(token))
        positions[side] = here
        occurrences.append(Occurrence(pair, other, tokens, lemmas, here))
        parts |= {PARTS[tokens[k].tag[0]] for k in here}
    return _Found(positions, occurrences, PartsOfSpeech(pair, parts))


def _reasons(found: _Found) -> Iterator[str]:
    """Yield why the words are not matched: what is said of each of them, then of both."""
    for occurrence in found.occurrences:
        if not occurrence.here:
            yield _MISSING
        yield from (rule.reason for rule in against(occurrence))
    yield from (rule.reason for rule in against(found.parts))


def _forms_of(token: Token) -> tuple[str, ...]:
    """Return the possible lemmas of *token* for its part of speech; empty for function words."""
    part = PARTS.get(token.tag[:1])
    if part is None or not token.text[:1].isalpha():
        return ()
    word = token.text.lower()
    found = _lemmas_as(word, part)
    return found or ((word,) if part != "v" else ())


@remembered(ALL_WORDS)
def _lemmas_as(word: str, part: str) -> tuple[str, ...]:
    return wordnet().lemmas_of(word, part)
