"""The rules of numerical reasoning about what a sentence says with an amount.

It compares, repeats or lists it, or only says that it may be so: the sentence is as true with other amounts,
or no longer fits them.
"""

from __future__ import annotations

from typing import Final

from crossexam.constructions.rules.number import Number, near
from crossexam.constructions.rules.number_words import (
    BEST,
    COMPARISON,
    FIGURES,
    GIVEN,
    LIMIT,
    MAYBE,
    NEGATION,
    OF_TIME,
)
from crossexam.constructions.rules.rule import Rule

# What several rows are about.
_LIMIT: Final = "Other amounts may also meet a target, limit or need."
_WHOLE: Final = "It is all there is, and cannot be more."
_LISTED: Final = "What is counted is then listed, so that another number contradicts the list."
_AGAIN: Final = "The amount is stated again, and the two would contradict each other."
_UNCERTAIN: Final = "What may be so may be otherwise (Quirk et al., 1985, section 4.53)."
_COMPARED: Final = "The number is compared already."

# fmt: off
#: Why an amount cannot be changed where it stands.
IN_CONTEXT: Final[tuple[Rule[Number], ...]] = (
    Rule("threshold", near(before=rf"\b(?:{LIMIT})\s+(?:is|was|of|at|to)\s+"),
         "Kim set a target of 72 dollars.", "Kim paid a price of 72 dollars.",
         _LIMIT),
    Rule("span", near(before=rf"\b{BEST}[^.;:]*\b(?:in|for)\s+", after=rf"\s+(?:\w+\s+)?{OF_TIME}"),
         "Kim won the biggest race in five years.", "Kim won the race in five years.",
         "The biggest in five years is also the biggest in four."),
    Rule("threshold", near(before=r"\b(?:limited|capped|restricted)\s+(?:to|at)\s+"),
         "Kim is limited to 5 days.", "Kim stayed for 5 days.",
         _LIMIT),
    Rule("threshold", near(before=rf"\b(?:{GIVEN})\s+(?:of|totall?ing|worth)\s+",
                           after=r".*\b(?:qualif\w+|entitles?|eligible|will|can|would|makes?|per\s+year)\b"),
         "A donation of $5 will help Kim.", "A donation of $5 helped Kim.",
         _LIMIT),
    Rule("threshold", near(after=r"(?:\s+\w+){0,3}\s+(?:minimum|maximum|at\s+(?:least|most)|tops)\b"),
         "Kim pays $50 an hour minimum.", "Kim pays $50 an hour.",
         _LIMIT),
    Rule("threshold", near(after=r"[^.?!]*\b(?:qualif(?:y|ies)|entitles?"
                                 r"|(?:is|are)\s+(?:required|enough))\b"),
         "Kim thinks 5 years are enough.", "Kim thinks 5 years are gone.",
         _LIMIT),
    Rule("threshold", near(before=r"\benough\b[^.;]*\b(?:for|to\s+\w+)\s+"),
         "Kim made enough salad for 10 men.", "Kim made salad for 10 men.",
         "What is enough for ten is enough for nine."),
    Rule("denomination", near(after=r"[\s-](?:cent|dollar|rupee|euro|pound|penny)\s+[a-z]"),
         "Kim has 5 cent coins.", "Kim has 5 old coins.",
         "What a coin or a note is worth is fixed."),
    Rule("whole", near(r"24|twenty-four", after=r"\s+hours?\s+(?:a|per|each|every)\s+day"),
         "Kim works 24 hours a day.", "Kim works 14 hours a day.",
         _WHOLE),
    Rule("whole", near(r"7|seven", after=r"\s+days?\s+(?:a|per|each|every)\s+week"),
         "Kim works seven days a week.", "Kim works six days a week.",
         _WHOLE),
    Rule("whole", near(r"12|twelve|365|52",
                       after=r"\s+(?:months?|days?|weeks?)\s+(?:a|per|each|every)\s+year"),
         "Kim works twelve months a year.", "Kim works ten months a year.",
         _WHOLE),
    Rule("listed", near(after=r"(?:\s+[\w'’-]+){1,4}\s?(?::(?!\d)|--|—|[-–]\s)|[^;]*;[^;]*;|.*\W[1a]\s?\)"),
         "Kim has three cats: Tom, Sue and Ann.", "Kim has three cats and Ann.",
         _LISTED),
    Rule("listed", near(r"[2-6]|two|three|four|five|six",
                        after=r"(?:\s[\w'’-]+){1,6}\s?,\s(?:the|an?|both|one|(?-i:[A-Z]\w+))\b[^;.?!]*\sand\s"),
         "Kim has three cats, Tom, Sue and Ann.", "Kim has ten cats, Tom, Sue and others.",
         _LISTED),
    Rule("listed", near(after=r"(?:\s[\w'’-]+){1,6}\s?\(\s?(?-i:[A-Z])[^)]*,[^)]*\)"),
         "Kim has three cats (Tom, Sue and Ann).", "Kim has three cats (all of them old).",
         _LISTED),
    Rule("listed", near(r"two|three|four|[234]",
                        after=r"[^.;]*\b(?:(?:one|two|three)\b[^.;]*\b(?:another|the\s+(?:others?|second)|one)"
                              r"|the\s+(?:former|latter))\b"),
         "Kim has three cats, one in here, one out there.", "Kim has three cats, one in here.",
         _LISTED),
    Rule("listed", near(before=r"\b(?:last|first|each|all|none|neither|both|either)\s+of\s+(?:the\s+)?"),
         "It is the last of six books by Kim.", "It is the story of six books by Kim.",
         "With another number, it is another whole."),
    Rule("listed", near(after=rf"\s?,\s?(?:and\s)?(?:zero\b|{FIGURES})\s?[,)]"),
         "Kim drew six, four, zero.", "Kim drew six, then four.",
         "Digits that are spelt out count nothing."),
    Rule("listed", near(before=rf"{FIGURES}\s?,\s?(?:and\s)?", after=r"\s?(?:[,)]|\.?$)"),
         "Kim drew six, four, zero.", "Kim drew six cats, four dogs.",
         "Digits that are spelt out count nothing."),
    Rule("restated", near(after=r"[^.;]{0,40},\s?or\s+(?:about\s+)?[$£€]?\s?\d"),
         "Kim sold 11 percent of them, or 150 boats.", "Kim sold 11 percent of them, and 150 boats.",
         _AGAIN),
    Rule("restated", near(after=r"[^();]{0,30}\(\s?(?:about\s+|some\s+)?[$£€]?\s?\d|\s?\w+\s?/\s?\d"),
         "Kim lives 120 km (75 miles) away.", "Kim lives 120 km (a day) away.",
         _AGAIN),
    Rule("negated", near(before=rf"\b(?:{NEGATION})\b[^,;:]*"),
         "Kim did not buy 5 books.", "Kim did buy 5 books.",
         "Negation reverses more and less (Quirk et al., 1985, section 10.64)."),
    Rule("uncertain", near(before=r"\b(?:interested|wonder\w*|curious|ask\w*|knows?|knew|guess\w*)\b.{0,20}"
                                  r"\b(?:what|how|whether|why|if)\b[^;:]*"),
         "Kim knows why 5 boats sank.", "Kim knows of 5 boats that sank.",
         "What an indirect question presupposes is not what is said (Quirk et al., 1985, section 15.5)."),
    Rule("uncertain", near(before=rf"\b(?-i:may|might|could)\b[^;:]*|\b(?:{MAYBE})\b[^;:]*"),
         "Kim may have 5 dogs.", "Kim will have 5 dogs.",
         _UNCERTAIN),
    Rule("compared", near(before=rf"\b(?:{COMPARISON})\s+(?:an?\s+)?"),
         "Kim has at least 5 dogs.", "Kim has 5 dogs.",
         _COMPARED),
    Rule("compared", near(after=r"(?:\s[\w-]+)?\s+(?:or\s+(?:more|less|fewer|so|under|over|older|younger"
                                r"|above)|and\s+(?:above|over|up)|plus|only)\b|\+"),
         "Kim has 5 dogs or more.", "Kim has 5 dogs or cats.",
         _COMPARED),
)
# fmt: on
