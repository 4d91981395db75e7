"""The numbers in a sentence: quantities, number words, and numbers that are not quantities, with reasons.

Tests of numerical reasoning (Naik et al., 2018, section 3.1) change a quantity or insert "less than" before
it.  For a year, a time of day, a house number or half of a fraction the result is nonsense, so every number
that is not a plain cardinal is rejected, by tables of patterns for the number and its context.  (The paper's
released script chooses the first token of the sentence that Python parses as an integer, including years,
and ignores decimals, currency signs and number words.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Literal, NamedTuple

from crossexam.language.tokens import Token


class NumberRule(NamedTuple):
    """A rule that rejects a number for *reason* if all given patterns match.

    *text* must match the whole numeral (and never one with a currency sign), *before* the end of what
    precedes it, and *after* the beginning of what follows.
    """

    reason: str
    text: re.Pattern[str] | None
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None


def _rule(reason: str, text: str, before: str, after: str) -> NumberRule:
    def compiled(pattern: str) -> re.Pattern[str] | None:
        return re.compile(pattern, re.IGNORECASE) if pattern else None

    return NumberRule(reason, compiled(text), compiled(before and f"(?:{before})$"), compiled(after))


# fmt: off
#: Why a number is rejected.
REASONS: Final[dict[str, str]] = {
    "year":        "a year: in 1990",
    "date":        "part of a date: May 5, 12/25/2001",
    "time":        "a time of day: 6:30, 7 p.m., 5 o'clock",
    "ordinal":     "an ordinal: 3rd",
    "fraction":    "part of a fraction: 1/2, 3 1/2, two thirds, one and a half",
    "list_marker": "the marker of a list item: 1. or (2)",
    "version":     "digits with several points: 1.2.3",
    "identifier":  "a name, not an amount: A4, x2, number 7, No. 7, page 12, Highway 66",
    "ratio":       "part of a ratio: 3:2",
    "range":       "an end of a range: 3 to 5, 10-12, 3 or 4",
    "dimensions":  "one of several dimensions: 2 x 3, 4 by 6",
    "exponent":    "part of a power: 10^3",
    "telephone":   "a telephone number: 555-1234",
    "expression":  "part of a formula: 2 + 3 = 5, -4, f(3), {1, 2}",
    "compound":    "part of a hyphenated or joined word: 12-year-old",
    "pronoun":     "'one' that stands for a noun: the one, one of them",
    "vague":       "not an exact number: hundreds of people, a million times",
    "collective":  "a dozen: a noun that counts",
    "compared":    "already under a comparison: more than 5, at least 5, about 5",
    "definite":    "after a determiner, so that 'less than' cannot precede it: the 2 songs, his 6 children",
    "malformed":   "digits or words that are not a number: 1,00, 250 000, two three",
}

_CURRENCY = r"(?:US|A|C|NZ|HK|S)?[$£€¥₹]|\b(?:Rs|Re|INR|USD|EUR|GBP)(?![A-Za-z])\.?"
CURRENCY_BEFORE: Final = re.compile(rf"({_CURRENCY})\s?$", re.IGNORECASE)
_SCALES = r"hundred|thousand|million|billion|trillion|lakhs?|lacs?|crores?|dozen|mn|bn"
SCALE_AFTER: Final = re.compile(rf"\s?(?:{_SCALES})\b|(?-i:[KMBk])\b|\s?/[-=](?!\d)", re.IGNORECASE)
PERCENT: Final = re.compile(r"\s?%|[\s-]?(?:percent|per\s?cent|percentage\s+points?)\b", re.IGNORECASE)

#: What a run of digits that is not a plain numeral is, by its characters alone; the first match wins.
CHUNK_RULES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (reason, re.compile(pattern, re.IGNORECASE)) for reason, pattern in (
        ("date",       r"\d{1,2}([/.-])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([/-])\d{1,2}\2\d{1,2}"),
        ("version",    r"\d+(?:\.\d+){2,}"),
        ("telephone",  r"(?:\d{1,3}-)?\d{3}-\d{4}|(?:\d{1,3}-)?\d{3}-\d{3}-\d{4}|1-\d{3}-\d{3}-\d{4}"),
        ("time",       r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?"),
        ("ratio",      r"[\d.,]+(?::[\d.,]+)+"),
        ("fraction",   r"[\d.,]+/[\d.,]+"),
        ("exponent",   r".*(?:\^|\*\*).*"),
        ("dimensions", r"[\d.,]+(?:[x×*][\d.,]+)+"),
        ("range",      r"[\d.,]+[–—-][\d.,]+"),
        ("expression", r".*[=+*:/^×–—-].*"),
    )
)

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_YEAR = r"1\d\d\d|20\d\d"
_UNIT = (
    r"(?:km/hr?|km/s|kmph|kmh|kms?|mph|m/s(?:ec)?|sq\.?\s?\w+|cm|mm|m|mg|kg|kgs|gms?|g|lbs?|oz|ml|cl|l"
    r"|lit(?:re|er)s?|ft|in|yds?|mi|hrs?|h|min|mins|sec|secs|s|paise|p|c|cents?|kb|mb|gb|kw|kwh|w|v|ha|feet"
    r"|foot|inch(?:es)?|met(?:er|re)s?)"
)
_FIGURES = (
    r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|(?:a\s+)?hundred|(?:a\s+)?thousand|(?:a\s+)?million)\b"
)
_DETERMINER = (
    r"(?:\b(?:a|an|the|these|those|this|that|my|your|his|her|its|our|their|all|both|every|each|any|another"
    r"|first|last|next|previous|following|other|same|remaining|additional|extra|only|top|further)|['’]s|s['’])\s+"
)
_COMPARISON = (
    r"(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|better|other|rather)\s+than|at\s+(?:least|most)"
    r"|over|under|above|below|about|around|nearly|almost|roughly|approximately|approx\.?|exactly|precisely|just"
    r"|up\s+to|upto|exceeds?|exceeding|(?:minimum|maximum)\s+of|as\s+(?:many|much|few|little)\s+as|some"
)
# Nouns whose instance a following number names: in any case, and only if capitalised.
_NAMING = (
    r"numbers?|numbered|nos?\.|pages?|pp?\.|chapters?|questions?|problems?|examples?|figures?|figs?\."
    r"|exercises?|highway|interstate|route|exit|gate|flight|platform|channel|apartment|apt\.?|suite|grade|volume"
    r"|vol\.?|article|version|psalms?|verse|digits?|integers?|age"
)
_NAMING_CAPITALISED = (
    r"No|Nos|Room|Apollo|Boeing|Windows|Formula|War|Road|Lane|Lot|Unit|Bus|Item|Player|Code|Box|Day|Week|Quarter|Size"
    r"|Case|Option|Stage|Class|Part|Step|Phase|Act|Line|Level|Type|Category|Section|Table|Zone|Group|Team|Train"
    r"|Car|Pipe|Tank|Machine|Container|Bag|Shop|Store|District|Model|Series|Test|Division"
)
_PARTS = r"(?:hal(?:f|ves)|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth)s?\b"
_AFTER_ONE = (
    r"of|another|who|whom|that|which|is|was|are|has|had|have|can|will|would|could|should|may|must|does|did|and|or"
    r"|but|in|on|at|to|for|from|with|by|as|if|then|after|before|than|day|morning|evening|night|time|side|way"
    r"|thing|more|less|gets?|got|finds?|says?|knows?|the|those|he|she|it|they|not|else|receives?|only|such|hand"
    r"|cannot"
)
_BEFORE_ONE = (
    r"no|some|larger|smaller|longer|shorter|bigger|new|old|good|right|left|second|which|where|when|if|whose"
    r"|what"
)

#: Reason, numeral, preceding and following context ("" is anything); the first match wins.
RULES: Final[tuple[NumberRule, ...]] = tuple(_rule(*row) for row in (
    ("list_marker", r"\d{1,3}", r"^\s*\(?", r"\)|\.(?=\s)"),
    ("list_marker", r"\d+",     r"(?<!\w)\(", r"\)"),
    ("list_marker", "",         r"\([A-Ea-e]\)\s*", ""),
    ("malformed",   r"\d[\d,.]*", r"\d\s", ""),
    ("malformed",   r"\d[\d,.]*", "", r"\s\d+(?![/\d])"),
    ("fraction",    "", "", r"(?:\s+|-)\d+/\d+|\s?[¼½¾⅓⅔⅛⅜⅝⅞]|\s?/\s?\d"),
    ("fraction",    "", "", rf"[\s-](?:and\s+an?[\s-])?{_PARTS}"),
    ("fraction",    r"[a-z-]+", "", r"[\s-]quarters?\b"),  # 3 quarters are coins
    ("fraction",    "", r"(?:\d\s?|[¼½¾⅓⅔⅛])/\s?|\bhalf\s+(?:of\s+)?(?:an?\s+)?", ""),
    ("fraction",    "", "", rf"\s+out\s+of\s+(?:every|{_FIGURES})"),
    ("fraction",    "", rf"{_FIGURES}\s+out\s+of\s+(?:every\s+)?", ""),
    ("ordinal",     r"[\d,]+", "", r"\s?(?:st|nd|rd|th)\b"),
    ("time",        "", "",
                    r"\s?(?:[ap]\.\s?m\b|[ap]m\b|o\s?['’]?\s?clock\b)|\s+in\s+the\s+(?:morning|evening)"),
    ("time",        "", r"\b(?:half|quarter|minutes)\s+(?:past|to)\s+", ""),
    ("date",        r"\d{1,2}", rf"\b{_MONTH}\s+(?:the\s+)?", r"(?!\w)"),
    ("date",        r"\d{1,2}", "", rf"\s+(?:of\s+)?(?-i:{_MONTH})"),
    ("year",        _YEAR, rf"\b{_MONTH}(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+", r"(?!\w)"),
    ("year",        "", "", r"\s?(?:AD|BCE?|CE|B\.C\.|A\.D\.)(?!\w)"),
    ("year",        "", r"\b(?:AD|A\.D\.|FY)\s+", ""),
    ("year",        r"\d*\d0", "", r"['’]?s\b"),
    ("year",        r"\d\d", r"['’]", ""),
    ("year",        _YEAR, r"\b(?:years?|summer|winter|spring|fall|late|early|mid|circa)\s+(?:of\s+)?",
                    r"(?!\w)"),
    ("year",        _YEAR, r"\b(?:in|since|by|during|before|after|until|till)\s+",
                    rf"(?!\s?(?:%|{_UNIT}\b|people\b|men\b|women\b|children\b|\w+[^s\W]s\b))"),
    ("year",        r"(?:1[6-9]|20)\d\d", r"\b(?:of|from|to|for|through|and|on)\s+", r"(?!\s?(?:%|\w))"),
    ("pronoun",     "one", rf"{_DETERMINER}|\b(?:{_BEFORE_ONE})\s+", ""),
    ("pronoun",     "one", "", rf"\s+(?:{_AFTER_ONE})\b|(?!\s+\w)"),
    ("identifier",  "", rf"[A-Za-z_#@&\\№]|\b(?:(?:{_NAMING})|(?-i:{_NAMING_CAPITALISED}))\s+",
                    r"(?!\s?%|\s+years)"),
    ("expression",  "", r"[+=×÷√≤≥±<>^*−{\[|]\s*|\b[A-Za-z],|\w\(|\d\s[-–/]\s|(?:^|[\s(])[-–]\s*", ""),
    ("expression",  "", "", r"\s?[+=×÷√≤≥±<>^*−}\]|²³]|\s[-–/]\s*[\dA-Za-z]\b"),
    ("expression",  "", r"\b(?:plus|minus|times|divided\s+by|multiplied\s+by)\s+", ""),
    ("expression",  "", "", r"\s(?:plus|minus|divided\s+by|multiplied\s+by)\s"),
    ("dimensions",  "", "", rf"\s?{_UNIT}?\s?(?:x|×|by)\s+{_FIGURES}"),
    ("dimensions",  "", rf"{_FIGURES}\s?{_UNIT}?\s?(?:x|×|by)\s+", ""),
    ("ratio",       "", "", r"\s?:\s?\d|\s+is\s+to\s+"),
    ("ratio",       "", r"\d\s?:\s?|\bratio\s+(?:of\s+|is\s+)?(?:\S+\s+to\s+)?", ""),
    ("range",       "", "",
                    rf"(?:\s\w+)?\s*(?:\b(?:to|or|through)\b|[–—]|\s-)\s*(?:[$£€₹]|Rs\.?\s?)?{_FIGURES}"),
    ("range",       "", rf"{_FIGURES}\s*(?:\b(?:to|or|through)\b|[–—]|\s-)\s*", ""),
    ("range",       "", rf"\bbetween\s+(?:\S*{_FIGURES}\s?(?:%|\w+)?\s+and\s+)?", ""),
    ("compound",    "", r"\w[-‑]", ""),
    ("compound",    "", "", r"[-‑–—]\w|['’\"″′](?:\s?\d|\s)|\s+[a-z]+-olds?\b"),
    ("identifier",  r"[\d.,]+", "", rf"(?!{_UNIT}\b)[A-Za-z_]"),
    ("definite",    "", _DETERMINER, ""),
    ("compared",    "", rf"\b(?:{_COMPARISON})\s+(?:an?\s+)?", ""),
    ("compared",    "", "", r"\s+(?:or\s+(?:more|less|fewer)|and\s+above)\b"),
))
# fmt: on


Style = Literal["integer", "decimal", "thousands", "indian", "word"]

SMALL: Final = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split()
)
TENS: Final = ("", "", *"twenty thirty forty fifty sixty seventy eighty ninety".split())
SCALES: Final[dict[str, int]] = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
LIMIT: Final = 10**12  # numbers below it can be spelt out

_VALUES: Final[dict[str, int]] = {
    **{word: value for value, word in enumerate(SMALL)},
    **{word: 10 * index for index, word in enumerate(TENS) if word},
}
NUMBER_WORDS: Final[frozenset[str]] = frozenset({*_VALUES, "hundred", *SCALES})
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
_WINDOW: Final = 48  # characters that a rule sees on either side


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
            reason = _reason(sentence, number, found) or _pronoun(number, tokens)
            found.append(RejectedNumber(*number[:3], reason) if reason else number)
        else:
            found.append(number)
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
    scale = SCALE_AFTER.match(sentence, end)
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
    after = sentence[number.phrase_end : number.phrase_end + _WINDOW]
    for rule in RULES:
        if rule.text is not None and (number.currency or not rule.text.fullmatch(number.text)):
            continue
        if (rule.before is None or rule.before.search(before)) and (
            rule.after is None or rule.after.match(after)
        ):
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


def _in_case(text: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return text.upper()
    return text[0].upper() + text[1:] if like[0].isupper() else text


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
