"""Antonymy: which words are replaced by what, and why others are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example


def example(tagged: str) -> Example:
    """The premise of words with their Penn tags, such as ``soup/NN``."""
    tags = [piece.rsplit("/", 1) for piece in tagged.split()]
    return Example("e", " ".join(word for word, _ in tags), "", None, info={"premise_tags": tags})


def made(tagged: str, *, indirect: bool = False, rules: str = "ours") -> tuple[list[Example], dict[str, int]]:
    options = {"indirect": indirect, "rules": rules}
    items, counts = apply_construction(
        "antonymy", [example(tagged)], resources=LanguageResources("parses"), options=options
    )
    return items, counts["rejected"]


def test_why_a_word_is_not_replaced(for_each: Callable[..., None]) -> None:
    def check(tagged: str, reason: str) -> None:
        assert made(tagged) == ([], {reason: 1})
        assert made(tagged, rules="paper") == ([], {reason: 1})  # these are no doubts

    for_each(
        check,
        [
            ("She/PRP gave/VBD the/DT right/JJ sum/NN", "word on the paper's list"),
            # WordNet has "boiling" as noun and adverb; that it can have an antonym comes from the verb.
            ("The/DT boiling/JJ soup/NN was/VBD there/RB", "no sense found"),
            ("The/DT wrong/JJ pipe/NN leaked/VBD", "antonym on the paper's list"),  # right
            ("The/DT serviceman/NN sang/VBD", "antonym on the paper's list"),  # civilian
            ("The/DT artifact/NN was/VBD there/RB", "antonym of several words"),  # natural object
            ("The/DT ablest/JJS sailor/NN sang/VBD", "antonym has no such form"),  # unable: no "unablest"
            ("The/DT red/JJ soup/NN was/VBD there/RB", "no adjective or noun with an antonym"),
        ],
    )


def test_the_antonym_takes_form_case_and_article(for_each: Callable[..., None]) -> None:
    def check(tagged: str, expected: str) -> None:
        (item,), rejected = made(tagged)
        assert (item.hypothesis, item.label, rejected) == (expected, "contradiction", {})

    for_each(
        check,
        [
            ("Young/JJ sailor/NN was/VBD there/RB", "Old sailor was there"),  # nothing before it to set right
            ("A/DT young/JJ sailor/NN sang/VBD", "An old sailor sang"),
            ("They/PRP know/VBP an/DT old/JJ sailor/NN", "They know a young sailor"),
            ("A/DT hot/JJ soup/NN was/VBD there/RB", "A cold soup was there"),
            ("An/DT older/JJR sailor/NN sang/VBD", "A younger sailor sang"),
            ("A/DT YOUNG/JJ sailor/NN sang/VBD", "An OLD sailor sang"),  # one word stressed
            ("A/DT YOUNG/JJ SAILOR/NN SANG/VBD", "AN OLD SAILOR SANG"),  # all in capitals
            ("AN/DT OLD/JJ SAILOR/NN SANG/VBD", "A YOUNG SAILOR SANG"),
        ],
    )


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        # A satellite has the antonyms of the head of its cluster: filthy, like dirty, clean.
        ("A/DT filthy/JJ boat/NN sank/VBD", "A clean boat sank"),
        ("A/DT rapid/JJ boat/NN sank/VBD", "A slow boat sank"),
    ],
)
def test_indirect_antonyms_are_those_of_the_head(tagged: str, expected: str) -> None:
    assert made(tagged) == ([], {"no adjective or noun with an antonym": 1})
    (item,), rejected = made(tagged, indirect=True)
    assert (item.hypothesis, item.info["relation"], rejected) == (expected, "indirect", {})


def test_indirect_keeps_direct_antonyms_and_finds_none_for_nouns_and_others() -> None:
    (item,), rejected = made("A/DT young/JJ sailor/NN sang/VBD", indirect=True)
    assert (item.hypothesis, item.info["relation"], rejected) == ("An old sailor sang", "antonym", {})
    nothing = {"no adjective or noun with an antonym": 1}
    assert made("The/DT boat/NN sank/VBD", indirect=True) == ([], nothing)
    # A satellite of "marine", which has no antonym itself.
    assert made("The/DT seagoing/JJ boat/NN sank/VBD", indirect=True) == ([], nothing)
