"""Examples with a word pair, and where the pair is in them."""

from typing import Any

from crossexam.constructions.pair_matching import PairTable, matches
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.language.lexicons.word_pairs import WordPair
from made.sentences import tagged

#: A pair is written as its words, relation and part of speech.
SUNSET, OLD, ANIMAL = "sunset sunrise antonym n", "old young antonym a", "dog animal hypernym n"


def table_of(pair: str, every: bool = False) -> PairTable:
    """A list of one pair."""
    return PairTable([WordPair(*pair.split())], every=every)  # type: ignore[arg-type]


def example(premise: str, hypothesis: str, label: Gold = "contradiction") -> Example:
    return tagged(premise, hypothesis, label=label, name="x1")


def match_of(one: Example, pair: str) -> Any:
    (match,) = matches(one, table_of(pair), LanguageResources())
    return match
