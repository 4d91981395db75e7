"""SOSwap (Nie et al., 2019, section 3.1): subject and object change places."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.so_swap import Options, so_swap
from crossexam.core.example import Example
from crossexam.corpora.spec import CorpusSpec
from made.cases import each_row
from made.parses import PARSES, SWAPPED, sentence_of


def _outcome(parse: str, **options: Any) -> Any:
    example = Example("e", sentence_of(parse), "", "neutral", info={"premise_parse": parse})
    (outcome,) = so_swap(example, LanguageResources(), random.Random(0), Options(**options))
    return outcome.item(example, "so_swap.v2") if isinstance(outcome, Draft) else outcome


def test_sentences_of_our_own(for_each: Callable[..., None]) -> None:
    def check(parse: str, expected: str) -> None:
        outcome = _outcome(parse)
        written = f"! {outcome.reason}" if isinstance(outcome, Rejection) else outcome.hypothesis
        assert written == expected

    for_each(check, SWAPPED)


def test_an_item_says_what_was_swapped() -> None:
    for words, told in (
        ("The gardener chases", ["The gardener", "chase", "two geese", "active"]),
        ("ridden", ["a monk", "passive"]),
    ):
        item = _outcome(next(parse for sentence, parse in PARSES.items() if words in sentence))
        assert [item.info[key] for key in ("subject", "verb", "object", "voice")][-len(told) :] == told


@each_row
def test_the_rules_of_the_paper_swap_and_nothing_else(words: str, expected: str) -> None:
    parse = next(parse for sentence, parse in PARSES.items() if words in sentence)
    item = _outcome(parse, rules="paper")
    assert item.hypothesis == expected
    bags = (sorted(re.findall(r"\w+", text.lower())) for text in (item.premise, item.hypothesis))
    assert next(bags) == next(bags)


@pytest.mark.slow
def test_the_rules_of_the_paper_make_as_many_items_as_the_paper(shared_data: Path) -> None:
    base = CorpusSpec.parse(f"snli@{shared_data / 'snli' / 'snli_1.0_dev.jsonl'}").examples()
    items, _ = apply_construction("so_swap", base, options={"rules": "paper"})
    assert 900 < len(items) < 1.1 * 971
