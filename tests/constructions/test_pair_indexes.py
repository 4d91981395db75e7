"""The index of a corpus is kept, and counted anew for other examples and tokenizers."""

from pathlib import Path

import numpy as np
import pytest

from crossexam.constructions.pair_indexes import cached_index
from crossexam.language.word_pair_index import WordPairIndex
from made.corpora import write_lines

ROWS = ["A dog.,A pet.,entailment", "Rain.,Sun.,contradiction", "Rain.,Wind.,-"]


def test_the_index_is_kept_and_counted_anew_for_other_examples_and_tokenizers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, cache = "premise,hypothesis,label\n", tmp_path / "cache"
    corpus = write_lines(tmp_path / "tiny.csv", ROWS, header)
    first = cached_index(str(corpus), cache_folder=cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WordPairIndex, "build", None)  # what is kept is not counted again
        again = cached_index(str(corpus), cache_folder=cache)
    assert (again.words, again.manifest) == (list(first.words), first.manifest)
    asked = [(one, other) for one in first.words for other in first.words]
    assert (again.counts(asked) == first.counts(asked)).all()
    assert [again.occurrences(word) for word in again.words] == [first.occurrences(w) for w in first.words]
    assert isinstance(again.keys, np.memmap)  # counts stay on disk
    part = cached_index(f"{corpus}[1::2]", cache_folder=cache)
    assert part.seen([("a", "pet"), ("rain", "sun"), ("rain", "wind")]).tolist() == [False, True, False]
    write_lines(corpus, [*ROWS, ROWS[1]], header)
    changed = cached_index(str(corpus), cache_folder=cache)
    assert changed.counts([("rain", "sun")]).tolist() == [[0, 0, 2]]
    monkeypatch.setattr("crossexam.language.word_pair_index.TOKENIZER", "words.v2")
    assert cached_index(str(corpus), cache_folder=cache).manifest["tokenizer"] == "words.v2"
    assert len(list(cache.iterdir())) == 4
