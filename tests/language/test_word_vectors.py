"""Word vectors are the first rows of a file, and are kept with a model."""

from pathlib import Path

import numpy as np

from crossexam.language.word_vectors import first_vectors, load_word_vectors, save_word_vectors
from made.cases import refused


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
