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
from functools import lru_cache
from typing import Any, Final, NamedTuple

from crossexam.constructions.antonymy_by_script import antonymy_by_script
from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.constructions.edits import article_edit, pronoun_edits
from crossexam.core.errors import CrossexamError
from crossexam.core.example import KIND, PAIR, SIDES, Edit, Example, Side
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.rules import OURS, Rules
from crossexam.language.assertion import is_scene, unasserted
from crossexam.language.inflection import inflect_like, match_case
from crossexam.language.lexicons.adjective_classes import class_of
from crossexam.language.lexicons.antonym_kinds import (
    NO_CONTRADICTION,
    antonym_kind,
    are_opposed,
    is_negation,
)
from crossexam.language.lexicons.closed_classes import AUXILIARIES, NEGATIONS, PERSONAL_PRONOUNS
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE, OF_LIVING
from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.monotonicity.polarity import ORDERING, polarity_at
from crossexam.language.noun_phrases import NounPhrase, noun_phrases
from crossexam.language.nouns import animacy, clashes_with_noun, gender, is_relative
from crossexam.language.pronouns import Unclear
from crossexam.language.tokens import Token
from crossexam.language.word_senses import (
    attested,
    in_fixed_expression,
    is_in_name,
    is_often_relational,
    is_rarely_opposed,
    is_unattested_sense,
    lesk,
)

_CLASSES: Final = {"JJ": "a", "JJR": "a", "JJS": "a", "NN": "n", "NNS": "n"}
_CACHED_SWAPS: Final = 1 << 14
_CLASS_NAMES: Final = {"a": "adjective", "n": "noun"}


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
            if pos is not None and _has_antonym(wordnet, words[position], options.indirect):
                found = True
                outcome = _replaced(sentence, position, pos, wordnet, rng, options)
                yield _attested(outcome, words[position], resources, options)
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


class _Sentence(NamedTuple):
    example: Example
    side: Side
    tokens: Sequence[Token]
    words: list[str]  # the tokens in lower case
    context: frozenset[str]  # the same, for Lesk


def _replaced(
    sentence: _Sentence, position: int, pos: str, wordnet: WordNet, rng: random.Random, options: Options
) -> Outcome:
    """Return the item in which the token at *position* is replaced, or the reason for rejecting it."""
    token = sentence.tokens[position]
    word = sentence.words[position]
    if word in NO_CONTRADICTION:
        return Rejection("word on the paper's list")
    sense = lesk(wordnet, sentence.context, word, pos, ties="frequency", satellites=options.indirect)
    if sense is None:
        return Rejection("no sense found")
    choices, relation = _antonyms(wordnet, sense, word, pos, options.indirect)
    if not choices:
        return Rejection("the sense has no antonym")
    antonym = choices[0] if len(choices) == 1 else rng.choice(choices)
    new = _fitting(antonym.lemma, token.text, token.tag)
    if isinstance(new, Rejection):
        return new
    lemma = _lemma(wordnet, sense, word, pos)
    swap = Swap(word, pos, sense, antonym, new, lemma)
    found = antonym_doubts(wordnet, sentence.tokens, sentence.words, position, swap)
    if options.rules == OURS:
        first = next(found, None)
        if first:
            return Rejection(first)
    facts: dict[str, Any] = {"relation": relation, "sense": _sense_name(wordnet, sense)}
    still = list(found)
    facts |= {"doubts": still} if still else {}
    pronouns = pronoun_edits(sentence.tokens, (position,), new, "hypothesis", wordnet) if pos == "n" else ()
    if isinstance(pronouns, Unclear):
        if options.rules == OURS:
            return Rejection(pronouns.reason)
        facts["doubts"] = [*still, pronouns.reason]
    mended = () if options.rules != OURS or isinstance(pronouns, Unclear) else pronouns
    return _item(sentence, position, antonym.lemma.lower(), new, lemma, mended, facts)


def _item(
    sentence: _Sentence,
    position: int,
    antonym: str,
    new: str,
    lemma: str,
    pronouns: Sequence[Edit],
    facts: Mapping[str, Any],
) -> Draft:
    example, side, tokens, *_ = sentence
    token = tokens[position]
    word_edit = Edit("hypothesis", token.start, token.end, token.text, new)
    edits = (word_edit, *article_edit(example.text(side), tokens, position, new, "hypothesis"), *pronouns)
    info = {
        PAIR: f"{lemma}/{antonym}",
        KIND: antonym_kind(lemma, antonym),
        "word_class": _CLASS_NAMES[_CLASSES[token.tag]],
        "side": side,
        **facts,
    }
    return Draft("contradiction", edits, side, side, suffix=f":{side}:{token.start}", info=info)


@lru_cache(maxsize=_CACHED_SWAPS)
def _has_antonym(wordnet: WordNet, word: str, indirect: bool) -> bool:
    if wordnet.has_antonym(word) or not indirect:
        return wordnet.has_antonym(word)
    heads = (head for sense in wordnet.synsets(word, "s") for head in wordnet.similar_to(sense))
    return any(wordnet.antonyms(head) for head in heads)


@lru_cache(maxsize=_CACHED_SWAPS)
def _lemma(wordnet: WordNet, sense: int, word: str, pos: str) -> str:
    """Return the lemma of *word* in *sense*: that of *men* is *man*, though *men* is also a work force."""
    forms = wordnet.lemmas_of(word, pos)
    own = (form.lower() for form in wordnet.lemmas(sense) if form.lower() in forms)
    return next(own, next(iter(forms), word))


@lru_cache(maxsize=_CACHED_SWAPS)
def _sense_name(wordnet: WordNet, sense: int) -> str:
    return wordnet.name(sense)


@lru_cache(maxsize=_CACHED_SWAPS)
def _antonyms(
    wordnet: WordNet, sense: int, word: str, pos: str, indirect: bool
) -> tuple[tuple[Antonym, ...], str]:
    """Return the antonyms of *word* in *sense*, in WordNet's order, and the name of the relation.

    Antonymy is a relation between words, not senses, so the antonyms of synonyms ("similar", "unlike") are
    excluded.  With *indirect*, a satellite adjective inherits the antonyms of the head of its cluster.
    """
    forms = set(wordnet.lemmas_of(word, pos))
    own = [form for form in wordnet.lemmas(sense) if form.lower() in forms]
    direct = tuple(Antonym(*link) for form in own for link in wordnet.antonyms(sense, form))
    if direct or not indirect:
        return direct, "antonym"
    heads = wordnet.similar_to(sense)
    return tuple(Antonym(*link) for head in heads for link in wordnet.antonyms(head)), "indirect"


@lru_cache(maxsize=_CACHED_SWAPS)
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


def antonym_doubts(
    wordnet: WordNet, tokens: Sequence[Token], words: Sequence[str], position: int, swap: Swap
) -> Iterator[str]:
    """Yield the reasons why *swap* at *position* may not result in a contradiction or in English.

    *words* are in lower case.
    """
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
    if "than" in words or words.count("as") > 1 or (position and words[position - 1] in _DEGREES):
        yield "comparison"
    if "?" in words[-3:]:  # it may be followed by quotation marks
        yield "question"
    if swap.pos == "n" and position + 1 < len(tokens) and tokens[position + 1].tag.startswith("NN"):
        yield "part of a compound noun"
    if is_in_name(tokens, position):
        yield "proper name"
    antonym = swap.antonym.lemma.lower()
    if is_unattested_sense(wordnet, swap.sense, swap.word, swap.pos):
        yield "sense not attested"
    if attested(wordnet, antonym, swap.pos) == 0:
        yield "antonym not attested"
    if is_rarely_opposed(wordnet, swap.lemma, antonym, swap.pos):
        yield "antonym of a rarer sense"
    if _is_lexicalized(wordnet, swap.lemma, antonym, swap.pos):
        yield "negative word with a meaning of its own"
    if in_fixed_expression(wordnet, words, position):
        yield "part of a fixed expression"
    # an indirect antonym is known as that of the head of the word's cluster
    heads = (head.lower() for _, head in wordnet.antonyms(swap.antonym.synset, swap.antonym.lemma))
    opposed = any(are_opposed(each, antonym) for each in (swap.lemma, *heads))
    yield from context_doubts(wordnet, tokens, position, (swap.lemma, antonym), opposed=opposed)


def stands_in(wordnet: WordNet, swap: Swap, words: Sequence[str]) -> bool:
    """Return whether *words* include a form of the antonym: "a man and two women"."""
    lemma = swap.antonym.lemma.lower()
    return lemma in words or any(lemma in _lemmas(wordnet, word, swap.pos) for word in words)


@lru_cache(maxsize=_CACHED_SWAPS)
def _lemmas(wordnet: WordNet, word: str, pos: str) -> tuple[str, ...]:
    return wordnet.lemmas_of(word, pos)


def _is_lexicalized(wordnet: WordNet, word: str, antonym: str, pos: str) -> bool:
    """Return whether one of a pair is the other with a negative prefix, and is the commoner word.

    Derived words that are commoner than their bases tend to mean something else: *incredible* (Hay, 2001,
    "Lexical frequency in morphology: is everything relative?").
    """
    base, derived = sorted((word, antonym), key=len)
    return is_negation(derived, base) and attested(wordnet, derived, pos) > attested(wordnet, base, pos)


# Contexts in which a word and its antonym do not exclude each other, even in sentences about one event.
#
# What is asserted of something excludes its opposite: *the page is easy to use*, *a tall man sleeps*.  What
# only picks out what is spoken of does not: there are *small entities* and large ones, *the new system* and
# the old one, *a page that is easy to use* and others, *my son* and my daughter.  The rules go by the
# position of the word in its noun phrase and clause (Quirk et al., 1985, sections 7.20-7.43 on attributive
# and predicative adjectives, 5.26-5.58 on reference), and by what is known of the pair: adjectives that
# classify (*local*, *national*) divide things in more than two.

# Adjectives of order and time: what comes first does not exclude what comes last (Quirk et al., 7.35).
_ORDER_AND_TIME: Final = ORDERING | frozenset(
    "early late middle former latter future past present previous recent current prior later earlier final "
    "initial subsequent".split()
)
# What is also, or otherwise, so leaves room for the opposite (Quirk et al., 8.121).
_ADDITIVE: Final = frozenset("also too besides another either both fewer less".split())
_OTHERS: Final = frozenset({"other", "others"})  # among other things
# Verbs that link a subject with what is said of it (Quirk et al., 16.21).
_LINKING: Final = frozenset(
    "be is are am was were been being 's 're 'm "
    "seem look looks looked become becomes became feel feels felt "
    "get gets got remain remains remained stay stays stayed taste tastes tasted smell smells smelled sound "
    "sounds sounded appear appears appeared grow grew go goes went turn turns turned".split()
)
# A relative clause picks out what is spoken of, unless a comma precedes it (Quirk et al., 17.22).
_RELATIVE: Final = frozenset({"WDT", "WP", "WP$", "WRB"})
_NEWLY: Final = "new"  # newly come, so that its opposite is the former one (Quirk et al., 7.43)
_TIMES: Final = frozenset({"time_period.n.01", "time_unit.n.01"})
# After these, "of" is followed by what is measured, which may be more or less of both.
_MEASURES: Final = frozenset(
    "degree rate extent level amount measure risk chance chances likelihood possibility probability kind "
    "sort type".split()
)
_AMOUNTS: Final = frozenset("number amount deal lot bit".split())  # a good number of
_PARTIAL: Final = frozenset("some many most certain several few".split())
_POSSESSIVE: Final = frozenset({"PRP$", "POS"})


def context_doubts(
    wordnet: WordNet, tokens: Sequence[Token], position: int, pair: tuple[str, str], *, opposed: bool
) -> Iterator[str]:
    """Yield the reasons why the lemma at *position* and its antonym, a *pair*, may both be right here.

    *opposed*: whether they exclude each other when said of one thing (:func:`are_opposed`).
    """
    words = [token.text.lower() for token in tokens]
    if not _ORDER_AND_TIME.isdisjoint(pair):
        yield "order or time"
    if not _ADDITIVE.isdisjoint(words) or ("among" in words and not _OTHERS.isdisjoint(words)):
        yield "additive or comparative word"
    if any(words[k] in _PARTIAL and tokens[k - 1].tag == "IN" for k in range(1, len(words))):
        yield "in some cases only"
    if _is_in_relative_clause(tokens, position):
        yield "in a restrictive clause"
    if polarity_at(tokens, position).direction != "up":
        yield "not in an upward monotone context"
    yield from unasserted(tokens, position)
    phrase = next((p for p in noun_phrases(tokens) if p.start <= position <= p.head), None)
    if tokens[position].tag.startswith("JJ"):
        yield from _adjective_doubts(wordnet, tokens, position, phrase, pair, opposed)
    else:
        yield from _noun_doubts(wordnet, tokens, position, phrase, pair, opposed)


def _adjective_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase | None,
    pair: tuple[str, str],
    opposed: bool,
) -> Iterator[str]:
    if _has_complement(tokens, position):  # a phrase to the tags: busy packing boxes
        yield "with a complement that may choose another sense"
    if phrase is None or position == phrase.head:
        if not _is_predicate(tokens, position):
            yield "neither before a noun nor after a linking verb"
        elif pair[1] in OF_LIVING and not _is_said_of_living(tokens, position, wordnet):
            yield "the antonym does not go with the noun"
        elif not opposed:
            yield "adjectives that may both be right"
        elif any(token.text.lower() in _PARTIAL for token in tokens[:position]):
            yield "in some cases only"
        return
    head = tokens[phrase.head].text.lower()
    noun = next(iter(wordnet.lemmas_of(head, "n")), head)
    kind, antonym = animacy(head, wordnet), pair[1]
    clashes = clashes_with_noun(antonym, noun, wordnet) and class_of(antonym) == "age"
    if clashes or (kind == "thing" and antonym in OF_LIVING):
        yield "the antonym does not go with the noun"
    if _is_attribute_of_subject(tokens, phrase):
        if not opposed:
            yield "adjectives that may both be right"
        return
    if noun in _AMOUNTS:
        yield "what is measured"
    if not opposed or is_often_relational(wordnet, tokens[position].text.lower()):
        yield "classifying adjective"
    if _NEWLY in pair and (kind != "thing" or not is_scene(tokens)):
        yield "order or time"
    if _is_one_of_many(tokens, phrase):
        yield "in some cases only"
    if _is_generic(tokens, phrase, wordnet):
        yield "noun phrase without a determiner"
    elif kind == "person":
        if _is_possessed(tokens, phrase) or (_is_the(tokens, phrase) and not is_scene(tokens)):
            yield "restrictive adjective"
    elif kind == "thing" and (tokens[phrase.head].tag == "NNS" or _is_definite(tokens, phrase, antonym)):
        yield "restrictive adjective"


def _noun_doubts(
    wordnet: WordNet,
    tokens: Sequence[Token],
    position: int,
    phrase: NounPhrase | None,
    pair: tuple[str, str],
    opposed: bool,
) -> Iterator[str]:
    word = tokens[position].text.lower()
    lemmas = wordnet.lemmas_of(word, "n")
    if not opposed:
        yield "nouns that may both be right"
    if any(_is_time(each, wordnet) for each in lemmas):
        yield "a time"
    if phrase is None:
        yield "part of a possessive"
        return
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    if before[-1:] == ["of"] and before[0] in _MEASURES:
        yield "what is measured"
    if _is_generic(tokens, phrase, wordnet):
        yield "noun phrase without a determiner"
    if _is_one_of_many(tokens, phrase):
        yield "in some cases only"
    possessed = _is_possessed(tokens, phrase)
    several = tokens[position].tag == "NNS" and not _is_counted(tokens, phrase)
    another = _is_new_object(tokens, phrase)
    if (possessed or several or another) and any(is_relative(each) for each in lemmas):
        yield "one of several relatives"
    elif antonym_kind(*pair) == "relational" and (possessed or gender(word, wordnet) is None):
        yield "the other end of a relation"
    if animacy(word, wordnet) != "person" and (tokens[position].tag == "NNS" or _is_counted(tokens, phrase)):
        yield "things that can both be present"


def _is_time(noun: str, wordnet: WordNet) -> bool:
    return not _TIMES.isdisjoint(map(wordnet.name, wordnet.closure(*wordnet.synsets(noun, "n")[:1])))


def _is_predicate(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the adjective at *position* follows a linking verb, with only adverbs between."""
    k = position - 1
    while k >= 0 and tokens[k].tag in {"RB", "CC", "JJ", ","}:
        k -= 1
    return k >= 0 and tokens[k].text.lower() in _LINKING


def _is_said_of_living(tokens: Sequence[Token], position: int, wordnet: WordNet) -> bool:
    """Return whether the nearest noun or pronoun before *position* may name a person or animal."""
    nominals = (t for t in reversed(tokens[:position]) if t.tag.startswith("NN") or t.tag in {"PRP", "DT"})
    nominal = next(nominals, None)
    if nominal is None or nominal.tag.startswith("NNP"):
        return True
    word = nominal.text.lower()
    return word in PERSONAL_PRONOUNS - {"it"} or animacy(word, wordnet) != "thing"


def _is_attribute_of_subject(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is what is said of a subject: *it is a good way*."""
    before = phrase.start - 1
    while before >= 0 and tokens[before].tag == "RB":
        before -= 1
    subject = tokens[before - 1].text.lower() if before else ""
    is_linked = before >= 0 and tokens[before].text.lower() in _LINKING
    return is_linked and subject != "there" and not _is_auxiliary(tokens, phrase.head)


def _is_auxiliary(tokens: Sequence[Token], head: int) -> bool:
    """Return whether a finite verb follows the noun, whose linking verb was then another clause's."""
    return head + 1 < len(tokens) and tokens[head + 1].text.lower() in AUXILIARIES


def _is_generic(tokens: Sequence[Token], phrase: NounPhrase, wordnet: WordNet) -> bool:
    """Return whether *phrase* has no determiner, though it does not open a caption, as in *young man*."""
    if phrase.determiners:
        return False
    head = tokens[phrase.head]
    starts = phrase.start == 0 and head.tag == "NN" and animacy(head.text.lower(), wordnet) != "thing"
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 1) : phrase.start]]
    inside = [token.text.lower() for token in tokens[phrase.start : phrase.head]]
    quantified = not {"several", "some", "many"}.isdisjoint((*before, *inside))
    return not (starts or quantified or _is_of_group(tokens, phrase))


def _is_new_object(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* introduces somebody after the subject, outside of a scene: *has a son*."""
    return phrase.start > 0 and _is_counted(tokens, phrase) and not is_scene(tokens)


def _is_of_group(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* says who a group consists of: *a crowd of young men*."""
    before = [token.text.lower() for token in tokens[max(0, phrase.start - 2) : phrase.start]]
    return before[1:] == ["of"] and before[0] in GROUPS_OF_PEOPLE


def _is_definite(tokens: Sequence[Token], phrase: NounPhrase, adjective: str) -> bool:
    """Return whether the definite *phrase* may be chosen by its adjective; a colour only describes it."""
    possessed = tokens[phrase.start].tag in _POSSESSIVE
    return _is_the(tokens, phrase) or (possessed and class_of(adjective) != "colour")


def _is_the(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return tokens[phrase.start].text.lower() == "the"


def _is_possessed(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return any(tokens[k].tag in _POSSESSIVE for k in phrase.determiners)


def _has_complement(tokens: Sequence[Token], position: int) -> bool:
    """Return whether *for*, *because* or a participle follows a predicate: *is busy packing boxes*."""
    following = tokens[position + 1 : position + 2]
    return _is_predicate(tokens, position) and any(
        token.tag == "VBG" or token.text.lower() in {"for", "because"} for token in following
    )


def _is_one_of_many(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    """Return whether *phrase* is an indefinite plural outside of a scene: some men stay, and some women."""
    if not tokens[phrase.head].tag.endswith("S") or is_scene(tokens):
        return False
    first = tokens[phrase.start]
    counted = any(tokens[k].tag == "CD" for k in phrase.determiners)
    fixed = counted or _is_possessed(tokens, phrase) or _is_of_group(tokens, phrase)
    return not fixed and first.text.lower() not in {"the", "these", "those"}


def _is_counted(tokens: Sequence[Token], phrase: NounPhrase) -> bool:
    return any(tokens[k].text.lower() in {"a", "an"} or tokens[k].tag == "CD" for k in phrase.determiners)


def _is_in_relative_clause(tokens: Sequence[Token], position: int) -> bool:
    """Return whether a relative pronoun, or *that* after a noun, without a comma precedes *position*."""
    for k in range(1, position):
        opens = tokens[k].tag in _RELATIVE or (
            tokens[k].text.lower() == "that" and tokens[k].tag in {"IN", "WDT"}
        )
        if opens and tokens[k - 1].tag != ",":
            return True
    return False
