"""The bag-of-words model: features by hand, the fit, folders, the model that ships, the command line."""

import json
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.sealed import MANIFEST
from crossexam.corpora.labelled import Corpus
from crossexam.corpora.spec import read_corpus
from crossexam.corpora.trained import TrainedFolder
from crossexam.language.tagging.tagger import resolve_tagger
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
from crossexam.shallow.lexical_features import FeatureSettings, LexicalFeatures, WordCollector
from made.commands import invoke

WORDS = st.sampled_from("dog cat man woman sleeps runs quickly outside not red blue".split())
SENTENCES = st.lists(WORDS, max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), max_size=8)
ALL_WORDS = FeatureSettings(content=False, min_count=1, min_pair_count=1)


def _collected(pairs: list[tuple[str, str]]) -> WordCollector:
    words = WordCollector(None)
    for number, (premise, hypothesis) in enumerate(pairs):
        words.add(Example(str(number), premise, hypothesis, "neutral"))
    return words


def _named(features: LexicalFeatures, table: Any) -> list[set[str]]:
    """The names of the features that each row has."""
    dense = table.toarray()
    assert set(np.unique(dense)) <= {0.0, 1.0}
    return [set(features.names(np.flatnonzero(row))) for row in dense]


def _by_hand(premise: str, hypothesis: str) -> set[str]:
    """The features of a pair of plain words, as the paper's section 5.2 lists them."""
    theirs, ours = set(premise.split()), set(hypothesis.split())
    return (
        {f"premise: {word}" for word in theirs}
        | {f"hypothesis: {word}" for word in ours}
        | {f"{first} / {second}" for first in theirs for second in ours}
    )


@given(pairs=PAIRS, least=st.integers(1, 3), least_pairs=st.integers(1, 3))
def test_the_table_has_the_features_of_the_paper_that_are_not_rare(
    pairs: list[tuple[str, str]], least: int, least_pairs: int
) -> None:
    settings = replace(ALL_WORDS, min_count=least, min_pair_count=least_pairs)
    features, table = _collected(pairs).features(settings)
    rows = [_by_hand(*pair) for pair in pairs]
    counts = Counter(chain.from_iterable(rows))
    kept = {name for name in counts if counts[name] >= (least_pairs if " / " in name else least)}
    assert set(features.names()) == kept
    assert _named(features, table) == [row & kept for row in rows]
    assert (features.matrix(pairs) != table).nnz == 0  # read again, without a tagger
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("crossexam.shallow.lexical_features.ROWS_AT_ONCE", 2)
        in_parts, packed = _collected(pairs).features(settings)
    assert in_parts.names() == features.names()
    assert (packed != table).nnz == 0


def test_bigrams_are_of_neighbours_in_the_hypothesis() -> None:
    settings = replace(ALL_WORDS, premise=False, pairs=False, bigrams=True)
    features, table = _collected([("x y", "Red dogs, red dogs"), ("x", "dogs run")]).features(settings)
    assert _named(features, table) == [
        {f"hypothesis: {words}" for words in ("red", "dogs", ",", "red dogs", "dogs ,", ", red")},
        {"hypothesis: dogs", "hypothesis: run", "hypothesis: dogs run"},
    ]
    unknown_between = features.matrix([("", "red big dogs")])
    assert _named(features, unknown_between) == [{"hypothesis: red", "hypothesis: dogs"}]


def _tagged(*sides: str) -> Example:
    """A pair whose words are given with their tags, as in dog/NN."""
    premise, hypothesis = ([word.split("/") for word in side.split()] for side in sides)
    texts = (" ".join(word for word, _ in side) for side in (premise, hypothesis))
    return Example("x", *texts, "neutral", info={"premise_tags": premise, "hypothesis_tags": hypothesis})


def test_a_content_word_is_what_is_mostly_tagged_so() -> None:
    words = WordCollector(resolve_tagger("parses").tokens)
    words.add(_tagged("A/DT Dog/NN is/VBZ in/RP", "like/VB %/NN"))
    words.add(_tagged("like/IN down/RB so/IN", "down/RB down/IN so/RB"))
    features, _ = words.features(replace(ALL_WORDS, content=True, pairs=False))
    # like: 1 of 2 is not most; down: 2 of 3; so: 1 of 2; % is no word
    assert sorted(features.words) == ["dog", "down", "is"]
    named = _named(features, features.matrix([("The DOG is like that", "Down, down")]))
    assert named == [{"premise: dog", "premise: is", "hypothesis: down"}]


@pytest.fixture(scope="module")
def fitted(taught: tuple[Example, ...]) -> BagOfWords:
    return fit_bag_of_words(taught, replace(ALL_WORDS, bigrams=True), FitSettings(c=1.0)).model


def test_the_fit_is_softmax_regression_with_a_squared_penalty(
    taught: tuple[Example, ...], fitted: BagOfWords, refused: Callable[..., str]
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
    said = refused(fit_bag_of_words, taught, replace(ALL_WORDS, min_count=99, min_pair_count=99))
    assert "no word occurs in at least 99 of the 24 training examples" in said


def test_damaged_tables_are_refused(fitted: BagOfWords, tmp_path: Path, refused: Callable[..., str]) -> None:
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


def test_the_model_that_ships_is_small_and_what_its_manifest_says(refused: Callable[..., str]) -> None:
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
