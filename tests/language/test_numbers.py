"""Quantities, and the numbers that are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.numbers import (
    REASONS,
    Quantity,
    RejectedNumber,
    parse_number_word,
    quantities,
    render_number,
    spell,
)
from crossexam.language.tokens import Token


def test_a_quantity_has_its_value_and_place(each_case: Callable[..., None]) -> None:
    def check(sentence: str, text: str, value: str, style: str, amount: str) -> None:
        (number,) = quantities(sentence)
        assert isinstance(number, Quantity), number
        assert (number.text, number.value, number.style) == (text, Decimal(value), style)
        assert sentence[number.start : number.end] == text
        assert sentence[number.phrase_start : number.phrase_end] == amount
        assert number.percent == ("%" in amount or "cent" in amount)

    each_case(check)


def test_a_number_that_is_no_quantity_has_its_reason(each_case: Callable[..., None]) -> None:
    """Numbers of the sentence that are not rejected are quantities, and every reason is in the table."""
    reasons = set()

    def check(reason: str, sentence: str, texts: list[str]) -> None:
        reasons.add(reason)
        found = quantities(sentence)
        rejected = [number for number in found if isinstance(number, RejectedNumber)]
        assert [(number.text, number.reason) for number in rejected] == [(text, reason) for text in texts]
        digits = [text for text in re.findall(r"\d+", sentence) if text not in " ".join(texts)]
        assert [number.text for number in found if isinstance(number, Quantity)] == digits

    each_case(check)
    assert reasons == set(REASONS)
    assert all(re.fullmatch("[a-z]+( [a-z]+)*", reason) for reason in REASONS)  # as in the yield table


def _tagged(text: str) -> list[Token]:
    """Tag "word/TAG" pieces; others have no tag."""
    pieces = [piece.rpartition("/")[::2] if "/" in piece else (piece, "") for piece in text.split()]
    sentence = " ".join(word for word, _ in pieces)
    tokens, start = [], 0
    for word, tag in pieces:
        start = sentence.index(word, start)
        tokens.append(Token(word, start, start + len(word), tag))
    return tokens


def test_tags_show_what_is_counted(each_case: Callable[..., None]) -> None:
    def check(tagged: str, reason: str | None) -> None:
        tokens = _tagged(tagged)
        (number,) = quantities(" ".join(token.text for token in tokens), tokens)
        assert (number.reason if isinstance(number, RejectedNumber) else None) == reason

    each_case(check)


def test_one_is_a_quantity_where_it_is_tagged_as_a_number() -> None:
    (number,) = quantities("They saw one man there.")
    assert isinstance(number, Quantity)  # no tags: the words around decide
    tags = {"CD": Quantity, "PRP": RejectedNumber}
    for tag, kind in tags.items():
        tokens = _tagged(f"They/X saw/X one/{tag} man/X there/X")
        assert isinstance(quantities("They saw one man there", tokens)[0], kind)
    assert [number.text for number in quantities("It cost $2.4 million and 3 lakh in all.")] == ["2.4", "3"]


def test_a_new_value_is_written_in_the_old_style(each_case: Callable[..., None]) -> None:
    def check(text: str, new: str, written: str) -> None:
        assert render_number(Decimal(new), _first(text)) == written

    each_case(check)
    for text, value in (("12 dogs", "1.5"), ("two dogs", "1.5"), ("3.5 kg", "-1")):
        with pytest.raises(ValueError, match=f"{value} cannot be written like '{_first(text).text}'"):
            render_number(Decimal(value), _first(text))


def _first(sentence: str) -> Quantity:
    number = quantities(sentence)[0]
    assert isinstance(number, Quantity)
    return number


def test_a_list_marker_stands_at_the_beginning_only() -> None:
    long = "It is a long way from the town to the place where they went and met "
    assert [n.text for n in quantities(long + "(5) and 7") if isinstance(n, Quantity)] == ["7"]
    assert [n.text for n in quantities(long + "5. Then 7 came.") if isinstance(n, Quantity)] == ["5", "7"]


@given(st.integers(0, 10**12 - 1), st.booleans())
def test_numbers_are_spelt_as_they_are_read(value: int, conjunction: bool) -> None:
    assert parse_number_word(spell(value, conjunction=conjunction)) == value


def test_numbers_are_spelt(each_case: Callable[..., None]) -> None:
    def check(value: str, spelt: str) -> None:
        assert spell(int(value)) == spelt

    each_case(check)
    for value in (-1, 10**12):
        with pytest.raises(ValueError, match=r"must be in the range \[0, 1000000000000\)"):
            spell(value)


def test_what_spells_no_number_is_none() -> None:
    texts = "dog|two three|hundred five hundred|one thousand billion|and|five and|one dog|-".split("|")
    assert [text for text in texts if parse_number_word(text) is not None] == []


PIECES = st.sampled_from(
    "Kim has 3 1,200 2.5 $5 Rs. 10% one two hundred and 1/2 6:30 a dozen May 2001 - + = x 1st No. ( )".split()
)


@given(st.lists(PIECES, max_size=10))
def test_any_text_is_read_without_overlap(pieces: list[str]) -> None:
    text = " ".join(pieces)
    reach = 0
    for number in quantities(text):
        assert text[number.start : number.end] == number.text
        assert reach <= number.start < number.end
        reach = number.end
        if isinstance(number, Quantity):
            assert number.phrase_start <= number.start
            assert number.end <= number.phrase_end <= len(text)
            assert render_number(number.value, number).replace(" and", "").lower() in {
                number.text.replace(" and", "").lower(),
                f"one {number.text.lower()}",
                "one" + number.text.lower().removeprefix("a").replace(" and", ""),
            }
        else:
            assert number.reason in REASONS
