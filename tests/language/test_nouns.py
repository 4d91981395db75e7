"""What nouns name: two classifications on one walk up the hypernyms."""

from __future__ import annotations

from collections.abc import Callable

from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.nouns import (
    animacy,
    concrete_kind,
    is_event,
    is_one_kind_of_other,
    opposites,
    synonyms,
)


def test_every_word_has_an_animacy_and_concrete_nouns_a_kind(each_case: Callable[..., None]) -> None:
    def check(noun: str, of_clause: str, concrete: str | None) -> None:
        assert animacy(noun) == of_clause
        assert concrete_kind(noun.replace("women", "woman")) == concrete

    each_case(check)


def test_animacy_looks_at_every_lemma_of_a_form() -> None:
    assert wordnet().lemmas_of("men", "n") == ("men", "man")  # the work force, and the plural
    assert animacy("men") == "person"


def test_events_and_hypernyms_by_the_first_sense() -> None:
    assert is_event("race")
    assert not is_event("racer")
    assert is_one_kind_of_other("truck", "vehicle")
    assert not is_one_kind_of_other("truck", "goat")
    assert is_one_kind_of_other("truck", "truck")


def test_opposites_of_a_satellite_are_those_of_its_head() -> None:
    assert "small" in opposites("large")
    assert "cold" in opposites("torrid")  # through hot
    assert "big" in synonyms("large")
    assert "large" not in synonyms("large")
