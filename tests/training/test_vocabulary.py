"""Vocabularies: their files, rare words, and the words of other corpora."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer

from crossexam.core.example import Example
from crossexam.corpora.reading import Reading
from crossexam.training.vocabulary import (
    Vocabulary,
    check_width,
    fill_words,
    load_word_sources,
    make_vocabulary,
)
from crossexam.zoo import cbow
from crossexam.zoo.architecture import Recipe
from made.cases import refused


def test_its_files_are_those_of_tokenizers_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    words = ["a", "dog", "barks", ".", "naïve", "1½", "n't", "[PAD]", "x\u00a0y", "İ"]
    vocabulary = Vocabulary.of_words(words, lower_case=True, characters="".join(words))
    vocabulary.save(tmp_path)
    assert Vocabulary.load(tmp_path) == vocabulary
    encoded = Tokenizer.from_file(str(tmp_path / "vocabulary.json")).encode("A cat barks .")
    assert encoded.ids == [vocabulary.word(word) for word in ("A", "cat", "barks", ".")]
    assert vocabulary.tag("(") == vocabulary.tag("-LRB-") > vocabulary.tag("nonsense") == 1
    (tmp_path / "tags.json").write_text('{"tags": ["NN"]}')
    assert "field 'tags' is not a vocabulary" in refused(Vocabulary.load, tmp_path)
    (tmp_path / "vocabulary.json").write_text('{"model": {"vocab": {"a": 0}}}')
    assert "not a word-level vocabulary" in refused(Vocabulary.load, tmp_path)


def test_rare_words_without_a_vector_are_unknown(tmp_path: Path) -> None:
    examples = [Example("a", "the dog sees the zebra", "it sees a dog", None)]
    path = tmp_path / "vectors.txt"
    path.write_text("zebra 1.0 2.0\n")
    vocabulary, vectors, _ = make_vocabulary(examples, lower_case=False, characters=True, vectors=path)
    # Twice: the, dog, sees.  Once, but with a vector: zebra.  Once and without: it, a.
    assert set(vocabulary.words) == {"[PAD]", "[UNK]", "the", "dog", "sees", "zebra"}
    assert set(vocabulary.characters) == {"[PAD]", "[UNK]", *"thedogsesthezebraitseesadog"}
    assert vectors is not None
    recipe = Recipe("adam", 0.1, 2, 1, source="", vectors="fixed", unknown_deviation=0.5)
    table = torch.nn.Embedding(len(vocabulary.words), 2, padding_idx=0)
    fill_words(table, vocabulary, vectors, recipe, torch.Generator().manual_seed(3))
    assert table.weight[[0, vocabulary.word("zebra")]].tolist() == [[0, 0], [1, 2]]
    drawn = torch.randn(table.weight.shape, generator=torch.Generator().manual_seed(3)) * 0.5
    assert torch.equal(table.weight[1], drawn[1])
    assert not table.weight.requires_grad
    fill_words(table, vocabulary, vectors, replace(recipe, normalised_vectors=True), torch.Generator())
    assert table.weight.norm(dim=-1)[[0, vocabulary.word("zebra")]].tolist() == pytest.approx([0, 1])
    said = refused(check_width, vectors, 300, "cbow", cbow.Config())
    assert said.endswith("wanted: vectors of 300 dimensions\n  hint: --set width=2")


def test_of_other_corpora_the_texts_are_read_and_never_the_labels(tmp_path: Path) -> None:
    one = tmp_path / "one.csv"
    one.write_text("text,hypothesis,label\nA dog,It barks,neutral\nRain,Snow,\n")  # read as the columns say
    first, second = load_word_sources([str(one), "builtin:demo[:2]"], Reading({"premise": "text"}))
    assert [example.premise for example in first.examples] == ["A dog", "Rain"]
    assert [example.label for example in (*first.examples, *second.examples)] == [None] * 4
