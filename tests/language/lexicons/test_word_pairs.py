"""Lists of word pairs: every format from lines written here, and the pairs of WordNet."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.language.lexicons.word_pairs import Relation, WordPair, read_pairs
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import (
    TOO_GENERAL,
    frequent_senses,
    replacements,
    wordnet_pairs,
)
from made.cases import each_row
from made.corpora import write_lines


@each_row
def test_columns_are_named_or_recognised(
    form: str, name: str, relation: Relation, lines: list[str], pairs: list[Any], *, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / name, lines)
    assert [[pair.first, pair.second, pair.pos] for pair in read_pairs(path, relation)] == pairs
    assert {pair.relation for pair in read_pairs(path, relation)} == {relation}


def test_words_of_lists_and_files_that_are_packed_or_no_files(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    packed = tmp_path / "AntonymsLexicon-OppCats-Affixes.gz"
    packed.write_bytes(gzip.compress(b"able unable\nhonest dishonest 0.93\n"))  # a score
    found = [pair[:2] for pair in read_pairs(packed, "antonym")]
    assert found == [("able", "unable"), ("honest", "dishonest")]
    # Lower case unless proper: WordNet writes paris with a capital only, turkey also without.
    lines = ("Paris\tCity", "POODLE\tDog", "Turkey\tBird", "hot dog\tfood", "ice_cream\tfood")
    path = write_lines(tmp_path / "x.tsv", lines)
    found = [pair[:2] for pair in read_pairs(path, "hypernym")]
    assert found == [("Paris", "city"), ("poodle", "dog"), ("turkey", "bird")]
    (tmp_path / "bytes.txt").write_bytes(b"caf\xe9 bar\n")
    (tmp_path / "not.gz").write_bytes(b"hot cold\n")
    for name in ("none.txt", "bytes.txt", "not.gz"):
        assert name in refused(read_pairs, tmp_path / name, "antonym")


@each_row
def test_what_is_no_list_is_an_error_with_its_line(
    lines: list[str], message: str, *, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = write_lines(tmp_path / "x.tsv", lines)
    said = refused(read_pairs, path, "antonym")
    assert (message in said, str(path) in said) == (True, True), said


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


def test_replacements_carry_their_relation(refused: Callable[..., str]) -> None:
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
