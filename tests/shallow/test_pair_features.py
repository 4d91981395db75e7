"""The features of pairs against formulas and other tools."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import distance

from crossexam.language.word_vectors import WordVectors
from crossexam.shallow.pair_features import (
    FEATURES,
    PairFeatures,
    mean_distances,
    processed,
    word_movers_distance,
)

WORDS = "dog cat man woman sleeps runs outside not".split()
VECTOR_OF = WordVectors(tuple(WORDS), np.random.default_rng(1).normal(size=(len(WORDS), 3)))
ROWS = st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=7)
SENTENCES = st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=7).map(" ".join)


def _features(premise: str, hypothesis: str) -> dict[str, float]:
    row = PairFeatures(VECTOR_OF).of([(premise, hypothesis)]).features[0]
    return dict(zip(FEATURES, row.tolist(), strict=True))


def test_bleu_is_of_the_hypothesis_with_the_premise_as_reference() -> None:
    found = _features("the man runs outside", "The man runs")
    short = 100 * math.exp(1 - 4 / 3)  # all of 3 words, 2 and 1 n-grams are there; 3 words for 4
    assert [round(found[f"bleu_{order}"], 6) for order in (1, 2, 3, 4)] == [round(short, 6)] * 4
    found = _features("the dog runs", "the man runs outside")
    # words: 2 of 4; pairs: 0 of 3, smoothed to 1/2 of one; of three 0 of 2, 1/4 of one; of four 1/8 of 1
    precisions = [2 / 4, 1 / 2 / 3, 1 / 4 / 2, 1 / 8 / 1]
    for order in (1, 2, 3, 4):
        expected = 100 * math.prod(precisions[:order]) ** (1 / order)
        assert found[f"bleu_{order}"] == pytest.approx(expected)


def test_lengths_are_compared_in_words_and_characters() -> None:
    found = _features("Dogs run, don't they?", "Dogs!")
    # Dogs run do n't they: 5 words (marks are none), 21 characters; Dogs: 1 word, 5 characters
    assert found["length_words"] == (1 - 5) / 5
    assert found["length_characters"] == (5 - 21) / 21
    assert _features("", "")["length_words"] == _features("", "")["length_characters"] == 0


def test_fuzzy_scores_read_what_fuzzywuzzy_leaves() -> None:
    assert processed("  The Émigré_2, ok?\u0416") == "the migr_2  ok \u0436"
    found = _features("A MAN; a dog", "dog, man")
    # words of the hypothesis are all in the premise; sorted: "dog man" and "a a dog man"
    assert found["token_set_ratio"] == found["partial_token_set_ratio"] == 100
    assert found["token_sort_ratio"] == pytest.approx(100 * 2 * 7 / (7 + 11))
    assert found["partial_token_sort_ratio"] == 100
    assert found["QRatio"] == pytest.approx(100 * 2 * 4 / (8 + 12))  # common: " man"
    assert _features("A MAN", "man")["partial_ratio"] < 100 == _features("a man", "man")["partial_ratio"]
    assert found["WRatio"] == pytest.approx(100 * 0.95 * 0.9)  # of sets, of parts: 12 is 1.5 times 8


def _transport(first: list[int], second: list[int], vectors: Any) -> float:
    """The same as a linear programme over all pairs of places, solved by SciPy."""
    costs = distance.cdist(vectors[first], vectors[second])
    n, m = costs.shape
    sums = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    solved = linprog(costs.ravel(), A_eq=sums, b_eq=[1 / n] * n + [1 / m] * m)
    return float(solved.fun)


@given(first=ROWS, second=ROWS)
def test_word_movers_distance_is_the_optimum_of_the_linear_programme(
    first: list[int], second: list[int]
) -> None:
    found = word_movers_distance(first, second, VECTOR_OF.rows)
    assert found == pytest.approx(_transport(first, second, VECTOR_OF.rows), abs=1e-9)


def test_distances_of_means_are_scipys() -> None:
    first, second = np.random.default_rng(0).normal(size=(2, 20, 5))
    second[:, 2] = first[:, 2] = 0.0  # 0 / 0 in Canberra's sum
    found = mean_distances(first, second)
    names = ("cosine", "cityblock", "canberra", "euclidean", "braycurtis")
    for column, name in enumerate(names):
        expected = [getattr(distance, name)(u, v) for u, v in zip(first, second, strict=True)]
        assert np.allclose(found[:, column], expected), name


def test_sentences_are_the_means_of_their_words_with_a_vector() -> None:
    dog, cat = VECTOR_OF.rows[:2]
    found = _features("The Dog, unheard cat.", "cat")
    assert found["euclidean"] == pytest.approx(np.linalg.norm((dog + cat) / 2 - cat))
    assert found["word_movers_distance"] == pytest.approx(np.linalg.norm(dog - cat) / 2)
    nothing = _features("unheard", "cat dog")  # one word at the origin
    assert nothing["word_movers_distance"] == pytest.approx(np.linalg.norm([dog, cat], axis=1).mean())
    assert (nothing["cosine"], nothing["braycurtis"]) == (1.0, 1.0)
    both = _features("unheard", "?")
    assert [both[name] for name in list(FEATURES)[-6:]] == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]


@given(pairs=st.lists(st.tuples(SENTENCES, SENTENCES), max_size=5))
def test_every_pair_has_finite_features_whatever_it_is_asked_with(pairs: list[tuple[str, str]]) -> None:
    features = PairFeatures(VECTOR_OF)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("crossexam.shallow.pair_features._PAIRS_AT_ONCE", 2)
        found = features.of(pairs)
    assert found.features.shape == (len(pairs), 4 + 2 + 7 + 1 + 5)  # the nineteen of the appendix
    assert np.isfinite(found.features).all()
    spoken = [word for pair in pairs for side in pair for word in side.split()]
    assert (found.words, found.found) == (len(spoken), sum(word in WORDS for word in spoken))
    for pair, row in zip(pairs, found.features, strict=True):
        assert np.allclose(features.of([pair]).features[0], row, rtol=0, atol=1e-12)
