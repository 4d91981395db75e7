"""Antonymy: which words are replaced by what, why others are not, and each rule of doubt."""

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import Example
from made.cases import each_row
from made.corpora import write_lines
from made.items import made_by
from made.sentences import tagged


def made(words: str, hypothesis: str = "", **options: Any) -> tuple[list[Example], dict[str, int]]:
    """What antonymy makes of words with their Penn tags, such as ``soup/NN``, and why not more."""
    return made_by("antonymy", tagged(words, hypothesis), **options)


def texts(items: list[Example]) -> list[str]:
    return [item.hypothesis for item in items]


@each_row
def test_why_a_word_is_not_replaced(words: str, reason: str) -> None:
    assert made(words) == ([], {reason: 1})
    assert made(words, rules="paper") == ([], {reason: 1})  # these are no doubts


@each_row
def test_the_antonym_takes_form_case_and_article(words: str, expected: str) -> None:
    (item,), rejected = made(words)
    assert (item.hypothesis, item.label, rejected) == (expected, "contradiction", {})


@each_row
def test_indirect_antonyms_are_those_of_the_head(words: str, expected: str) -> None:
    """Of the cluster: a satellite has its antonyms, filthy, like dirty, clean."""
    assert made(words) == ([], {"no adjective or noun with an antonym": 1})
    (item,), rejected = made(words, indirect=True)
    assert (item.hypothesis, item.info["relation"], rejected) == (expected, "indirect", {})


@each_row
def test_a_doubtful_replacement_is_rejected_or_marked(reason: str, words: str, published: str) -> None:
    """The reason, a sentence that has it in one word, and what the paper's rules make of it."""
    items, rejected = made(words)
    assert items == []
    assert rejected.pop(reason) == 1
    assert set(rejected) <= {"the sense has no antonym"}  # of another word
    (item,), _ = made(words, rules="paper")
    assert item.hypothesis == published
    assert item.info["doubts"][0] == reason


@each_row
def test_beside_the_rules_words_are_replaced(words: str, expected: list[str]) -> None:
    """A near miss of each rule, and what is made of it."""
    items, rejected = made(words)
    assert (texts(items), rejected) == (expected, {})
    assert all("doubts" not in item.info for item in made(words, rules="paper")[0])


@each_row
def test_both_words_may_be_right_in_some_contexts(reason: str, doubtful: str, sound: str) -> None:
    """A context in which they may, and a near miss in which they exclude each other."""
    assert reason in made(doubtful)[1]
    items, rejected = made(sound)
    assert items
    assert reason not in rejected


@each_row
def test_pronouns_agree_with_a_noun_of_the_other_gender(words: str, expected: str) -> None:
    """The pronouns that go with the noun or with another."""
    assert expected in texts(made(words)[0])


def test_a_corpus_can_attest_the_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hot and cold contradict each other in two of three examples, old and young in one of two."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rows = [
        ("A hot soup.", "A cold soup.", "contradiction"),
        ("A cold soup.", "A hot soup.", "contradiction"),
        ("A hot cup.", "A cold cup.", "neutral"),
        ("An old boy.", "A young boy.", "contradiction"),
        ("An old cat.", "A young cat.", "entailment"),
    ]
    corpus = write_lines(tmp_path / "mine.csv", map(",".join, rows), "premise,hypothesis,label\n")
    words = "An/DT old/JJ sailor/NN ate/VBD a/DT hot/JJ soup/NN"
    assert texts(made(words)[0]) == ["A young sailor ate a hot soup", "An old sailor ate a cold soup"]
    items, rejected = made(words, attested_in=str(corpus))
    assert texts(items) == ["An old sailor ate a cold soup"]
    assert rejected == {"pair not attested in contradictions": 1}


@each_row
def test_the_script_replaces_nouns_at_the_first_substring(premise: str, expected: list[str]) -> None:
    assert texts(made(premise, rules="released")[0]) == expected


def test_the_script_knows_lower_case_words_and_writes_the_copy_of_a_hypothesis_into_the_premise() -> None:
    capital = made("The/DT Husband/NN sang/VBD", rules="released")
    assert capital == ([], {"the lower-cased word is not in the sentence": 1})
    (item,), _ = made("It/PRP rains/VBZ", "The/DT husband/NN sang/VBD", rules="released")
    assert (item.premise, item.hypothesis) == ("The wife sang", "The husband sang")
