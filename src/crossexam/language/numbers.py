"""The numbers in a sentence: how they are read, and how another value is written in the same style.

Which of them count or measure something, and which are years, labels or parts of names, is not asked here:
that is said by the rules of the construction that changes them (``constructions/rules``).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from crossexam.language.lexicons.closed_classes import (
    INDEFINITE_ARTICLES,
    NUMBER_WORDS,
    SCALES,
    SMALL_NUMBERS,
    TENS,
)

Style = Literal["integer", "decimal", "thousands", "indian", "word"]

LIMIT: Final = 10**12  # numbers below it can be spelt out

_VALUES: Final[dict[str, int]] = {
    **{word: value for value, word in enumerate(SMALL_NUMBERS)},
    **{word: 10 * index for index, word in enumerate(TENS) if word},
}
_SEPARATOR: Final = re.compile(r"[\s-]+")

# A run of digits and characters that join digits; punctuation at its end belongs to the sentence.
_CHUNK: Final = r"(?:(?<![\w.])\.)?\d+(?:(?:[.,:/^×*+=–—-]|\*\*|(?<=\d)x(?=\d))\d+)*"
_WORDS: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_PHRASE: Final = (
    rf"\b(?:an?[ ](?=(?:hundred|thousand|million|billion)\b))?(?:{_WORDS})"
    rf"(?:(?:[ -]|(?<=hundred)[ ]and[ ]|(?<=thousand)[ ]and[ ]|(?<=million)[ ]and[ ])(?:{_WORDS})\b)*\b"
)
# Words that count or order things but have no value: hundreds, a dozen, third.
_WITHOUT_VALUE: Final = (
    r"\b(?:hundreds|thousands|millions|billions|dozens|scores(?=\s+of\b)|(?:half\s+)?(?:an?\s+)?dozen"
    r"|first|(?<=the[ ])second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b"
)
_NUMBER: Final = re.compile(rf"(?P<digits>{_CHUNK})|(?P<words>{_PHRASE})|{_WITHOUT_VALUE}", re.IGNORECASE)
_NUMERAL: Final[dict[Style, re.Pattern[str]]] = {
    "integer": re.compile(r"\d+"),
    "decimal": re.compile(r"\d*\.\d+"),
    "thousands": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    "indian": re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"),
}
_CURRENCY: Final = r"(?:US|A|C|NZ|HK|S)?[$£€¥₹]|\b(?:Rs|Re|INR|USD|EUR|GBP)(?![A-Za-z])\.?"
_CURRENCY_BEFORE: Final = re.compile(rf"({_CURRENCY})\s?$", re.IGNORECASE)
_SCALES: Final = r"hundred|thousand|million|billion|trillion|lakhs?|lacs?|crores?|dozen|mn|bn"
_SCALE_WORD_AFTER: Final = re.compile(rf"\s?(?:{_SCALES})\b|\s?/[-=](?!\d)", re.IGNORECASE)
# Letters are a scale only of money: $6B, but seat 6B.
_SCALE_AFTER: Final = re.compile(rf"{_SCALE_WORD_AFTER.pattern}|(?-i:[KMBk])\b", re.IGNORECASE)
#: What makes of a number a percentage, as part of a pattern.
PERCENT: Final = r"\s?%|[\s-]?(?:percent|per\s?cent|percentage\s+points?)\b"
_PERCENT: Final = re.compile(PERCENT, re.IGNORECASE)

#: A unit in which a number may be given, as part of a pattern.
UNIT: Final = (
    r"(?:km/hr?|km/s|kmph|kmh|kms?|mph|m/s(?:ec)?|sq\.?\s?\w+|cm|mm|m|mg|kg|kgs|gms?|g|lbs?|oz|ml|cl|l"
    r"|lit(?:re|er)s?|ft|in|yds?|mi|hrs?|h|min|mins|sec|secs|s|paise|p|c|cents?|kb|mb|gb|kw|kwh|w|v|ha|feet"
    r"|foot|inch(?:es)?|met(?:er|re)s?)"
)


class Amount(NamedTuple):
    """A number that has a value.

    *text*, characters *start* to *end*, is the numeral or number word alone, and *value* its value (2.4 in
    "$2.4 million").  The amount with its currency sign begins at *phrase_start* and, with "million", "%"
    or "/-", ends at *phrase_end*: "less than" goes before *phrase_start*.
    """

    start: int
    end: int
    text: str
    value: Decimal
    style: Style
    phrase_start: int
    phrase_end: int
    currency: str = ""
    percent: bool = False

    @property
    def decimals(self) -> int:
        """The number of digits after the point."""
        return len(self.text.partition(".")[2]) if self.style != "word" else 0


class Unread(NamedTuple):
    """Digits or words for a number that have no value of their own: 6:30, 10-12, 1,00, hundreds, third."""

    start: int
    end: int
    text: str


def numbers_in(sentence: str) -> tuple[Amount | Unread, ...]:
    """Return the numbers of *sentence* in order, also years, labels and parts of names.

    >>> found = numbers_in("In 1990 Kim paid $2,400.50 for 1/2 of 3 bikes.")
    >>> [n.text if isinstance(n, Amount) else n for n in found]
    ['1990', '2,400.50', Unread(start=31, end=34, text='1/2'), '3']
    >>> found[1].phrase_start, found[1].start
    (17, 18)
    """
    found: list[Amount | Unread] = []
    reach = 0  # end of the last amount: in "2.4 million" the second word is not another number
    for match in _NUMBER.finditer(sentence):
        if match.start() >= reach:
            number = _read(sentence, match)
            reach = number.phrase_end if isinstance(number, Amount) else reach
            found.append(number)
    return tuple(found)


def has_number(sentence: str) -> bool:
    """Return whether *sentence* has a number, also a year, a label or a part of a name.

    >>> has_number("In 1990 Kim left."), has_number("Kim left.")
    (True, False)
    """
    return _NUMBER.search(sentence) is not None


def all_quantities(sentence: str) -> tuple[Amount, ...]:
    """Return every number of *sentence* that has a value.

    >>> [number.text for number in all_quantities("In 1990 Kim paid $2,400.50 for 1/2 of 3 bikes.")]
    ['1990', '2,400.50', '3']
    """
    return tuple(number for number in numbers_in(sentence) if isinstance(number, Amount))


def render_number(value: Decimal | int, like: Amount) -> str:
    """Return *value* in the style of *like*: its thousands separators and decimals, or words and case.

    Raises ValueError if that is impossible: for a fraction in the style of an integer, a negative number.

    >>> like = all_quantities("Twenty-five men ate.")[0]
    >>> render_number(302, like)
    'Three hundred two'
    """
    value = Decimal(value)
    rounded = round(value, like.decimals)
    if value < 0 or rounded != value:
        raise ValueError(f"{value} cannot be written like {like.text!r}")
    if like.style == "word":
        return _in_case(spell(int(value), conjunction=" and " in like.text.lower()), like.text)
    whole, _, decimals = f"{value:.{like.decimals}f}".partition(".")
    if like.style == "thousands":
        whole = f"{int(whole):,}"
    elif like.style == "indian":
        whole = (
            re.sub(r"(?<=\d)(?=(?:\d\d)+$)", ",", whole[:-3]) + "," + whole[-3:] if len(whole) > 3 else whole
        )
    elif like.text.startswith(".") and whole == "0":
        whole = ""
    return f"{whole}.{decimals}" if decimals else whole


def parse_number_word(text: str) -> int | None:
    """Return the number that *text* spells out, None if it is not a number.

    Accepts hyphens or blanks, "and" after hundreds and thousands, and "a" for "one" before a scale.

    >>> parse_number_word("Three hundred and two"), parse_number_word("a thousand")
    (302, 1000)
    >>> parse_number_word("two three") is None
    True
    """
    words = _SEPARATOR.split(text.strip().lower())
    if words[0] in INDEFINITE_ARTICLES and len(words) > 1:
        words[0] = "one"
    elif words[0] in {"hundred", *SCALES}:
        words.insert(0, "one")
    total = group = 0
    for word in words:
        if word in _VALUES:
            group += _VALUES[word]
        elif word == "hundred":
            group *= 100
        elif word in SCALES:
            total, group = total + group * SCALES[word], 0
        elif word != "and":
            return None
    value = total + group
    if value >= LIMIT:
        return None
    # Spelling it again excludes "two three" and "hundred five hundred".
    return value if words in (_SEPARATOR.split(spell(value, conjunction=c)) for c in (False, True)) else None


def spell(value: int, *, conjunction: bool = False) -> str:
    """Return *value* in words, with *conjunction* with "and" before the last two digits.

    Raises ValueError for numbers below 0 and from 10^12.

    >>> spell(1025), spell(1025, conjunction=True)
    ('one thousand twenty-five', 'one thousand and twenty-five')
    """
    if not 0 <= value < LIMIT:
        raise ValueError(f"{value} cannot be spelled out: it must be in the range [0, {LIMIT})")
    words: list[str] = []
    rest = value
    for scale, size in sorted(SCALES.items(), key=lambda item: -item[1]):
        if rest >= size:
            words += [_below_thousand(rest // size, conjunction=conjunction), scale]
            rest %= size
    if rest or not words:
        joined = conjunction and bool(words) and rest < 100
        words += (["and"] if joined else []) + [_below_thousand(rest, conjunction=conjunction)]
    return " ".join(words)


def _read(sentence: str, match: re.Match[str]) -> Amount | Unread:
    """Return the number of *match*, with its value if it has one."""
    text, start, end = match.group(), match.start(), match.end()
    if match.lastgroup == "words":
        value = parse_number_word(text)
        if value is not None:
            return _with_marks(sentence, start, end, Decimal(value), "word")
    for style, pattern in _NUMERAL.items():
        if pattern.fullmatch(text):
            return _with_marks(sentence, start, end, Decimal(text.replace(",", "")), style)
    return Unread(start, end, text)


def _with_marks(sentence: str, start: int, end: int, value: Decimal, style: Style) -> Amount:
    before = _CURRENCY_BEFORE.search(sentence, max(0, start - 8), start)
    scale = (_SCALE_AFTER if before else _SCALE_WORD_AFTER).match(sentence, end)
    after = _PERCENT.match(sentence, end)
    return Amount(
        start,
        end,
        sentence[start:end],
        value,
        style,
        phrase_start=before.start() if before else start,
        phrase_end=after.end() if after else scale.end() if scale else end,
        currency=before.group(1) if before else "",
        percent=after is not None,
    )


def _in_case(text: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return text.upper()
    return text[0].upper() + text[1:] if like[0].isupper() else text


def _below_thousand(value: int, *, conjunction: bool) -> str:
    hundreds, rest = divmod(value, 100)
    words = [SMALL_NUMBERS[hundreds], "hundred"] if hundreds else []
    if hundreds and rest and conjunction:
        words.append("and")
    if rest or not hundreds:
        tens, units = divmod(rest, 10)
        small = (
            SMALL_NUMBERS[rest]
            if rest < 20
            else "-".join([TENS[tens], *([SMALL_NUMBERS[units]] if units else [])])
        )
        words.append(small)
    return " ".join(words)
