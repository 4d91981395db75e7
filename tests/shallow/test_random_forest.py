"""The random forest: its features against formulas and other tools, its trees against scikit-learn."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.spatial import distance
from sklearn.ensemble import RandomForestClassifier

from crossexam.language.word_vectors import WordVectors, first_vectors, load_word_vectors, save_word_vectors
from crossexam.shallow.fitting import FitRequest, fit_once
from crossexam.shallow.pair_features import (
    FEATURES,
    PairFeatures,
    mean_distances,
    processed,
    word_movers_distance,
)
from crossexam.shallow.random_forest import (
    RANDOM_FOREST,
    TREES,
    VECTORS,
    arrays_of,
    load_forest,
    save_forest,
)
from made.commands import invoke

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


@pytest.mark.parametrize("changes", [{}, {"max_depth": 3}])
def test_the_walk_through_the_trees_is_scikit_learns(changes: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = np.round(rng.normal(size=(400, 19)), 2)  # rounded: many values are equal, many at thresholds
    gold = (table[:, 0] > 0).astype(int) + (table[:, 1] * rng.normal(size=400) > 0.2)
    grower = RandomForestClassifier(15, random_state=0, **changes).fit(table, gold)
    save_forest(tmp_path / TREES, arrays_of(grower))
    forest = load_forest(tmp_path / TREES)
    asked = np.vstack([table, np.round(rng.normal(size=(3_000, 19)), 2), np.full((1, 19), 1e9)])
    assert np.allclose(forest.probabilities(asked), grower.predict_proba(asked), rtol=0, atol=1e-12)
    save_forest(tmp_path / "again.npz", forest)
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / TREES).read_bytes()


def test_damaged_trees_are_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / TREES
    grower = RandomForestClassifier(2, random_state=0).fit(np.eye(19), np.arange(19) % 3)
    save_forest(path, arrays_of(grower))
    with np.load(path) as stored:
        sound = dict(stored)
    np.savez(path, **(sound | {"left": np.zeros_like(sound["left"])}))  # a walk would not end
    assert "do not form decision trees" in refused(load_forest, path)
    np.savez(path, **(sound | {"roots": np.array([None])}))
    assert "not the trees of a random forest" in refused(load_forest, path)


def test_word_vectors_keep_the_first_rows_of_a_file(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "v.txt"
    path.write_text("4 2\nthe 1 2\nOhio 3 4\nthe 5 6\ncat 7 8\n", encoding="utf-8")
    vectors = first_vectors(path, 99)
    assert (vectors.words, vectors.rows.tolist()) == (("the", "Ohio", "cat"), [[1, 2], [3, 4], [7, 8]])
    assert vectors.numbers(["The", "ohio", "Cat", "dog"]) == [0, 2]
    assert first_vectors(path, 2).words == ("the", "Ohio")
    save_word_vectors(tmp_path / VECTORS, vectors)
    again = load_word_vectors(tmp_path / VECTORS)
    assert (again.words, again.rows.tolist()) == (vectors.words, vectors.rows.tolist())
    np.savez(tmp_path / VECTORS, words=np.zeros(1, dtype=np.uint8), rows=np.zeros((2, 2)))
    assert "for 1 words" in refused(load_word_vectors, tmp_path / VECTORS)
    path.write_text("", encoding="utf-8")
    assert "the file has no vectors" in refused(first_vectors, path, 2)


def test_a_folder_knows_its_vectors_and_its_importances_are_drawn(
    corpus: Path, vectors_file: Path, refused: Callable[..., str], tmp_path: Path
) -> None:
    folder, chart = tmp_path / "m", tmp_path / "importance.svg"
    values = {"trees": "10", "min_leaf": "1"}
    request = FitRequest(str(corpus), str(corpus), folder, values=values, vectors=vectors_file)
    manifest = fit_once(RANDOM_FOREST, request).manifest
    assert manifest.facts["vectors"] == {"width": 3, "words_kept": 8, "coverage": round(13 / 23, 4)}
    assert "needs word vectors" in refused(fit_once, RANDOM_FOREST, replace(request, vectors=None))
    shown = invoke("features", f"rf/{folder}", "--top", "3", "-o", chart).output
    importances = manifest.facts["importances"]
    ordered = sorted(importances, key=lambda name: -importances[name][0])
    assert all((name in shown) is (place < 3) for place, name in enumerate(ordered))
    drawn = chart.read_text(encoding="utf-8")
    assert all(name.replace("_", " ") in drawn for name in FEATURES)
