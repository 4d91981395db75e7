"""The rules of AddAmod: when an adjective before one noun says something of another, too, or fits none.

A pair is neutral if the adjective is said of one thing in the premise and of another in the hypothesis, and
if neither follows from the rest: if it is new, and describes one of two things that are both there.
In the sentences of the rules about adjectives, the adjective that would be added is in brackets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from crossexam.constructions.rules.rule import Rule, View, holding
from crossexam.language.lexicons.adjective_classes import (
    ADDABLE,
    RELATED,
    AdjectiveClass,
    class_of,
    rank_of,
)
from crossexam.language.lexicons.closed_classes import BE, INDEFINITE_ARTICLES, NEGATIONS
from crossexam.language.lexicons.counts import CountTable
from crossexam.language.lexicons.noun_groups import NounKind
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.noun_phrases import NounPhrase, noun_lemma
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
from crossexam.language.tokens import Parsed, Token
from crossexam.language.word_senses import in_fixed_expression

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
_CONJUNCTIONS: Final = frozenset({"and", "or"})
_JOINING: Final = _CONJUNCTIONS | {",", "/", "&"}
_WORD_PARTS: Final = frozenset({"-", "--", "'s", "'", "’s"})
_COPULAS: Final = BE - {"am", "been"} | {","}
_SAME: Final = frozenset({"appos", "dep", "parataxis", "compound"})
_USUAL: Final = 0.6  # of a noun's adjectives: three in five of those before "grass" are "green"
_ENOUGH: Final = 8
_SUBJECTIVE: Final = rank_of("old")  # opinions, sizes and ages precede adjectives of unknown class


@dataclass(eq=False)
class Premise:
    """A premise: its *text*, *tokens*, noun *phrases*, and dependency parse, if available."""

    text: str
    tokens: Sequence[Token]
    phrases: Sequence[NounPhrase]
    parsed: Parsed | None

    @cached_property
    def words(self) -> list[str]:
        """The words in lower case."""
        return [token.text.lower() for token in self.tokens]

    @cached_property
    def said(self) -> set[str]:
        """The words in lower case, and the adjectives that they may be forms of."""
        words = set(self.words)
        return words | {lemma for word in words for lemma in wordnet().lemmas_of(word, "a")}

    @cached_property
    def nouns(self) -> list[str]:
        """All nouns, in the singular."""
        return [noun_lemma(token) for token in self.tokens if token.tag.startswith("NN")]

    @cached_property
    def is_in_capitals(self) -> bool:
        """Whether all letters are capitals."""
        return self.text.isupper()


@dataclass(eq=False)
class Entity:
    """What a noun *phrase* of a *premise* names."""

    premise: Premise
    phrase: NounPhrase

    @cached_property
    def noun(self) -> str:
        """The head, in the singular."""
        return noun_lemma(self.premise.tokens[self.phrase.head])

    @cached_property
    def kind(self) -> NounKind | None:
        """What the noun names, None if nothing concrete and bounded."""
        return concrete_kind(self.noun)

    @property
    def nouns(self) -> tuple[int, ...]:
        """The indices of the head and the nouns before it."""
        return (*self.phrase.compounds, self.phrase.head)

    @cached_property
    def determiners(self) -> set[str]:
        """The determiners in lower case."""
        return {self.premise.words[k] for k in self.phrase.determiners}

    @cached_property
    def modifiers(self) -> list[Token]:
        """The adjectives and participles before the noun."""
        return [self.premise.tokens[k] for k in self.phrase.modifiers]

    @property
    def before(self) -> Token | None:
        """The token before the phrase."""
        return self.premise.tokens[self.phrase.start - 1] if self.phrase.start else None

    @property
    def preposition(self) -> str:
        """The word before the phrase in lower case, a preposition or not; empty if there is none."""
        return self.premise.words[self.phrase.start - 1] if self.phrase.start else ""

    @property
    def following(self) -> list[str]:
        """The two words after the phrase."""
        return self.premise.words[self.phrase.head + 1 : self.phrase.head + 3]

    def place_for(self, adjective: str) -> int:
        """Return the index of the token before which to insert *adjective*, by the order of adjectives."""
        rank = rank_of(adjective)
        for k, token in zip(self.phrase.modifiers, self.modifiers, strict=True):
            if self.premise.words[k] not in _QUANTITIES and rank_of(token.text, token.tag) > rank:
                return k
        return self.nouns[0]


@dataclass(eq=False)
class Entities:
    """Two that are to be told apart: the *first* precedes the *second*."""

    first: Entity
    second: Entity

    @cached_property
    def between(self) -> list[str]:
        """The words between the two phrases, in lower case."""
        return self.first.premise.words[self.first.phrase.head + 1 : self.second.phrase.start]

    def are(self, kind: NounKind) -> bool:
        """Return whether both are of this *kind*."""
        return self.first.kind == self.second.kind == kind


@dataclass(eq=False)
class Addition:
    """An *adjective* to be added to an *entity*; *table* has the adjectives of each noun."""

    adjective: str
    entity: Entity
    table: CountTable

    @cached_property
    def kind(self) -> AdjectiveClass | None:
        """What the adjective describes."""
        return class_of(self.adjective)

    @cached_property
    def beside(self) -> list[tuple[str, str, AdjectiveClass | None]]:
        """The words between determiners and noun in lower case, with their tags and what they describe."""
        premise, phrase = self.entity.premise, self.entity.phrase
        found = ((premise.words[k], premise.tokens[k].tag) for k in (*phrase.modifiers, *phrase.compounds))
        return [(word, tag, class_of(word, tag)) for word, tag in found]


# What may not be said of two entities


def _begins_in_capital(entity: Entity) -> bool:
    premise = entity.premise
    return any(
        premise.tokens[k].tag.startswith("NNP")
        or (k and premise.tokens[k].text[0].isupper() and not premise.is_in_capitals)
        for k in entity.nouns
    )


def _goes_on_before(entity: Entity) -> bool:
    """Return whether the word before the phrase could belong to it."""
    possessed = entity.premise.tokens[entity.phrase.start].tag == "POS"
    return entity.before is not None and not possessed and entity.before.tag[:2] in _OF_PHRASES


def _may_be_worn_alone(entity: Entity) -> bool:
    """Return whether a verb may follow the colour that begins the phrase: a man in black dances."""
    words, phrase = entity.premise.words, entity.phrase
    if entity.preposition != "in" or class_of(words[phrase.start]) != "colour":
        return False
    worn = "clothing.n.01" in sense_names(entity.noun)
    follows = is_rather_verb(words[phrase.head]) and not worn
    return follows or any(words[k].endswith("ing") for k in phrase.compounds)


def _is_quoted(entity: Entity) -> bool:
    return sum(word in _QUOTES for word in entity.premise.words[: entity.phrase.start]) % 2 == 1


def _is_bare_singular(entity: Entity) -> bool:
    """Return whether it is a mass noun or part of an idiom: "in class", "drinks juice"; not "Man sleeps"."""
    head = entity.premise.tokens[entity.phrase.head]
    if entity.phrase.determiners or head.tag != "NN" or entity.before is None:
        return False
    return entity.before.tag[:2] in {"IN", "TO", "VB", "RP"} and head.text.lower() != "people"


def _is_joined(entity: Entity) -> bool:
    """Return whether a phrase without determiners is joined to this one."""
    first, *more = *entity.following, ""
    if first not in _JOINING:
        return False
    start = entity.phrase.head + 2 + (more[0] in _CONJUNCTIONS)
    following = next((each for each in entity.premise.phrases if each.start == start), None)
    return following is not None and not following.determiners


def _may_include(two: Entities) -> bool:
    """Return whether one may include the other: "some dancers, one lady ...", "two people, a man and ..."."""
    if not two.are("person") or "," not in two.between:
        return False
    plural = two.first.premise.tokens[two.first.phrase.head].tag == "NNS"
    return plural or not _ANYONE.isdisjoint({two.first.noun, two.second.noun})


def _are_one_in_parse(two: Entities) -> bool:
    """Return whether one noun is an apposition or a predicate of the other, according to the parse."""
    parsed, heads = two.first.premise.parsed, (two.first.phrase.head, two.second.phrase.head)
    if parsed is None:
        return False
    for one, other in (heads, heads[::-1]):
        if parsed.heads[one] == other:
            relation = parsed.relations[one].partition(":")[0]
            if relation in _SAME or (relation == "nsubj" and parsed.children(other, "cop")):
                return True
    return False


# What an adjective may say of others, or not say of the noun


def _is_known(addition: Addition) -> bool:
    """Return whether the sentence has the adjective, or a synonym or antonym of it."""
    adjective = addition.adjective
    near = {adjective} | synonyms(adjective) | opposites(adjective)
    return not near.isdisjoint(addition.entity.premise.said)


def _is_near_another(addition: Addition) -> bool:
    """Return whether another word of the phrase describes the same, or implies or excludes the adjective."""
    return any(
        kind == addition.kind or frozenset({word, addition.adjective}) in RELATED
        for word, _, kind in addition.beside
    )


def _may_be_of_first_noun(addition: Addition) -> bool:
    """Return whether the adjective could describe a noun before the head: old book store."""
    adjective, table = addition.adjective, addition.table
    return any(
        tag.startswith("NN") and (table.count(word, adjective) or clashes_with_noun(adjective, word))
        for word, tag, _ in addition.beside
    )


def _makes_fixed_expression(addition: Addition) -> bool:
    adjective, entity = addition.adjective, addition.entity
    words, place = entity.premise.words, entity.place_for(addition.adjective)
    return in_fixed_expression([*words[:place], adjective, *words[place : entity.phrase.head + 1]], place)


def _is_usual(addition: Addition) -> bool:
    """Return whether the adjective is most of what precedes the noun, so that the noun alone suggests it."""
    noun, table = addition.entity.noun, addition.table
    total = sum(table.after(noun).values())
    return total >= _ENOUGH and table.count(noun, addition.adjective) > _USUAL * total


# fmt: off
_OF_SENTENCES: Final[tuple[Rule[Premise], ...]] = (
    Rule("negation, condition or question", lambda s: not NEGATIONS.isdisjoint(s.words),
         "A goat never passed the truck.", "A goat passed the truck.",
         "What did not meet a truck did not meet an old one (Quirk et al., 10.54-10.70)."),
    Rule("negation, condition or question", lambda s: not _CONDITIONS.isdisjoint(s.words),
         "If the goat passed the truck, it slept.", "When the goat passed the truck, it slept.",
         "If it holds of any truck, it holds of an old one (Quirk et al., 15.33-15.38)."),
    Rule("negation, condition or question", lambda s: "?" in s.words,
         "Did the goat pass the truck?", "The goat passed the truck.",
         "A question asserts nothing (Quirk et al., 11.4)."),
)
#: In the order in which they are asked: a phrase is rejected for the first that holds.
_OF_PHRASE: Final[tuple[Rule[Entity], ...]] = (
    Rule("fewer than two concrete nouns", lambda e: e.kind is None,
         "A man had an idea.", "A man had a car.",
         "What can be seen and has bounds can be described (Quirk et al., 5.3, on abstract nouns)."),
    Rule("noun that occurs twice", lambda e: e.premise.nouns.count(e.noun) > 1,
         "A goat passed a goat.", "A goat passed a truck.",
         "It would not be clear which of the two is described."),
    Rule("proper name", _begins_in_capital,
         "A dog stood in a Volvo truck.", "A dog stood in a fire truck.",
         "Names are not modified by what they do not always have (Quirk et al., 5.64)."),
    Rule("modifiers joined or graded", lambda e: e.phrase.complex,
         "A very fat goat passed a truck.", "A fat goat passed a truck.",
         "The adjective would come between words that belong together (Quirk et al., 17.110-17.116)."),
    Rule("quantified, or one picked out", lambda e: not _CLOSED_DETERMINERS.isdisjoint(e.determiners),
         "A goat passed every truck.", "A goat passed two trucks.",
         "What holds of every truck holds of every old truck (Quirk et al., 5.14-5.16)."),
    Rule("quantified, or one picked out",
         lambda e: any(token.text.lower() in _CLOSED_MODIFIERS for token in e.modifiers),
         "The other goat passed a truck.", "The fat goat passed a truck.",
         "There is only one, whatever it is like (Quirk et al., 5.22 and 7.35)."),
    Rule("compared", lambda e: any(token.tag in {"JJR", "JJS"} for token in e.modifiers),
         "The fattest goat passed a truck.", "The fat goat passed a truck.",
         "It would be compared with other things than before (Quirk et al., 7.74-7.85)."),
    Rule("unclear where the phrase begins", _goes_on_before,
         "Quite goats passed a truck.", "Fat goats passed a truck.",
         "The word before it is of a kind that stands in noun phrases."),
    Rule("unclear where the phrase begins", _may_be_worn_alone,
         "Two dogs dressed in black dances.", "Two dogs dressed in black dresses.",
         "The noun may be the verb of the sentence: a dog in black dances."),
    Rule("unclear where the phrase begins",
         lambda e: not e.phrase.determiners and any(token.tag == "VBG" for token in e.modifiers),
         "Small running dogs passed a truck.", "Some small running dogs passed a truck.",
         "A participle may have the noun for its object (Quirk et al., 17.98)."),
    Rule("in quotation marks", _is_quoted,
         'A goat saw "a truck" there.', 'A goat "saw" a truck there.',
         "What is quoted is not the writer's to change."),
    Rule("noun that names nobody", lambda e: e.preposition in _NOT_REFERRING,
         "A truck moved like a goat.", "A truck moved near a goat.",
         "What something is like need not be there."),
    Rule("object of a light verb",
         lambda e: e.preposition in _LIGHT_VERBS and not e.determiners.isdisjoint(INDEFINITE_ARTICLES),
         "A man takes a bus.", "A man stops a bus.",
         "Verb and noun together say what is done (Quirk et al., 10.30)."),
    Rule("singular without a determiner", _is_bare_singular,
         "A man came by car.", "A man came by the car.",
         "It names a substance or an activity, not a thing (Quirk et al., 5.41-5.51)."),
    Rule("could modify what is joined to it", _is_joined,
         "Goats and trucks stood there.", "The goats and the trucks stood there.",
         "Old goats and trucks may all be old (Quirk et al., 13.67-13.68)."),
    Rule("part of a longer word", lambda e: not _WORD_PARTS.isdisjoint(e.following[:1]),
         "A dog sat by a truck - and barked.", "A dog sat by a truck and barked.",
         "If the sign is a hyphen, the adjective would describe what the longer word names."),
)
_OF_TWO: Final[tuple[Rule[Entities], ...]] = (
    Rule("one noun is a kind of the other", lambda two: is_one_kind_of_other(two.first.noun, two.second.noun),
         "A vehicle passed the truck.", "A goat passed the truck.",
         "If the truck is old, so is a vehicle."),
    Rule("in two sentences", lambda two: not _SENTENCE_ENDS.isdisjoint(two.between),
         "A goat ran. A truck stopped.", "A goat ran, and a truck stopped.",
         "What is said in the second may explain the first."),
    Rule("one entity twice", lambda two: two.between and set(two.between) <= _COPULAS,
         "The man was a worker.", "The man was near a worker.",
         "The noun after a form of be describes its subject (Quirk et al., 10.8)."),
    Rule("one entity twice", _may_include,
         "Some men ran, a worker sat.", "Some men ran while a worker sat.",
         "After a comma, one may be among several who were named before (Quirk et al., 17.65-17.71)."),
    Rule("one entity twice", _are_one_in_parse,
         "A man here is a worker.", "A man here saw a worker.",
         "In the parse, one is an apposition or the predicate of the other."),
    Rule("part and whole", lambda two: two.between == ["of"],
         "A box of trucks stood there.", "A box near the trucks stood there.",
         "What the whole is like, its parts may be, too (Quirk et al., 5.6-5.9, on partition)."),
    Rule("part and whole",
         lambda two: two.are("thing") and len(two.between) == 1 and two.between[0] in _HAVING,
         "A house with a fence stood there.", "A house near a fence stood there.",
         "What the whole is like, its parts may be, too (Quirk et al., 17.37-17.38)."),
)
_OF_ADJECTIVE: Final[tuple[Rule[Addition], ...]] = (
    Rule("no adjective for both nouns", lambda a: a.adjective not in ADDABLE,
         "A (great) man saw a truck.", "A (large) man saw a truck.",
         "Its sense depends on the noun, or its class, and thus its place, is not known."),
    Rule("no adjective for both nouns", _is_known,
         "A car that is new passed the (old) house.", "A car that is fast passed the (old) house.",
         "With a synonym or antonym there, it may follow, or be excluded."),
    Rule("no adjective for both nouns", lambda a: clashes_with_noun(a.adjective, a.entity.noun),
         "A (young) boy saw a horse.", "A (small) boy saw a horse.",
         "The noun says so, or says the opposite."),
    Rule("no adjective for both nouns",
         lambda a: a.kind == "colour" and any(kind == "origin" for _, _, kind in a.beside),
         "A (green) Canadian flag hung near a bag.", "A large (green) flag hung near a bag.",
         "Where something comes from may tell its colour."),
    Rule("no adjective for both nouns", _is_near_another,
         "A (red) blue truck passed a dog.", "A large (red) truck passed a dog.",
         "Two adjectives of one class say the same or conflict (Quirk et al., 17.113-17.115)."),
    Rule("no adjective for both nouns",
         lambda a: rank_of(a.adjective) > _SUBJECTIVE
                   and any(kind is None and tag.startswith("JJ") for _, tag, kind in a.beside),
         "A dog passed a rusty (red) truck.", "A dog passed a (large) rusty truck.",
         "An adjective of unknown class may precede or follow it (Quirk et al., 17.113-17.115)."),
    Rule("no adjective for both nouns", _may_be_of_first_noun,
         "A dog passed the (red) flower truck.", "A dog passed the (red) milk truck.",
         "It could describe the first noun (Quirk et al., 17.110-17.116)."),
    Rule("no adjective for both nouns", _makes_fixed_expression,
         "A car passed the (white) house.", "A car passed the (white) boat.",
         "Together with the noun, it names something of its own."),
    Rule("no adjective for both nouns", _is_usual,
         "A dog chased a (white) surfboard.", "A dog chased a (white) ball.",
         "It is most of what precedes the noun in the corpus, so that the noun alone suggests it."),
    Rule("no adjective for both nouns",
         lambda a: a.kind in {"age", "origin"} and is_relative(a.entity.noun),
         "A man saw the (Asian) mother.", "A man saw the (Asian) worker.",
         "It also says something of the child."),
)
# fmt: on

#: All rows: of the sentence, of each phrase, of two of them, and of an adjective before the noun of either.
RULES: Final[tuple[Rule[Any], ...]] = (*_OF_SENTENCES, *_OF_PHRASE, *_OF_TWO, *_OF_ADJECTIVE)
_OF: Final[dict[type, tuple[Rule[Any], ...]]] = {
    Premise: _OF_SENTENCES,
    Entity: _OF_PHRASE,
    Entities: _OF_TWO,
    Addition: _OF_ADJECTIVE,
}


def against(view: View, without: Collection[str] = ()) -> Iterator[Rule[View]]:
    """Yield the rules that hold of *view*, one of the four views, but for the reasons *without*."""
    return holding(_OF[type(view)], view, without)
