"""The features of words: those of the paper by hand, bigrams, and which words are content words."""

from collections import Counter
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from crossexam.language.tagging.tagger import resolve_tagger
from crossexam.shallow.lexical_features import FeatureSettings, LexicalFeatures, WordCollector
from made.sentences import tagged

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


def test_a_content_word_is_what_is_mostly_tagged_so() -> None:
    words = WordCollector(resolve_tagger("parses").tokens)
    words.add(tagged("A/DT Dog/NN is/VBZ in/RP", "like/VB %/NN"))
    words.add(tagged("like/IN down/RB so/IN", "down/RB down/IN so/RB"))
    features, _ = words.features(replace(ALL_WORDS, content=True, pairs=False))
    # like: 1 of 2 is not most; down: 2 of 3; so: 1 of 2; % is no word
    assert sorted(features.words) == ["dog", "down", "is"]
    named = _named(features, features.matrix([("The DOG is like that", "Down, down")]))
    assert named == [{"premise: dog", "premise: is", "hypothesis: down"}]
