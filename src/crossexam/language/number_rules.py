"""Patterns that show that a number is not a quantity, with the reasons.

They have a file of their own because they are a long table of what precedes and follows a number.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


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
    "list marker": "the marker of a list item: 1. or (2)",
    "age":         "an age beside a name, or after 'age': Brad, 45, ...; at the age of 73; aged 14",
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
    "name":        "part of a name: Big 13 Conference, United 93, 10 Downing Street",
    "denomination": "what a coin, note or stamp is worth: four $10 bills, 5 cent coins",
    "threshold":   "a limit in a rule: a gift of $220 qualifies, a minimum of 5 years",
    "share":       "one of the shares that make up a whole: 60 percent ..., the remaining 40 percent",
    "span":        "a span over which something is the first or the most: the highest in five years",
    "whole":       "all there is: 24 hours a day, seven days a week",
    "listed":      "the number of things that are then listed: in three sectors: ...",
    "rank":        "a rank or a score: ranked 5, a score of 3",
    "restated":    "an amount that is then given in another unit: 120 km (75 miles)",
    "misplaced":   "a page or note number that strayed into the text: she was 96 just turning away",
    "negated":     "under negation, which reverses more and less: did not buy 5 books",
    "uncertain":   "under a possibility, so that other numbers are possible too: may have 5 dogs",
}

_CURRENCY = r"(?:US|A|C|NZ|HK|S)?[$£€¥₹]|\b(?:Rs|Re|INR|USD|EUR|GBP)(?![A-Za-z])\.?"
CURRENCY_BEFORE: Final = re.compile(rf"({_CURRENCY})\s?$", re.IGNORECASE)
_SCALES = r"hundred|thousand|million|billion|trillion|lakhs?|lacs?|crores?|dozen|mn|bn"
SCALE_WORD_AFTER: Final = re.compile(rf"\s?(?:{_SCALES})\b|\s?/[-=](?!\d)", re.IGNORECASE)
# Letters are a scale only of money: $6B, but seat 6B.
SCALE_AFTER: Final = re.compile(rf"{SCALE_WORD_AFTER.pattern}|(?-i:[KMBk])\b", re.IGNORECASE)
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
_UNIT_NOT_IN = _UNIT.replace("|in|", "|")  # in 1991 in Boston: not 1,991 inches
_FIGURES = (
    r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|(?:a\s+)?hundred|(?:a\s+)?thousand|(?:a\s+)?million)\b"
)
_DETERMINER = (
    r"(?:\b(?:a|an|the|these|those|this|that|my|your|his|her|its|our|their|all|both|every|each|any|another"
    r"|first|last|next|previous|following|other|same|remaining|additional|extra|only|top|further)|['’]s|s['’])\s+"
)
_SINGULAR_UNIT = (
    r"(?:second|minute|hour|day|night|week|month|year|decade|century|mile|yard|foot|inch|met(?:er|re)|kilomet(?:er|re)"
    r"|acre|ton|tonne|page|member|inning)\b"
)
_OF_TIME = (
    r"(?:seconds|minutes|hours|days|nights|weeks|months|years|decades|centuries|generations|seasons|games)\b"
)
_SMALLER_UNITS = r"(?:seconds|minutes|hours|days|weeks|months|inches|ounces|cents)\b"
_BEST = r"(?:first|second|third|last|only|(?-i:[a-z]{2,}est)|most|least|worst|best)\b"
_COMPARISON = (
    r"(?:more|less|fewer|greater|larger|smaller|higher|lower|bigger|better|other|rather)\s+th[ae]n|at\s+(?:least|most)"
    r"|over|under|above|below|about|around|nearly|almost|roughly|approximately|approx\.?|exactly|precisely|just"
    r"|up\s+to|upto|within|beyond|past|maybe|estimated|instead\s+of|mere|whopping|full|close\s+to|well\s+over|exceed(?:s|ed|ing)?|top(?:s|ped|ping)|surpass\w*|approach(?:es|ed|ing)|near(?:s|ed|ing)|barely|merely|scarcely|(?:minimum|maximum)\s+of|more['’]n|as\s+\w+\s+as|some|(?:better|best|greater)\s+part\s+of|only\s+[a-z]+"
)
# Nouns whose instance a following number names: in any case, and only if capitalised.
_NAMING = (
    r"numbers?|numbered|nos?\.|pages?|pp?\.|chapters?|questions?|problems?|examples?|figures?|figs?\."
    r"|exercises?|highway|interstate|route|exit|gate|flight|platform|channel|apartment|apt\.?|suite|grade|volume"
    r"|vol\.?|article|version|psalms?|verse|digits?|integers?|age"
    r"|sections?|paragraphs?|clauses?|amendments?|propositions?|resolutions?|appendix|annex|footnotes?|episodes?"
    r"|seasons?|rows?|rooms?|maps?|exhibits?|attachments?|equations?|area\s+codes?|zip\s+codes?|extension"
)
# Nouns that are verbs as well: a number that counts something after them is a quantity (seat 50 people).
_NAMING_OR_VERB = (
    r"seats?|tracks?|lines?|issues?|items?|rules?|forms?|units?|lessons?|games?|rounds?|notes?|box|boxes|ext\.|lots?"
    r"|bus|buses|size|level|type|phase|stage|step|part|class|tables?"
)
_NAMING_CAPITALISED = (
    r"No|Nos|Room|Apollo|Boeing|Windows|Formula|War|Road|Lane|Lot|Unit|Bus|Item|Player|Code|Box|Day|Week|Quarter|Size"
    r"|Case|Option|Stage|Class|Part|Step|Phase|Act|Line|Level|Type|Category|Section|Table|Zone|Group|Team|Train"
    r"|Car|Pipe|Tank|Machine|Container|Bag|Shop|Store|District|Model|Series|Test|Division"
)
_MEASURES = (
    r"seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|miles?|yards?|acres?|tons?|tonnes?|pounds?"
    r"|rupees|dollars|euros|people|persons|men|women|children|times|degrees|calories|votes|pages|words"
)
_BILL = r"(?:bills?|notes?|coins?|stamps?|vouchers?|coupons?|che(?:ck|que)s?|chips?|tokens?|denominations?)\b"
BILLS: Final = re.compile(rf"\s+(?:\w+\s+)?{_BILL}", re.IGNORECASE)
_GIVEN = r"gifts?|donations?|contributions?|pledges?|bequests?|payments?|deposits?|membership"
_MANY = (
    r"(?!(?:was|is|has|his|its|as|this|us|does|says|plus|minus|times|perhaps|always|besides|across)\b)"
    r"\w*[^s\W]s\b"
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
    ("list marker", r"\d{1,3}", r"^\s*\(?", r"\)|\.(?=\s)"),
    ("list marker", r"\d+",     r"(?<!\w)\(", r"\)"),
    ("list marker", "",         r"\([A-Ea-e]\)\s*", ""),
    ("list marker", r"\d{1,2}", r"\s", r"\)"),
    ("identifier",  r"40[13]", "", r"\s?\(\s?[kb]\s?\)"),
    ("list marker", r"[\d.]+",  r"^\W*", r"\s+(?:(?-i:[A-Z])|(?:is|was)\b)|\s?\)|\s+[\"“‘'`]"),
    ("list marker", "",         r"^\W*", r"\s?(?:(?:bn?|mn?|k|trn)\s?|\s)[-–—]\s"),  # 63 - votes
    ("misplaced",   r"\d+",     r"[a-z)\"'’”][,.;:]", r"\s|$"),  # a note: as he said,8 and
    ("misplaced",   r"\d+",     r"\bthere\s+", r"\s+(?:is|was)\b"),
    ("telephone",   r"\d+",     r"\b(?:tel|telephone|phone|fax)\b.{0,30}|\(\d+\)\s*", ""),
    ("malformed",   r"\d[\d,.]*", r"\d\s", ""),
    ("malformed",   r"\d{3}",   r"\d,\s", ""),
    ("malformed",   r"\d{1,3}", "", r",\s\d{3}\b"),
    ("malformed",   r"\d[\d,.]*", "", r"\s\d+(?![/\d])"),
    ("fraction",    "", "", r"(?:\s+|-)\d+/\d+|\s?[¼½¾⅓⅔⅛⅜⅝⅞]|\s?/\s?\d"),
    ("fraction",    "", "", rf"[\s-](?:and\s+an?[\s-])?{_PARTS}"),
    ("fraction",    r"[a-z-]+", "", r"[\s-]quarters?\b"),  # 3 quarters are coins
    ("fraction",    "", r"(?:\d\s?|[¼½¾⅓⅔⅛])/\s?|\bhalf\s+(?:of\s+)?(?:an?\s+)?", ""),
    ("fraction",    "", "", rf"\s+(?:out\s+)?of\s+(?:the\s+|its\s+|their\s+)?(?:every|{_FIGURES})"),
    ("fraction",    "", r"\b(?:one|1)\s+in\s+(?:every\s+)?", ""),
    ("fraction",    "", rf"(?<![/\d.])\b{_FIGURES}\s+(?:out\s+)?of\s+(?:every\s+)?", ""),
    ("ordinal",     r"[\d,]+", "", r"\s?(?:st|nd|rd|th)\b"),
    ("time",        "", "",
                    r"\s?(?:[ap]\.\s?m\b|[ap]m\b|o\s?['’]?\s?clock\b)|\s+in\s+the\s+(?:morning|evening)"),
    ("time",        r"\d{1,4}", r"\bat\s+", r"\s?[:)]"),
    ("time",        "", r"\b(?:half|quarter|minutes)\s+(?:past|to)\s+", ""),
    ("date",        r"\d{1,2}", rf"\b{_MONTH}\s+(?:the\s+)?", r"(?!\w)"),
    ("date",        r"\d{1,2}", "", rf"\s+(?:of\s+)?(?-i:{_MONTH})"),
    ("year",        _YEAR, rf"\b{_MONTH}(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+", r"(?!\w)"),
    ("year",        "", "", r"\s?(?:AD|BCE?|CE|B\.\s?C\.?|A\.D\.)(?!\w)"),
    ("year",        "", r"\b(?:AD|A\.D\.|FY)\s+", ""),
    ("year",        r"\d*\d0", "", r"['’]?s\b"),
    ("identifier",  r"\d+", "", r"['’]?s\b"),  # old 45s
    ("year",        r"\d\d", r"['’]\s?", ""),
    ("year",        _YEAR, r"\b(?:years?|summer|winter|spring|fall|late|early|mid|circa)\s+(?:of\s+)?",
                    r"(?!\w)"),
    ("year",        r"1[5-9]\d\d|20\d\d", r"\b(?:in|since|during|until|till)\s+(?:early\s+|late\s+|mid-?)?",
                    rf"(?!\s?(?:%|{_UNIT_NOT_IN}\b|{_MEASURES}\b))"),
    ("year",        _YEAR, r"\b(?:in|since|by|during|before|after|until|till)\s+",
                    rf"(?!\s?(?:%|{_UNIT_NOT_IN}\b|(?:{_MEASURES})\b|{_MANY}))"),
    ("year",        r"1[1-9]\d\d|20[0-4]\d", "",
                    rf"(?!\s?(?:%|(?:{_UNIT_NOT_IN}|{_MEASURES})\b)|\s(?:\w+\s)?{_MANY})"),
    ("year",        r"19\d[1-9]|20[0-4][1-9]", "", rf"(?!\s?(?:%|(?:{_UNIT_NOT_IN}|{_MEASURES})\b))"),
    ("year",        r"[1-9]\d\d", r"\b(?:in|since|until)\s+",
                    rf"(?!\s?(?:%|(?:{_UNIT_NOT_IN}|{_MEASURES})\b)|\s(?:of|out)\b|\s(?:\w+\s)?{_MANY})"),
    ("age",         "", r"\b(?:aged?|ages)\s+(?:of\s+)?(?:\S+\s+(?:and|or)\s+)?", ""),
    ("age",         r"\d\d?|[a-z-]+", r"(?-i:\b[A-Z])[\w.’'-]+,\s+(?:now\s+|then\s+)?",
                    r"\s?(?:,(?!\s(?-i:[A-Z]))|[;)]|\.?[\"”]?$|and\s(?-i:[A-Z])|(?:of|from)\s(?-i:[A-Z]))"),
    ("vague",       "", r"\b(?:few|several|many|couple\s+of)\s+", ""),
    ("vague",       r"(?:an?|one)\s\w+", "", r"\s+times\b"),
    ("pronoun",     "one", rf"{_DETERMINER}|\b(?:{_BEFORE_ONE})\s+", ""),
    ("pronoun",     "one", "", rf"\s+(?:{_AFTER_ONE})\b|(?!\s+\w)"),
    ("identifier",  "", rf"[A-Za-z_#@&\\№]|\b(?:(?:{_NAMING})|(?-i:{_NAMING_CAPITALISED}))\s+",
                    r"(?!\s?%|\s+years)"),
    ("identifier",  "", rf"\b(?:{_NAMING_OR_VERB})\s+",
                    rf"(?!\s?%|\s(?:\w+\s)?(?:{_MANY}|(?:{_MEASURES})\b))"),
    ("identifier",  r"\d+\.\d+", rf"\b(?:{_NAMING_OR_VERB})\s+", ""),
    ("identifier",  r"\d+", r"(?-i:\b[B-HJ-Z])\s+", ""),  # menu L 17
    ("version",     r"\d+\.\d+", "", r"\s+(?:releases?|versions?|updates?|builds?|patch(?:es)?|betas?)\b"),
    ("identifier",  r"\d+", "", r"\s?(?-i:[A-Z])\b(?![.’'])"),  # seat 3C, 17 H
    ("identifier",  r"\d+", r"\b(?:id|code|login|password)s?\b[^.;]{0,40}\b(?:is|are|was)\s+", ""),
    ("identifier",  r"\d+", r",\s+", r"\s?[,;]"),  # Abbey Photographic, 25, North Road
    ("identifier",  "", r"^\W*", r"\s?[,:;](?!\d)|\s+(?:when|at|and|as)\b"),  # Eleven, go ahead
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
    ("range",       "", "", r"\s+through\b"),
    ("range",       "", rf"{_FIGURES}\s*(?:\b(?:to|or|through)\b|[–—]|\s-)\s*", ""),
    ("range",       "", rf"\bbetween\s+(?:the\s+\w+\s+of\s+)?(?:\S*{_FIGURES}\s?(?:%|\w+)?\s+and\s+)?", ""),
    ("compound",    "", r"\w[-‑]", ""),
    ("compound",    "", "", rf"\s+{_SINGULAR_UNIT}(?!\s+(?:each|apiece)\b)"),  # a thousand year reign
    ("compound",    "", "", rf"\s+[a-z]+,?\s+and\s+{_FIGURES}\s+{_SMALLER_UNITS}"),  # 115 years and 4 days
    ("compound",    "", rf"{_FIGURES}\s+[a-z]+,?\s+and\s+", rf"\s+{_SMALLER_UNITS}"),
    ("compound",    "", "", r"[-‑–—]\w|['’\"″′](?:\s?\d|\s)|\s+[a-z]+-olds?\b"),
    ("identifier",  r"[\d.,]+", "", rf"(?!{_UNIT}\b)[A-Za-z_]"),
    ("rank",        "", r"\b(?:rank(?:ed|s|ing)?|placed|seeded|scores?\s+of|scored\s+an?)\s+", ""),
    ("threshold",   "", r"\b(?:minimum|maximum|limits?|threshold|cap|ceiling|floor|quota|standard|goal"
                        r"|target)\s+(?:is|was|of|at|to)\s+", ""),
    ("span",        "", rf"\b{_BEST}[^.;:]*\b(?:in|for)\s+", rf"\s+(?:\w+\s+)?{_OF_TIME}"),
    ("threshold",   "", r"\b(?:limited|capped|restricted)\s+(?:to|at)\s+", ""),
    ("threshold",   "", rf"\b(?:{_GIVEN})\s+(?:of|totall?ing|worth)\s+",
                    r".*\b(?:qualif\w+|entitles?|eligible|will|can|would|makes?|per\s+year)\b"),
    ("threshold",   "", "", r"(?:\s+\w+){0,3}\s+(?:minimum|maximum|at\s+(?:least|most)|tops)\b"),
    ("threshold",   "", "", r"[^.?!]*\b(?:qualif(?:y|ies)|entitles?|(?:is|are)\s+(?:required|enough))\b"),
    ("denomination", "", "", r"[\s-](?:cent|dollar|rupee|euro|pound|penny)\s+[a-z]"),
    ("whole",       r"24|twenty-four", "", r"\s+hours?\s+(?:a|per|each|every)\s+day"),
    ("whole",       r"7|seven", "", r"\s+days?\s+(?:a|per|each|every)\s+week"),
    ("whole",       r"12|twelve|365|52", "", r"\s+(?:months?|days?|weeks?)\s+(?:a|per|each|every)\s+year"),
    ("listed",      "", "", r"(?:\s+[\w'’-]+){1,4}\s?(?::(?!\d)|--|—|[-–]\s)|[^;]*;[^;]*;|.*\W[1a]\s?\)"),
    ("listed",      r"[2-6]|two|three|four|five|six", "",
                    r"(?:\s[\w'’-]+){1,6}\s?,\s(?:the|an?|both|one|(?-i:[A-Z]\w+))\b[^;.?!]*\sand\s"),
    ("listed",      "", "", r"(?:\s[\w'’-]+){1,6}\s?\(\s?(?-i:[A-Z])[^)]*,[^)]*\)"),
    ("listed",      r"two|three|four|[234]", "",
                    r"[^.;]*\b(?:one\b[^.;]*\b(?:another|the\s+(?:other|second)|one)|the\s+(?:former|latter))\b"),
    ("listed",      "", r"\b(?:last|first|each|all|none|neither|both|either)\s+of\s+(?:the\s+)?", ""),
    ("listed",      "", "", rf"\s?,\s?(?:and\s)?(?:zero\b|{_FIGURES})\s?[,)]"),
    ("listed",      "", rf"{_FIGURES}\s?,\s?(?:and\s)?", r"\s?(?:[,)]|\.?$)"),
    ("restated",    "", "", r"[^.;]{0,40},\s?or\s+(?:about\s+)?[$£€]?\s?\d"),
    ("identifier",  "", r"\([^()]*,\s+", r"\s?\)"),  # (Harcourt Brace, $15)
    ("restated",    "", "", r"[^();]{0,30}\(\s?(?:about\s+|some\s+)?[$£€]?\s?\d|\s?\w+\s?/\s?\d"),
    ("name",        "", r"\bround\s+of\s+", ""),
    ("name",        "", r"\b(?:means?|meaning|called|named|entitled|titled"
                        r"|(?:Spanish|French|German|Italian|Greek|Latin|Hebrew|Arabic)\s+for)\s+", ""),
    ("negated",     "", r"\b(?:not|never|no|nor|neither|without|none|cannot|hardly|unable|fail\w*|refus\w+"
                        r"|\w+n['’]t)\b[^,;:]*", ""),
    ("uncertain",   "", r"\b(?:interested|wonder\w*|curious|ask\w*|knows?|knew|guess\w*)\b.{0,20}"
                        r"\b(?:what|how|whether|why|if)\b[^;:]*", ""),
    ("uncertain",   "", r"\b(?-i:may|might|could)\b[^;:]*|\b(?:perhaps|maybe|possibly|probably|whether|unless"
                        r"|alleged\w*|supposedly|reportedly|rumou?red)\b[^;:]*", ""),
    ("definite",    "", _DETERMINER, ""),
    ("compared",    "", rf"\b(?:{_COMPARISON})\s+(?:an?\s+)?", ""),
    ("compared",    "", "", r"(?:\s[\w-]+)?\s+(?:or\s+(?:more|less|fewer|so|under|over|older|younger|above)"
                            r"|and\s+(?:above|over|up)|plus|only)\b|\+"),
))
# fmt: on

#: A unit in which a number may be given.
UNIT: Final = re.compile(_UNIT, re.IGNORECASE)
