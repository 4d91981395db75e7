"""The number of a subject, and the form of a verb that agrees with it."""

from typing import Any

from crossexam.language.agreement import agreeing, number_of
from crossexam.language.clauses import Phrase
from crossexam.language.tokens import Parsed, Token
from made.cases import each_row


@each_row
def test_agreement(verb: str, tag: str, number: Any, expected: str) -> None:
    assert agreeing(verb, tag, number) == expected


@each_row
def test_number(words: str, head: str, relations: str, heads: list[int], expected: str) -> None:
    tokens = tuple(Token(word, 0, 0, tag) for word, tag in (piece.split("/") for piece in words.split()))
    parsed = Parsed(tokens, tuple(heads), tuple(relations.split()))
    assert number_of(parsed, Phrase(0, len(tokens), int(head))) == expected
