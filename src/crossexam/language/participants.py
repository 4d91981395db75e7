"""What kind of participant a noun phrase names: a person, an animal, a vehicle, or none that acts."""

from __future__ import annotations

from typing import Final, Literal

from crossexam.language.clauses import Phrase
from crossexam.language.lexicons.noun_groups import GROUPS_OF_PEOPLE
from crossexam.language.lexicons.proper_names import FIRST_NAMES
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import animacy, sense_names
from crossexam.language.tokens import Parsed

Participant = Literal["person", "animal", "vehicle"]

#: Nouns that in captions are not what WordNet's first sense says.
_CORRECTED: Final[dict[str, Participant | None]] = {
    **dict.fromkeys("stroller crank bat hotdog cricket telecaster duster".split()),
    **dict.fromkeys("barber driver biker worker rider walker opponent racer male female".split(), "person"),
    **dict.fromkeys(("donkey", "lama"), "animal"),
    **dict.fromkeys(("van", "cab", "trailer"), "vehicle"),
}
#: What is so called or so made is neither alive nor a vehicle that moves.
_LIFELESS: Final = frozenset(
    (
        "stuffed toy balloon plastic wooden fake plush inflatable paper cardboard dead stone bronze marble "
        "ceramic painted carved model miniature chocolate snow sand gingerbread roasted cooked grilled raw"
    ).split()
)
#: Where somebody lies or sits who is moved and can hardly move others.
_SEATS: Final = frozenset(
    (
        "wheelchair stroller sled sledge sleigh swing carriage pram buggy cart wagon wheelbarrow gurney "
        "stretcher bed chair tube hammock cradle crib barrow float raft backpack basket box seat"
    ).split()
)


def participant(parsed: Parsed, phrase: Phrase) -> Participant | None:
    """Return what *phrase* names; None if that does not act, or is only called so, as a stuffed animal is."""
    head = _member(parsed, phrase)
    token = parsed.tokens[head]
    word = token.text.lower()
    before = {parsed.tokens[k].text.lower() for k in range(phrase.start, head)}
    lemmas = wordnet().lemmas_of(word, "n")
    if before & _LIFELESS or (before and f"{parsed.tokens[head - 1].text.lower()}_{word}" in _NO_BEING):
        return None
    if token.tag.startswith("NNP") and (word in FIRST_NAMES or not lemmas):
        return "person" if word in FIRST_NAMES else None
    for lemma in (word, *lemmas):
        if lemma in _CORRECTED:
            return _CORRECTED[lemma]
    kind = animacy(word)
    if kind != "thing":
        return kind
    return "vehicle" if any("conveyance.n.03" in sense_names(lemma) for lemma in lemmas) else None


def _member(parsed: Parsed, phrase: Phrase) -> int:
    """Return the head of *phrase*; of a group of others, that of the others."""
    if parsed.tokens[phrase.head].text.lower() in GROUPS_OF_PEOPLE:
        for k in parsed.children(phrase.head, "nmod"):
            if any(parsed.tokens[j].text.lower() == "of" for j in parsed.children(k, "case")):
                return k
    return phrase.head


_NO_BEING: Final = frozenset({"teddy_bear", "gummy_bear", "piggy_bank", "merry_go_round"})


def is_seated(parsed: Parsed, phrase: Phrase) -> bool:
    """Return whether *phrase* says that somebody is in or on what is moved: a man in a wheelchair."""
    words = (parsed.tokens[k].text.lower() for k in range(phrase.head + 1, phrase.end))
    return any(lemma in _SEATS for word in words for lemma in (word, *wordnet().lemmas_of(word, "n")))
