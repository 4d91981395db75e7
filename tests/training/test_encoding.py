"""Transforms, collation and batches."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crossexam.constructions.apply import apply_construction
from crossexam.core.example import SIDES, Example
from crossexam.training.data import (
    AddedItems,
    Augmentation,
    augment,
    parse_augmentations,
    shuffle_words,
    with_construction_options,
)
from crossexam.training.encoding import Encoder, plan_epoch, plan_scoring
from crossexam.training.vocabulary import Vocabulary

_LENGTHS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 30)), min_size=1, max_size=80)


def _examples() -> list[Example]:
    tags = [["A", "DT"], ["dog", "NN"], ["barks", "VBZ"]]
    info = {"premise_tags": tags, "premise_binary_parse": "( ( A dog ) barks )"}
    return [
        Example("a", "A dog barks", "It barks.", "entailment", info=info),
        Example("b", "Rain falls on the old town.", "A Dog", "neutral"),
        Example("c", "A dog barks", "Snow", "contradiction", info=info),
    ]


def _augmentation(text: str) -> Augmentation:
    return parse_augmentations(text)[0]


def _encoder(*needs: str) -> Encoder:
    words = ["A", "a", "dog", "barks", "It", ".", "Rain"]
    return Encoder(Vocabulary.of_words(words, characters="Adogbarks"), needs)


def test_a_batch_has_the_words_and_nothing_else(refused: Callable[..., str]) -> None:
    encoder = _encoder()
    pairs = encoder.pairs(_examples())
    batch = encoder.collate(pairs, [2, 0, 1])
    word = encoder.vocabulary.word
    barks = [word("A"), word("dog"), word("barks"), 0, 0, 0, 0]
    assert batch.premise.words.tolist() == [barks, barks, [word("Rain"), 1, 1, 1, 1, 1, word(".")]]
    assert batch.hypothesis.lengths.tolist() == [1, 3, 2]
    assert batch.labels is not None
    assert batch.labels.tolist() == [2, 0, 1]
    assert batch.premise.characters is batch.premise.tags is batch.premise.match is None
    assert encoder.pairs(_examples(), max_length=2).lengths == [(2, 2), (2, 2), (2, 1)]
    said = refused(encoder.pairs, [Example("x7", "A dog", "  ", "neutral")])
    assert said.startswith("example x7: the hypothesis is empty\n")


def test_characters_tags_matches_and_trees_are_those_of_the_words() -> None:
    encoder = _encoder("characters", "tags", "match")
    side: Any = encoder.collate(encoder.pairs(_examples()), [1, 0]).premise
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
        (encoder.pairs(_examples()[:1]), [[0, 1], [3, 2]]),  # ( ( A dog ) barks )
        (encoder.pairs(_examples()[:1], max_length=2), [[0, 1]]),
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


def test_shuffling_keeps_the_words_and_depends_on_seed_and_epoch() -> None:
    text = "one two three four five six seven eight nine ten"
    info = {"premise_tags": [[word, word.upper()] for word in text.split()]}
    example = Example("a", text, text, "neutral", info=info)
    shuffled = [shuffle_words(example, seed=seed, epoch=epoch) for seed in (1, 2) for epoch in (0, 1)]
    assert shuffled[0] == shuffle_words(example, seed=1, epoch=0)
    texts = {each.text(side) for each in shuffled for side in SIDES}
    assert len(texts) == 4 * 2
    assert all(sorted(each.split()) == sorted(text.split()) for each in texts)
    tags = [[word, word.upper()] for word in shuffled[0].premise.split()]
    assert shuffled[0].info == {"premise_tags": tags}


def test_an_augmentation_adds_a_copy_of_each_pair_or_a_count_that_is_drawn_anew_each_epoch() -> None:
    items = augment(_examples(), _augmentation("negation"), seed=0, epoch=0)
    assert [(item.base, item.label) for item in items] == [(each.id, each.label) for each in _examples()]
    assert items[0].hypothesis == "It barks and false is not true."
    examples = [Example(f"e{k}", "It rains hard today.", f"It rains on {k}.", "neutral") for k in range(40)]
    wanted = _augmentation("spelling_error_adjacent_swap:10")
    first, second, again = (augment(examples, wanted, seed=0, epoch=epoch) for epoch in (0, 1, 0))
    assert len(first) == len(second) == 10
    assert {item.base for item in first} != {item.base for item in second}
    assert first == again


def test_what_an_augmentation_adds_is_what_there_is(tiny_parsed: list[Example]) -> None:
    twice = [*tiny_parsed, *(replace(example, id=f"{example.id} again") for example in tiny_parsed)]
    wanted = _augmentation("so_swap:300")
    items = augment(twice, wanted, seed=0, epoch=0)
    texts = {(item.premise, item.hypothesis) for item in items}
    assert 0 < len(items) == len(texts) < 300  # none twice, although each premise is there twice
    assert AddedItems.of(items, wanted) == (len(texts), len(texts), 300)
    repeated = augment(twice, replace(wanted, repeat=True), seed=0, epoch=0)
    counts = Counter((item.premise, item.hypothesis) for item in repeated)
    assert counts.keys() == texts
    assert max(counts.values()) - min(counts.values()) <= 1
    assert AddedItems.of(repeated, wanted).counts() == {"used": 300, "distinct": len(texts), "asked": 300}


def test_augmentations_that_cannot_be(refused: Callable[..., str]) -> None:
    for text, message in (
        ("negation:many", "'negation:many' is not a valid value for --augment"),
        ("numerical_reasoning", "word problems"),
        ("so_swap:10,so_swap", "'so_swap' is given twice"),
        ("so_swap_paper:10", "hint: --augment so_swap --set so_swap.rules=paper"),
        ("i_th:10", "'i_th' needs lists of word pairs"),
    ):
        assert message in refused(parse_augmentations, text)
    said = refused(parse_augmentations, "negation", repeat=True)
    assert "--augment-repeat has no effect on one item per example" in said
    nothing = Example("a", "Oh.", "Oh.", "neutral", info={"premise_tags": [["Oh", "UH"], [".", "."]]})
    said = refused(augment, [nothing], _augmentation("antonymy"), seed=0, epoch=0)
    assert "'antonymy' yields no labelled items from 1 training examples" in said


def test_the_rules_of_an_augmentation_are_set_like_those_of_a_test_set(
    tiny_parsed: list[Example], refused: Callable[..., str]
) -> None:
    asked = parse_augmentations("so_swap:20,add_amod")
    (changed, _), rest = with_construction_options(asked, {"so_swap.rules": "paper", "lr": "0.1"})
    assert rest == {"lr": "0.1"}
    added, ours = (augment(tiny_parsed, each, seed=0, epoch=0) for each in (changed, asked[0]))
    built, _ = apply_construction("so_swap", tiny_parsed, options={"rules": "paper"})
    texts = [{(item.premise, item.hypothesis) for item in part} for part in (added, built, ours)]
    assert texts[0] == texts[1] != texts[2]
    said = refused(with_construction_options, asked, {"negation.rules": "paper"})
    assert "'negation.rules' has no effect: no items of negation are added" in said
