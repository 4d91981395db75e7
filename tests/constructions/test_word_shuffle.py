"""Word shuffling: which words move, and what stays."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from crossexam.constructions.apply import apply_construction
from crossexam.core.example import Example, undo_edits


def test_every_other_order_can_be_drawn_and_the_old_one_never() -> None:
    def drawn(premise: str, hypothesis: str, name: str = "word_shuffle_hypothesis") -> set[tuple[str, str]]:
        pair = Example("a", premise, hypothesis, "neutral")
        made = (apply_construction(name, [pair], seed=seed) for seed in range(200))
        return {(item.premise, item.hypothesis) for items, _ in made for item in items}

    assert drawn("p", "Birds walk!") == {("p", "walk Birds!")}
    orders = drawn("p", "red green blue")
    assert len(orders) == 3 * 2 * 1 - 1
    assert ("p", "red green blue") not in orders
    assert drawn("Rain falls.", "Snow melts.", "word_shuffle") == {("falls Rain.", "melts Snow.")}
    assert drawn("Rain falls.", "Rain.", "word_shuffle") == {("falls Rain.", "Rain.")}  # one side is enough
    for sentence in ("Rain.", "", "!!", "no no no."):  # there is no other order
        assert drawn("It rains.", sentence) == set()


WORDS = st.lists(st.sampled_from("A dog, don't p.m. the “Go U.S. well-fed".split()), min_size=1)


@given(WORDS, st.sampled_from(["", ".", "!”", "..."]), st.integers(0, 99))
def test_the_words_stay_and_the_end_stays(words: list[str], end: str, seed: int) -> None:
    sentence = "  ".join(words) + end
    items, counts = apply_construction(
        "word_shuffle_premise", [Example("a", sentence, "h", "neutral")], seed=seed
    )
    assert len(items) + sum(counts["rejected"].values()) == 1
    for item in items:
        assert undo_edits(item.premise, item.change.edits, "premise") == sentence
        assert Counter(item.premise) == Counter(sentence)  # characters, blanks among them
        assert item.premise.count("  ") == len(words) - 1
        assert item.premise != sentence
        (edit,) = item.change.edits
        assert item.premise[edit.start + len(edit.new) :] == sentence[edit.end :]
