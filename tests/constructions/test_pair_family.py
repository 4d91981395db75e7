"""Words that take the place of others take their inflection, if they have such a form."""

from typing import Any

from crossexam.constructions.construction import Rejection
from crossexam.constructions.pair_family import Family, family_of
from crossexam.core.example import Example
from made.cases import each_row
from made.word_pairs import example, match_of


def family(one: Example, pair: str) -> Any:
    return family_of(one, match_of(one, pair), "i_a")


@each_row
def test_words_are_exchanged(premise: str, hypothesis: str, pair: str, exchanged: list[str]) -> None:
    made = family(example(premise, hypothesis), pair)
    item = made.in_situ().item(made.control, "i_th.v1")
    assert [item.premise, item.hypothesis] == exchanged


@each_row
def test_a_noun_is_counted_as_the_one_it_replaces(premise: str, pair: str) -> None:
    one = example(premise, f"The/DT {pair.split()[1]}/NN falls/VBZ", "neutral")
    match = match_of(one, pair)
    assert family_of(one, match, "i_h") == Rejection("the other noun cannot be counted here")
    assert isinstance(family_of(one, match, "i_h", "paper"), Family)


@each_row
def test_who_sits_is_seated(hypothesis: str, wanted: str) -> None:
    """The forms of a verb that "seated" takes the place of."""
    one = example("A/DT man/NN sits/VBZ there/RB", hypothesis)
    made = family(one, "sit stand antonym v").replaced("hypothesis", "seated")
    if isinstance(made, Rejection):
        assert made.reason == wanted
    else:
        item = made.item(one, "i_ta2.v4")
        assert (item.hypothesis, item.info["pair"]) == (wanted, "sits/seated")
