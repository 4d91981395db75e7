"""Word pairs in examples, exchanged, replaced, ex situ; and the labels that natural logic proposes."""

import random
from typing import Any

from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.natural_logic import PairSentence, after_exchange, ex_situ_label, rest_of
from crossexam.constructions.pair_family import Family, family_of
from crossexam.constructions.pair_matching import PairTable, matches
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.word_pair_swaps import Options, swaps
from crossexam.core.example import SIDES, Example, undo_edits
from crossexam.core.labels import Gold
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.suites.behaviour import PairResources
from made.cases import each_row
from made.sentences import tagged

OURS, PAPER = Options(), Options("paper")
NOTHING = WordPairIndex.build([])
SUNSET, OLD, ANIMAL = "sunset sunrise antonym n", "old young antonym a", "dog animal hypernym n"


def table_of(pair: str, every: bool = False) -> PairTable:
    """A list of one pair, which is written as its words, relation and part of speech."""
    return PairTable([WordPair(*pair.split())], every=every)  # type: ignore[arg-type]


def example(premise: str, hypothesis: str, label: Gold = "contradiction") -> Example:
    return tagged(premise, hypothesis, label=label, name="x1")


GAME = example(
    "A/DT soccer/NN game/NN occurring/VBG at/IN sunset/NN",
    "A/DT basketball/NN game/NN occurs/VBZ at/IN sunrise/NN",
)


def match_of(one: Example, pair: str) -> Any:
    (match,) = matches(one, table_of(pair), LanguageResources())
    return match


def family(one: Example, pair: str) -> Any:
    return family_of(one, match_of(one, pair), "i_a")


def made_from(
    one: Example, pair: str, options: Options = OURS, seed: int = 0, index: WordPairIndex = NOTHING
) -> dict[str, Any]:
    """What the family of the pair's relation makes of the example, by name."""
    table = table_of(pair, every=options.rules == "paper")
    resources = PairResources("parses", antonyms=table, hypernyms=table)
    resources.index = index
    family = "i_a" if " antonym" in pair else "i_h"
    return dict(swaps(family, one, resources, random.Random(seed), options))


def replaced_from(premise: str, hypothesis: str, options: Options = OURS) -> dict[str, Any]:
    """What is made of a contradiction with a man and a woman, where training has all relatives."""
    row = "A person, an adult, a guy, a lady, a father and a mother wait"
    index = WordPairIndex.build([Example(str(k), row, row, "neutral") for k in range(10)])
    return made_from(example(premise, hypothesis), "man woman antonym n", options, index=index)


def doubt_of(outcome: Any) -> str | None:
    """Why an outcome is no decided item: it is rejected, or its label is left to judges."""
    if isinstance(outcome, Rejection):
        return outcome.reason
    undecided = outcome.info.get("status") == "undecided"
    assert undecided == bool(outcome.info.get("doubts"))
    return str(outcome.info["doubts"][0]) if undecided else None


@each_row
def test_what_is_no_match_says_why(premise: str, hypothesis: str, pair: str, reason: str) -> None:
    assert match_of(example(premise, hypothesis), pair) == Rejection(reason)


@each_row
def test_words_are_exchanged(premise: str, hypothesis: str, pair: str, exchanged: list[str]) -> None:
    made = family(example(premise, hypothesis), pair)
    item = made.in_situ().item(made.control, "i_th.v1")
    assert [item.premise, item.hypothesis] == exchanged


def test_the_papers_example_ex_situ() -> None:
    """One context on both sides (section 5.3), then the pair exchanged."""
    made = family(GAME, SUNSET)
    drawn = [made_from(GAME, SUNSET, seed=seed)["e_a"].info["context"] for seed in range(20)]
    assert set(drawn) == set(SIDES)  # one of the two sentences, at random
    for context, texts in (
        ("premise", ["A soccer game occurring at sunset", "A soccer game occurring at sunrise"]),
        ("hypothesis", ["A basketball game occurs at sunset", "A basketball game occurs at sunrise"]),
    ):
        control = made.ex_situ(context).item(made.control, "e_a.v1")  # type: ignore[arg-type]
        item = made.ex_situ_exchanged(control, context).item(control, "e_ta.v1")  # type: ignore[arg-type]
        assert [control.premise, control.hypothesis] == [item.hypothesis, item.premise] == texts
        for derived, base in ((control, made.control), (item, control)):
            assert derived.base == base.id
            for side, start in (("premise", derived.change.source), ("hypothesis", derived.change.target)):
                assert undo_edits(derived.text(side), derived.change.edits, side) == base.text(start)


@each_row
def test_a_noun_is_counted_as_the_one_it_replaces(premise: str, pair: str) -> None:
    one = example(premise, f"The/DT {pair.split()[1]}/NN falls/VBZ", "neutral")
    match = match_of(one, pair)
    outcome = family_of(one, match, "i_h")
    assert outcome == Rejection("the other noun cannot be counted here")
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


@each_row
def test_labels_that_natural_logic_decides(premise: str, hypothesis: str, labels: list[str]) -> None:
    """With some relative of the word; none if all is left to judges."""
    made = replaced_from(premise, hypothesis)
    decided = {made[name].label for name in ("i_ta2", "i_ta3") if doubt_of(made[name]) is None}
    assert decided <= set(labels)
    assert bool(decided) == bool(labels)


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


@each_row
def test_who_does_what_is_in_the_premise(premise: str, hypothesis: str, wanted: bool) -> None:
    """Apart from the pair, and of the same things; in a downward context it must not say more."""
    pair = OLD if "old/JJ" in premise else ANIMAL
    assert match_of(example(premise, hypothesis), pair).is_covered == wanted


@each_row
def test_no_sentence_tells_what_its_word_leaves_open(
    premise: str, hypothesis: str, rejected: list[str]
) -> None:
    """About a person, who becomes a woman, or the reverse; the sets that have no item."""
    one = example(premise, hypothesis, "neutral")
    outcomes = made_from(one, "person woman hyponym n", seed=1)  # whose context is the premise
    told = {name: each.reason for name, each in outcomes.items() if isinstance(each, Rejection)}
    assert sorted(told) == rejected
    odd = "the sentence does not go with the word"
    assert set(told.values()) <= {"the sentence reveals what the word leaves open", odd}


@each_row
def test_what_makes_the_label_of_exchanged_nouns_doubtful(
    premise: str, hypothesis: str, label: Gold, pair: str, reason: str | None
) -> None:
    assert doubt_of(made_from(example(premise, hypothesis, label), pair)["i_th"]) == reason


@each_row
def test_the_papers_rules_have_no_filters(
    premise: str, hypothesis: str, pair: str, exchanged: list[str]
) -> None:
    """Words are exchanged as they are written, all occurrences, and nothing is rejected or mended."""
    one = example(premise, hypothesis)
    draft = made_from(one, pair, PAPER)["i_ta1" if " antonym" in pair else "i_th"]
    item = draft.item(one, "i_th.v2")
    assert [item.premise, item.hypothesis] == exchanged


def test_the_papers_rules_record_what_ours_hold_against_an_item() -> None:
    one = example("Two/CD dogs/NNS run/VBP", "An/DT animal/NN runs/VBZ", "neutral")
    assert made_from(one, ANIMAL, PAPER)["i_h"] == Rejection("no pair of the list")
    assert isinstance(made_from(one, ANIMAL)["i_h"], Example)
    both = replaced_from("A/DT man/NN and/CC a/DT woman/NN wait/VBP", "A/DT woman/NN swims/VBZ", PAPER)
    assert "a sentence has both words" in both["i_ta1"].info["doubts"]
    premise = "A/DT poodle/NN barks/VBZ ./. It/PRP wears/VBZ a/DT collar/NN"
    two = example(premise, "An/DT animal/NN barks/VBZ", "entailment")
    ours, papers = (made_from(two, "poodle animal hypernym n", each)["i_th"] for each in (OURS, PAPER))
    assert ours == Rejection("premise of several sentences")
    assert isinstance(papers, Draft)
