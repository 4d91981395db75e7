"""What is made of a word pair by our rules and the paper's: ex situ, replaced, and with which labels."""

import random
from typing import Any

from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.pair_family import family_of
from crossexam.constructions.word_pair_swaps import Options, swaps
from crossexam.core.example import SIDES, Example, undo_edits
from crossexam.core.labels import Gold
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.suites.behaviour import PairResources
from made.cases import each_row
from made.word_pairs import ANIMAL, SUNSET, example, match_of, table_of

OURS, PAPER = Options(), Options("paper")
NOTHING = WordPairIndex.build([])
GAME = example(
    "A/DT soccer/NN game/NN occurring/VBG at/IN sunset/NN",
    "A/DT basketball/NN game/NN occurs/VBZ at/IN sunrise/NN",
)


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


def test_the_papers_example_ex_situ() -> None:
    """One context on both sides (section 5.3), then the pair exchanged."""
    made: Any = family_of(GAME, match_of(GAME, SUNSET), "i_a")
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
def test_labels_that_natural_logic_decides(premise: str, hypothesis: str, labels: list[str]) -> None:
    """With some relative of the word; none if all is left to judges."""
    made = replaced_from(premise, hypothesis)
    decided = {made[name].label for name in ("i_ta2", "i_ta3") if doubt_of(made[name]) is None}
    assert decided <= set(labels)
    assert bool(decided) == bool(labels)


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
