"""Antonymy (Naik et al., 2018, C18-1198, section 3.1).

Premises and hypotheses are processed independently.  The sense of each adjective and noun is determined by
the Lesk algorithm, and the word is replaced by an antonym of that sense in WordNet.  The original sentence
is the premise, the sentence with the replacement is the hypothesis, and the gold label is contradiction.

Difference from the paper: replacements are rejected in contexts in which both sentences can be true, or in
which the result is not English (:func:`antonym_doubts`).  Footnote 7 of the paper lists modality, belief,
conjunction, metaphor and failed word sense disambiguation as the cases in which its labels fail; each rule
covers one of these, and its name is the reason counted in the yield table.  The paper keeps all replacements
except those of its word list, and its judges considered 86 % of the items contradictions.
With ``rules=paper`` the doubtful items are kept, with the doubts in ``info["doubts"]``; ``rules=released``
follows the authors' script instead.

Difference from the paper: if several definitions have the same overlap, Lesk chooses the sense that WordNet
lists first.  The NLTK of 2018 chose the last one by name ("white.n.11"), which is arbitrary.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from crossexam.constructions.antonym_contexts import context_doubts
from crossexam.constructions.antonymy_by_script import antonymy_by_script
from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.constructions.edits import article_edit, pronoun_edits
from crossexam.core.errors import CrossexamError
from crossexam.core.example import KIND, PAIR, SIDES, Edit, Example, Side
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.rules import OURS, Rules
from crossexam.language.inflection import inflect_like, match_case
from crossexam.language.lexicons.antonym_kinds import (
    NO_CONTRADICTION,
    antonym_kind,
    are_opposed,
    is_negation,
)
from crossexam.language.lexicons.closed_classes import NEGATIONS
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import TaggedSentence, sentence_of
from crossexam.language.nouns import is_common_noun
from crossexam.language.pronouns import Unclear
from crossexam.language.remembered import NEARBY, WORDS, remembered
from crossexam.language.tokens import Token
from crossexam.language.word_senses import (
    attested,
    in_fixed_expression,
    is_in_name,
    is_rarely_opposed,
    is_unattested_sense,
    lesk,
)

_CLASSES: Final = {"JJ": "a", "JJR": "a", "JJS": "a", "NN": "n", "NNS": "n"}
_CLASS_NAMES: Final = {"a": "adjective", "n": "noun"}

_ON_LIST: Final = Rejection("word on the paper's list")
_NO_SENSE: Final = Rejection("no sense found")
_NO_ANTONYM: Final = Rejection("the sense has no antonym")


@dataclass(frozen=True)
class Options:
    """The options of antonymy.

    *indirect* also uses the antonyms of the head of a satellite adjective's cluster.  *rules*: *paper* keeps
    the items that are doubtful by ours, *released* follows the authors' script.  *attested_in* names corpora,
    joined by ``+``: only pairs that stand in contradictions there in more than half of the examples that have
    them, in either order, are used.
    """

    indirect: bool = False
    rules: Rules = OURS
    attested_in: str | None = field(default=None, metadata={"content": True})

    def __post_init__(self) -> None:
        if self.rules == "released" and (self.indirect or self.attested_in):
            raise CrossexamError(
                "the authors' script uses neither indirect antonyms nor a corpus",
                where="antonymy.rules",
                hint="leave out the other option, or choose rules=ours or rules=paper",
            )


def antonymy(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield each sentence paired with its copy in which an adjective or noun is replaced by an antonym."""
    if options.rules == "released":
        yield from antonymy_by_script(example, resources)
        return
    met = found = False
    for side in SIDES:
        if not example.text(side):
            continue
        met = True
        tokens = resources.tokens(example, side)
        places = _candidates(tokens, options.indirect)
        if not places:
            continue
        found = True
        sentence = sentence_of(tokens, None)
        case = _Case(example, side, sentence, frozenset(sentence.words))
        for position in places:
            outcome = _replaced(case, position, rng, options)
            yield _attested(outcome, sentence.words[position], resources, options)
    if met and not found:
        yield Rejection("no adjective or noun with an antonym")


def _attested(outcome: Outcome, word: str, resources: Resources, options: Options) -> Outcome:
    """Return *outcome*, or a rejection if the corpora of *options* do not oppose *word* and the new word."""
    if options.attested_in is None or not isinstance(outcome, Draft):
        return outcome
    new = outcome.edits[0].new.lower()
    counts = resources.pair_index(options.attested_in).counts([(word, new), (new, word)]).sum(axis=0)
    if counts[LABEL_INDEX["contradiction"]] > counts.sum() / 2:
        return outcome
    return Rejection("pair not attested in contradictions")


class _Case(NamedTuple):
    """The *sentence* on *side* of *example*, and its words as the *context* that tells their senses."""

    example: Example
    side: Side
    sentence: TaggedSentence
    context: frozenset[str]


def _candidates(tokens: Sequence[Token], indirect: bool) -> list[int]:
    """Return the places of the adjectives and nouns that have an antonym in some sense."""
    return [
        place
        for place, (text, _, _, tag) in enumerate(tokens)
        if tag in _CLASSES and _has_antonym(text.lower(), indirect)
    ]


def _replaced(case: _Case, position: int, rng: random.Random, options: Options) -> Outcome:
    """Return the item in which the token at *position* is replaced, or the reason for rejecting it."""
    sentence = case.sentence
    token, word = sentence.tokens[position], sentence.words[position]
    if word in NO_CONTRADICTION:
        return _ON_LIST
    pos = _CLASSES[token.tag]
    sense = lesk(wordnet(), case.context, word, pos, ties="frequency", satellites=options.indirect)
    if sense is None:
        return _NO_SENSE
    choices, relation = _swaps(sense, token.text, token.tag, options.indirect)
    swap = choices[0] if len(choices) == 1 else rng.choice(choices)
    if isinstance(swap, Rejection):
        return swap
    found = antonym_doubts(sentence, position, swap)
    if options.rules == OURS:
        first = next(found, None)
        if first:
            return Rejection(first)
    facts: dict[str, Any] = {"relation": relation, "sense": _sense_name(sense)}
    still = list(found)
    facts |= {"doubts": still} if still else {}
    pronouns = pronoun_edits(sentence.tokens, (position,), swap.new, "hypothesis") if pos == "n" else ()
    if isinstance(pronouns, Unclear):
        if options.rules == OURS:
            return Rejection(pronouns.reason)
        facts["doubts"] = [*still, pronouns.reason]
    mended = () if options.rules != OURS or isinstance(pronouns, Unclear) else pronouns
    return _item(case, position, swap, mended, facts)


def _item(
    case: _Case, position: int, swap: Swap, pronouns: Sequence[Edit], facts: Mapping[str, Any]
) -> Draft:
    example, side, tokens, new = case.example, case.side, case.sentence.tokens, swap.new
    token, antonym = tokens[position], swap.antonym.lemma.lower()
    word_edit = Edit("hypothesis", token.start, token.end, token.text, new)
    edits = (word_edit, *article_edit(example.text(side), tokens, position, new, "hypothesis"), *pronouns)
    info = {
        PAIR: f"{swap.lemma}/{antonym}",
        KIND: antonym_kind(swap.lemma, antonym),
        "word_class": _CLASS_NAMES[swap.pos],
        "side": side,
        **facts,
    }
    return Draft("contradiction", edits, side, side, suffix=f":{side}:{token.start}", info=info)


@remembered(WORDS)
def _swaps(sense: int, text: str, tag: str, indirect: bool) -> tuple[tuple[Swap | Rejection, ...], str]:
    """Return the swaps of the word *text* in *sense*, or why there is none, and the name of the relation."""
    word, pos = text.lower(), _CLASSES[tag]
    choices, relation = _antonyms(sense, word, pos, indirect)
    if not choices:
        return (_NO_ANTONYM,), relation
    lemma = _lemma(sense, word, pos)
    forms = [_fitting(antonym.lemma, text, tag) for antonym in choices]
    return tuple(
        form if isinstance(form, Rejection) else Swap(word, pos, sense, antonym, form, lemma)
        for antonym, form in zip(choices, forms, strict=True)
    ), relation


@remembered(WORDS)
def _has_antonym(word: str, indirect: bool) -> bool:
    if wordnet().has_antonym(word) or not indirect:
        return wordnet().has_antonym(word)
    heads = (head for sense in wordnet().synsets(word, "s") for head in wordnet().similar_to(sense))
    return any(wordnet().antonyms(head) for head in heads)


def _lemma(sense: int, word: str, pos: str) -> str:
    """Return the lemma of *word* in *sense*: that of *men* is *man*, though *men* is also a work force."""
    forms = wordnet().lemmas_of(word, pos)
    own = (form.lower() for form in wordnet().lemmas(sense) if form.lower() in forms)
    return next(own, next(iter(forms), word))


@remembered(WORDS)
def _sense_name(sense: int) -> str:
    return wordnet().name(sense)


def _antonyms(sense: int, word: str, pos: str, indirect: bool) -> tuple[tuple[Antonym, ...], str]:
    """Return the antonyms of *word* in *sense*, in WordNet's order, and the name of the relation.

    Antonymy is a relation between words, not senses, so the antonyms of synonyms ("similar", "unlike") are
    excluded.  With *indirect*, a satellite adjective inherits the antonyms of the head of its cluster.
    """
    forms = set(wordnet().lemmas_of(word, pos))
    own = [form for form in wordnet().lemmas(sense) if form.lower() in forms]
    direct = tuple(Antonym(*link) for form in own for link in wordnet().antonyms(sense, form))
    if direct or not indirect:
        return direct, "antonym"
    heads = wordnet().similar_to(sense)
    return tuple(Antonym(*link) for head in heads for link in wordnet().antonyms(head)), "indirect"


def _fitting(lemma: str, word: str, tag: str) -> str | Rejection:
    """Return *lemma* with the inflection and case of *word*, or the reason why it does not fit."""
    if not lemma.replace("-", "").isalpha():
        return Rejection("antonym of several words")
    if lemma.lower() in NO_CONTRADICTION:
        return Rejection("antonym on the paper's list")
    form = inflect_like(lemma, word, tag)
    if form is None:
        return Rejection("antonym has no such form")
    return match_case(form, word)


class Antonym(NamedTuple):
    """An antonym: its synset and its lemma."""

    synset: int
    lemma: str


class Swap(NamedTuple):
    """A candidate: *word*, its part of speech, *sense* and *lemma*, and its *antonym*, inflected as *new*."""

    word: str
    pos: str
    sense: int
    antonym: Antonym
    new: str
    lemma: str


# Both sentences can be true: something that may be hot may be cold (footnote 7: modalities and belief).
_MODAL: Final = frozenset(
    "hoping wishing wanting planning expecting promising thinking believing needing "
    "may might could can if whether unless perhaps maybe possibly probably seem seems seemed think thinks "
    "thought believe believes believed hope hopes hoped want wants wanted wish wishes wished would should "
    "must ought need needs expect expects expected plan plans planned promise promises promised".split()
)
# Something may hold at one time and not at another, without contradiction.
_AT_TIMES: Final = frozenset(
    "sometimes often usually occasionally generally mostly partly typically normally frequently".split()
)
# Words tagged as adjectives or nouns that their antonyms cannot replace, and quantifiers that do not exclude
# each other: many are here, and few are there.
_DETERMINERS: Final = frozenset(
    "other same such own more most less least few many much little like whole certain past "
    "different individual".split()
)
_DEGREES: Final = frozenset({"more", "most", "less", "least"})


def antonym_doubts(sentence: TaggedSentence, position: int, swap: Swap) -> Iterator[str]:
    """Yield the reasons why *swap* at *position* may not result in a contradiction or in English.

    What depends on the sentence alone, or on the swap alone, is found out once.
    """
    words = sentence.words
    if swap.word in _DETERMINERS:
        yield "determiner or quantifier"
    if not _words_of(swap.antonym.lemma.lower(), swap.pos).isdisjoint(words):
        yield "antonym stands in the sentence"
    yield from _sentence_doubts(sentence)
    if "than" in words or words.count("as") > 1 or (position and words[position - 1] in _DEGREES):
        yield "comparison"
    if "?" in words[-3:]:  # it may be followed by quotation marks
        yield "question"
    if swap.pos == "n" and position + 1 < len(words) and sentence.tags[position + 1].startswith("NN"):
        yield "part of a compound noun"
    if is_in_name(sentence.tokens, position) or _opens_name(sentence.tokens, position):
        yield "proper name"
    known = _facts_of(swap)
    yield from known.doubts
    if in_fixed_expression(words, position):
        yield "part of a fixed expression"
    yield from context_doubts(sentence, position, known.pair, opposed=known.opposed)


@remembered(NEARBY)
def _sentence_doubts(sentence: TaggedSentence) -> tuple[str, ...]:
    """Return the reasons why any word of *sentence* may hold together with its antonym."""
    found = {
        "under negation": NEGATIONS,
        "modal, conditional or reported": _MODAL,
        "at times": _AT_TIMES,
    }
    return tuple(reason for reason, words in found.items() if not words.isdisjoint(sentence.words))


class _SwapFacts(NamedTuple):
    """What is known of a swap in any sentence: the reasons to doubt it, and whether its words are opposed."""

    doubts: tuple[str, ...]
    pair: tuple[str, str]
    opposed: bool


@remembered(WORDS)
def _facts_of(swap: Swap) -> _SwapFacts:
    antonym = swap.antonym.lemma.lower()
    found = {
        "sense not attested": is_unattested_sense(swap.sense, swap.word, swap.pos),
        "antonym not attested": attested(antonym, swap.pos) == 0,
        "antonym of a rarer sense": is_rarely_opposed(swap.lemma, antonym, swap.pos),
        "negative word with a meaning of its own": _is_lexicalized(swap.lemma, antonym, swap.pos),
    }
    doubts = tuple(reason for reason, holds in found.items() if holds)
    return _SwapFacts(doubts, (swap.lemma, antonym), _are_opposed(swap))


def _opens_name(tokens: Sequence[Token], position: int) -> bool:
    """Return whether two capitalised words are a name: *Big Brother*, not *Young Asian*."""
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    if following is None or not (tokens[position].text.istitle() and following.text.istitle()):
        return False
    return is_common_noun(following.text.lower())


def _are_opposed(swap: Swap) -> bool:
    """Return whether *swap* opposes its words; an indirect antonym is that of the head of a cluster."""
    antonym = swap.antonym.lemma.lower()
    heads = [head.lower() for _, head in wordnet().antonyms(swap.antonym.synset, swap.antonym.lemma)]
    words = [swap.lemma] if swap.lemma in heads else [swap.lemma, *heads]
    return any(are_opposed(word, antonym) for word in words)


@remembered(WORDS)
def _words_of(lemma: str, pos: str) -> frozenset[str]:
    """Return *lemma* and all words that may be forms of it: "a man and two women" has one of *woman*."""
    return wordnet().words_of(lemma, pos) | {lemma}


def _is_lexicalized(word: str, antonym: str, pos: str) -> bool:
    """Return whether one of a pair is the other with a negative prefix, and is the commoner word.

    Derived words that are commoner than their bases tend to mean something else: *incredible* (Hay, 2001,
    "Lexical frequency in morphology: is everything relative?").
    """
    base, derived = sorted((word, antonym), key=len)
    return is_negation(derived, base) and attested(derived, pos) > attested(base, pos)
