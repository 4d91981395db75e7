"""The rules of plausible swaps: when what a swapped clause says could hardly happen, or both could at once.

They are asked after those of SOSwap.  A clause is kept if what subject and object name are of kinds that
could change their roles in what the verb says, and if that goes one way at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crossexam.constructions.rules.rule import Rule, holding
from crossexam.constructions.rules.so_swap import Roles
from crossexam.language.agreement import number_of
from crossexam.language.clauses import Phrase
from crossexam.language.lexicons.noun_groups import BABIES, YOUNG
from crossexam.language.lexicons.verb_kinds import (
    ATTACKING,
    CHASING,
    EASY,
    HAULING,
    LEADING,
    LIFTING,
    PHRASAL,
    SEIZING,
    SERVING,
)
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import sense_names
from crossexam.language.participants import Participant, is_seated, participant

#: What either of two participants may do to the other, by their kinds.
_EITHER_WAY: Final[dict[frozenset[Participant | None], frozenset[str]]] = {
    frozenset({"person"}): CHASING | HAULING | LEADING | LIFTING | SEIZING | SERVING,
    frozenset({"person", "animal"}): CHASING | HAULING | LEADING | ATTACKING,
    frozenset({"animal"}): CHASING | HAULING | LEADING,
    frozenset({"vehicle"}): CHASING | HAULING,
    frozenset({"person", "vehicle"}): CHASING,
    frozenset({"animal", "vehicle"}): CHASING,
}
_OF_STRENGTH: Final = LIFTING | SEIZING
_AT_EACH_OTHER: Final = (CHASING | HAULING | LIFTING | SEIZING) - {"beat", "defeat"}
_FEEBLE: Final = frozenset("fish insect butterfly bug fly moth worm ladybug caterpillar snail".split())
#: What animals do not act by (a rope) or on (a horse), as synsets by the preposition.
_TOOLS: Final = {"by": {"artifact.n.01"}, "on": {"instrumentality.n.03", "animal.n.01"}}


def _agent(roles: Roles) -> Phrase:
    """Return the phrase of what would act: the object, or the subject of a passive."""
    return roles.object if roles.is_active else roles.subject


def _patient(roles: Roles) -> Phrase:
    return roles.subject if roles.is_active else roles.object


def _kinds(roles: Roles) -> frozenset[Participant | None]:
    return frozenset(participant(roles.parsed, phrase) for phrase in roles.phrases)


def _is_phrasal(roles: Roles) -> bool:
    """Return whether verb and particle lift somebody or take them off their feet."""
    places = (roles.clause.verb + 1, roles.object.end)
    return any((roles.verb, word) in PHRASAL for k in places for word in roles.words[k : k + 1])


def _goes_other_way(roles: Roles) -> bool:
    """Return whether either of the two may do it to the other, but not both at a time."""
    kinds = _kinds(roles)
    of_people = "person" in kinds and "vehicle" not in kinds
    return roles.verb in _EITHER_WAY.get(kinds, ()) or (of_people and _is_phrasal(roles))


def _is(roles: Roles, phrase: Phrase, nouns: frozenset[str]) -> bool:
    head = roles.words[phrase.head]
    return not nouns.isdisjoint({head, *wordnet().lemmas_of(head, "n")})


def _takes_strength(roles: Roles) -> bool:
    return roles.verb in _OF_STRENGTH or _is_phrasal(roles)


def _is_too_weak(roles: Roles) -> bool:
    """Return whether a baby would act, or a child would do what takes the strength or standing of adults."""
    agent, patient = _agent(roles), _patient(roles)
    demanding = _takes_strength(roles) or roles.verb in SERVING - EASY
    young = _is(roles, agent, YOUNG) and not _is(roles, patient, YOUNG)
    return _is(roles, agent, BABIES | _FEEBLE) or (young and demanding)


def _are_several(roles: Roles, phrase: Phrase) -> bool:
    return number_of(roles.parsed, phrase) == "plural"


def _has_tool(roles: Roles) -> bool:
    """Return whether an animal would act with, by or on something that only people use."""
    agent = _agent(roles)
    if participant(roles.parsed, agent) != "animal":
        return False
    nouns = (k for k in {*range(agent.head + 1, agent.end), *roles.predicate} if roles.tags[k][:2] == "NN")
    return any(
        _is_tool(roles.words[k], roles.words[j]) for k in nouns for j in roles.parsed.children(k, "case")
    )


def _is_tool(noun: str, preposition: str) -> bool:
    senses = {name for lemma in wordnet().lemmas_of(noun, "n") for name in sense_names(lemma)}
    return preposition == "with" or not senses.isdisjoint(_TOOLS.get(preposition, ()))


#: In the order in which they are asked: a clause is rejected for the first that holds.
RULES: Final[tuple[Rule[Roles], ...]] = (
    Rule(
        "not two of people, animals and vehicles",
        lambda r: _kinds(r) not in _EITHER_WAY,
        "The mechanic picks up the wrench.",
        "The gardener chases two geese.",
        "Little else could change its role with another.",
    ),
    Rule(
        "a verb that goes one way only, or both ways",
        lambda r: not _goes_other_way(r),
        "A monk riding a mule through snow.",
        "The gardener chases two geese.",
        "No mule rides a monk, and two who punch may both do so: only verbs that are known to are kept.",
    ),
    Rule(
        "too young to do it",
        _is_too_weak,
        "A nun carries a boy.",
        "A boy chases a nun.",
        "Children rarely lift, arrest or teach adults, and babies do nothing of the kind.",
    ),
    Rule(
        "one against several",
        lambda r: _takes_strength(r) and not _are_several(r, _agent(r)) and _are_several(r, _patient(r)),
        "Two nuns lift a baker.",
        "A tall boxer lifts a short boxer.",
        "Few people can lift or overpower several.",
    ),
    Rule(
        "several on both sides",
        lambda r: r.verb in _AT_EACH_OTHER and all(_are_several(r, each) for each in r.phrases),
        "The boys in red tackle the girls.",
        "The boys in hats lead the girls.",
        "Each of them may do so to one of the others.",
    ),
    Rule(
        "somebody on wheels",
        lambda r: is_seated(r.parsed, _agent(r)),
        "A nun pushes a baker in a wheelchair.",
        "A nun pushes a baker in a hat.",
        "Whoever is pulled or pushed on something seldom pulls or pushes from there.",
    ),
    Rule(
        "an animal with a tool",
        _has_tool,
        "The gardener chases two geese with a broom.",
        "The gardener chases two geese across a field.",
        "Animals use no brooms, ropes or horses.",
    ),
)


def against(roles: Roles) -> Iterator[Rule[Roles]]:
    """Yield the rules that hold of *roles*."""
    return holding(RULES, roles)
