"""Encoding: what a batch has, and which pairs are in one."""

from itertools import chain
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from crossexam.training.encoding import Encoder, plan_epoch, plan_scoring
from crossexam.training.vocabulary import Vocabulary
from made.cases import refused

_LENGTHS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 30)), min_size=1, max_size=80)


def _encoder(*needs: str) -> Encoder:
    words = ["A", "a", "dog", "barks", "It", ".", "Rain"]
    return Encoder(Vocabulary.of_words(words, characters="Adogbarks"), needs)


def test_a_batch_has_the_words_and_nothing_else(three: list[Example]) -> None:
    encoder = _encoder()
    pairs = encoder.pairs(three)
    batch = encoder.collate(pairs, [2, 0, 1])
    word = encoder.vocabulary.word
    barks = [word("A"), word("dog"), word("barks"), 0, 0, 0, 0]
    assert batch.premise.words.tolist() == [barks, barks, [word("Rain"), 1, 1, 1, 1, 1, word(".")]]
    assert batch.hypothesis.lengths.tolist() == [1, 3, 2]
    assert batch.labels is not None
    assert batch.labels.tolist() == [2, 0, 1]
    assert batch.premise.characters is batch.premise.tags is batch.premise.match is None
    assert encoder.pairs(three, max_length=2).lengths == [(2, 2), (2, 2), (2, 1)]
    said = refused(encoder.pairs, [Example("x7", "A dog", "  ", "neutral")])
    assert said.startswith("example x7: the hypothesis is empty\n")


def test_characters_tags_matches_and_trees_are_those_of_the_words(three: list[Example]) -> None:
    encoder = _encoder("characters", "tags", "match")
    side: Any = encoder.collate(encoder.pairs(three), [1, 0]).premise
    assert side.characters.shape == (2, 7, 5)  # Rain falls on the old town.
    assert side.characters[1, 2].tolist() == encoder.vocabulary.spelling("barks")
    assert side.characters[1, 3:].sum() == 0
    assert side.tags[1, :3].tolist() == [encoder.vocabulary.tags[tag] for tag in ("DT", "NN", "VBZ")]
    assert side.match[1, :3].tolist() == [False, False, True]  # barks
    both: Any = encoder.collate(encoder.pairs([Example("a", "The DOG", "the cat", None)]), [0]).premise
    assert both.match.tolist() == [[True, False]]  # whatever the case
    encoder = _encoder("trees")
    without = Example("d", "A dog barks", "It", None)
    for pairs, children in (
        (encoder.pairs(three[:1]), [[0, 1], [3, 2]]),  # ( ( A dog ) barks )
        (encoder.pairs(three[:1], max_length=2), [[0, 1]]),
        (encoder.pairs([without]), [[1, 2], [0, 3]]),  # branches to the right
    ):
        premise: Any = encoder.collate(pairs, [0]).premise
        assert premise.children.tolist() == [children]


@given(_LENGTHS, st.integers(1, 9), st.integers(10, 200))
def test_batches_hold_every_pair_once_and_keep_to_the_budget(
    lengths: list[tuple[int, int]], size: int, most: int
) -> None:
    batches = plan_epoch(lengths, size, seed=1, epoch=2, most_words=most)
    assert sorted(chain.from_iterable(batches)) == list(range(len(lengths)))
    for rows in batches:
        words = len(rows) * (max(lengths[k][0] for k in rows) + max(lengths[k][1] for k in rows))
        assert len(rows) <= size
        assert words <= most or len(rows) == 1
    assert batches == plan_epoch(lengths, size, seed=1, epoch=2, most_words=most)
    assert sorted(chain.from_iterable(plan_scoring(lengths, 100))) == list(range(len(lengths)))
