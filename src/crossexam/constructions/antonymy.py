"""Antonymy (Naik et al., 2018, C18-1198, section 3.1).

Premises and hypotheses are processed independently.  The sense of each adjective and noun is determined by
the Lesk algorithm, and the word is replaced by an antonym of that sense in WordNet.  The original sentence
is the premise, the sentence with the replacement is the hypothesis, and the gold label is contradiction.

Difference from the paper: replacements are rejected in contexts in which both sentences can be true, or in
which the result is not English, by the rows of ``rules/antonymy.py``.  The paper keeps all replacements
except those of its word list, and its judges considered 86 % of the items contradictions.  With
``rules=paper`` the doubtful items are kept, with the doubts in ``info["doubts"]``.

``rules=released`` follows the authors' script instead (``make_antonym_adv_samples.py``): a token's sense is
that of Lesk over all parts of speech, the last by name of equals; each antonym of a noun or satellite's
lemmas replaces the first occurrence of the token as a substring.  The copy of a hypothesis becomes the
premise.

Difference from the paper: if several definitions have the same overlap, Lesk chooses the sense that WordNet
lists first.  The NLTK of 2018 chose the last one by name ("white.n.11"), which is arbitrary.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.edits import article_edit
from crossexam.constructions.rules.antonymy import RULES, against
from crossexam.constructions.rules.place import Antonym, Place, Swap
from crossexam.constructions.rules.rule import switched_off
from crossexam.core.errors import CrossexamError
from crossexam.core.example import KIND, OTHER_SIDE, PAIR, SIDES, Edit, Example, Side
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.rules import OURS, Rules
from crossexam.language.inflection import inflect_like, match_case
from crossexam.language.lexicons.antonym_kinds import NO_CONTRADICTION, antonym_kind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.monotonicity.spans import TaggedSentence, sentence_of
from crossexam.language.pronouns import Unclear
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Token
from crossexam.language.word_senses import lesk

_CLASSES: Final = {"JJ": "a", "JJR": "a", "JJS": "a", "NN": "n", "NNS": "n"}
_CLASS_NAMES: Final = {"a": "adjective", "n": "noun"}

_NOT_AS_ANTONYM: Final = "civilian"
_SKIPPED: Final = NO_CONTRADICTION - {_NOT_AS_ANTONYM}  # by the script
_SCRIPT_CLASSES: Final = {"n": "noun", "s": "adjective"}

_ON_LIST: Final = Rejection("word on the paper's list")
_NO_SENSE: Final = Rejection("no sense found")
_NO_ANTONYM: Final = Rejection("the sense has no antonym")


@dataclass(frozen=True)
class Options:
    """The options of antonymy.

    *indirect* also uses the antonyms of the head of a satellite adjective's cluster.  *rules*: *paper* keeps
    the items that are doubtful by ours, *released* follows the authors' script.  *attested_in* names corpora,
    joined by ``+``: only pairs that stand in contradictions there in more than half of the examples that have
    them, in either order, are used.  *without* names reasons whose rules do not count.
    """

    indirect: bool = False
    rules: Rules = OURS
    attested_in: str | None = field(default=None, metadata={"content": True})
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rules == "released" and (self.indirect or self.attested_in):
            raise CrossexamError(
                "the authors' script uses neither indirect antonyms nor a corpus",
                where="antonymy.rules",
                hint="leave out the other option, or choose rules=ours or rules=paper",
            )
        off = switched_off(RULES, self.without, "antonymy", ours=self.rules == OURS)
        object.__setattr__(self, "without", off)


def antonymy(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield each sentence paired with its copy in which an adjective or noun is replaced by an antonym."""
    if options.rules == "released":
        yield from _by_script(example, resources)
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


def _attested(outcome: Yielded, word: str, resources: Resources, options: Options) -> Yielded:
    """Return *outcome*, or a rejection if the corpora of *options* do not oppose *word* and the new word."""
    if options.attested_in is None or not isinstance(outcome, Draft):
        return outcome
    new = outcome.edits[0].new.lower()
    counts = resources.pair_index(options.attested_in).counts([(word, new), (new, word)]).sum(axis=0)
    if counts[LABEL_INDEX["contradiction"]] > counts.sum() / 2:
        return outcome
    return Rejection("pair not attested in contradictions")


class _Case(NamedTuple):
    """The *sentence* on *side* of *example*, and its *words*, which tell the senses of its words."""

    example: Example
    side: Side
    sentence: TaggedSentence
    words: frozenset[str]


def _candidates(tokens: Sequence[Token], indirect: bool) -> list[int]:
    """Return the places of the adjectives and nouns that have an antonym in some sense."""
    return [
        place
        for place, (text, _, _, tag) in enumerate(tokens)
        if tag in _CLASSES and _has_antonym(text.lower(), indirect)
    ]


def _replaced(case: _Case, position: int, rng: random.Random, options: Options) -> Yielded:
    """Return the item in which the token at *position* is replaced, or the reason for rejecting it."""
    sentence = case.sentence
    token, word = sentence.tokens[position], sentence.words[position]
    if word in NO_CONTRADICTION:
        return _ON_LIST
    pos = _CLASSES[token.tag]
    sense = lesk(wordnet(), case.words, word, pos, ties="frequency", satellites=options.indirect)
    if sense is None:
        return _NO_SENSE
    choices, relation = _swaps(sense, token.text, token.tag, options.indirect)
    swap = choices[0] if len(choices) == 1 else rng.choice(choices)
    if isinstance(swap, Rejection):
        return swap
    place = Place(sentence, case.words, position, swap)
    doubts = (rule.reason for rule in against(place, options.without))
    if options.rules == OURS:
        first = next(doubts, None)
        if first:
            return Rejection(first)
    facts: dict[str, Any] = {"relation": relation, "sense": wordnet().name(sense)}
    still = list(doubts)
    facts |= {"doubts": still} if still else {}
    pronouns = place.pronouns if options.rules == OURS else ()
    return _item(case, position, swap, () if isinstance(pronouns, Unclear) else pronouns, facts)


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


# By the authors' script


def _by_script(example: Example, resources: Resources) -> Iterator[Yielded]:
    """Yield what the authors' script makes, each sentence and its copy in the order of its side."""
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


def _item_by_script(example: Example, side: Side, word: str, antonym: str, sense: int, place: str) -> Yielded:
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
