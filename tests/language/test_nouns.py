"""What nouns name: two classifications on one walk up the hypernyms."""

from __future__ import annotations

from collections.abc import Callable

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


def test_every_word_has_an_animacy_and_concrete_nouns_a_kind(each_case: Callable[..., None]) -> None:
    def check(noun: str, of_clause: str, concrete: str | None) -> None:
        assert animacy(noun, WORDNET) == of_clause
        assert concrete_kind(noun.replace("women", "woman"), WORDNET) == concrete

    each_case(check)


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
