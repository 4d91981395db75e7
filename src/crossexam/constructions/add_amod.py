"""AddAmod (Nie et al., 2019, Analyzing Compositionality-Sensitivity of NLI Models, section 3.1).

Given a premise with two different noun entities and an adjective that modifies both nouns in a corpus, the
adjective is inserted before one noun in the new premise and before the other in the hypothesis; the gold
label is neutral.

The paper says no more, and its code was never released.  ``rules=paper`` does what it says and nothing else:
any two different nouns of the premise and any adjective that precedes both in the corpus, unless either
already has it; it is inserted right before the noun, and the article before it is adjusted.  Words that
taggers call adjectives, but that determine or count the noun, are none ("several", "other", "own":
``DETERMINING``).  Our own rules, the default:

- The class of the adjective is known (size, age, colour ...; ``adjective_classes.py``), and it occurs with
  both nouns.
- It is not in the sentence yet, its class differs from that of every modifier of both phrases, and it is
  not an antonym or synonym of any of them.
- It is neither implied by a noun nor typical of it ("young boy", "green grass").
- It is inserted in the usual order of adjectives.
- Phrases are rejected, each with its reason, if they may not denote two entities, if an adjective could be
  read as modifying more than one of them ("young men and women"), or if it could be entailed (under
  negation and quantifiers).

With either, adjectives are drawn in proportion to the smaller of the two counts.  The paper's judges
considered 88 % of its items neutral.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, Literal, NamedTuple

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.core.example import Edit, Example, Side
from crossexam.language.inflection import indefinite_article, match_case
from crossexam.language.lexicons.adjective_classes import ADDABLE, RELATED, class_of, rank_of
from crossexam.language.lexicons.closed_classes import BE, DETERMINING, NEGATIONS, NUMBER_WORDS
from crossexam.language.lexicons.counts import CountTable
from crossexam.language.lexicons.noun_groups import NounKind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.noun_phrases import NounPhrase, noun_lemma, noun_phrases
from crossexam.language.nouns import (
    clashes_with_noun,
    concrete_kind,
    is_one_kind_of_other,
    is_rather_verb,
    is_relative,
    opposites,
    sense_names,
    synonyms,
)
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.tokens import Token
from crossexam.language.word_senses import in_fixed_expression

# fmt: off
# Downward entailing (what holds of all dogs holds of all young dogs), or definite (the same, the other).
_CLOSED_DETERMINERS: Final = frozenset(
    "all another any both each either every few half less most neither no such what which "
    "whatever whose".split()
)
_CLOSED_MODIFIERS: Final = frozenset(
    "certain different few final first former last latter less main more much next only other own previous "
    "same second single sole such third whole entire various".split()
)
_QUANTITIES: Final = frozenset("many multiple numerous several".split())  # precede all adjectives
_NOT_REFERRING: Final = frozenset("as called like named than".split())  # dressed as a clown
_CONDITIONS: Final = frozenset("if whether unless without".split())
_LIGHT_VERBS: Final = frozenset(
    "catch catches catching do does doing gave give gives giving have having make makes making pay pays "
    "paying take takes taking took".split()
)
_HAVING: Final = frozenset("with of has have having s".split())
_ANYONE: Final = frozenset("people person individual adult human couple friend member folk pair guy".split())
_OF_PHRASES: Final = frozenset({"JJ", "NN", "CD", "DT", "RB", "PR"})  # prefixes of tags
_QUOTES: Final = frozenset({'"', "``", "''", "“", "”"})
_SENTENCE_ENDS: Final = frozenset({".", "!", "?", ";"})
_USUAL: Final = 0.6  # of a noun's adjectives: three in five of those before "grass" are "green"
_ENOUGH: Final = 8
# fmt: on


_NO_ADJECTIVES: Final = DETERMINING | NUMBER_WORDS  # whatever their tags
_SUBJECTIVE: Final = rank_of("old")  # opinions, sizes and ages precede adjectives of unknown class


class NounEntity(NamedTuple):
    """A noun phrase that can take an adjective, its noun in the singular, and its kind, if known."""

    phrase: NounPhrase
    noun: str
    kind: NounKind | None


class ReadPremise(NamedTuple):
    """A premise: its text, tokens, lower-case words, noun phrases, and dependency parse if available."""

    text: str
    tokens: Sequence[Token]
    words: Sequence[str]
    phrases: Sequence[NounPhrase]
    parsed: Parsed | None


class _Choice(NamedTuple):
    """An item: *adjective* precedes *first* in the premise and *second* in the hypothesis."""

    adjective: str
    first: NounEntity
    second: NounEntity
    counts: tuple[int, int]

    def mirrored(self) -> _Choice:
        return _Choice(self.adjective, self.second, self.first, self.counts[::-1])


@dataclass(frozen=True)
class Options:
    """The options of AddAmod.

    *rules* are our own, or those of the paper, to the letter.  *both_directions* also yields the mirrored
    item.  *adjectives* names the adjective-noun counts: a corpus (``CORPUS:SPLIT`` or a file; the counts are
    cached), a file of counts, or None for those shipped with the package.
    """

    rules: Literal["ours", "paper"] = "ours"
    both_directions: bool = False
    adjectives: str | None = field(default=None, metadata={"content": True})


def add_amod(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Outcome]:
    """Yield the premise with an adjective before one noun, paired with the same before another noun."""
    if not example.premise.strip():
        return
    sentence, table = _read(example, resources), resources.counts(options.adjectives)
    literal = options.rules == "paper"
    find = _literal_choices if literal else _choices
    choices = find(sentence, table)
    if isinstance(choices, Rejection):
        yield choices
        return
    choice = rng.choices(choices, [min(each.counts) for each in choices])[0]
    if rng.random() < 0.5:
        choice = choice.mirrored()
    yield _draft(sentence, choice, literal=literal)
    if options.both_directions:
        yield _draft(sentence, choice.mirrored(), ":mirrored", literal=literal)


def _read(example: Example, resources: Resources) -> ReadPremise:
    parsed = resources.parsed(example, "premise")
    tokens = parsed.tokens if parsed else resources.tokens(example, "premise")
    words = [token.text.lower() for token in tokens]
    return ReadPremise(example.premise, tokens, words, [*noun_phrases(tokens, parsed)], parsed)


def _choices(sentence: ReadPremise, table: CountTable) -> Sequence[_Choice] | Rejection:
    """Return all pairs of nouns with an adjective for both, or the reason why there is none."""
    if is_closed(sentence):
        return Rejection("negation, condition or question")
    entities = _entities(sentence)
    if isinstance(entities, Rejection):
        return entities
    reason = ""
    choices: list[_Choice] = []
    for first, second in combinations(entities, 2):
        why = why_not_two(sentence, first, second)
        if why:
            reason = reason or why
        else:
            found = [*_shared(sentence, first, second, table)]
            choices += found
            reason = "no adjective for both nouns" if not found else reason
    return choices or Rejection(reason)


def _literal_choices(sentence: ReadPremise, table: CountTable) -> Sequence[_Choice] | Rejection:
    """Return all pairs of different nouns with an adjective that precedes both in the corpus."""
    nouns = [noun_lemma(sentence.tokens[phrase.head]) for phrase in sentence.phrases]
    entities = [NounEntity(phrase, noun, None) for phrase, noun in zip(sentence.phrases, nouns, strict=True)]
    if len(set(nouns)) < 2:
        return Rejection("fewer than two nouns")
    choices = [
        _Choice(adjective, first, second, (count, table.count(second.noun, adjective)))
        for first, second in combinations(entities, 2)
        if first.noun != second.noun
        for adjective, count in sorted(table.after(first.noun).items())
        if table.count(second.noun, adjective)
        and adjective not in _NO_ADJECTIVES
        and not any(_has(sentence, entity.phrase, adjective) for entity in (first, second))
    ]
    return choices or Rejection("no adjective for both nouns")


def _has(sentence: ReadPremise, phrase: NounPhrase, adjective: str) -> bool:
    return adjective in sentence.words[phrase.start : phrase.head]


def _entities(sentence: ReadPremise) -> Sequence[NounEntity] | Rejection:
    """Return the phrases that can take an adjective; if fewer than two, the first reason for rejection."""
    nouns = [noun_lemma(sentence.tokens[phrase.head]) for phrase in sentence.phrases]
    all_nouns = [noun_lemma(t) for t in sentence.tokens if t.tag.startswith("NN")]
    found: list[NounEntity] = []
    reason = ""
    for phrase, noun in zip(sentence.phrases, nouns, strict=True):
        kind = concrete_kind(noun)
        if kind is None:
            continue
        why = "noun that occurs twice" if all_nouns.count(noun) > 1 else why_not(sentence, phrase)
        if why:
            reason = reason or why
        else:
            found.append(NounEntity(phrase, noun, kind))
    if len(found) > 1:
        return found
    return Rejection(reason or "fewer than two concrete nouns")


def _shared(
    sentence: ReadPremise, first: NounEntity, second: NounEntity, table: CountTable
) -> Iterator[_Choice]:
    """Yield the adjectives that can modify either noun."""
    for adjective, count in sorted(table.after(first.noun).items()):
        counts = count, table.count(second.noun, adjective)
        if adjective not in ADDABLE or not min(counts) or not is_new(adjective, sentence):
            continue
        if all(
            fits(adjective, sentence, entity, table)
            and not is_usual(adjective, entity.noun, table)
            and not bears_on_other(adjective, entity)
            for entity in (first, second)
        ):
            yield _Choice(adjective, first, second, counts)


def _draft(sentence: ReadPremise, choice: _Choice, suffix: str = "", *, literal: bool) -> Draft:
    edits = (
        *_insertion(sentence, choice.first.phrase, choice.adjective, "premise", literal=literal),
        *_insertion(sentence, choice.second.phrase, choice.adjective, "hypothesis", literal=literal),
    )
    info = {
        "adjective": choice.adjective,
        "class": class_of(choice.adjective),
        "nouns": [choice.first.noun, choice.second.noun],
        "counts": list(choice.counts),
    }
    return Draft("neutral", edits, target="premise", suffix=suffix, info=info)


def _insertion(
    sentence: ReadPremise, phrase: NounPhrase, adjective: str, side: Side, *, literal: bool
) -> Iterator[Edit]:
    """Yield the edits that insert *adjective* before the noun, and adjust the article and capitals.

    If *literal*, right before the noun, otherwise in the order of adjectives.
    """
    place = _first_noun(phrase) if literal else place_for(adjective, sentence, phrase)
    token = sentence.tokens[place]
    new = adjective.capitalize() if class_of(adjective) == "origin" else adjective
    new = adjective.upper() if sentence.text.isupper() else new
    if place == 0 and token.text[0].isupper() and not sentence.text.isupper():
        rest = token.text[0].lower() + token.text[1:] if token.text[1:].islower() else token.text
        yield Edit(side, token.start, token.end, token.text, f"{new.capitalize()} {rest}")
        return
    before = sentence.tokens[place - 1] if place else None
    if before and before.text.lower() in {"a", "an"}:
        article = match_case(indefinite_article(new), before.text)
        article = article.upper() if sentence.text.isupper() else article
        if article != before.text:
            yield Edit(side, before.start, before.end, before.text, article)
    yield Edit(side, token.start, token.start, "", f"{new} ")


def is_closed(sentence: ReadPremise) -> bool:
    """Return whether the sentence is a question, negated or conditional: an adjective may weaken it."""
    words = set(sentence.words)
    return not words.isdisjoint(NEGATIONS | _CONDITIONS) or "?" in words


def why_not(sentence: ReadPremise, phrase: NounPhrase) -> str | None:
    """Return why *phrase* cannot take another adjective, or None if it can."""
    tokens, words = sentence.tokens, sentence.words
    nouns = [tokens[k] for k in (*phrase.compounds, phrase.head)]
    if any(
        token.tag.startswith("NNP") or (k and token.text[0].isupper() and not sentence.text.isupper())
        for k, token in zip((*phrase.compounds, phrase.head), nouns, strict=True)
    ):
        return "proper name"
    if phrase.complex:
        return "modifiers joined or graded"
    determiners = {words[k] for k in phrase.determiners}
    if determiners & _CLOSED_DETERMINERS or any(words[k] in _CLOSED_MODIFIERS for k in phrase.modifiers):
        return "quantified, or one picked out"
    if any(tokens[k].tag in {"JJR", "JJS"} for k in phrase.modifiers):
        return "compared"
    before = words[phrase.start - 1] if phrase.start else ""
    if _begins_elsewhere(sentence, phrase):
        return "unclear where the phrase begins"
    if sum(word in _QUOTES for word in words[: phrase.start]) % 2:
        return "in quotation marks"
    if before in _NOT_REFERRING:
        return "noun that names nobody"
    if before in _LIGHT_VERBS and determiners & {"a", "an"}:
        return "object of a light verb"
    if _is_bare_singular(sentence, phrase):
        return "singular without a determiner"
    return _attachment(sentence, phrase)


def _begins_elsewhere(sentence: ReadPremise, phrase: NounPhrase) -> bool:
    """Return whether preceding words could belong to the phrase, or its first word could be a verb."""
    tokens = sentence.tokens
    possessed = tokens[phrase.start].tag == "POS"
    if phrase.start and not possessed and tokens[phrase.start - 1].tag[:2] in _OF_PHRASES:
        return True
    if _may_be_worn_alone(sentence, phrase):
        return True
    return not phrase.determiners and any(tokens[k].tag == "VBG" for k in phrase.modifiers)


def _may_be_worn_alone(sentence: ReadPremise, phrase: NounPhrase) -> bool:
    """Return whether a verb may follow the colour that begins the phrase: a man in black dances."""
    words = sentence.words
    before = words[phrase.start - 1] if phrase.start else ""
    if before != "in" or class_of(words[phrase.start]) != "colour":
        return False
    noun = noun_lemma(sentence.tokens[phrase.head])
    worn = "clothing.n.01" in sense_names(noun)
    follows = is_rather_verb(words[phrase.head]) and not worn
    return follows or any(words[k].endswith("ing") for k in phrase.compounds)


def _is_bare_singular(sentence: ReadPremise, phrase: NounPhrase) -> bool:
    """Return whether it is a mass noun or part of an idiom: "in class", "drinks juice"; not "Man sleeps"."""
    if phrase.determiners or sentence.tokens[phrase.head].tag != "NN" or phrase.start == 0:
        return False
    before = sentence.tokens[phrase.start - 1].tag
    return before[:2] in {"IN", "TO", "VB", "RP"} and sentence.words[phrase.head] != "people"


def _attachment(sentence: ReadPremise, phrase: NounPhrase) -> str | None:
    """Return why an adjective before *phrase* could modify more, or less, than the phrase; None if not."""
    words, after = sentence.words, phrase.head + 1
    if after < len(words) and words[after] in {"and", "or", ",", "/", "&"}:
        further = after + 1 + (after + 1 < len(words) and words[after + 1] in {"and", "or"})
        following = next((p for p in sentence.phrases if p.start == further), None)
        if following and not following.determiners:
            return "could modify what is joined to it"
    if after < len(words) and words[after] in {"-", "--", "'s", "'", "’s"}:
        return "part of a longer word"
    return None


def place_for(adjective: str, sentence: ReadPremise, phrase: NounPhrase) -> int:
    """Return the index of the token before which to insert *adjective*, by the order of adjectives."""
    rank = rank_of(adjective)
    for k in phrase.modifiers:
        token = sentence.tokens[k]
        if sentence.words[k] not in _QUANTITIES and rank_of(token.text, token.tag) > rank:
            return k
    return _first_noun(phrase)


def _first_noun(phrase: NounPhrase) -> int:
    return (*phrase.compounds, phrase.head)[0]


def fits(adjective: str, sentence: ReadPremise, entity: NounEntity, table: CountTable) -> bool:
    """Return whether *adjective* is informative and plausible as a modifier of *entity*."""
    phrase, kind, rank = entity.phrase, class_of(adjective), rank_of(adjective)
    if clashes_with_noun(adjective, entity.noun):
        return False
    near = synonyms(adjective) | opposites(adjective)
    for k in (*phrase.modifiers, *phrase.compounds):
        word, tag = sentence.words[k], sentence.tokens[k].tag
        if kind == "colour" and class_of(word, tag) == "origin":
            return False  # a Canadian flag: everybody knows its colours
        if class_of(word, tag) == kind or word in near or frozenset({word, adjective}) in RELATED:
            return False
        if class_of(word, tag) is None and tag.startswith("JJ") and rank > _SUBJECTIVE:
            return False  # a busy red street, but a red musical box
        if tag.startswith("NN") and (table.count(word, adjective) or clashes_with_noun(adjective, word)):
            return False  # old book store: an old store or old books?
    place = place_for(adjective, sentence, phrase)
    words = [*sentence.words[:place], adjective, *sentence.words[place : phrase.head + 1]]
    return not in_fixed_expression(words, place)


def is_usual(adjective: str, noun: str, table: CountTable) -> bool:
    """Return whether *adjective* is most of what precedes *noun*, so that the noun alone suggests it."""
    total = sum(table.after(noun).values())
    return total >= _ENOUGH and table.count(noun, adjective) > _USUAL * total


def is_new(adjective: str, sentence: ReadPremise) -> bool:
    """Return whether the sentence contains neither *adjective* nor a synonym or antonym of it."""
    words = set(sentence.words)
    near = {adjective} | synonyms(adjective) | opposites(adjective)
    lemmas = {lemma for word in words for lemma in wordnet().lemmas_of(word, "a")}
    return near.isdisjoint(words | lemmas)


def why_not_two(sentence: ReadPremise, first: NounEntity, second: NounEntity) -> str | None:
    """Return why *first* and *second* (in this order) may not be two distinct entities; None if they are."""
    if is_one_kind_of_other(first.noun, second.noun):
        return "one noun is a kind of the other"
    between = sentence.words[first.phrase.head + 1 : second.phrase.start]
    if not _SENTENCE_ENDS.isdisjoint(between):
        return "in two sentences"
    if between and set(between) <= BE - {"am", "been"} | {","}:
        return "one entity twice"
    persons = first.kind == second.kind == "person"
    if persons and "," in between and _may_include(sentence, first, second):
        return "one entity twice"
    if sentence.parsed and _is_same(sentence.parsed, first.phrase.head, second.phrase.head):
        return "one entity twice"
    if list(between) == ["of"]:
        return "part and whole"
    things = first.kind == second.kind == "thing"
    if things and len(between) == 1 and between[0] in _HAVING:
        return "part and whole"
    return None


def _may_include(sentence: ReadPremise, first: NounEntity, second: NounEntity) -> bool:
    """Return whether one may include the other: "some dancers, one lady ...", "two people, a man and ..."."""
    plural = sentence.tokens[first.phrase.head].tag == "NNS"
    return plural or first.noun in _ANYONE or second.noun in _ANYONE


def bears_on_other(adjective: str, entity: NounEntity) -> bool:
    """Return whether *adjective* also describes others: "a man and his old mother", "an Asian father"."""
    return class_of(adjective) in {"age", "origin"} and is_relative(entity.noun)


def _is_same(parsed: Parsed, first: int, second: int) -> bool:
    """Return whether one noun is an apposition or a predicate of the other, according to the parse."""
    for one, other in ((first, second), (second, first)):
        if parsed.heads[one] == other:
            relation = parsed.relations[one].partition(":")[0]
            if relation in {"appos", "dep", "parataxis", "compound"}:
                return True
            if relation == "nsubj" and parsed.children(other, "cop"):
                return True
    return False
