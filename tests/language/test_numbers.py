"""Numbers: how they are read, and written."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.language.numbers import Amount, all_quantities, parse_number_word, render_number, spell
from made.cases import each_row


@each_row
def test_a_quantity_has_its_value_and_place(
    sentence: str, text: str, value: str, style: str, amount: str
) -> None:
    (number,) = all_quantities(sentence)
    assert (number.text, number.value, number.style) == (text, Decimal(value), style)
    assert sentence[number.start : number.end] == text
    assert sentence[number.phrase_start : number.phrase_end] == amount
    assert number.percent == ("%" in amount or "cent" in amount)


def test_a_new_value_is_written_in_the_old_style(each_case: Callable[..., None]) -> None:
    def check(text: str, new: str, written: str) -> None:
        assert render_number(Decimal(new), _first(text)) == written

    each_case(check)
    for text, value in (("12 dogs", "1.5"), ("two dogs", "1.5"), ("3.5 kg", "-1")):
        with pytest.raises(ValueError, match=f"{value} cannot be written like '{_first(text).text}'"):
            render_number(Decimal(value), _first(text))


def _first(sentence: str) -> Amount:
    return all_quantities(sentence)[0]


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
    wrong = "dog|two three|hundred five hundred|one thousand billion|and|five and|one dog|-".split("|")
    assert [text for text in wrong if parse_number_word(text) is not None] == []
