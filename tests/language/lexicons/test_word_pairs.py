"""Lists of word pairs: every format, from lines written here."""

import gzip
from pathlib import Path
from typing import Any

from crossexam.language.lexicons.word_pairs import Relation, read_pairs
from made.cases import each_row, refused
from made.corpora import write_lines


@each_row
def test_columns_are_named_or_recognised(
    form: str, name: str, relation: Relation, lines: list[str], pairs: list[Any], *, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / name, lines)
    assert [[pair.first, pair.second, pair.pos] for pair in read_pairs(path, relation)] == pairs
    assert {pair.relation for pair in read_pairs(path, relation)} == {relation}


def test_words_of_lists_and_files_that_are_packed_or_no_files(tmp_path: Path) -> None:
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
def test_what_is_no_list_is_an_error_with_its_line(lines: list[str], message: str, *, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.tsv", lines)
    said = refused(read_pairs, path, "antonym")
    assert (message in said, str(path) in said) == (True, True), said
