"""Each rule of doubt strikes where it should, and not beside it."""

from __future__ import annotations

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example


def made(tagged: str, *, as_published: bool = False) -> tuple[list[Example], dict[str, int]]:
    """What antonymy makes of words with their Penn tags, such as ``soup/NN``, and why not more."""
    tags = [piece.rsplit("/", 1) for piece in tagged.split()]
    text = " ".join(word for word, _ in tags)
    given = Example("e", text, "", None, info={"premise_tags": tags})
    items, counts = apply_construction(
        "antonymy",
        [given],
        resources=LanguageResources("parses"),
        options={"as_published": as_published},
    )
    return items, counts["rejected"]


# fmt: off
# The reason, a sentence that has it in one word, and what as-published makes of it.
DOUBTFUL = [
    ("determiner or quantifier", "The/DT same/JJ soup/NN was/VBD there/RB", "The other soup was there"),
    ("determiner or quantifier", "Few/JJ boats/NNS sank/VBD", "Many boats sank"),
    ("under negation", "The/DT soup/NN was/VBD not/RB hot/JJ", "The soup was not cold"),
    ("modal, conditional or reported", "The/DT soup/NN may/MD be/VB hot/JJ", "The soup may be cold"),
    ("modal, conditional or reported", "He/PRP thought/VBD the/DT tea/NN hot/JJ", "He thought the tea cold"),
    ("at times", "The/DT soup/NN is/VBZ often/RB hot/JJ", "The soup is often cold"),
    ("comparison", "The/DT soup/NN is/VBZ hotter/JJR than/IN tea/NN",
     "The soup is colder than tea"),
    ("comparison", "The/DT most/RBS hot/JJ soup/NN", "The most cold soup"),
    ("question", "Is/VBZ the/DT soup/NN hot/JJ ?/. ”/''", "Is the soup cold ? ”"),
    ("part of a compound noun", "The/DT husband/NN club/NN met/VBD", "The wife club met"),
    ("proper name", "He/PRP crossed/VBD the/DT Old/JJ Bridge/NNP", "He crossed the Young Bridge"),
    # fast.a.02, "(used of timepieces) indicating a time ahead of ...": no tagged text has it.
    ("sense not attested", "The/DT timepieces/NNS are/VBP fast/JJ indicating/VBG a/DT time/NN",
     "The timepieces are slow indicating a time"),
    ("antonym not attested", "The/DT room/NN was/VBD crowded/JJ", "The room was uncrowded"),
    ("part of a fixed expression", "He/PRP ate/VBD a/DT hot/JJ dog/NN", "He ate a cold dog"),
    ("part of a fixed expression", "He/PRP ate/VBD two/CD hot/JJ dogs/NNS", "He ate two cold dogs"),
    ("part of a fixed expression", "He/PRP ate/VBD hot/JJ cross/NN bun/NN", "He ate cold cross bun"),
]
# fmt: on


@pytest.mark.parametrize(("reason", "tagged", "published"), DOUBTFUL)
def test_a_doubtful_replacement_is_rejected_or_marked(reason: str, tagged: str, published: str) -> None:
    items, rejected = made(tagged)
    assert items == []
    assert rejected.pop(reason) == 1
    assert set(rejected) <= {"the sense has no antonym"}  # of another word
    (item,), _ = made(tagged, as_published=True)
    assert item.hypothesis == published
    assert item.info["doubts"] == [reason]


# fmt: off
# Beside the rules: a near miss of each, and what is made of it.
SOUND = [
    ("The/DT hot/JJ soup/NN was/VBD there/RB", ["The cold soup was there"]),
    ("The/DT husband/NN met/VBD two/CD aunts/NNS", ["The wife met two aunts", "The husband met two uncles"]),
    ("The/DT club/NN of/IN the/DT husband/NN met/VBD", ["The club of the wife met"]),
    ("He/PRP said/VBD “/`` Old/JJ boats/NNS float/VBP", ["He said “ Young boats float"]),
    ("HE/PRP CROSSED/VBD THE/DT OLD/JJ BRIDGE/NN", ["HE CROSSED THE YOUNG BRIDGE"]),
    ("Old/JJ boats/NNS float/VBP", ["Young boats float"]),
    ("He/PRP ate/VBD a/DT hot/JJ soup/NN", ["He ate a cold soup"]),
    # WordNet lists "young man", but its head is a person.
    ("He/PRP met/VBD a/DT young/JJ man/NN", ["He met an old man", "He met a young woman"]),
]
# fmt: on


@pytest.mark.parametrize(("tagged", "expected"), SOUND)
def test_beside_the_rules_words_are_replaced(tagged: str, expected: list[str]) -> None:
    items, rejected = made(tagged)
    assert [item.hypothesis for item in items] == expected
    assert rejected == {}
    assert all("doubts" not in item.info for item in made(tagged, as_published=True)[0])


def test_an_antonym_in_any_form_may_stand_in_the_sentence() -> None:
    tagged = "The/DT husband/NN met/VBD two/CD wives/NNS"
    assert made(tagged) == ([], {"antonym stands in the sentence": 2})
    items, _ = made(tagged, as_published=True)
    assert [item.hypothesis for item in items] == ["The wife met two wives", "The husband met two husbands"]
    assert all(item.info["doubts"] == ["antonym stands in the sentence"] for item in items)


def test_the_first_doubt_is_counted_and_all_are_recorded() -> None:
    tagged = "The/DT soup/NN might/MD not/RB be/VB hot/JJ ?/."
    assert made(tagged) == ([], {"under negation": 1})
    (item,), _ = made(tagged, as_published=True)
    assert item.info["doubts"] == ["under negation", "modal, conditional or reported", "question"]
