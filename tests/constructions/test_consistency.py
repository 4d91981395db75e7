"""What the items of the consistency suite say, and what cannot be part of a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.resources import LanguageResources
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.suites.table import SUITES

Tagged = list[tuple[str, str]]


def _tagged(text: str) -> Tagged:
    """Return the words and tags of "The/DT dog/NN"."""
    return [(word, tag) for word, _, tag in (each.rpartition("/") for each in text.split())]


def _sentence(tagged: Tagged) -> str:
    words = [word for word, _ in tagged]
    return " ".join(words).replace(" .", ".").replace(" ,", ",").replace(" ?", "?").replace(" '", "'")


def _example(premise: str, hypothesis: str, name: str = "a", **info: str) -> Example:
    """An example whose sentences are given with their tags."""
    sides = {"premise_tags": _tagged(premise), "hypothesis_tags": _tagged(hypothesis)}
    tags = {key: [list(pair) for pair in tagged] for key, tagged in sides.items()}
    texts = [_sentence(tagged) for tagged in sides.values()]
    return Example(name, texts[0], texts[1], "neutral", info={**tags, **info})


def _items(construction: str, *examples: Example) -> tuple[list[Example], dict[str, int]]:
    items, counts = apply_construction(construction, examples, resources=LanguageResources("parses"))
    return items, dict(counts["rejected"])


_RAIN = "Rain/NN fell/VBD in/IN the/DT old/JJ town/NN ./."
_SOUP = "The/DT soup/NN was/VBD hot/JJ ./."


def test_each_rule_has_its_pair() -> None:
    example = _example(_RAIN, _SOUP)
    found = {
        name: [(item.premise, item.hypothesis) for item in _items(name, example)[0]]
        for name in SUITES["consistency"].constructions
    }
    rain, soup = "Rain fell in the old town.", "The soup was hot."
    assert found == {
        "identity": [(rain, rain)],
        "symmetry": [(soup, rain)],
        "negated_hypothesis": [(rain, "It is not the case that the soup was hot.")],
        "double_negation": [
            (rain, "It is not the case that it is not the case that the soup was hot."),
        ],
        "conjunction": [(rain, "The soup was hot and rain fell in the old town.")],
        "transitivity": [(soup, "The soup was cold."), (rain, "The soup was cold.")],
    }


def test_only_identity_has_a_gold_label_and_all_keep_the_cluster_of_their_base() -> None:
    example = _example(_RAIN, _SOUP, cluster="rain")
    for name in SUITES["consistency"].constructions:
        for item in _items(name, example)[0]:
            assert item.label == ("entailment" if name == "identity" else None)
            assert (item.base, item.info["cluster"]) == ("a", "rain")


def test_the_links_of_a_chain_share_their_key() -> None:
    two = "An/DT old/JJ man/NN was/VBD here/RB ./."
    items, _ = _items("transitivity", _example(_RAIN, two), _example(_RAIN, _SOUP, "b"))
    chains: dict[str, dict[str, str]] = {}
    for item in items:
        chains.setdefault(item.info["chain"], {})[item.info["link"]] = item.hypothesis
    assert len(chains) == len(items) / 2 > 2
    assert all(links.keys() == {"h-z", "p-z"} for links in chains.values())
    assert all(len(set(links.values())) == 1 for links in chains.values())


@pytest.mark.parametrize("construction", SUITES["consistency"].constructions)
def test_no_check_has_anything_to_say(construction: str) -> None:
    examples = [_example(_RAIN, _SOUP)]
    items, _ = _items(construction, *examples)
    assert run_checks(Dataset(construction, items), Dataset("base", examples)) == []


def test_the_checks_of_empty_edits_still_find_what_should_have_some() -> None:
    """Only constructions that edit nothing may have items without edits."""
    example = _example(_RAIN, _SOUP)
    (item,), _ = _items("symmetry", example)
    assert item.change is not None
    wrong = example.derive(None, item.change._replace(construction="negation.v1"))
    codes = {finding.code for finding in run_checks(Dataset("x", [wrong]), Dataset("base", [example]))}
    assert codes == {"E103", "W203", "E202"}


def test_equal_premises_are_asked_once_about_identity() -> None:
    items, rejected = _items("identity", _example(_RAIN, _SOUP), _example(_RAIN, _RAIN, "b"))
    assert len(items) == 1
    assert rejected == {"equal to its base": 1}
    items, rejected = _items(
        "identity", _example(_RAIN, _SOUP), _example(_RAIN, "It/PRP was/VBD hot/JJ ./.", "b")
    )
    assert len(items) == 1
    assert rejected == {"pair already in the set": 1}


def test_the_first_word_is_written_as_within_a_sentence(for_each: Callable[..., None]) -> None:
    def check(hypothesis: str, inner: str) -> None:
        (item,), _ = _items("negated_hypothesis", _example(_RAIN, hypothesis))
        assert item.hypothesis == f"It is not the case that {inner}"

    for_each(
        check,
        [
            ("Ann/NNP sings/VBZ ./.", "Ann sings."),
            ("I/PRP sing/VBP ./.", "I sing."),
            ("Asian/JJ men/NNS sing/VBP ./.", "Asian men sing."),
            ("Two/CD men/NNS sing/VBP", "two men sing"),
            ("TV/NN is/VBZ dull/JJ ./.", "TV is dull."),
            ("a/DT man/NN sings/VBZ ./.", "a man sings."),
            ("New/NNP York/NNP is/VBZ large/JJ ./.", "New York is large."),
            ("There/EX is/VBZ a/DT dog/NN !/.", "there is a dog !"),
        ],
    )


def test_what_cannot_be_negated_is_left_out_and_counted(for_each: Callable[..., None]) -> None:
    def check(hypothesis: str, reason: str) -> None:
        for name in ("negated_hypothesis", "double_negation"):
            items, rejected = _items(name, _example(_RAIN, hypothesis))
            assert items == []
            assert rejected == {f"hypothesis: {reason}": 1}

    for_each(
        check,
        [
            ("Is/VBZ the/DT town/NN wet/JJ ?/.", "question"),
            ("Two/CD men/NNS singing/VBG", "no finite verb"),
            ("Two/CD girls/NNS riding/VBG a/DT park/NN ride/VBP ./.", "perhaps no finite verb"),
            ("Buildings/NNS steps/VBZ", "perhaps no finite verb"),
            ("A/DT man/NN dressed/VBD in/IN blue/NN ./.", "perhaps no finite verb"),
            ("Men/NNS singing/VBP ./.", "perhaps no finite verb"),
            ("People/NNS ,/, tall/JJ ,/, ride/VBP ./.", "perhaps no finite verb"),
            ("Go/VB home/NN ./.", "instruction"),
            ("And/CC it/PRP rained/VBD ./.", "begins with a conjunction"),
            ("Because/IN it/PRP rained/VBD ./.", "begins with a conjunction"),
            ("It/PRP rained/VBD ./. It/PRP was/VBD wet/JJ ./.", "several sentences"),
            ("The/DT town/NN (/-LRB- old/JJ )/-RRB- was/VBD wet/JJ ./.", "quotation, parenthesis or dash"),
            ("He/PRP was/VBD yeah/NN wet/JJ", "interjection or repetition"),
            ("They/PRP they/PRP are/VBP good/JJ", "interjection or repetition"),
            ("Ann/NNP sings/VBZ and/CC Bob/NNP dances/VBZ ./.", "coordinated clauses"),
            ("Ann/NNP sings/VBZ ,/, Bob/NNP dances/VBZ ./.", "coordinated clauses"),
            ("Children/NNP play/VBP ./.", "first word may be a name or not"),
            ("Control/NN Data/NNP sells/VBZ ./.", "first word may be a name or not"),
            ("18/CD In/IN town/NN it/PRP rained/VBD ./.", "first word may be a name or not"),
            ("Qwxyz/NN is/VBZ here/RB ./.", "first word may be a name or not"),
        ],
    )


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        ("Ann/NNP sings/VBZ ./.", "Bob/NNP dances/VBZ !/.", "Bob dances and Ann sings."),
        ("It/PRP rains/VBZ", "Bob/NNP dances/VBZ", "Bob dances and it rains"),
        ("It/PRP rains/VBZ ./.", "It/PRP is/VBZ 5/CD p.m./NN", "It is 5 p.m. and it rains."),
        (
            "A/DT man/NN who/WP sings/VBZ is/VBZ here/RB ./.",
            "Bob/NNP dances/VBZ ./.",
            "Bob dances and a man who sings is here.",
        ),
    ],
)
def test_two_sentences_are_joined(premise: str, hypothesis: str, expected: str) -> None:
    (item,), _ = _items("conjunction", _example(premise, hypothesis))
    assert item.hypothesis == expected
    assert item.change is not None
    assert len(item.change.edits) == 1


def test_what_cannot_be_joined_is_left_out_and_counted(for_each: Callable[..., None]) -> None:
    def check(premise: str, hypothesis: str, reason: str) -> None:
        items, rejected = _items("conjunction", _example(premise, hypothesis))
        assert items == []
        assert rejected == {reason: 1}

    for_each(
        check,
        [
            ("Two/CD men/NNS singing/VBG", _SOUP, "premise: no finite verb"),
            ("Ann/NNP sings/VBZ or/CC Bob/NNP dances/VBZ ./.", _SOUP, "premise: coordinated clauses"),
            (_RAIN, "He/PRP says/VBZ that/IN it/PRP rained/VBD ./.", "hypothesis: several clauses"),
            ("Children/NNP play/VBP ./.", _SOUP, "premise: first word may be a name or not"),
            (_RAIN, "Two/CD men/NNS singing/VBG", "hypothesis: no finite verb"),
        ],
    )


def test_an_unlabelled_example_has_the_same_items() -> None:
    """No gold label is read."""
    labelled = _example(_RAIN, _SOUP)
    plain = Example("a", labelled.premise, labelled.hypothesis, None, info=labelled.info)
    for name in SUITES["consistency"].constructions:
        assert _items(name, plain) == _items(name, labelled)
