"""Corpora of training: joined, shared, shuffled, and with the items that augmentations add."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from crossexam.constructions.apply import apply_construction
from crossexam.core.example import SIDES, Example
from crossexam.training.data import (
    AddedItems,
    Data,
    TrainingSet,
    augment,
    load_data,
    parse_augmentations,
    shuffle_words,
    with_construction_options,
)
from made.cases import refused


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


def test_an_augmentation_adds_a_copy_of_each_pair_or_a_count_that_is_drawn_anew_each_epoch(
    three: list[Example],
) -> None:
    items = augment(three, parse_augmentations("negation")[0], seed=0, epoch=0)
    assert [(item.base, item.label) for item in items] == [(each.id, each.label) for each in three]
    assert items[0].hypothesis == "It barks and false is not true."
    examples = [Example(f"e{k}", "It rains hard today.", f"It rains on {k}.", "neutral") for k in range(40)]
    wanted = parse_augmentations("spelling_error_adjacent_swap:10")[0]
    first, second, again = (augment(examples, wanted, seed=0, epoch=epoch) for epoch in (0, 1, 0))
    assert len(first) == len(second) == 10
    assert {item.base for item in first} != {item.base for item in second}
    assert first == again


def test_what_an_augmentation_adds_is_what_there_is(tiny_parsed: list[Example]) -> None:
    twice = [*tiny_parsed, *(replace(example, id=f"{example.id} again") for example in tiny_parsed)]
    wanted = parse_augmentations("so_swap:300")[0]
    items = augment(twice, wanted, seed=0, epoch=0)
    texts = {(item.premise, item.hypothesis) for item in items}
    assert 0 < len(items) == len(texts) < 300  # none twice, although each premise is there twice
    assert AddedItems.of(items, wanted) == (len(texts), len(texts), 300)
    repeated = augment(twice, replace(wanted, repeat=True), seed=0, epoch=0)
    counts = Counter((item.premise, item.hypothesis) for item in repeated)
    assert counts.keys() == texts
    assert max(counts.values()) - min(counts.values()) <= 1
    assert AddedItems.of(repeated, wanted).counts() == {"used": 300, "distinct": len(texts), "asked": 300}


def test_augmentations_that_cannot_be() -> None:
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
    said = refused(augment, [nothing], parse_augmentations("antonymy")[0], seed=0, epoch=0)
    assert "'antonymy' yields no labelled items from 1 training examples" in said


def test_the_rules_of_an_augmentation_are_set_like_those_of_a_test_set(tiny_parsed: list[Example]) -> None:
    asked = parse_augmentations("so_swap:20,add_amod")
    (changed, _), rest = with_construction_options(asked, {"so_swap.rules": "paper", "lr": "0.1"})
    assert rest == {"lr": "0.1"}
    added, ours = (augment(tiny_parsed, each, seed=0, epoch=0) for each in (changed, asked[0]))
    built, _ = apply_construction("so_swap", tiny_parsed, options={"rules": "paper"})
    texts = [{(item.premise, item.hypothesis) for item in part} for part in (added, built, ours)]
    assert texts[0] == texts[1] != texts[2]
    said = refused(with_construction_options, asked, {"negation.rules": "paper"})
    assert "'negation.rules' has no effect: no items of negation are added" in said


def test_a_share_is_drawn_anew_each_epoch(small_data: Data) -> None:
    shared = Data((replace(small_data.train[0], share=0.25),), small_data.dev)
    first, second = shared.of_epoch(0, 7), shared.of_epoch(1, 7)
    assert len(first) == len(second) == 15
    assert first != second
    assert first == shared.of_epoch(0, 7)
    assert (shared.redrawn, small_data.redrawn) == (True, False)
    augmented = TrainingSet(shared, 7, parse_augmentations("negation")).of_epoch(1).examples
    assert [each.base for each in augmented[15:]] == [each.id for each in second]


def test_corpora_are_joined_cut_and_shared(tmp_path: Path) -> None:
    found = load_data("builtin:demo[::2]+builtin:demo[1::2]@0.5", "builtin:demo", limit=20)
    assert [(len(c.examples), c.share) for c in found.train] == [(20, None), (20, 0.5)]
    whole = load_data("builtin:demo", "builtin:demo").examples
    assert found.train[0].examples == whole[0:40:2]
    twice = load_data("builtin:demo[:5]+builtin:demo[:5]", "builtin:demo")
    assert len({example.id for example in twice.examples}) == 10
    plus = tmp_path / "a+b.jsonl"
    rows = [{"premise": "a", "hypothesis": label, "label": label} for label in ("neutral", "entailment")]
    plus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(load_data(str(plus), str(plus)).examples) == 2


def test_data_that_cannot_be_trained_on(tmp_path: Path) -> None:
    one = tmp_path / "one.jsonl"
    one.write_text('{"premise": "a", "hypothesis": "b", "label": "neutral"}\n' * 3)
    assert f"{one}: all 3 training examples are neutral" in refused(load_data, str(one), "builtin:demo")
    assert "none of the 5 examples is labelled" in refused(load_data, "builtin:demo[5:5]", "builtin:demo")
