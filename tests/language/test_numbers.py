"""Quantities, and the numbers that are none."""

from __future__ import annotations

import re
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
from crossexam.language.tokens import Token, words

# Sentence; text, value, style of its quantity, and the amount as a whole.
TAKEN = [
    ("Kim has 12 dogs.", "12", "12", "integer", "12"),
    ("Kim has 3.50 left.", "3.50", "3.50", "decimal", "3.50"),
    ("It weighs .5 kg.", ".5", "0.5", "decimal", ".5"),
    ("Some say 1,234,567 people came.", "1,234,567", "1234567", "thousands", "1,234,567"),
    ("Kim won 1,00,000 there.", "1,00,000", "100000", "indian", "1,00,000"),
    ("Kim paid $200,000 to Lee.", "200,000", "200000", "thousands", "$200,000"),
    ("Kim paid Rs. 350 to Lee.", "350", "350", "integer", "Rs. 350"),
    ("Kim paid Rs500 to Lee.", "500", "500", "integer", "Rs500"),
    ("Kim paid £ 3.50 to Lee.", "3.50", "3.50", "decimal", "£ 3.50"),
    ("Kim has Rs.75/- now.", "75", "75", "integer", "Rs.75/-"),
    ("It sold for $2.4 million there.", "2.4", "2.4", "decimal", "$2.4 million"),
    ("Prices rose 10% then.", "10", "10", "integer", "10%"),
    ("Prices rose 7.5 per cent then.", "7.5", "7.5", "decimal", "7.5 per cent"),
    ("Thirty percent came.", "Thirty", "30", "word", "Thirty percent"),
    ("Kim has twenty-five dogs.", "twenty-five", "25", "word", "twenty-five"),
    ("Kim has three hundred and two dogs.", "three hundred and two", "302", "word", "three hundred and two"),
    ("There are one thousand dogs.", "one thousand", "1000", "word", "one thousand"),
    ("There are a hundred dogs.", "a hundred", "100", "word", "a hundred"),
    ("Kim has one dog.", "one", "1", "word", "one"),
    ("It runs at 45 km/hr on a track.", "45", "45", "integer", "45"),
    ("A train 120m long left.", "120", "120", "integer", "120"),
    ("Kim has 4 quarters and some dimes.", "4", "4", "integer", "4"),
    ("Kim is 12 years old.", "12", "12", "integer", "12"),
    ("It ran 1500 meters.", "1500", "1500", "integer", "1500"),
]


@pytest.mark.parametrize(
    ("sentence", "text", "value", "style", "amount"), TAKEN, ids=[row[0] for row in TAKEN]
)
def test_a_quantity_has_its_value_and_place(
    sentence: str, text: str, value: str, style: str, amount: str
) -> None:
    (number,) = quantities(sentence)
    assert isinstance(number, Quantity), number
    assert (number.text, number.value, number.style) == (text, Decimal(value), style)
    assert sentence[number.start : number.end] == text
    assert sentence[number.phrase_start : number.phrase_end] == amount
    assert number.percent == ("%" in amount or "cent" in amount)


# Reason, sentence, and the numbers rejected for it; other numbers of the sentence are quantities.
REJECTED = [
    ("year", "In 1990 Kim had 2 dogs.", ["1990"]),
    ("year", "It was built by 1915.", ["1915"]),
    ("year", "They met in December 2015.", ["2015"]),
    ("year", "It dates from the 1990s.", ["1990"]),
    ("year", "It fell in 55 BC.", ["55"]),
    ("date", "They met on May 5 there.", ["5"]),
    ("date", "They met on 5 May there.", ["5"]),
    ("date", "They met on 12/25/2001 there.", ["12/25/2001"]),
    ("time", "He left at 6:30 then.", ["6:30"]),
    ("time", "He left at 7 am then.", ["7"]),
    ("time", "He left at 7 p.m. then.", ["7"]),
    ("time", "He left at 5 o'clock.", ["5"]),
    ("time", "It opens at eight in the morning.", ["eight"]),
    ("ordinal", "He was 3rd and she third.", ["3", "third"]),
    ("fraction", "He ate 1/2 of 6 pies.", ["1/2"]),
    ("fraction", "He ate 3 1/2 pies.", ["3", "1/2"]),
    ("fraction", "He ate one and a half pies.", ["one"]),
    ("fraction", "He ate 3½ pies.", ["3"]),
    ("fraction", "It is half a million.", ["a million"]),
    ("list_marker", "1. Take 2 eggs.", ["1"]),
    ("list_marker", "(2) Take 3 eggs.", ["2"]),
    ("version", "Use 1.2.3 on 4 machines.", ["1.2.3"]),
    ("identifier", "Put A4 and x2 by Highway 66.", ["4", "2", "66"]),
    ("identifier", "See No. 7 and number 8 on page 12.", ["7", "8", "12"]),
    ("identifier", "It divides the numbers 22, 33 and 44.", ["22", "33", "44"]),
    ("ratio", "They are as 3:2 there.", ["3:2"]),
    ("range", "It takes 3 to 5 days.", ["3", "5"]),
    ("range", "It takes 10-12 days.", ["10-12"]),
    ("range", "It takes three or four days.", ["three", "four"]),
    ("range", "It takes between 3 and 5 days.", ["3", "5"]),
    ("dimensions", "It is 2 x 3 metres.", ["2", "3"]),
    ("dimensions", "It is 8 m by 6 m.", ["8", "6"]),
    ("exponent", "It has 10^3 parts.", ["10^3"]),
    ("telephone", "Call 555-1234 for 7 tickets.", ["555-1234"]),
    ("expression", "Then 2 + 3 = 5 holds.", ["2", "3", "5"]),
    ("expression", "It fell to -5 there.", ["5"]),
    ("expression", "Take f(3) of it.", ["3"]),
    ("compound", "A 12-year-old boy has 7 dogs.", ["12"]),
    ("pronoun", "One of them saw the big one.", ["One", "one"]),
    ("pronoun", "No one saw it.", ["one"]),
    ("vague", "There were hundreds of dogs.", ["hundreds"]),
    ("collective", "Kim has a dozen eggs.", ["a dozen"]),
    ("compared", "Kim has more than 5 dogs.", ["5"]),
    ("compared", "Kim has at least $5 now.", ["5"]),
    ("compared", "Kim has about 10 dogs.", ["10"]),
    ("definite", "Kim sold the 2 songs to his 6 friends.", ["2", "6"]),
    ("definite", "Kim got a 20% discount.", ["20"]),
    ("malformed", "Kim has 1,00 dogs.", ["1,00"]),
    ("malformed", "Kim has two three dogs.", ["two three"]),
    ("malformed", "Kim has 250 000 dogs.", ["250", "000"]),
]


@pytest.mark.parametrize(("reason", "sentence", "texts"), REJECTED, ids=[row[1] for row in REJECTED])
def test_a_number_that_is_no_quantity_has_its_reason(reason: str, sentence: str, texts: list[str]) -> None:
    found = quantities(sentence)
    rejected = [number for number in found if isinstance(number, RejectedNumber)]
    assert [(number.text, number.reason) for number in rejected] == [(text, reason) for text in texts]
    digits = [text for text in re.findall(r"\d+", sentence) if text not in " ".join(texts)]
    assert [number.text for number in found if isinstance(number, Quantity)] == digits


def test_every_reason_has_a_case() -> None:
    assert {row[0] for row in REJECTED} == set(REASONS)


def test_one_is_a_quantity_where_it_is_tagged_as_a_number() -> None:
    sentence = "They saw one man there."
    tokens = words(sentence)
    tagged = {tag: [Token(*t[:3], tag if t.text == "one" else "X") for t in tokens] for tag in ("CD", "PRP")}
    assert isinstance(quantities(sentence, tagged["CD"])[0], Quantity)
    assert quantities(sentence, tagged["PRP"])[0][3] == "pronoun"
    assert isinstance(quantities(sentence, tokens)[0], Quantity)  # no tags: the words around decide


def test_a_second_number_word_is_not_a_number_of_its_own() -> None:
    assert [number.text for number in quantities("It cost $2.4 million and 3 lakh in all.")] == ["2.4", "3"]


@pytest.mark.parametrize(
    ("sentence", "value", "expected"),
    [
        ("12 dogs", "7", "7"),
        ("$200,000 went", "1950000", "1,950,000"),
        ("$1,200.50 went", "999.25", "999.25"),
        ("1,00,000 went", "12345678", "1,23,45,678"),
        ("1,00,000 went", "99", "99"),
        ("3.50 went", "4", "4.00"),
        (".25 went", "0.75", ".75"),
        ("Two cats", "31", "Thirty-one"),
        ("TWO CATS", "31", "THIRTY-ONE"),
        ("they saw two hundred and one cats", "302", "three hundred and two"),
        ("they saw two hundred one cats", "302", "three hundred two"),
    ],
)
def test_a_new_value_is_written_in_the_old_style(sentence: str, value: str, expected: str) -> None:
    like = quantities(sentence)[0]
    assert isinstance(like, Quantity)
    assert render_number(Decimal(value), like) == expected


def test_a_list_marker_stands_at_the_beginning_only() -> None:
    long = "It is a long way from the town to the place where they went and met "
    assert [n.text for n in quantities(long + "(5) and 7") if isinstance(n, Quantity)] == ["7"]
    assert [n.text for n in quantities(long + "5. Then 7 came.") if isinstance(n, Quantity)] == ["5", "7"]


@pytest.mark.parametrize(("sentence", "value"), [("12 dogs", "1.5"), ("two dogs", "1.5"), ("3.5 kg", "-1")])
def test_a_value_that_does_not_fit_the_style_is_an_error(sentence: str, value: str) -> None:
    like = quantities(sentence)[0]
    assert isinstance(like, Quantity)
    with pytest.raises(ValueError, match=re.escape(f"{value} cannot be written like {like.text!r}")):
        render_number(Decimal(value), like)


@given(st.integers(0, 10**9), st.sampled_from(["{} dogs", "{:,} dogs", "{} kg"]))
def test_what_is_rendered_is_read_again(value: int, form: str) -> None:
    sentence = "Kim has " + form.format(value)
    (number,) = quantities(sentence)
    assert isinstance(number, Quantity)
    assert number.value == value
    assert render_number(value, number) == number.text


@given(st.integers(0, 10**12 - 1), st.booleans())
def test_numbers_are_spelt_as_they_are_read(value: int, conjunction: bool) -> None:
    assert parse_number_word(spell(value, conjunction=conjunction)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "zero"),
        (19, "nineteen"),
        (20, "twenty"),
        (85, "eighty-five"),
        (100, "one hundred"),
        (1015, "one thousand fifteen"),
        (2_000_302, "two million three hundred two"),
        (10**9, "one billion"),
    ],
)
def test_numbers_are_spelt(value: int, text: str) -> None:
    assert spell(value) == text


@pytest.mark.parametrize(
    "text",
    ["dog", "two three", "hundred five hundred", "one thousand billion", "and", "five and", "one dog", "-"],
)
def test_what_spells_no_number_is_none(text: str) -> None:
    assert parse_number_word(text) is None


@pytest.mark.parametrize("value", [-1, 10**12])
def test_a_number_out_of_range_cannot_be_spelt(value: int) -> None:
    with pytest.raises(ValueError, match=r"must be in the range \[0, 1000000000000\)"):
        spell(value)


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
