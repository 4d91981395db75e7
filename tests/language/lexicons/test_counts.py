"""The counts of adjectives before nouns: the file of a table, the shipped table."""

from pathlib import Path

from crossexam.language.lexicons.adjective_classes import ADDABLE, class_of, rank_of
from crossexam.language.lexicons.counts import read_counts, shipped_adjectives
from made.cases import each_row, refused
from made.corpora import write_lines


@each_row
def test_what_is_no_table(lines: list[str], message: str, *, tmp_path: Path) -> None:
    assert message in refused(read_counts, write_lines(tmp_path / "table.tsv", lines))


def test_the_shipped_table_knows_common_pairs_and_the_order_of_adjectives() -> None:
    table = shipped_adjectives()
    assert table.count("man", "young") > table.count("building", "young") == 0
    # Quirk et al. 1985, section 17.115: "a beautiful large old round red carved French wooden ... table".
    words = ["beautiful", "large", "old", "round", "red", "striped", "French", "wooden"]
    assert [rank_of(word) for word in words] == sorted(rank_of(word) for word in words)
    assert {word: class_of(word) for word in ADDABLE} == ADDABLE  # what may be added is classed alike
