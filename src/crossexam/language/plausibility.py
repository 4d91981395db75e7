"""How plausible a clause is after its subject and object have changed places.

A noun phrase fits a role if things of its class fill that role.  :func:`noun_class` gives the class by
WordNet.  Without counts, a filler fits as well as its class resembles that of the filler it replaces
(:func:`resemblance`): who replaces a person should be a person.  With counts from a corpus (the
``roles`` of :mod:`crossexam.language.lexicons.counts`), it fits as well as the verb prefers its class to that
of the filler it replaces (the selectional preferences of Resnik, 1996), smoothed towards the resemblance.
Neither knows single nouns: a baby who carries a man counts as plausible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from crossexam.language.clauses import Clause
from crossexam.language.inflection import lemma_of
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import animacy, sense_names
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.remembered import WORDS, remembered

if TYPE_CHECKING:
    from crossexam.language.lexicons.counts import CountTable

Role = Literal["subject", "object"]
#: A swapped clause of this score or a higher one is called plausible.
PLAUSIBLE: Final = 0.5

#: Synsets of WordNet whose hyponyms form a class of things; the first that fits is the class.
_CLASSES: Final[Mapping[str, str]] = {
    "conveyance.n.03": "vehicle",
    "clothing.n.01": "clothing",
    "musical_instrument.n.01": "instrument",
    "food.n.01": "food",
    "food.n.02": "food",
    "body_part.n.01": "body part",
    "structure.n.01": "structure",
    "equipment.n.01": "device",
    "instrumentality.n.03": "device",
    "artifact.n.01": "artifact",
    "plant.n.02": "plant",
    "location.n.01": "place",
    "geological_formation.n.01": "place",
    "object.n.01": "natural object",
    "act.n.02": "event",
    "event.n.01": "event",
    "communication.n.02": "message",
    "substance.n.01": "substance",
    "group.n.01": "group",
}
_OTHER: Final = "other"
_ANIMATE: Final = frozenset({"person", "animal"})

#: How well one class stands in for another: the same, person and animal, a vehicle and a living being, two
#: things of one class, and everything else.
_SAME, _LIVING, _DRIVEN, _ALIKE, _UNLIKE = 1.0, 0.5, 0.3, 0.4, 0.1
_SMOOTHING: Final = 10.0  # counts that the resemblance is worth; from 5 to 50 makes no difference


def _class_at(parsed: Parsed, head: int) -> str:
    """Return the class of the noun at *head*, with the word before it if WordNet has both as one."""
    word = parsed.tokens[head].text.lower()
    if parsed.tokens[head].tag.startswith("NNP") and not wordnet().is_lemma(word, "n"):
        return "person" if parsed.tokens[head].tag == "NNP" else _OTHER
    if head and wordnet().is_lemma(pair := f"{parsed.tokens[head - 1].text.lower()}_{word}", "n"):
        return noun_class(pair)  # a teddy bear is not a bear
    return noun_class(word)


@remembered(WORDS)
def noun_class(noun: str) -> str:
    """Return the class of *noun*, inflected or not: person, animal, vehicle, clothing ... or other.

    >>> [noun_class(noun) for noun in ("women", "horse", "bikes", "guitar", "joy")]
    ['person', 'animal', 'vehicle', 'instrument', 'other']
    """
    kind = animacy(noun)
    if kind != "thing":
        return kind
    names = {name for lemma in wordnet().lemmas_of(noun, "n") for name in sense_names(lemma)}
    return next((name for synset, name in _CLASSES.items() if synset in names), _OTHER)


def resemblance(old: str, new: str) -> float:
    """Return how well something of class *new* fits a role of *old*, in [0, 1], by their classes alone.

    >>> resemblance("person", "person"), resemblance("person", "animal"), resemblance("person", "food")
    (1.0, 0.5, 0.1)
    """
    if old == new:
        return _SAME if old in _ANIMATE else _ALIKE
    if {old, new} == _ANIMATE:
        return _LIVING
    return _DRIVEN if "vehicle" in {old, new} and {old, new} & _ANIMATE else _UNLIKE


class Filler(NamedTuple):
    """A noun of *noun_class* in a *role* of *verb*, as counted in a corpus."""

    verb: str
    role: Role
    noun_class: str


def fillers(parsed: Parsed) -> Iterator[Filler]:
    """Yield the nouns and personal pronouns that are subject or object of a verb in the sentence *parsed*.

    In the passive, the agent counts as the subject; the noun before a participle counts as its subject
    (*a man riding a horse*), or as its object (*a horse ridden by a man*).
    """
    for index, (head, relation) in enumerate(zip(parsed.heads, parsed.relations, strict=True)):
        role = _ROLE_OF.get(relation)
        if role and _is_nominal(parsed, index) and parsed.tokens[head].tag.startswith("VB"):
            yield Filler(_verb(parsed, head), role, _class_at(parsed, index))
        if relation == "acl" and parsed.tokens[index].tag in {"VBG", "VBN"} and _is_nominal(parsed, head):
            role = "subject" if parsed.tokens[index].tag == "VBG" else "object"
            yield Filler(_verb(parsed, index), role, _class_at(parsed, head))


_ROLE_OF: Final[Mapping[str, Role]] = {
    "nsubj": "subject",
    "obl:agent": "subject",
    "obj": "object",
    "nsubj:pass": "object",
}


def _is_nominal(parsed: Parsed, index: int) -> bool:
    return parsed.tokens[index].tag in {"NN", "NNS", "NNP", "NNPS", "PRP"}


def _verb(parsed: Parsed, index: int) -> str:
    return lemma_of(parsed.tokens[index].text)


def swap_plausibility(parsed: Parsed, clause: Clause, counts: CountTable | None) -> float:
    """Return how plausible *clause* is with its subject and object swapped, in [0, 1].

    The geometric mean of how well each phrase fits its new role.  If *counts* is None, that is its
    resemblance r to the phrase it replaces; otherwise (n + 10 r) / (m + 10), at most 1, where n and m are the
    counts of its class and of the class it replaces in this role of the verb.
    """
    agent, patient = (_class_at(parsed, phrase.head) for phrase in (clause.subject, clause.object))
    if clause.voice == "passive":
        agent, patient = patient, agent
    alike = resemblance(agent, patient)
    if counts is None:
        return alike
    verb, prior = _verb(parsed, clause.verb), _SMOOTHING * alike
    fits = 1.0
    for role, old, new in (("subject", agent, patient), ("object", patient, agent)):
        preferred = (counts.count(verb, role, new) + prior) / (counts.count(verb, role, old) + _SMOOTHING)
        fits *= min(1.0, preferred)
    return math.sqrt(fits)
