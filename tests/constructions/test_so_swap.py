"""SOSwap (Nie et al., 2019, section 3.1): subject and object change places."""

import re
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.core.example import Example
from crossexam.corpora.spec import CorpusSpec
from made.cases import each_row, for_each
from made.items import made_by
from made.parses import PARSES, SWAPPED, sentence_of


def _swapped(parse: str, **options: Any) -> tuple[list[Example], dict[str, int]]:
    example = Example("e", sentence_of(parse), "", "neutral", info={"premise_parse": parse})
    return made_by("so_swap", example, **options)


def test_sentences_of_our_own() -> None:
    def check(parse: str, expected: str) -> None:
        items, rejected = _swapped(parse)
        assert [*(item.hypothesis for item in items), *(f"! {reason}" for reason in rejected)] == [expected]

    for_each(check, SWAPPED)


def test_an_item_says_what_was_swapped() -> None:
    for words, told in (
        ("The gardener chases", ["The gardener", "chase", "two geese", "active"]),
        ("ridden", ["a monk", "passive"]),
    ):
        (item,), _ = _swapped(next(parse for sentence, parse in PARSES.items() if words in sentence))
        assert [item.info[key] for key in ("subject", "verb", "object", "voice")][-len(told) :] == told


@each_row
def test_the_rules_of_the_paper_swap_and_nothing_else(words: str, expected: str) -> None:
    parse = next(parse for sentence, parse in PARSES.items() if words in sentence)
    (item,), _ = _swapped(parse, rules="paper")
    assert item.hypothesis == expected
    bags = (sorted(re.findall(r"\w+", text.lower())) for text in (item.premise, item.hypothesis))
    assert next(bags) == next(bags)


@pytest.mark.slow
def test_the_rules_of_the_paper_make_as_many_items_as_the_paper(shared_data: Path) -> None:
    base = CorpusSpec.parse(f"snli@{shared_data / 'snli' / 'snli_1.0_dev.jsonl'}").examples()
    items, _ = apply_construction("so_swap", base, options={"rules": "paper"})
    assert 900 < len(items) < 1.1 * 971
