"""Training on corpora without parses: trees from a pipeline, and resources of augmentation."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import BINARY_PARSE_KEY, Example
from crossexam.core.labels import LABELS
from crossexam.corpora.development import DevSets
from crossexam.corpora.labelled import Corpus
from crossexam.language.parsing.binary import located_tree
from crossexam.training.data import Data, augment, parse_augmentations, with_parser
from crossexam.training.request import TrainingRequest
from crossexam.training.train import train_model


def pair(k: int) -> Example:
    """A pair with binary parses if *k* is odd."""
    info = {
        BINARY_PARSE_KEY["premise"]: f"( ( A dog ) ( chases ( {k} cats ) ) )",
        BINARY_PARSE_KEY["hypothesis"]: f"( ( A dog ) ( sees ( {k} cats ) ) )",
    }
    texts = (f"A dog chases {k} cats", f"A dog sees {k} cats")
    return Example(str(k), *texts, LABELS[k % 3], info=info if k % 2 else {})


EXAMPLES = tuple(pair(k) for k in range(6))
DATA = Data(
    (Corpus("made", EXAMPLES),),
    DevSets("dev", (Corpus("dev", EXAMPLES[:3]),)),
    (Corpus("test", EXAMPLES[3:]),),
)


def test_added_items_have_the_trees_of_their_bases() -> None:
    items = augment(EXAMPLES, *parse_augmentations("negation"), seed=0, epoch=0)
    trees = [item.info.get(BINARY_PARSE_KEY["hypothesis"]) for item in items]
    assert trees[1] == "( ( ( A dog ) ( sees ( 1 cats ) ) ) ( and ( false ( is ( not true ) ) ) ) )"
    assert [tree is not None for tree in trees] == [False, True] * 3


def train(data: Data, folder: Path, name: str = "syntactic_tree_lstm", **more: Any) -> Any:
    values = {"hidden": "3", "width": "4", "epochs": "1"}
    return train_model(TrainingRequest(name, data, folder, values=values, **more)).manifest


def test_a_pipeline_parses_what_the_corpus_does_not(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    spec = f"spacy:{shared_data / 'spacy' / 'en_ewt_small'}"
    data = with_parser(DATA, spec, trees=True)
    for example in data.train[0].examples:
        assert located_tree(example.premise, example.info[BINARY_PARSE_KEY["premise"]]) is not None
    assert data.train[0].examples[1] == EXAMPLES[1]
    assert data.describe()["parser"].startswith("spacy:en_ewt_small")
    manifest = train(data, tmp_path / "m")
    parsed = {"train": {"parsed": 6, "pairs": 6}, "dev": {"parsed": 3, "pairs": 3}}
    assert manifest.facts["parses"] == parsed
    assert manifest.tests["test"].parsed == 3


def test_a_training_says_how_many_pairs_lack_the_parses_that_its_model_reads(tmp_path: Path) -> None:
    notes: list[str] = []
    data = replace(DATA, dev=DevSets("dev", (Corpus("dev", EXAMPLES[:1]), Corpus("more", EXAMPLES[1:2]))))
    manifest = train(data, tmp_path / "m", note=notes.append)
    parsed = {"train": {"parsed": 3, "pairs": 6}, "dev": {"parsed": 1, "pairs": 2}}
    assert manifest.facts["parses"] == parsed
    assert manifest.tests["test"].parsed == 2
    of_training, of_test = notes
    assert "3 of 6 training and 1 of 2 development pairs have none for a sentence or both" in of_training
    assert "1 of 3 test pairs have none" in of_test
    notes.clear()
    plain = train(data, tmp_path / "plain", "cbow", note=notes.append)  # it reads no parses
    assert "parses" not in plain.facts
    assert not notes


def test_parses_of_shuffled_sentences_and_of_added_items_are_counted_as_they_are_read(tmp_path: Path) -> None:
    odd = tuple(example for example in EXAMPLES if example.info)
    data = Data((Corpus("made", odd),), DevSets("dev", (Corpus("dev", odd),)))
    shuffled = train(data, tmp_path / "s", shuffle_words=True).facts["parses"]
    assert shuffled == {"train": {"parsed": 0, "pairs": 3}, "dev": {"parsed": 3, "pairs": 3}}
    added = train(data, tmp_path / "a", augmentations=parse_augmentations("negation")).facts["parses"]
    assert added["train"] == {"parsed": 6, "pairs": 6}
