"""What nouns name: two classifications on one walk up the hypernyms."""

from __future__ import annotations

from crossexam.language.lexicons.wordnet import WordNet
from crossexam.language.nouns import (
    animacy,
    concrete_kind,
    is_event,
    is_one_kind_of_other,
    opposites,
    synonyms,
)

WORDNET = WordNet.load()

# Noun, what its referent is in a clause, and whether an adjective can describe it as a thing in a picture.
# fmt: off
KINDS = [
    ("women",   "person", "person"),
    ("crowd",   "person", None),      # a group: the adjective would be its members'
    ("someone", "person", None),
    ("it",      "thing",  None),
    ("goat",    "animal", "animal"),
    ("male",    "animal", "person"),  # the first sense in WordNet; in captions a man
    ("table",   "thing",  "thing"),
    ("hand",    "thing",  None),      # part of something else
    ("joy",     "thing",  None),
    ("qzxs",    "thing",  None),
]
# fmt: on


def test_every_word_has_an_animacy_and_concrete_nouns_a_kind() -> None:
    lemmas = {noun: noun.replace("women", "woman") for noun, *_ in KINDS}
    assert [(n, animacy(n, WORDNET), concrete_kind(lemmas[n], WORDNET)) for n, *_ in KINDS] == KINDS


def test_animacy_looks_at_every_lemma_of_a_form() -> None:
    assert WORDNET.lemmas_of("men", "n") == ("men", "man")  # the work force, and the plural
    assert animacy("men", WORDNET) == "person"


def test_events_and_hypernyms_by_the_first_sense() -> None:
    assert is_event("race", WORDNET)
    assert not is_event("racer", WORDNET)
    assert is_one_kind_of_other("truck", "vehicle", WORDNET)
    assert not is_one_kind_of_other("truck", "goat", WORDNET)
    assert is_one_kind_of_other("truck", "truck", WORDNET)


def test_opposites_of_a_satellite_are_those_of_its_head() -> None:
    assert "small" in opposites("large", WORDNET)
    assert "cold" in opposites("torrid", WORDNET)  # through hot
    assert "big" in synonyms("large", WORDNET)
    assert "large" not in synonyms("large", WORDNET)
