"""Quantities, and the numbers that are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import assume, given
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
    ("It sold 2000 tickets.", "2000", "2000", "integer", "2000"),
    ("In Paris 20 shops closed.", "20", "20", "integer", "20"),
    ("They saw 20 U.S. soldiers.", "20", "20", "integer", "20"),
    ("The bus will seat 50 people.", "50", "50", "integer", "50"),
    ("It has 50 MW now.", "50", "50", "integer", "50"),
    ("Kim paid $5 for bread.", "5", "5", "integer", "$5"),
    ("It cost $6B then.", "6", "6", "integer", "$6B"),
]


def test_a_quantity_has_its_value_and_place(for_each: Callable[..., None]) -> None:
    def check(sentence: str, text: str, value: str, style: str, amount: str) -> None:
        (number,) = quantities(sentence)
        assert isinstance(number, Quantity), number
        assert (number.text, number.value, number.style) == (text, Decimal(value), style)
        assert sentence[number.start : number.end] == text
        assert sentence[number.phrase_start : number.phrase_end] == amount
        assert number.percent == ("%" in amount or "cent" in amount)

    for_each(check, TAKEN)


# Reason, sentence, and the numbers rejected for it; other numbers of the sentence are quantities.
REJECTED = [
    ("year", "In 1990 Kim had 2 dogs.", ["1990"]),
    ("year", "It was built by 1915.", ["1915"]),
    ("year", "The conference met in 1991 in Boston.", ["1991"]),
    ("year", "She ran in 2012 and 2016 in London.", ["2012", "2016"]),
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
    ("list marker", "1. Take 2 eggs.", ["1"]),
    ("list marker", "(2) Take 3 eggs.", ["2"]),
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
    ("year", "It fell in 1991 Islamists say.", ["1991"]),
    ("year", "It fell (Longman, 1984).", ["1984"]),
    ("year", "Doubling 2001 contributions was hard.", ["2001"]),
    ("year", "In 392 the emperor left.", ["392"]),
    ("name", "The Big 13 Conference has 7 members.", ["13"]),
    ("name", "It took off as United 93 with 7 men.", ["93"]),
    ("name", "Prices in the Fortune 500 rose.", ["500"]),
    ("identifier", "They saw Apollo 13 land.", ["13"]),
    ("identifier", "They took flight 93 from gate 12 and sat in row 2 of room 12.", ["93", "12", "2", "12"]),
    ("identifier", "They read volume 12 and chapter 3.", ["12", "3"]),
    ("identifier", "They flew on a Boeing 747 then.", ["747"]),
    ("identifier", "He sat in seat 3C then.", ["3"]),
    ("identifier", "It is at Abbey Stores, 25, North Road.", ["25"]),
    ("identifier", "Eleven, go ahead.", ["Eleven"]),
    ("name", "He lives at 10 Downing Street.", ["10"]),
    ("name", "They watched 60 Minutes there.", ["60"]),
    ("name", "They watched Ocean Eleven there.", ["Eleven"]),
    ("name", "It is Spanish for eight rivers.", ["eight"]),
    ("compound", "They went to 7-Eleven.", ["7", "Eleven"]),
    ("telephone", "Call 1-800-555-1234 today.", ["1-800-555-1234"]),
    ("denomination", "Kim gave $10 bills to Lee.", ["10"]),
    ("denomination", "Kim has 5 cent coins.", ["5"]),
    ("denomination", "Kim got 20 dollar bills.", ["20"]),
    ("compound", "Kim has a 20-dollar bill and 5-cent coins.", ["20", "5"]),
    ("threshold", "A gift of $220 qualifies.", ["220"]),
    ("threshold", "It is limited to 5 days.", ["5"]),
    ("threshold", "It costs $50 an hour minimum.", ["50"]),
    ("threshold", "A minimum of 5 days will do.", ["5"]),
    ("compared", "Up to 5 days and over 6 nights passed.", ["5", "6"]),
    ("compared", "It takes 5 days or more.", ["5"]),
    ("share", "It gets 60 percent from them, 10 percent from her and 30% from us.", ["60", "10", "30"]),
    ("share", "It sold 60% to Kim and kept the rest.", ["60"]),
    ("whole", "It is open 24 hours a day, seven days a week.", ["24", "seven"]),
    ("listed", "It has three sectors: north, south and west.", ["three"]),
    ("listed", "There are three roads, the high road; the low road; and a path.", ["three"]),
    ("list marker", "It has 1) long and 2) short legs.", ["1", "2"]),
    ("telephone", "It is in Kendal, phone 720085 there.", ["720085"]),
    ("malformed", "It covers 193, 200 acres.", ["193", "200"]),
    ("fraction", "It won 26 of 31 games.", ["31"]),
    ("identifier", "They bought old 45s there.", ["45"]),
    ("year", "He was in the class of ' 84 then.", ["84"]),
    ("year", "In 1850 reforms began.", ["1850"]),
    ("year", "They had left by 1066 or so they say.", ["1066"]),
    ("year", "It was the summer of 1066 there.", ["1066"]),
    ("year", "They liked 1850 best.", ["1850"]),
    ("identifier", "They stood in line 5 there.", ["5"]),
    ("identifier", "As box 4.1 describes it.", ["4.1"]),
    ("identifier", "They sat near 3C there.", ["3"]),
    ("range", "It closes 6 through Friday.", ["6"]),
    ("threshold", "A donation of $5 a head will help.", ["5"]),
    ("threshold", "There 5 years entitles them to more.", ["5"]),
    ("whole", "It is open twelve months a year.", ["twelve"]),
    ("listed", "It has two small parts, the Old Wing and the New Wing.", ["two"]),
    ("listed", "It has 3 parts, Wing A, the tower and the gate.", ["3"]),
    ("restated", "It is 11 percent of them, or 150 people.", ["11"]),
    ("restated", "Kim has 5 dogs and Lee has 5 cats.", ["5", "5"]),
    ("vague", "It is a few hundred yards away.", ["hundred"]),
    ("threshold", "It set a target of 72 percent.", ["72"]),
    ("list marker", "3 ) So it went.", ["3"]),
    ("list marker", '87 "I see him there.', ["87"]),
    ("year", "It was founded in 641 and grew.", ["641"]),
    ("listed", "It has statues of four gods (Ptah, Amun, Ramses and Horakhty).", ["four"]),
    ("denomination", "Kim has twenty dollar gold coins.", ["twenty"]),
    ("compared", "Kim has more'n 5 dogs.", ["5"]),
    ("name", "They saw 101 Dalmatians then.", ["101"]),
    ("compared", "It has less then 5 rooms.", ["5"]),
    ("list marker", "The museum (Calle Oficios, 8) is old.", ["8"]),
    ("name", "They saw the coming 60 Minutes interviews.", ["60"]),
    ("identifier", "They have popular 401 (k) plans.", ["401"]),
    ("list marker", "9 is a museum there.", ["9"]),
    ("rank", "It was ranked 5 there.", ["5"]),
    ("rank", "It had a score of 3 there.", ["3"]),
    ("range", "They won by 5 to 3 there.", ["5", "3"]),
    ("restated", "It is 120 km ($75) away, for 3 nights.", ["120"]),
    ("misplaced", "As he said,8 and so on.", ["8"]),
    ("misplaced", "There 281 was some talk.", ["281"]),
    ("negated", "Kim did not buy 5 books.", ["5"]),
    ("negated", "Kim couldn't sell 5 books.", ["5"]),
    ("uncertain", "Kim may have 5 dogs.", ["5"]),
    ("uncertain", "Kim perhaps has 5 dogs.", ["5"]),
    ("vague", "Kim heard it a hundred times.", ["a hundred"]),
    ("list marker", "83 At that point some men left.", ["83"]),
    ("malformed", "Kim has 1,00 dogs.", ["1,00"]),
    ("malformed", "Kim has two three dogs.", ["two three"]),
    ("malformed", "Kim has 250 000 dogs.", ["250", "000"]),
]


def test_a_number_that_is_no_quantity_has_its_reason(for_each: Callable[..., None]) -> None:
    def check(reason: str, sentence: str, texts: list[str]) -> None:
        found = quantities(sentence)
        rejected = [number for number in found if isinstance(number, RejectedNumber)]
        assert [(number.text, number.reason) for number in rejected] == [(text, reason) for text in texts]
        digits = [text for text in re.findall(r"\d+", sentence) if text not in " ".join(texts)]
        assert [number.text for number in found if isinstance(number, Quantity)] == digits

    for_each(check, REJECTED)
    assert {row[0] for row in REJECTED} == set(REASONS)


def _tagged(text: str) -> list[Token]:
    """Tag "word/TAG" pieces; others have no tag."""
    pieces = [piece.rpartition("/")[::2] if "/" in piece else (piece, "") for piece in text.split()]
    sentence = " ".join(word for word, _ in pieces)
    tokens, start = [], 0
    for word, tag in pieces:
        start = sentence.index(word, start)
        tokens.append(Token(word, start, start + len(word), tag))
    return tokens


# Tagged text; the reason for which its numeral is rejected, None if it is a quantity.
BY_TAG = [
    ("United/NNP 93/CD crashed/VBD", "name"),
    ("American/JJ 77/CD took/VBD off/RP", "name"),
    ("the/DT Slate/NNP 60/CD ranking/NN", "name"),
    ("their/PRP$ house/NN 23/CD is/VBZ old/JJ", "name"),
    ("In/IN Paris/NNP 20/CD small/JJ shops/NNS closed/VBD", None),
    ("Last/JJ Monday/NNP 20/CD men/NNS left/VBD", None),
    ("Kim/NNP gave/VBD Lee/NNP 5/CD kg/NN", None),
    ("at/IN 66/CD Queensway/NNP in/IN Central/NNP", "name"),
    ("took/VBD 66/CD Black/NNP Hawk/NNP helicopters/NNS", None),
    ("she/PRP was/VBD 96/CD just/RB leaving/VBG", "misplaced"),
    ("in/IN nineteen/CD the/DT early/JJ seventies/NNS", "misplaced"),
    ("He/PRP felt/VBD 193/CD sure/JJ that/IN", "misplaced"),
    ("although/IN 67/CD were/VBD saved/VBN", None),
]


def test_tags_show_what_is_counted() -> None:
    found = []
    for tagged, _ in BY_TAG:
        tokens = _tagged(tagged)
        (number,) = quantities(" ".join(token.text for token in tokens), tokens)
        found.append((tagged, number.reason if isinstance(number, RejectedNumber) else None))
    assert found == BY_TAG


def test_reasons_are_words() -> None:
    """They are in the yield table."""
    assert [reason for reason in REASONS if not re.fullmatch("[a-z]+( [a-z]+)*", reason)] == []


def test_one_is_a_quantity_where_it_is_tagged_as_a_number() -> None:
    sentence = "They saw one man there."
    tokens = words(sentence)
    tagged = {tag: [Token(*t[:3], tag if t.text == "one" else "X") for t in tokens] for tag in ("CD", "PRP")}
    assert isinstance(quantities(sentence, tagged["CD"])[0], Quantity)
    assert quantities(sentence, tagged["PRP"])[0][3] == "pronoun"
    assert isinstance(quantities(sentence, tokens)[0], Quantity)  # no tags: the words around decide


def test_a_second_number_word_is_not_a_number_of_its_own() -> None:
    assert [number.text for number in quantities("It cost $2.4 million and 3 lakh in all.")] == ["2.4", "3"]


def test_a_new_value_is_written_in_the_old_style() -> None:
    table = [
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
    ]
    assert [(text, new, render_number(Decimal(new), _first(text))) for text, new, _ in table] == table
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


@given(st.integers(0, 10**9), st.sampled_from(["{} dogs", "{:,} dogs", "{} kg"]))
def test_what_is_rendered_is_read_again(value: int, form: str) -> None:
    sentence = "Kim has " + form.format(value)
    assume(not ("{} " in form and re.fullmatch(r"19\d[1-9]|20[0-4][1-9]", str(value))))  # a year
    (number,) = quantities(sentence)
    assert isinstance(number, Quantity)
    assert number.value == value
    assert render_number(value, number) == number.text


@given(st.integers(0, 10**12 - 1), st.booleans())
def test_numbers_are_spelt_as_they_are_read(value: int, conjunction: bool) -> None:
    assert parse_number_word(spell(value, conjunction=conjunction)) == value


def test_numbers_are_spelt() -> None:
    table = {
        0: "zero",
        19: "nineteen",
        20: "twenty",
        85: "eighty-five",
        100: "one hundred",
        1015: "one thousand fifteen",
        2_000_302: "two million three hundred two",
        10**9: "one billion",
    }
    assert {value: spell(value) for value in table} == table
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
