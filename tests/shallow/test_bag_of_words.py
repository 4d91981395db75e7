"""The bag-of-words model: the fit, its folder, the model that ships, the command line."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.sealed import MANIFEST
from crossexam.corpora.labelled import Corpus
from crossexam.corpora.spec import read_corpus
from crossexam.corpora.trained import TrainedFolder
from crossexam.models.builtin import BAG_OF_WORDS_FOLDER, open_bag_of_words
from crossexam.shallow.bag_of_words import (
    TABLE,
    BagOfWords,
    FitSettings,
    fit_bag_of_words,
    load_table,
    save_table,
)
from crossexam.shallow.fitting import score_on_corpus
from crossexam.shallow.lexical_features import FeatureSettings
from made.cases import refused
from made.commands import invoke

WORDS = FeatureSettings(content=False, min_count=1, min_pair_count=1)


@pytest.fixture(scope="module")
def fitted(taught: tuple[Example, ...]) -> BagOfWords:
    return fit_bag_of_words(taught, replace(WORDS, bigrams=True), FitSettings(c=1.0)).model


def test_the_fit_is_softmax_regression_with_a_squared_penalty(
    taught: tuple[Example, ...], fitted: BagOfWords
) -> None:
    pairs = [(e.premise, e.hypothesis) for e in taught]
    gold = np.array([LABELS.index(e.label) for e in taught if e.label])
    # At the minimum of 1/2 |w|^2 + sum of losses the gradient is nothing: w = X^T (Y - P).
    target = np.eye(3)[gold] - fitted.probabilities(pairs)
    assert np.allclose(fitted.weights, fitted.features.matrix(pairs).T @ target, atol=1e-2)
    assert np.allclose(fitted.weights.sum(axis=1), 0, atol=1e-4)  # what `strongest` relies on
    strongest = fitted.strongest(99)
    assert dict(strongest["contradiction"])["hypothesis: nobody"] > 0.1
    assert strongest["neutral"] == sorted(strongest["neutral"], key=lambda pair: -pair[1])
    said = refused(fit_bag_of_words, taught, replace(WORDS, min_count=99, min_pair_count=99))
    assert "no word occurs in at least 99 of the 24 training examples" in said


def test_damaged_tables_are_refused(fitted: BagOfWords, tmp_path: Path) -> None:
    save_table(tmp_path / TABLE, fitted)
    with np.load(tmp_path / TABLE) as stored:
        sound = dict(stored)
    np.savez(tmp_path / TABLE, **(sound | {"premise": np.array([[4_000_000]], dtype=np.uint32)}))
    assert "'premise' do not match the words" in refused(load_table, tmp_path / TABLE, "here")
    (tmp_path / TABLE).write_bytes(b"PK\x03\x04 cut off")
    assert "here: not the table of a bag-of-words model" in refused(load_table, tmp_path / TABLE, "here")
    with zipfile.ZipFile(tmp_path / TABLE, "w") as archive:  # numpy reads a member without its magic as bytes
        archive.writestr("words.npy", bytes(8))
    assert "model: words is not an array" in refused(load_table, tmp_path / TABLE, "here")


def test_the_model_that_ships_is_small_and_what_its_manifest_says() -> None:
    manifest = json.loads((BAG_OF_WORDS_FOLDER / MANIFEST).read_text(encoding="utf-8"))
    assert Path(str(BAG_OF_WORDS_FOLDER / TABLE)).stat().st_size == manifest["bytes"] < 3_000_000
    model = open_bag_of_words()
    assert {kind: len(codes) for kind, codes in model.fitted.features.codes.items()} == manifest["features"]
    strongest = model.fitted.strongest(15)
    for label, word in (("contradiction", "nobody"), ("entailment", "outdoors"), ("neutral", "friends")):
        assert f"hypothesis: {word}" in dict(strongest[label])
    assert "hypothesis: sleeping" in invoke("features").output
    assert "builtin/overlap has no named features" in refused(invoke, "features", "builtin/overlap")


def test_the_shipped_model_has_the_accuracy_that_its_manifest_claims(shared_data: Path) -> None:
    dev = read_corpus(shared_data / "snli" / "snli_1.0_dev.jsonl")
    corpus = Corpus("snli:dev", tuple(dev.examples))
    found = score_on_corpus(open_bag_of_words().fitted, corpus).on(corpus)
    assert found == TrainedFolder.read(Path(str(BAG_OF_WORDS_FOLDER))).manifest.tests["snli:dev"]
