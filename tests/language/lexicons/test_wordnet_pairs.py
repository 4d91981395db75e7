"""The pairs of WordNet are of frequent senses, and carry their relation."""

import pytest

from crossexam.language.lexicons.word_pairs import Relation, WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import (
    TOO_GENERAL,
    frequent_senses,
    replacements,
    wordnet_pairs,
)
from made.cases import refused


@pytest.mark.slow
def test_pairs_of_wordnet_are_of_frequent_senses_and_not_too_general() -> None:
    antonyms = {(pair.first, pair.second, pair.pos) for pair in wordnet_pairs("antonym")}
    known = "day night n, boy girl n, open close v, hot cold a, quickly slowly r"
    assert {tuple(each.split()) for each in known.split(", ")} <= antonyms
    assert ("boiling", "cold", "a") not in antonyms  # through another
    one_way = {pair for pair in antonyms if (pair[1], pair[0], pair[2]) not in antonyms}
    assert len(one_way) == 5  # so WordNet has them: legalise, outlaw but not outlaw, legalise
    pairs, near, everything = (
        {pair[:2] for pair in wordnet_pairs("hypernym", **given)}
        for given in ({}, {"distance": 1}, {"share": 0})
    )
    assert {("footbridge", "bridge"), ("poodle", "dog"), ("dog", "animal")} <= pairs
    # dog.n.03 is a chap, never tagged; canine is first a tooth; verbs have them when asked
    assert not {("dog", "chap"), ("dog", "canine"), ("nose", "science"), ("sprint", "run")} & pairs
    assert not any(second in TOO_GENERAL for _, second in pairs)
    # domestic_animal.n.01 is one step from a dog, and animal.n.01 one more
    assert ("poodle", "dog") in near < pairs < everything
    assert ("dog", "animal") not in near


def test_replacements_carry_their_relation() -> None:
    kinds: tuple[Relation, ...] = ("hyponym", "hypernym", "synonym")
    dogs = replacements("Dog", kinds)
    assert WordPair("dog", "poodle", "hyponym", "n") in dogs
    assert "chap" not in {pair.second for pair in dogs}
    # the paper's example: elderly is replaced by aged, a synonym (section 6.1)
    assert WordPair("elderly", "aged", "synonym", "a") in replacements("elderly", ["synonym"])
    assert replacements("dog", kinds, pos=["v"]) == replacements("notaword", kinds) == []
    assert [wordnet().name(s) for s in frequent_senses("dog", "n")] == ["dog.n.01"]
    assert "'meronym'" in refused(wordnet_pairs, "meronym")
    assert "'noun'" in refused(replacements, "dog", ["synonym"], pos=["noun"])
    assert "not 0" in refused(wordnet_pairs, "hypernym", distance=0)
