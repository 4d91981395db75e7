"""Cardinal numbers in words, read and spelt."""

from __future__ import annotations

import re
from typing import Final

# fmt: off
SMALL: Final[tuple[str, ...]] = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
TENS: Final[tuple[str, ...]] = (
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)
SCALES: Final[dict[str, int]] = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
# fmt: on

LIMIT: Final = 10**12  # what can be spelt stops below

_VALUES: Final[dict[str, int]] = {
    **{word: value for value, word in enumerate(SMALL)},
    **{word: 10 * index for index, word in enumerate(TENS) if word},
}
NUMBER_WORDS: Final[frozenset[str]] = frozenset({*_VALUES, "hundred", *SCALES})
_SEPARATOR: Final = re.compile(r"[\s-]+")


def parse_number_word(text: str) -> int | None:
    """Return the number that *text* spells, None where it spells none.

    Takes hyphens or blanks, "and" after hundreds and thousands, and "a" for "one" before a scale.

    >>> parse_number_word("Three hundred and two"), parse_number_word("a thousand")
    (302, 1000)
    >>> parse_number_word("two three") is None
    True
    """
    words = _SEPARATOR.split(text.strip().lower())
    if words[0] in {"a", "an"} and len(words) > 1:
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
    # Spelling it again tells "two three" and "hundred five hundred" from numbers.
    return value if words in (_SEPARATOR.split(spell(value, conjunction=c)) for c in (False, True)) else None


def spell(value: int, *, conjunction: bool = False) -> str:
    """Return *value* in words; with *conjunction* "and" stands before the last two digits.

    Raises ValueError below 0 and from 10^12.

    >>> spell(1025), spell(1025, conjunction=True)
    ('one thousand twenty-five', 'one thousand and twenty-five')
    """
    if not 0 <= value < LIMIT:
        raise ValueError(f"{value} cannot be spelt: it must be in the range [0, {LIMIT})")
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


def _below_thousand(value: int, *, conjunction: bool) -> str:
    hundreds, rest = divmod(value, 100)
    words = [SMALL[hundreds], "hundred"] if hundreds else []
    if hundreds and rest and conjunction:
        words.append("and")
    if rest or not hundreds:
        tens, units = divmod(rest, 10)
        small = SMALL[rest] if rest < 20 else "-".join([TENS[tens], *([SMALL[units]] if units else [])])
        words.append(small)
    return " ".join(words)
