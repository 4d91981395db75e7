"""Labels that follow from the relation of two words, and what the rest of a hypothesis adds."""

from crossexam.constructions.natural_logic import PairSentence, after_exchange, ex_situ_label, rest_of
from crossexam.core.example import SIDES
from made.cases import each_row
from made.word_pairs import OLD, example, match_of


@each_row
def test_ex_situ_labels_follow_from_the_relation(relation: str, direction: str, label: str) -> None:
    """Of the second word to the first, in its context: up, a dog is an animal; down, no animal: no dog."""
    assert ex_situ_label(relation, direction).label == label  # type: ignore[arg-type]


@each_row
def test_in_situ_labels(
    gold: str, relation: str, premise: str, hypothesis: str, covered: bool, label: str, source: str
) -> None:
    proposal = after_exchange(gold, relation, premise, hypothesis, covered=covered)  # type: ignore[arg-type]
    assert (proposal.label, proposal.source) == (label, source)


@each_row
def test_what_the_rest_of_a_hypothesis_adds(premise: str, hypothesis: str, wanted: str) -> None:
    match = match_of(example(premise, hypothesis), OLD)
    sides = (PairSentence(match.tokens[side], frozenset(match.positions[side])) for side in SIDES)
    assert rest_of(*sides) == wanted
