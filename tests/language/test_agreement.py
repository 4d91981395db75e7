"""The number of a subject, and the form of a verb that agrees with it."""

from typing import Any

from crossexam.language.agreement import agreeing, number_of
from crossexam.language.clauses import Phrase
from crossexam.language.tokens import Parsed
from made.cases import each_row
from made.sentences import tokens_of


@each_row
def test_agreement(verb: str, tag: str, number: Any, expected: str) -> None:
    assert agreeing(verb, tag, number) == expected


@each_row
def test_number(words: str, head: str, relations: str, heads: list[int], expected: str) -> None:
    tokens = tokens_of(words)
    parsed = Parsed(tokens, tuple(heads), tuple(relations.split()))
    assert number_of(parsed, Phrase(0, len(tokens), int(head))) == expected
