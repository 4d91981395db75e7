"""The numbers in a sentence: quantities, number words, and numbers that are not quantities, with reasons.

Tests of numerical reasoning (Naik et al., 2018, section 3.1) change a quantity or insert "less than" before
it.  For a year, a time of day, a house number or half of a fraction the result is nonsense, so every number
that is not a plain cardinal is rejected, by tables of patterns for the number and its context.  (The paper's
released script chooses the first token of the sentence that Python parses as an integer, including years,
and ignores decimals, currency signs and number words.)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from crossexam.language.lexicons.closed_classes import NUMBER_WORDS, SCALES, SMALL_NUMBERS, TENS
from crossexam.language.number_rules import (
    BILLS,
    CHUNK_RULES,
    CURRENCY_BEFORE,
    PERCENT,
    REASONS,
    RULES,
    SCALE_AFTER,
    SCALE_WORD_AFTER,
    UNIT,
)
from crossexam.language.tokens import Token

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
# Words that count but are not number words, by the reason why they are rejected.
_OTHERS: Final = (
    r"(?P<vague>\b(?:hundreds|thousands|millions|billions|dozens|scores(?=\s+of\b))\b)"
    r"|(?P<collective>\b(?:half\s+)?(?:an?\s+)?dozen\b)"
    r"|(?P<ordinal>\b(?:first|(?<=the[ ])second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b)"
)
_NUMBER: Final = re.compile(rf"(?P<digits>{_CHUNK})|(?P<words>{_PHRASE})|{_OTHERS}", re.IGNORECASE)
_NUMERAL: Final[dict[Style, re.Pattern[str]]] = {
    "integer": re.compile(r"\d+"),
    "decimal": re.compile(r"\d*\.\d+"),
    "thousands": re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
    "indian": re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?"),
}
_RUNNING: Final = frozenset({"identifier", "date", "expression"})  # continue in "numbers 22, 33 and 44"
_WINDOW: Final = 48  # characters before a number that a rule sees
_WINDOW_AFTER: Final = 240


class Quantity(NamedTuple):
    """A number that counts or measures.

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


class RejectedNumber(NamedTuple):
    """A number that is not a quantity, or cannot be changed; *reason* is a key of REASONS."""

    start: int
    end: int
    text: str
    reason: str


def quantities(sentence: str, tokens: Sequence[Token] | None = None) -> tuple[Quantity | RejectedNumber, ...]:
    """Return the numbers of *sentence* in order, both quantities and rejected ones.

    With tagged *tokens*, "one" counts only if it is tagged CD.

    >>> found = quantities("In 1990 Kim paid $2,400.50 for 3 bikes.")
    >>> [n.text if isinstance(n, Quantity) else (n.text, n.reason) for n in found]
    [('1990', 'year'), '2,400.50', '3']
    >>> found[1].phrase_start, found[1].start
    (17, 18)
    """
    found: list[Quantity | RejectedNumber] = []
    reach = 0  # end of the last amount: in "2.4 million" the second word is not another number
    for match in _NUMBER.finditer(sentence):
        if match.start() < reach:
            continue
        number = _read(sentence, match)
        if isinstance(number, Quantity):
            reach = number.phrase_end
            reason = (
                _reason(sentence, number, found)
                or _pronoun(number, tokens)
                or _misplaced(number, tokens)
                or _definite(number, tokens)
                or _denomination(sentence, number)
                or ("name" if _is_in_name(sentence, number, tokens) else None)
            )
            found.append(RejectedNumber(*number[:3], reason) if reason else number)
        else:
            found.append(number)
    return tuple(_repeated(tuple(_shares(sentence, found))))


def all_quantities(sentence: str) -> tuple[Quantity, ...]:
    """Return every number of *sentence* that has a value, also years, labels and parts of names.

    >>> [number.text for number in all_quantities("In 1990 Kim paid $2,400.50 for 3 bikes.")]
    ['1990', '2,400.50', '3']
    """
    found: list[Quantity] = []
    for match in _NUMBER.finditer(sentence):
        if not found or match.start() >= found[-1].phrase_end:
            number = _read(sentence, match)
            found += [number] if isinstance(number, Quantity) else []
    return tuple(found)


def render_number(value: Decimal | int, like: Quantity) -> str:
    """Return *value* in the style of *like*: its thousands separators and decimals, or words and case.

    Raises ValueError if that is impossible: for a fraction in the style of an integer, a negative number.

    >>> like = quantities("Twenty-five men ate.")[0]
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


def _read(sentence: str, match: re.Match[str]) -> Quantity | RejectedNumber:
    """Return the number of *match*, rejected if its characters alone show that it is not a quantity."""
    text, start, end = match.group(), match.start(), match.end()
    kind = match.lastgroup or ""
    if kind in REASONS:
        return RejectedNumber(start, end, text, kind)
    if kind == "words":
        value = parse_number_word(text)
        if value is None:
            return RejectedNumber(start, end, text, "malformed")
        return _with_marks(sentence, start, end, Decimal(value), "word")
    for style, pattern in _NUMERAL.items():
        if pattern.fullmatch(text):
            return _with_marks(sentence, start, end, Decimal(text.replace(",", "")), style)
    for reason, pattern in CHUNK_RULES:
        if pattern.fullmatch(text):
            return RejectedNumber(start, end, text, reason)
    return RejectedNumber(start, end, text, "malformed")


def _with_marks(sentence: str, start: int, end: int, value: Decimal, style: Style) -> Quantity:
    before = CURRENCY_BEFORE.search(sentence, max(0, start - 8), start)
    scale = (SCALE_AFTER if before else SCALE_WORD_AFTER).match(sentence, end)
    after = PERCENT.match(sentence, end)
    return Quantity(
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


def _reason(sentence: str, number: Quantity, found: Sequence[Quantity | RejectedNumber]) -> str | None:
    """Return why *number*, by its context, is not a quantity; None if it is one."""
    before = sentence[max(0, number.phrase_start - _WINDOW) : number.phrase_start]
    if number.phrase_start > _WINDOW:
        before = "\0" + before  # so that ^ matches at the beginning of the sentence only
    after = sentence[number.phrase_end : number.phrase_end + _WINDOW_AFTER]
    for rule in RULES:
        if rule.text is not None and (number.currency or not rule.text.fullmatch(number.text)):
            continue
        if rule.after is not None and not rule.after.match(after):  # takes less time than a search
            continue
        if rule.before is None or rule.before.search(before):
            return rule.reason
    if found and isinstance(found[-1], RejectedNumber) and found[-1].reason in _RUNNING:
        between = sentence[found[-1].end : number.start]
        if re.fullmatch(r",? (?:and|or) |, ?", between):  # numbers 22, 33 and 44; May 5, 2001
            return found[-1].reason
    return None


def _pronoun(number: Quantity, tokens: Sequence[Token] | None) -> str | None:
    if tokens is None or number.text.lower() != "one":
        return None
    tag = next((token.tag for token in tokens if token.start <= number.start < token.end), "")
    return "pronoun" if tag not in {"CD", ""} else None


def _misplaced(number: Quantity, tokens: Sequence[Token] | None) -> str | None:
    """Return "misplaced" if a bare numeral precedes a word that it cannot count: she was 96 just leaving."""
    if number.currency or number.phrase_end != number.end:
        return None
    tags = [token.tag for token in tokens or () if token.start >= number.phrase_end][:2]
    alone = len(tags) == 2 and tags[0] == "JJ" and tags[1] in {"IN", "DT", "PRP", "TO"}  # 193 sure that
    return "misplaced" if alone or (tags and tags[0] in _NOT_COUNTED) else None


def _definite(number: Quantity, tokens: Sequence[Token] | None) -> str | None:
    """Return "definite" if adjectives are between a determiner and the number: *those final three spots*."""
    tags = [token.tag for token in tokens or () if token.end <= number.phrase_start]
    described = len(tags)
    while described and tags[described - 1] in _DESCRIBING:
        described -= 1
    is_described = 0 < described < len(tags)
    return "definite" if is_described and tags[described - 1] in _DETERMINING else None


_DESCRIBING: Final = frozenset({"JJ", "JJR", "JJS", "VBN", "VBG", "CD"})
_DETERMINING: Final = frozenset({"DT", "PDT", "PRP$", "POS", "WP$"})
_NOT_COUNTED: Final = frozenset({"RB", "PRP", "PRP$", "DT", "EX", "WP"})


def _denomination(sentence: str, number: Quantity) -> str | None:
    worth = number.currency and BILLS.match(sentence, number.phrase_end)
    return "denomination" if worth else None


def _is_in_name(sentence: str, number: Quantity, tokens: Sequence[Token] | None) -> bool:
    """Return whether *number* is part of a name: United 93, Ocean's Eleven, 10 Downing Street."""
    if number.currency or number.percent:
        return False
    before, after = sentence[: number.start], sentence[number.phrase_end :]
    inside = re.search(r"[\w,;’'–—-]\s+$", before) is not None
    if inside and number.style == "word" and number.text[0].isupper() and not sentence.isupper():
        return True
    follower = re.match(r"\s+([A-Za-z]\S*)", after)
    counted = follower is not None and _may_be_counted(follower.group(1), number.phrase_end, tokens)
    if _follows_name(sentence, number, tokens) and not counted:
        return True
    if _PROGRAMME.match(after):
        return True
    names = _CAPITALISED.match(after)
    if names is None or _IN_CAPITALS.match(names.group()):
        return False
    return not _noun_at(sentence, number.phrase_end + names.end(), tokens)


def _noun_at(sentence: str, start: int, tokens: Sequence[Token] | None) -> bool:
    """Return whether a noun in lower case or an adjective is at *start*; without tags, a plural."""
    tag = next((token.tag for token in tokens or () if token.start >= start), "")
    word = re.match(r"[a-z]\w*", sentence[start:])
    return word is not None and (tag in {"NN", "NNS", "JJ"} or (not tag and word.group().endswith("s")))


_CAPITALISED: Final = re.compile(r"\s+(?:[A-Z][\w.&’'-]*\s*)+")
_PROGRAMME: Final = re.compile(r"\s+(?:Seconds|Minutes|Hours|Days)\b")  # 60 Minutes
_IN_CAPITALS: Final = re.compile(r"\s+[A-Z]{1,4}\b(?!\.)")
_NOUN_TAGS: Final = ("NNS", "JJ", "CD", "VBN")


def _follows_name(sentence: str, number: Quantity, tokens: Sequence[Token] | None) -> bool:
    """Return whether a noun that *number* may identify precedes it: a name, or a singular noun by its tag."""
    before = re.search(r"(\w[\w.&’'-]*)\s+$", sentence[: number.phrase_start])
    if before is None:
        return False
    tag = next((token.tag for token in tokens or () if token.end == before.end(1)), "")
    if tag in {"NN", "NNP", "NNPS"}:
        return True
    begins = re.search(r"(?:^|[.!?:\"“(])\s*$", sentence[: before.start()]) is not None
    return before.group(1)[0].isupper() and (tag == "JJ" or not begins)  # American 77 took off


def _may_be_counted(word: str, reach: int, tokens: Sequence[Token] | None) -> bool:
    """Return whether the number before *word* may count it: a noun in lower case or what precedes one."""
    if not word[0].islower():
        return False
    word = word.rstrip(".,;:!?")
    tag = next((token.tag for token in tokens or () if token.start >= reach), "")
    if not tag or tag == "NN":
        return word.endswith("s") or UNIT.fullmatch(word) is not None
    return tag.startswith(_NOUN_TAGS)


def _shares(sentence: str, found: Sequence[Quantity | RejectedNumber]) -> Iterator[Quantity | RejectedNumber]:
    """Yield *found*, with the percentages of *sentence* rejected if they are the shares of a whole."""
    shares = [number.value for number in found if isinstance(number, Quantity) and number.percent]
    stated = [Decimal(match.group(1)) for match in _PERCENTAGE.finditer(sentence)]
    adds_up = len(stated) > 1 and abs(sum(stated, Decimal(0)) - 100) <= 1
    whole = bool(shares) and (adds_up or _REST.search(sentence) is not None)
    for number in found:
        share = whole and isinstance(number, Quantity) and number.percent
        yield RejectedNumber(*number[:3], "share") if share else number


def _repeated(found: Sequence[Quantity | RejectedNumber]) -> Iterator[Quantity | RejectedNumber]:
    """Yield *found*, with those quantities rejected that the sentence states twice."""
    texts = Counter(number.text.lower() for number in found)
    for number in found:
        twice = isinstance(number, Quantity) and texts[number.text.lower()] > 1
        yield RejectedNumber(*number[:3], "restated") if twice else number


_PERCENTAGE: Final = re.compile(rf"(\d+(?:\.\d+)?)(?:{PERCENT.pattern})", re.IGNORECASE)
_REST: Final = re.compile(
    r"\b(?:the\s+)?(?:rest|remainder|remaining|balance|others)\b|\bhalf\b.*\bhalf\b", re.IGNORECASE
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
