"""Where a pair matches an example, why it does not, and whether the premise covers the hypothesis."""

from crossexam.constructions.construction import Rejection
from made.cases import each_row
from made.word_pairs import ANIMAL, OLD, example, match_of


@each_row
def test_what_is_no_match_says_why(premise: str, hypothesis: str, pair: str, reason: str) -> None:
    assert match_of(example(premise, hypothesis), pair) == Rejection(reason)


@each_row
def test_who_does_what_is_in_the_premise(premise: str, hypothesis: str, wanted: bool) -> None:
    """Apart from the pair, and of the same things; in a downward context it must not say more."""
    pair = OLD if "old/JJ" in premise else ANIMAL
    assert match_of(example(premise, hypothesis), pair).is_covered == wanted
