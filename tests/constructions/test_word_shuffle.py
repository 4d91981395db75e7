"""Word shuffling: which words move, what stays, and that the label is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.dataset import Dataset
from crossexam.core.example import SIDES, Example, undo_edits

PAIR = Example("a", "Two geese cross the road.", "Birds walk!", "entailment")


def test_the_named_sides_are_shuffled_and_the_label_kept(for_each: Callable[..., None]) -> None:
    def check(name: str, *sides: str) -> None:
        (item,), counts = apply_construction(name, [PAIR])
        assert [side for side in SIDES if item.text(side) != PAIR.text(side)] == [*sides]
        assert (item.label, counts["rejected"]) == ("entailment", {})
        assert item.change is not None
        assert [edit.side for edit in item.change.edits] == [*sides]
        assert run_checks(Dataset(name, [item]), Dataset("base", [PAIR])) == []
        assert CONSTRUCTIONS[name].test_class == "ablation"

    both = ("word_shuffle", "premise", "hypothesis")
    for_each(check, [both, ("word_shuffle_premise", "premise"), ("word_shuffle_hypothesis", "hypothesis")])


def test_every_other_order_can_be_drawn_and_the_old_one_never() -> None:
    def drawn(premise: str, hypothesis: str, name: str = "word_shuffle_hypothesis") -> set[tuple[str, str]]:
        pair = Example("a", premise, hypothesis, "neutral")
        made = (apply_construction(name, [pair], seed=seed) for seed in range(200))
        return {(item.premise, item.hypothesis) for items, _ in made for item in items}

    assert drawn("p", "Birds walk!") == {("p", "walk Birds!")}
    orders = drawn("p", "red green blue")
    assert len(orders) == 3 * 2 * 1 - 1
    assert ("p", "red green blue") not in orders
    assert drawn("Rain falls.", "Rain.", "word_shuffle") == {("falls Rain.", "Rain.")}  # one side is enough


def test_without_another_order_there_is_no_item() -> None:
    for sentence in ("Rain.", "", "!!", "no no no."):
        pair = Example("a", "It rains.", sentence, "neutral")
        items, counts = apply_construction("word_shuffle_hypothesis", [pair])
        assert (items, counts["rejected"]) == ([], {"no other order of words": 1})


WORDS = st.lists(st.sampled_from("A dog, don't p.m. the “Go U.S. well-fed".split()), min_size=1)


@given(WORDS, st.sampled_from(["", ".", "!”", "..."]), st.integers(0, 99))
def test_the_words_stay_and_the_end_stays(words: list[str], end: str, seed: int) -> None:
    sentence = "  ".join(words) + end
    items, counts = apply_construction(
        "word_shuffle_premise", [Example("a", sentence, "h", "neutral")], seed=seed
    )
    assert len(items) + sum(counts["rejected"].values()) == 1
    for item in items:
        assert item.change is not None
        assert undo_edits(item.premise, item.change.edits, "premise") == sentence
        assert Counter(item.premise) == Counter(sentence)  # characters, blanks among them
        assert item.premise.count("  ") == len(words) - 1
        assert item.premise != sentence
        (edit,) = item.change.edits
        assert item.premise[edit.start + len(edit.new) :] == sentence[edit.end :]
