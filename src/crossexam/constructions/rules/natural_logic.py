"""The doubts about labels of natural logic: when the label of a new pair of sentences may be another.

Sanchez Carmona et al. (2018, section 5.4) label exchanged and replaced words by hand.  Natural logic proposes
a label instead (``natural_logic.py``), which is left to judges if one of these rows holds; ex situ, the pair
is rejected.  In the sentences of the rows, premise and hypothesis of a training example are separated by a
slash, the two words are marked, and the gold label follows unless it is entailment, or contradiction if the
words are antonyms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from crossexam.constructions.natural_logic import (
    Rest,
    adds_a_thing,
    have_one_subject,
    lies_elsewhere,
    says_less,
)
from crossexam.constructions.pair_family import Family
from crossexam.constructions.pair_matching import Match
from crossexam.constructions.rules import swapped_sentences
from crossexam.constructions.rules.rule import Rule, holding
from crossexam.constructions.rules.swapped_sentences import ODD, Saying
from crossexam.core.example import OTHER_SIDE, SIDES, Edit, Side
from crossexam.core.labels import Label
from crossexam.language.lexicons.noun_groups import KIN, OLD, YOUNG
from crossexam.language.lexicons.word_pairs import Relation
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import (
    animacy,
    are_near,
    gender,
    goes_with,
    may_name,
    participants,
    say_what_defines,
)

_PHRASE: Final = 4  # tokens from an adjective to its noun
_ANYBODY: Final = frozenset("person people individual human".split())
_CONTENT: Final = frozenset({"N", "V", "J"})
_NOMINAL: Final = frozenset({"N", "J"})


@dataclass(eq=False)
class ChangedFamily:
    """A *family* with other words, and the *label* that natural logic proposes for it.

    *how*: the two words are exchanged, one is replaced, or the sentence on *context* is copied to both sides.
    *relation* is that of the hypothesis's word to the premise's after the change, *gold* the label before it.
    *words* are those of both sides after the change, *edits* what makes it, *named* the word, or lemma, of
    the hypothesis.
    """

    family: Family
    how: Literal["exchanged", "replaced", "copied"]
    relation: Relation
    label: Label
    gold: Label
    words: Mapping[Side, str]
    edits: Mapping[Side, tuple[Edit, ...]]
    named: str
    context: Side | None = None

    @property
    def match(self) -> Match:
        """Where the words of the pair were."""
        return self.family.match

    @cached_property
    def sayings(self) -> tuple[Saying, ...]:
        """The two sentences after the change; of a copied sentence, that with each of the words."""
        family, context = self.family, self.context
        if context is not None:
            here, new = family.words[context], family.exchanged[context]
            before = Saying(family.match, context, here, new)
            return before, Saying(family.match, context, new, here, family.edits[context])
        return tuple(
            Saying(
                family.match, side, self.words[side], self.words[OTHER_SIDE[side]], self.edits.get(side, ())
            )
            for side in SIDES
        )

    @property
    def rest(self) -> Rest:
        """What the rest of the hypothesis adds to the premise."""
        return self.match.rest if self.how == "exchanged" else self.match.rest_in_relation

    @cached_property
    def loses(self) -> bool:
        """Whether the pair is neutral because the premise now has the more general word."""
        if self.how == "copied" or self.label != "neutral" or self.relation != "hyponym":
            return False
        return self.how == "replaced" or says_less("hypernym", *self.match.directions.values())

    @property
    def are_upward(self) -> bool:
        """Whether both words are in upward monotone contexts."""
        return all(direction == "up" for direction in self.match.directions.values())

    @property
    def numbers_differ(self) -> bool:
        """Whether one of the matched words is plural, and the other is not."""
        return self.match.is_plural("premise") != self.match.is_plural("hypothesis")

    @cached_property
    def lemmas(self) -> tuple[str, str]:
        """The nouns of hypothesis and premise after the change, in the singular."""
        narrow, broad = (wordnet().base_form(self.words[side], "n") for side in ("hypothesis", "premise"))
        return narrow, broad

    @cached_property
    def content(self) -> tuple[str, ...]:
        """The lemmas of nouns, verbs and adjectives of the premise, but not of the pair's word."""
        match = self.match
        words = (
            token.text.lower()
            for k, token in enumerate(match.tokens["premise"])
            if k not in match.positions["premise"] and token.tag[:1] in _CONTENT
        )
        return tuple(lemma for word in words for lemma in wordnet().lemmas_of(word) or (word,))


def _is_told(change: ChangedFamily) -> bool:
    return change.loses and any(any(swapped_sentences.against(saying, {ODD})) for saying in change.sayings)


def _of_nouns(asks: Callable[[ChangedFamily], bool]) -> Callable[[ChangedFamily], bool]:
    """Return what a rule *asks* of the more special of two nouns, which is then in the hypothesis."""
    return lambda change: change.loses and change.match.pos == "n" and asks(change)


def _goes_with_narrow(change: ChangedFamily) -> bool:
    narrow, broad = change.lemmas
    return gender(narrow) is None and any(goes_with(word, narrow, broad) for word in change.content)


def _is_beside_another(change: ChangedFamily) -> bool:
    """Return whether the hypothesis is about its word, but the premise about somebody who cannot be that."""
    if change.how != "exchanged" or change.label != "neutral":
        return False
    match = change.match
    first, subject = (next(participants(match.tokens[side]), None) for side in SIDES)
    if first is None or first == match.word("premise") or subject != match.word("hypothesis"):
        return False
    people = animacy(change.named) == animacy(first) == "person"
    return people and not may_name(change.named, first)


def _replaces(change: ChangedFamily, pos: str) -> bool:
    """Return whether a word of this *pos* is replaced, and no conflict is known to lie in other words."""
    return change.how == "replaced" and change.match.pos == pos and change.rest != "conflict"


def _describe_others(change: ChangedFamily) -> bool:
    return _replaces(change, "a") and len({_described(change.match, side) for side in SIDES}) > 1


def _described(match: Match, side: Side) -> str | None:
    """Return the lemma of the noun that the pair's adjective on *side* describes: the next, or the last."""
    tokens, position = match.tokens[side], match.positions[side][0]
    after = tokens[position + 1 : position + 1 + _PHRASE]
    near = after if after and after[0].tag[:1] in _NOMINAL else tokens[position::-1]
    noun = next((token.text.lower() for token in near if token.tag.startswith("NN")), None)
    return noun and wordnet().base_form(noun, "n")


def _may_be_others(change: ChangedFamily) -> bool:
    """Return whether something is not entailed of one or several, and the premise is about several or one."""
    alone = not (_replaces(change, "v") or _replaces(change, "a"))
    return change.how == "replaced" and alone and change.label != "entailment" and change.numbers_differ


def _may_name_others(change: ChangedFamily) -> bool:
    match = change.match
    if change.how != "replaced" or match.pos != "n" or change.label == "entailment":
        return False
    others = participants(match.tokens["premise"], besides=match.positions["premise"])
    return any(may_name(change.named, other) for other in others)


def _is_role(noun: str) -> bool:
    """Return whether *noun* names a person by what they do, and not by gender or age.

    >>> [_is_role(noun) for noun in ("juggler", "woman", "child", "lamp")]
    [True, False, False, False]
    """
    return animacy(noun) == "person" and gender(noun) is None and noun not in YOUNG | OLD | KIN


def _has_role_of_another(change: ChangedFamily) -> bool:
    """Return whether the exchange gives a role to a person of whom the hypothesis says something new."""
    exchanged = change.how == "exchanged" and change.label == "neutral" and change.relation == "hyponym"
    return exchanged and _is_role(change.match.pair.first) and change.rest != "covered"


def _are_several_of_one(change: ChangedFamily) -> bool:
    match = change.match
    if change.label == "contradiction" or (change.how != "exchanged" and change.label != "entailment"):
        return False
    several = match.is_plural("hypothesis") and not match.is_plural("premise")
    return change.how != "copied" and several and match.directions["hypothesis"] == "up"


def _may_conflict_in_pair(change: ChangedFamily) -> bool:
    """Return whether a contradiction may have been one of the words: those of a word and its hypernym."""
    if change.how != "exchanged" or change.gold != "contradiction" or change.relation == "antonym":
        return False
    premise, hypothesis = change.match.directions.values()
    stronger = ("down", "up") if change.relation == "hyponym" else ("up", "down")
    kept = change.are_upward or (premise, hypothesis) == stronger
    return not (kept and _conflicts_elsewhere(change))


def _conflicts_elsewhere(change: ChangedFamily) -> bool:
    """Return whether a contradiction does not lie in a word and its hypernym."""
    match = change.match
    words = (word for word in match.pair[:2] if word not in _ANYBODY)
    if change.rest in {"conflict", "covered"} or any(_is_role(word) for word in words):
        return change.rest == "conflict"
    return not change.numbers_differ and lies_elsewhere(*match.sentences)


def _was_all_that_is_new(change: ChangedFamily) -> bool:
    if change.how != "exchanged" or not change.gold == change.label == "neutral":
        return False
    safe = not says_less(change.match.pair.relation, *change.match.directions.values())
    return safe and change.are_upward and not adds_a_thing(*change.match.sentences)


def _may_be_implied(change: ChangedFamily) -> bool:
    decided = change.relation == "hyponym" and change.match.directions["hypothesis"] == "up"
    return change.how == "replaced" and change.rest == "open" and not decided


# fmt: off
#: In the order in which they are asked: a label is doubtful for the first that holds.
RULES: Final[tuple[Rule[ChangedFamily], ...]] = (
    Rule("the sentence reveals what the word leaves open", _is_told,
         "A *juggler* juggles. / A *person* juggles.", "A *juggler* rests. / A *person* rests.",
         "A person who juggles is a juggler, and the label is entailment still."),
    Rule("people use one word for the other", _of_nouns(lambda c: are_near(*c.lemmas)),
         "A *hound* runs. / The *dog* is there.", "A *puppy* runs. / The *dog* is there.",
         "Only WordNet tells the two apart."),
    Rule("the rest of the premise defines the more special word",
         _of_nouns(lambda c: say_what_defines(c.content, *c.lemmas)),
         "The *sapling* is new. / The *tree* is there.", "The *sapling* is tall. / The *tree* is there.",
         "WordNet defines a sapling as a young tree."),
    Rule("a word of the premise goes with the more special word", _of_nouns(_goes_with_narrow),
         "In the pouring *rain*. / The *weather* is there.", "In the bad *rain*. / The *weather* is there.",
         "WordNet defines to pour as to rain heavily."),
    Rule("the word may be for somebody else", _is_beside_another,
         "A lady sits by a *man*. / A *person* eats bread. (neutral)",
         "A *man* sits by a lady. / A *person* eats bread. (neutral)",
         "The man who eats bread is not the lady, and may be the person beside her."),
    Rule("the word may be for somebody else",
         lambda c: _replaces(c, "v") and (c.numbers_differ or not have_one_subject(*c.match.sentences)),
         "A boy *sits* by a cook. / A cook *stands*.", "A boy *sits* by a lamp. / A boy *stands*.",
         "Two verbs can be compared if they are said of the same."),
    Rule("the word may be for somebody else", _describe_others,
         "A *large* hat falls on a tie. / A *small* tie falls.",
         "A *large* hat falls on a tie. / A *small* hat falls.",
         "Two adjectives can be compared if they are said of the same."),
    Rule("the word may be for somebody else", _may_be_others,
         "A *man* swims. / *Women* cook soup.", "A *man* swims. / A *woman* cooks soup.",
         "One is not several."),
    Rule("the word may be for somebody else", _may_name_others,
         "A *man* swims and people wait. / A *woman* cooks soup.", "A *man* swims. / A *woman* cooks soup.",
         "The premise is about others, too, whom the new word may name."),
    Rule("one role may exclude another", _has_role_of_another,
         "A *juggler* rests. / A *person* drives a bus. (neutral)",
         "A *woman* rests. / A *person* drives a bus. (neutral)",
         "A bus driver is hardly a juggler."),
    Rule("one in the premise, several in the hypothesis", _are_several_of_one,
         "A *woman* waits. / Some *adults* wait. (neutral)", "*Women* wait. / An *adult* waits.",
         "What one does, several need not do."),
    Rule("the conflict may lie in the pair", _may_conflict_in_pair,
         "A *dog* waits. / A small *animal* plays. (contradiction)",
         "A *dog* waits. / An *animal* plays. (contradiction)",
         "Unless both are about the same, the animal may have been another."),
    Rule("the pair may be all that was not entailed", _was_all_that_is_new,
         "An *animal* runs. / A *dog* plays. (neutral)",
         "An *animal* runs. / A *dog* eats a shoe. (neutral)",
         "Now that the premise is about a dog, the rest may be entailed."),
    Rule("other words may or may not conflict", lambda c: c.how == "replaced" and c.rest == "unclear",
         "A *man* walks. / A *woman* eats soup.", "A *man* swims. / A *woman* cooks soup.",
         "Who walks may eat soup, but nobody swims and cooks."),
    Rule("other words are new", _may_be_implied,
         "A *son* feeds a cat. / A cat feeds a *daughter*.",
         "A *son* feeds a cat. / A *daughter* feeds a cat.",
         "What the premise does not say, it may yet imply."),
    Rule("antonyms in a context that is not upward monotone",
         lambda c: c.how == "copied" and c.relation == "antonym"
                   and c.context is not None and c.match.directions[c.context] != "up",
         "No *old* man sits. / No *young* man eats.", "An *old* man sits. / A *young* man eats.",
         "There may be nobody who sits, old or young (MacCartney, 2009, chapter 5)."),
)
# fmt: on


def against(change: ChangedFamily, without: Collection[str] = ()) -> Iterator[Rule[ChangedFamily]]:
    """Yield the rules that hold of *change*, but for the reasons *without*."""
    return holding(RULES, change, without)
