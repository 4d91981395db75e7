"""Lists of word pairs: every format from lines written here, the published files by their counts."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.language.lexicons.word_pairs import CONVERSE, Relation, WordPair, read_pairs
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.lexicons.wordnet_pairs import (
    TOO_GENERAL,
    frequent_senses,
    replacements,
    wordnet_pairs,
)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_named_or_recognised(each_case: Callable[..., None], tmp_path: Path) -> None:
    def check(_: str, name: str, relation: Relation, lines: list[str], pairs: list[list[str | None]]) -> None:
        path = written(tmp_path, name, "".join(f"{line}\n" for line in lines))
        assert [[pair.first, pair.second, pair.pos] for pair in read_pairs(path, relation)] == pairs
        assert {pair.relation for pair in read_pairs(path, relation)} == {relation}

    each_case(check)


def test_words_and_columns_of_lists(tmp_path: Path) -> None:
    packed = tmp_path / "AntonymsLexicon-OppCats-Affixes.gz"
    packed.write_bytes(gzip.compress(b"able unable\nhonest dishonest\n"))
    assert [pair[:2] for pair in read_pairs(packed, "antonym")] == [
        ("able", "unable"),
        ("honest", "dishonest"),
    ]
    path = written(tmp_path, "x.txt", "hot cold 0.93\nwet dry 0.7\n")  # a score
    assert [pair.second for pair in read_pairs(path, "antonym")] == ["cold", "dry"]
    path = written(tmp_path, "x.tsv", "hot dog\tfood\nice_cream\tfood\npie\tfood\n")
    assert len(read_pairs(path, "hypernym")) == 1
    # Lower case unless proper: WordNet writes paris with a capital only, turkey also without.
    path = written(tmp_path, "x.tsv", "Paris\tCity\nPOODLE\tDog\nTurkey\tBird\n")
    found = [pair[:2] for pair in read_pairs(path, "hypernym")]
    assert found == [("Paris", "city"), ("poodle", "dog"), ("turkey", "bird")]
    path = written(tmp_path, "x.csv", "first,second,relation\nhot,cold,antonym\nbig,large,synonym\n")
    assert read_pairs(path, "synonym") == [WordPair("big", "large", "synonym")]
    assert read_pairs(path, "hyponym") == []


def test_what_is_no_list_is_an_error_with_its_line(
    each_case: Callable[..., None], tmp_path: Path, refused: Callable[..., str]
) -> None:
    def check(lines: list[str], message: str) -> None:
        path = written(tmp_path, "x.tsv", "".join(f"{line}\n" for line in lines))
        said = refused(read_pairs, path, "antonym")
        assert (message in said, str(path) in said) == (True, True), said

    each_case(check)


def test_files_that_cannot_be_read_are_errors(tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "bytes.txt").write_bytes(b"caf\xe9 bar\n")
    (tmp_path / "not.gz").write_bytes(b"hot cold\n")
    for name in ("none.txt", "bytes.txt", "not.gz"):
        assert f"{name}: cannot be read" in refused(read_pairs, tmp_path / name, "antonym")


# Counted with `cut -f3 | sort | uniq -c`; less what are duplicates and words of several (README of the data)
PUBLISHED: list[tuple[str, str | None, dict[Relation, int]]] = [
    ("antsynnet/noun-pairs.train", "n", {"antonym": 1418, "synonym": 1418}),
    ("antsynnet/verb-pairs.test", "v", {"antonym": 454, "synonym": 454}),
    ("antsynnet/adjective-pairs.val", "a", {"antonym": 199, "synonym": 199}),
    ("baroni2012.tsv", "n", {"hypernym": 1385, "antonym": 0}),
    # 1,600, 1,880 and 1,086 lines; fewer without expressions of several words
    ("evalution/RELATIONS.txt", None, {"antonym": 1568, "hypernym": 1810, "synonym": 1042}),
    ("counter_fitting/wordnet_antonyms.txt", None, {"antonym": 12_572}),
    ("counter_fitting/ppdb_antonyms.txt", None, {"antonym": 478}),
]


def test_the_published_files(shared_data: Path, for_each: Callable[..., None]) -> None:
    def check(file: str, pos: str | None, counts: dict[Relation, int]) -> None:
        for relation, count in counts.items():
            pairs = read_pairs(shared_data / "lexical" / file, relation)
            assert len(pairs) == count
            assert {pair.pos for pair in pairs} <= {pos}

    for_each(check, PUBLISHED)


def test_a_pair_is_the_same_from_either_side() -> None:
    for relation, converse in CONVERSE.items():
        pair = WordPair("hot", "cold", relation)
        assert pair.reversed() == WordPair("cold", "hot", converse)
        assert pair.reversed().reversed() == pair


# WordNet


@pytest.mark.slow
def test_antonyms_are_direct_in_every_sense_and_go_both_ways() -> None:
    pairs = wordnet_pairs("antonym")
    by_words = {(pair.first, pair.second, pair.pos) for pair in pairs}
    known = "day night n, boy girl n, open close v, hot cold a, quickly slowly r"
    assert {tuple(each.split()) for each in known.split(", ")} <= by_words
    assert ("boiling", "cold", "a") not in by_words  # through another
    one_way = {pair for pair in by_words if (pair[1], pair[0], pair[2]) not in by_words}
    assert len(one_way) == 5  # so WordNet has them: legalise, outlaw but not outlaw, legalise
    assert len(pairs) == len(set(pairs))
    assert not any("_" in word for pair in pairs for word in pair[:2])
    assert any("_" in pair.first for pair in wordnet_pairs("antonym", multiword=True))


@pytest.mark.slow
def test_hypernyms_are_of_frequent_senses_and_not_too_general() -> None:
    pairs = {pair[:2] for pair in wordnet_pairs("hypernym")}
    assert {("footbridge", "bridge"), ("poodle", "dog"), ("guitarist", "musician")} <= pairs
    # dog.n.03 is a chap, never tagged; canine is first a tooth
    assert not {("dog", "chap"), ("dog", "canine"), ("nose", "science")} & pairs
    assert not any(second in TOO_GENERAL for _, second in pairs)
    # domestic_animal.n.01 is one step from a dog, and animal.n.01 one more
    assert ("dog", "animal") in pairs
    near = {pair[:2] for pair in wordnet_pairs("hypernym", distance=1)}
    assert ("dog", "animal") not in near
    assert ("poodle", "dog") in near
    everything = {pair[:2] for pair in wordnet_pairs("hypernym", share=0)}
    assert ("dog", "chap") in everything
    assert pairs < everything


@pytest.mark.slow
def test_hyponyms_are_hypernyms_from_the_other_side_and_verbs_have_them_when_asked() -> None:
    up = {(pair.first.lower(), pair.second.lower()) for pair in wordnet_pairs("hypernym")}
    down = {(pair.second.lower(), pair.first.lower()) for pair in wordnet_pairs("hyponym")}
    assert up == down
    assert ("sprint", "run") not in up
    assert WordPair("sprint", "run", "hypernym", "v") in wordnet_pairs("hypernym", pos=["v"])


def test_replacements_carry_their_relation() -> None:
    kinds: tuple[Relation, ...] = ("hyponym", "hypernym", "synonym")
    assert WordPair("sunset", "sundown", "synonym", "n") in replacements("Sunset", kinds)
    dogs = replacements("dog", kinds)
    assert WordPair("dog", "poodle", "hyponym", "n") in dogs
    assert "chap" not in {pair.second for pair in dogs}
    assert {pair.first for pair in dogs} == {"dog"}
    assert set(dogs) >= set(replacements("dog", ["hypernym"]))
    # the paper's example: elderly is replaced by aged, a synonym (section 6.1)
    assert WordPair("elderly", "aged", "synonym", "a") in replacements("elderly", ["synonym"])
    assert replacements("dog", kinds, pos=["v"]) == replacements("notaword", kinds) == []


def test_all_of_baroni_s_pairs_hold_between_first_senses(shared_data: Path) -> None:
    """The reason for taking frequent senses, and how many stand at two steps."""
    near, pairs = 0, read_pairs(shared_data / "lexical" / "baroni2012.tsv", "hypernym")
    for pair in pairs:
        first, second = (wordnet().synsets(word, "n")[0] for word in pair[:2])
        steps, edge = 0, {first}
        while edge and second not in edge:
            steps += 1
            edge = {
                up for each in edge for up in wordnet().hypernyms(each) + wordnet().instance_hypernyms(each)
            }
        assert edge, pair
        near += steps <= 2
    assert round(near / len(pairs), 2) == 0.55


def test_frequent_senses() -> None:
    assert [wordnet().name(s) for s in frequent_senses("dog", "n")] == ["dog.n.01"]
    assert frequent_senses("dog", "v") == ()
    assert frequent_senses("men", "n") == frequent_senses("men", "n", 0.0)  # work force
    assert len(frequent_senses("dog", "n", 0)) == len(wordnet().synsets("dog", "n"))


def test_names_that_are_none_are_errors(refused: Callable[..., str]) -> None:
    assert "no relation is called 'meronym'" in refused(wordnet_pairs, "meronym")
    assert "is called 'noun'" in refused(replacements, "dog", ["synonym"], pos=["noun"])
    assert "at least one step away, not 0" in refused(wordnet_pairs, "hypernym", distance=0)
