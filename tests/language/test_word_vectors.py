"""Word vectors are those of some words, or the first rows of a file, and are kept with a model."""

import gzip
from pathlib import Path

import numpy as np

from crossexam.language.word_vectors import first_vectors, load_word_vectors, read_vectors, save_word_vectors
from made.cases import refused

_ROWS = "the 0.5 1 -2\ndog 1e-1 2 3\nDog 9 9 9\n. . . 4 5 6\n"


def test_every_published_form_of_vectors_is_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    for header, pack, ending in (("", bytes, "\n"), ("4 3\n", gzip.compress, " \n"), ("", bytes, "\r\n")):
        path.write_bytes(pack((header + _ROWS).replace("\n", ending).encode()))
        found = read_vectors(path, ["dog", "The", "cat", ". . ."])
        assert (found.width, found.lines) == (3, 4)
        assert {word: row.tolist() for word, row in found.rows.items()} == {
            "dog": [np.float32(0.1), 2, 3],
            "The": [0.5, 1, -2],  # by its lower-case form
            ". . .": [4, 5, 6],  # a word with a blank, as in GloVe 840B
        }
        assert (found.by_lower_case, found.coverage) == (1, 3 / 4)
    path.write_text(_ROWS)
    both = read_vectors(path, ["Dog", "dog"])  # a cased word has its own vector first
    assert (both.rows["Dog"].tolist(), both.by_lower_case) == ([9, 9, 9], 0)


def test_a_bad_row_and_a_bad_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    for text, message in (
        ("a 1.0 2.0 3.0\nb 1.0 2.0\n", "line 2: the row has 2 numbers, but the previous rows have 3"),
        ("a 1.0 2.0\nb 1.0 nan\n", "line 2: the row does not have 2 finite numbers"),
        ("word\n", "line 1: the line is not a vector"),
    ):
        path.write_text(text)
        assert f"{path}, {message}" in refused(read_vectors, path, ["a", "b"])
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(_ROWS.encode() * 50)[:-20])
    assert "damaged" in refused(read_vectors, cut, ["dog"])
    assert "no such word-vector file" in refused(read_vectors, tmp_path / "absent", ["dog"])
    path.write_text(_ROWS)
    assert "none of the 1 words has a vector" in refused(read_vectors, path, ["zebra"])


def test_word_vectors_keep_the_first_rows_of_a_file(tmp_path: Path) -> None:
    path, kept = tmp_path / "v.txt", tmp_path / "kept.npz"
    path.write_text("4 2\nthe 1 2\nOhio 3 4\nthe 5 6\ncat 7 8\n", encoding="utf-8")
    vectors = first_vectors(path, 99)
    assert (vectors.words, vectors.rows.tolist()) == (("the", "Ohio", "cat"), [[1, 2], [3, 4], [7, 8]])
    assert vectors.numbers(["The", "ohio", "Cat", "dog"]) == [0, 2]
    assert first_vectors(path, 2).words == ("the", "Ohio")
    save_word_vectors(kept, vectors)
    again = load_word_vectors(kept)
    assert (again.words, again.rows.tolist()) == (vectors.words, vectors.rows.tolist())
    np.savez(kept, words=np.zeros(1, dtype=np.uint8), rows=np.zeros((2, 2)))
    assert "for 1 words" in refused(load_word_vectors, kept)
    path.write_text("", encoding="utf-8")
    assert "the file has no vectors" in refused(first_vectors, path, 2)
