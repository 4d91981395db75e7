"""What somebody does in a sentence and where, and whether one scene can be that of two sentences.

The words are those of :mod:`crossexam.language.lexicons.activities`.  What they do not tell is not known: a
sentence about several people, about another time than the moment, or under a negation has no certain scene.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Final, Literal, NamedTuple

from crossexam.language.lexicons.activities import (
    ADJECTIVES,
    APART,
    ASIDE,
    ASLEEP,
    AT_REST,
    DETAILS,
    EXCLUDED,
    EXCLUDED_BY_ACTION,
    INDOORS,
    OBJECTS,
    OF_A_KIND,
    OF_ANOTHER,
    OUTDOORS,
    QUIET,
    TOGETHER,
    UNCERTAIN,
    UNSAID,
    VERBS,
)
from crossexam.language.lexicons.closed_classes import BE_OF_THIRD_PERSONS, NEGATIONS, PATHS
from crossexam.language.lexicons.noun_groups import PLURAL_NOUNS
from crossexam.language.lexicons.verb_kinds import is_action
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import is_living
from crossexam.language.remembered import WORDS, remembered
from crossexam.language.tokens import Token

_IN: Final = PATHS - {"past"} | {"in", "at", "on", "inside", "into"}
_BEFORE_HEAD: Final = frozenset("DT JJ PRP$ CD VBG VBN".split())
_FINITE_OR_PRESENT: Final = frozenset("VB VBD VBG VBP VBZ".split())
#: How somebody is placed, which leaves open what they do.
_POSTURES: Final = frozenset({"sitting", "standing", "lying", "crouching", "smiling", "resting", "waiting"})
_PLACED: Final = frozenset({"sitting", "standing", "lying"})
_MOMENTARY: Final = frozenset({"jumping", "climbing"})  # who climbed a tree may sit in it
_STEM: Final = 4  # letters: surf, surfing
_SENSES: Final = 4
_REACH: Final = 5  # tokens from a verb or preposition to the noun that it goes with


class Scene(NamedTuple):
    """The *activities* of somebody, their *places*, and other *verbs* said of them.

    *details*: the things that go with their activities, one at a time.  *certain*: the sentence is about the
    moment, and begins with them.  *plural*: they are several.  *others*: the nouns for other people and
    animals.  *words*: all words of the sentence, in lower case.
    """

    activities: frozenset[str]
    places: frozenset[str]
    verbs: frozenset[str]
    certain: bool
    plural: bool
    others: tuple[str, ...]
    words: frozenset[str]
    details: frozenset[tuple[str, str]]


def scene(tokens: Sequence[Token], subject: int, left_out: frozenset[int]) -> Scene:
    """Return the scene of *tokens* around the noun at index *subject*, without the words *left_out*.

    What is said after another person or animal is said of them.
    """
    living = [k for k in range(len(tokens)) if k != subject and is_living(tokens, k)]
    end = min((k for k in living if k > subject), default=len(tokens))
    said = tokens[subject:end]
    activities: set[str] = set()
    verbs: set[str] = set()
    details: set[tuple[str, str]] = set()
    for position in range(len(said)):
        activity = _activity(said, position)
        if subject + position in left_out - {subject}:
            if activity in _PLACED:  # both sentences have one posture, once a word is replaced
                details |= {("posture", thing) for thing in _things_after(said, position, "sitting")}
            continue
        if activity is not None and (activity in VERBS or activity in _named()):
            activities.add(activity)
            details |= {(activity, thing) for thing in _things_after(said, position, activity)}
        elif activity is not None:
            verbs.add(activity)
    words = {token.text.lower() for token in tokens}
    return Scene(
        frozenset(activities),
        frozenset(_places(said, frozenset(k - subject for k in left_out))),
        frozenset(verbs - {"be"}),
        min([subject, *living]) == subject and words.isdisjoint(UNCERTAIN | NEGATIONS),
        tokens[subject].tag == "NNS" or tokens[subject].text.lower() in PLURAL_NOUNS,
        tuple(tokens[k].text.lower() for k in living),
        frozenset(words),
        frozenset(details),
    )


def _activity(tokens: Sequence[Token], position: int) -> str | None:
    """Return the activity that the token names; if it is not in the lexicon, the verb; None for others."""
    token = tokens[position]
    if (named := ADJECTIVES.get(token.text.lower())) is not None:
        return named
    if not (token.tag in _FINITE_OR_PRESENT or _is_progressive(tokens, position)) or _modifies(
        tokens, position
    ):
        return None
    lemma = wordnet().base_form(token.text.lower(), "v")
    following = tokens[position + 1].tag if position + 1 < len(tokens) else ""
    if lemma == "lay" and following not in {"DT", "NN", "NNS", "PRP$", "CD", "JJ"}:
        return "lying"  # for "lie"; who lays bricks does not
    nouns = _by_word(lemma)
    for each in tokens[position + 1 : position + 1 + _REACH]:
        if each.tag.startswith("V"):
            break
        word = each.text.lower()
        if (found := nouns.get(word) or nouns.get(wordnet().base_form(word, "n"))) is not None:
            return found
    activity = _by_word(None).get(lemma, lemma)
    return None if token.tag == "VBD" and activity in _MOMENTARY else activity


def _is_progressive(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the token is tagged as a noun or adjective, but is a participle: *is skateboarding*."""
    if position == 0 or not tokens[position].text.lower().endswith("ing"):
        return False
    return tokens[position].tag in {"NN", "JJ"} and tokens[position - 1].text.lower() in BE_OF_THIRD_PERSONS


def _things_after(tokens: Sequence[Token], position: int, activity: str) -> Iterator[str]:
    """Yield the name of the thing, of those in ``DETAILS``, that the phrase after a verb is about."""
    for token in tokens[position + 1 : position + 1 + _REACH]:
        if token.tag.startswith("V") or token.tag in {"CC", ","}:
            return
        if token.tag.startswith("NN"):
            noun = wordnet().base_form(token.text.lower(), "n")
            yield from (names for names in DETAILS.get(activity, ()) if noun in names.split())
            return


def _modifies(tokens: Sequence[Token], position: int) -> bool:
    """Return whether the participle belongs to a noun (*a swimming pool*), or the verb to *to* (*to eat*)."""
    before = tokens[position - 1] if position else None
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if (
        before is not None
        and before.tag in {"TO", "DT", "PRP$", "JJ", "IN"}
        and before.text.lower() != "while"
    ):
        return True
    return after is not None and after.text.lower() in OF_A_KIND


@cache
def _by_word(verb: str | None) -> Mapping[str, str]:
    """Return the activities by the nouns after *verb*, or, for None, by verbs."""
    rows = VERBS if verb is None else OBJECTS.get(verb, {})
    return {word: activity for activity, listed in rows.items() for word in listed.split()}


@cache
def _named() -> frozenset[str]:
    return frozenset(activity for rows in OBJECTS.values() for activity in rows)


def _places(tokens: Sequence[Token], left_out: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yield the places that *tokens* name, without the words *left_out*."""
    for position, token in enumerate(tokens):
        if position in left_out:
            continue
        word = token.text.lower()
        following = tokens[position + 1].tag if position + 1 < len(tokens) else ""
        if word in {"indoors", "outdoors"}:
            yield word
        elif word in {"inside", "outside"} and following[:1] not in {"D", "I", "P", "N", "J"}:
            yield "indoors" if word == "inside" else "outdoors"
        elif word in _IN and (noun := _head_after(tokens, position)) is not None:
            place = _place_of(noun) or _place_of(wordnet().base_form(noun, "n"))
            if place is not None:
                yield place


def is_outdoors(tokens: Sequence[Token]) -> bool:
    """Return whether a phrase of *tokens* tells that the scene is outdoors: *in the street*, *on a beach*."""
    return any(place == "outdoors" or (place in OUTDOORS and place != "pool") for place in _places(tokens))


def _head_after(tokens: Sequence[Token], position: int) -> str | None:
    """Return the head noun of the phrase after the preposition at *position*; None before *of*."""
    noun = None
    for token in tokens[position + 1 : position + 1 + _REACH]:
        if token.tag.startswith("NN"):
            noun = token.text.lower()
        elif noun is not None:
            return None if token.text.lower() == "of" else noun
        elif token.tag not in _BEFORE_HEAD or token.text.lower() == "outdoor":
            return None
    return noun


@cache
def _place_of(noun: str) -> str | None:
    rows = {**INDOORS, **OUTDOORS}
    return next((place for place, nouns in rows.items() if noun in nouns.split()), None)


def excludes(first: str, second: str) -> bool:
    """Return whether nobody does both *first* and *second* at a time.

    >>> excludes("swimming", "cooking"), excludes("walking", "eating")
    (True, False)
    """
    both = frozenset((first, second))
    return (
        len(both) > 1
        and both not in TOGETHER
        and any(
            a in ones and b in others
            for ones, others in EXCLUDED
            for a, b in ((first, second), (second, first))
        )
    )


def are_apart(first: str, second: str) -> bool:
    """Return whether nobody is at both places at a time.

    >>> are_apart("kitchen", "beach"), are_apart("park", "field")
    (True, False)
    """
    inside = [place == "indoors" or place in INDOORS for place in (first, second)]
    if inside[0] != inside[1]:
        return True
    return frozenset((first, second)) in APART or (
        all(inside) and len({first, second} - {"indoors", "home", "hospital", "room"}) > 1
    )


def compared(
    premise: Scene, hypothesis: Scene, *, shared: bool = True
) -> Literal["conflict", "unsaid", "same"] | None:
    """Return how what *hypothesis* says of somebody goes with what *premise* says of them.

    *shared* says whether they have other content words in common.

    It is a ``conflict`` if they do not do both, or are not at both places; ``unsaid`` if *premise* leaves it
    open, and ``same`` if there are no other verbs and no other place.  None if that is not known.
    """
    if not (premise.certain and hypothesis.certain) or premise.plural != hypothesis.plural:
        return None
    new = {each for each in hypothesis.activities - premise.activities if not _is_hinted(each, premise)}
    if any(excludes(*each) for each in product(premise.activities, new)):
        return "conflict"
    acts = bool(_actions(premise.verbs))
    if (new & EXCLUDED_BY_ACTION and acts) or ("sleeping" in new and _is_awake(premise)):
        return "conflict"
    if _differ_in_details(premise, hypothesis):
        return "conflict"
    if not shared and _acts_otherwise(premise, hypothesis):
        return "conflict"
    if premise.places and hypothesis.places - premise.places:
        places = product(premise.places, hypothesis.places)
        return "conflict" if all(are_apart(*each) for each in places) else None
    if not hypothesis.verbs <= premise.verbs | AT_REST or new != hypothesis.activities - premise.activities:
        return None
    if not new:
        return "same"
    is_open = all(there in UNSAID and new <= UNSAID[there] for there in premise.activities)
    return "unsaid" if is_open and premise.activities and premise.verbs <= AT_REST else None


def _differ_in_details(premise: Scene, hypothesis: Scene) -> bool:
    """Return whether one activity goes with different things: to sit on a bench, on a motorcycle."""
    ours, theirs = (dict(each.details) for each in (premise, hypothesis))
    return any(
        activity in ours
        and ours[activity] != thing
        and premise.words.isdisjoint(thing.split())
        and hypothesis.words.isdisjoint(ours[activity].split())
        for activity, thing in theirs.items()
    )


def _is_hinted(activity: str, premise: Scene) -> bool:
    """Return whether *premise* has a word like *activity*: a swimmer, a surfboard."""
    return any(word.startswith(activity[:_STEM]) for word in premise.words)


def _actions(verbs: frozenset[str]) -> frozenset[str]:
    return frozenset(verb for verb in verbs - OF_ANOTHER if is_action(verb))


def _acts_otherwise(premise: Scene, hypothesis: Scene) -> bool:
    """Return whether both say what somebody does, and no verb of one may say what one of the other does."""
    ours = (premise.activities - ASIDE) | _actions(premise.verbs)
    theirs = (hypothesis.activities - ASIDE) | _actions(hypothesis.verbs)
    if "sitting" in hypothesis.activities and ours - QUIET:
        theirs |= {"sitting"}
    theirs = frozenset(each for each in theirs if not _is_hinted(each, premise))
    return bool(ours and theirs) and not any(
        frozenset(each) in TOGETHER or are_related(*each) for each in product(ours, theirs)
    )


@remembered(WORDS)
def are_related(verb: str, other: str) -> bool:
    """Return whether two verbs share a frequent sense, or one names a kind of what the other does.

    >>> are_related("stroll", "walk"), are_related("stroll", "weld")
    (True, False)
    """
    first, second = (
        set(wordnet().synsets(wordnet().morphy(each.split()[0], "v") or each, "v")[:_SENSES])
        for each in (verb, other)
    )
    return bool(set(wordnet().closure(*first)) & second or set(wordnet().closure(*second)) & first)


def _is_awake(premise: Scene) -> bool:
    return bool(
        premise.activities - _POSTURES - {"resting"} | premise.activities & {"standing"}
        or premise.verbs - ASLEEP
    )
