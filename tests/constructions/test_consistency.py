"""What the items of the consistency suite say, and what cannot be part of a sentence."""

import re
from dataclasses import replace

from crossexam.core.example import Example
from crossexam.suites.table import SUITES
from made.cases import each_row
from made.items import made_by
from made.sentences import tagged


def _example(premise: str, hypothesis: str, name: str = "a", **info: str) -> Example:
    """An example whose sentences are given with their tags, "The/DT dog/NN"; no blank before marks."""
    return tagged(*(re.sub(r" (?=[.,?'])", " _", side) for side in (premise, hypothesis)), name=name, **info)


_RAIN = "Rain/NN fell/VBD in/IN the/DT old/JJ town/NN ./."
_SOUP = "The/DT soup/NN was/VBD hot/JJ ./."


def test_items_keep_the_cluster_of_their_base_and_no_gold_label_is_read() -> None:
    example = _example(_RAIN, _SOUP, cluster="rain")
    plain = replace(example, label=None)
    for name in SUITES["consistency"].constructions:
        items, rejected = made_by(name, example)
        assert made_by(name, plain) == (items, rejected)
        assert {item.info["cluster"] for item in items} == {"rain"}
        assert {item.label for item in items} == {"entailment" if name == "identity" else None}


def test_the_links_of_a_chain_share_their_key() -> None:
    two = "An/DT old/JJ man/NN was/VBD here/RB ./."
    items, _ = made_by("transitivity", _example(_RAIN, two), _example(_RAIN, _SOUP, "b"))
    chains: dict[str, dict[str, str]] = {}
    for item in items:
        chains.setdefault(item.info["chain"], {})[item.info["link"]] = item.hypothesis
    assert len(chains) == len(items) / 2 > 2
    assert all(links.keys() == {"h-z", "p-z"} for links in chains.values())
    assert all(len(set(links.values())) == 1 for links in chains.values())


@each_row
def test_the_first_word_is_written_as_within_a_sentence(hypothesis: str, inner: str) -> None:
    (item,), _ = made_by("negated_hypothesis", _example(_RAIN, hypothesis))
    assert item.hypothesis == f"It is not the case that {inner}"


@each_row
def test_what_cannot_be_negated_is_left_out_and_counted(hypothesis: str, reason: str) -> None:
    for name in ("negated_hypothesis", "double_negation"):
        assert made_by(name, _example(_RAIN, hypothesis)) == ([], {f"hypothesis: {reason}": 1})


@each_row
def test_two_sentences_are_joined(premise: str, hypothesis: str, expected: str) -> None:
    (item,), _ = made_by("conjunction", _example(premise, hypothesis))
    assert item.hypothesis == expected
    assert len(item.change.edits) == 1


@each_row
def test_what_cannot_be_joined_is_left_out_and_counted(premise: str, hypothesis: str, reason: str) -> None:
    assert made_by("conjunction", _example(premise, hypothesis)) == ([], {reason: 1})
