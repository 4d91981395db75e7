"""A spelling error turns a word into no word, as often and in such words as the rules say."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example
from made.items import made_by
from made.sentences import tagged

WORDS = st.sampled_from("on form the The TEH aa a hot cat quite McGee naïve".split())


@given(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), st.integers(0, 50))
def test_a_spelling_error_changes_one_word_into_no_word(sentence: str, seed: int) -> None:
    for name in ("spelling_error_adjacent_swap", "spelling_error_keyboard_swap"):
        items, _ = made_by(name, Example("a", "p", sentence, "neutral"), seeds=[seed])
        for item in items:
            old, new = sentence.split(), item.hypothesis.split()
            ((before, after),) = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
            assert [c.isupper() for c in before] == [c.isupper() for c in after]
            assert after.lower() not in {"no", "from", "cat", "bat", "got", "not", "tan", "ton"}


def test_every_sentence_has_so_many_errors() -> None:
    example = Example("a", "The red bridge was closed. It rains. 3 + 4!", "h", "neutral")
    for errors in (1, 2, 50):
        (item,), _ = made_by("spelling_error_premise", example, per_sentence=errors)
        changed = [
            sum(a != b for a, b in zip(old.split(), new.split(), strict=True))
            for old, new in zip(example.premise.split(". "), item.premise.split(". "), strict=True)
        ]
        assert changed == [min(errors, 5), min(errors, 2), 0]


def texts(name: str, example: Example, rules: str, seeds: Iterable[int]) -> list[str]:
    return [item.hypothesis for item in made_by(name, example, seeds=seeds, rules=rules)[0]]


def test_which_words_and_capitals_the_script_and_our_rules_take() -> None:
    pair = tagged("It/PRP", "Soup/NN cools/VBZ under/IN trees/VBZ")
    content, function = (f"spelling_error_mixed_{kind}_word" for kind in ("content", "function"))
    assert made_by(content, pair, rules="released")[1] == {"no word that the script can misspell": 1}
    assert made_by(function, pair, rules="ours")[1] == {"no conjunction, pronoun or article": 1}
    cat, the = (Example("e", "p", word, "neutral") for word in ("cat", "The"))
    for rules in ("ours", "paper", "released"):  # a car is another word
        found = texts("spelling_error_keyboard_swap", cat, rules, range(60))
        assert ("car" in found) is (rules != "ours")
    for example, kind in ((cat, "content"), (the, "function")):
        (item,), _ = made_by("spelling_error_keyboard_swap", example)
        assert item.info["word_class"] == kind
    for rules, swapped in (("ours", {"Hte", "Teh"}), ("paper", {"hTe", "Teh"})):
        assert set(texts("spelling_error_adjacent_swap", the, rules, range(20))) == swapped
    # the script gives the error a capital if the word occurs with one
    near = tagged("It/PRP", "Near/IN the/DT Nearest/NNP")
    first = {text.split()[0] for text in texts(function, near, "released", range(40))}
    assert "ENar" in first
    assert all(word[0].isupper() for word in first)
