"""The rules of numerical reasoning about what a sentence says with an amount.

It compares, repeats or lists it, or only says that it may be so: the sentence is as true with other amounts,
or no longer fits them.
"""

from __future__ import annotations

from typing import Final

from crossexam.constructions.rules.number import (
    Number,
    earlier,
    governed,
    is_awaited,
    is_in_subject,
    is_judged,
    is_total,
    near,
)
from crossexam.constructions.rules.number_words import (
    ASKING,
    BEST,
    COMPARISON,
    EASY,
    FIGURES,
    GIVEN,
    LIMIT,
    MAYBE,
    NEGATION,
    OF_TIME,
    ORDINAL,
    PERSONS,
    VERY,
    WANTING,
)
from crossexam.constructions.rules.rule import Rule

# What several rows are about.
_LIMIT: Final = "Other amounts may also meet a target, limit or need."
_WHOLE: Final = "It is all there is, and cannot be more."
_LISTED: Final = "What is counted is then listed, so that another number contradicts the list."
_AGAIN: Final = "The amount is stated again, and the two would contradict each other."
_UNCERTAIN: Final = "What may be so may be otherwise (Quirk et al., 1985, section 4.53)."
_LASTED: Final = "What lasted until later was so later, too."
_COMPARED: Final = "The number is compared already."

_is_passed: Final = near(before=r"\b(?:pass(?:es|ed|ing)?|near)\s+")

# fmt: off
#: Why an amount cannot be changed where it stands.
IN_CONTEXT: Final[tuple[Rule[Number], ...]] = (
    Rule("threshold", near(before=rf"\b(?:{LIMIT})\s+(?:\w+\s+){{0,2}}(?:is|was|of|at|to)\s+(?:\w+\s+)?"),
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
    Rule("threshold", earlier(r"enough\b[^.;]*\s(?:for|to)", until=".;"),
         "Kim made enough salad for 10 men.", "Kim made salad for 10 men.",
         "What is enough for ten is enough for nine."),
    Rule("threshold", near(before=r"^\W*with\s+(?:only\s+|just\s+)?",
                           after=r"[^.;]*\s(?:can|could|may|might|will|would)\b"),
         "With 5 boats, Kim can win.", "With 5 boats, Kim won.",
         "What is enough for it is not all that is."),
    Rule("denomination", near(after=r"[\s-](?:cent|dollar|rupee|euro|pound|penny)\s+[a-z]"),
         "Kim has 5 cent coins.", "Kim has 5 old coins.",
         "What a coin or a note is worth is fixed."),
    Rule("whole", near(r"24|twenty-four", after=r"\s+hours?\s+(?:a|per|each|every)\s+day"),
         "Kim works 24 hours a day.", "Kim works 14 hours a day.",
         _WHOLE),
    Rule("whole", near(r"24|twenty-four", before=r"\b(?:open|available|running|staffed)\s+(?:for\s+)?",
                       after=r"\s+hours?\b"),
         "Kim's shop is open 24 hours.", "Kim's shop is open 14 hours.",
         _WHOLE),
    Rule("whole", near(r"7|seven", after=r"\s+days?\s+(?:a|per|each|every)\s+week"),
         "Kim works seven days a week.", "Kim works six days a week.",
         _WHOLE),
    Rule("whole", near(r"12|twelve|365|52",
                       after=r"\s+(?:months?|days?|weeks?)\s+(?:a|per|each|every)\s+year"),
         "Kim works twelve months a year.", "Kim works ten months a year.",
         _WHOLE),
    Rule("listed", near(after=rf"(?!\s{OF_TIME})(?:\s+[\w'’-]+){{1,4}}\s?(?::(?!\d)|--|—|[-–]\s)"
                              r"|[^;]*;[^;]*;|.*\W[1a]\s?\)"),
         "Kim has three cats: Tom, Sue and Ann.", "Kim has three cats and Ann.",
         _LISTED),
    Rule("listed", near(r"[2-6]|two|three|four|five|six",
                        after=rf"(?!\s{OF_TIME})(?:\s[\w'’-]+){{1,6}}\s?,\s(?:(?:the|an?|both|one|(?-i:[A-Z]\w+))\b"
                              r"[^;.?!]*\sand\s|(?:two|three|four|[234])\s\w+\sand\s(?:an?|one|two|three)\b)"),
         "Kim has three cats, Tom, Sue and Ann.", "Kim has ten cats, Tom, Sue and others.",
         _LISTED),
    Rule("listed", near(after=r"(?:\s[\w'’-]+){1,6}\s?\(\s?(?:(?:the|an?)\s)?(?-i:[A-Z])[^)]*,[^)]*\)"),
         "Kim has three cats (Tom, Sue and Ann).", "Kim has three cats (all of them old).",
         _LISTED),
    Rule("listed", near(r"two|three|four|[234]",
                        after=r"[^.;]*\b(?:(?:one|two|three)\b[^.;]*\b(?:another|the\s+(?:others?|second)|one)"
                              r"|the\s+(?:former|latter))\b"),
         "Kim has three cats, one in here, one out there.", "Kim has three cats, one in here.",
         _LISTED),
    Rule("listed", near(r"[2-9]|two|three|four|five|six|seven|eight|nine",
                        after=rf"[^.]*\b(?:an?\s{ORDINAL}(?!\sof\b)|the\s{ORDINAL}(?!\s[a-z])"
                              rf"|the\sother\s{FIGURES})\b"),
         "Kim has three cats; the other two sing.", "Kim has three cats; others sing.",
         _LISTED),
    Rule("listed", near(r"[2-6]|two|three|four|five|six",
                        after=r"[^.;:]*:\s(?-i:[A-Z])[^;:]*\sand\s(?:(?:the|an?)\s)?(?-i:[A-Z])"),
         "Two of us fed the old cats of Kim: Tom and Lee.", "Two of us fed the old cats of Kim and Lee.",
         _LISTED),
    Rule("listed", near(r"[2-6]|two|three|four|five|six", after=rf"[^.]*\bthe\s{ORDINAL}\sone\b"),
         "Kim has two cats, and the third one died.", "Kim has two cats, and the third day they died.",
         _LISTED),
    Rule("listed", near(before=r"\b(?:last|first|each|all|none|neither|both|either)\s+of\s+(?:the\s+)?"),
         "It is the last of six books by Kim.", "It is the story of six books by Kim.",
         "With another number, it is another whole."),
    Rule("listed", near(r"[2-9]|[a-z]+", before=r"\b(?:are|were)\s+",
                        after=r"\s+of\s+(?:the|my|our|his|her|its|their)\b"),
         "Tom and Sue are two of the cats of Kim.", "Kim fed two of the cats.",
         "The subject names them, so that another number contradicts it."),
    Rule("listed", near(r"[2-9]|[a-z]+",
                        after=r"\s+of\s+(?:the|my|our|his|her|its|their)\b[^.;,]*\s(?:are|were)\s"
                              r"(?:the\b|(?-i:[A-Z]))"),
         "Two of the cats of Kim are Tom and Sue.", "Two of the cats of Kim are ill.",
         _LISTED),
    Rule("listed", near(after=rf"\s?,\s?(?:and\s)?(?:zero\b|{FIGURES})\s?[,)]"),
         "Kim drew six, four, zero.", "Kim drew six, then four.",
         "Digits that are spelt out count nothing."),
    Rule("listed", near(before=rf"{FIGURES}\s?,\s?(?:and\s)?", after=r"\s?(?:[,)]|\.?$)"),
         "Kim drew six, four, zero.", "Kim drew six cats, four dogs.",
         "Digits that are spelt out count nothing."),
    Rule("reciprocal", near("2|two", after=r".*\b(?:each\s+other|one\s+another)\b"),
         "Two dogs of Kim saw each other.", "Two dogs of Kim saw the other.",
         "One dog cannot, and less than two are one."),
    Rule("restated", near(after=r"[^.;]{0,40},\s?or\s+(?:about\s+)?[$£€]?\s?\d"),
         "Kim sold 11 percent of them, or 150 boats.", "Kim sold 11 percent of them, and 150 boats.",
         _AGAIN),
    Rule("restated", near(after=r"[^();]{0,30}\(\s?(?:about\s+|some\s+)?[$£€]?\s?\d|\s?\w+\s?/\s?\d"),
         "Kim lives 120 km (75 miles) away.", "Kim lives 120 km (a day) away.",
         _AGAIN),
    Rule("restated", is_total,
         "Kim has 3 dogs and 4 cats, 7 pets in all.", "Kim has 3 dogs and 4 cats, 8 pets being ill.",
         "The numbers add up, or are multiplied, and with another they do not."),
    Rule("restated", near(after=rf"[^.;]{{0,12}}\bfrom\s+[$£€]?\s?{FIGURES}"),
         "Kim's rent went to $20 from $16.", "Kim's rent went to $20 from then.",
         _AGAIN),
    Rule("restated", near(after=r".*\b(?:(?:more|less|fewer)\s+than|half|twice|double)\s+that\b"),
         "Kim has 5 dogs, and Lee has more than that.", "Kim has 5 dogs, and Lee has more than Kim.",
         _AGAIN),
    Rule("coordinated", near(after=r"((?:\s[a-z]+)?)\s+and\s+[$£€]?"
                                   rf"{FIGURES}(?:\s(?:million|billion))?\1(?!\w)"),
         "Kim sold 12 and 15 boats.", "Kim sold 12 boats and 15 oars.",
         "It is not clear whether less than goes with both numbers (Quirk et al., 1985, chapter 13)."),
    Rule("coordinated", near(before=rf"{FIGURES}(?:\s(?:million|billion))?,?\s+(?:and|or)\s+"),
         "Kim sold 12 and 15 boats.", "Kim sold 12 boats and 15 oars.",
         "It is not clear whether less than goes with both numbers (Quirk et al., 1985, chapter 13)."),
    Rule("judged", is_judged,
         "44 pages is plenty for Kim.", "44 pages are missing for Kim.",
         "What holds of an amount need not hold of more or less."),
    Rule("judged", is_in_subject,
         "Paying 5 dollars was wise of Kim.", "Paying 5 dollars, Kim was wise.",
         "What holds of an activity need not hold of more or less of it."),
    Rule("span", near(before=r"\beven\s+(?:at|after|with|for|in|by)\s+"),
         "Even after nine years, Kim sings.", "After nine years, Kim sings.",
         "What holds even after nine years holds after eight (Quirk et al., 1985, chapter 8)."),
    Rule("span", near(after=rf"\s+{OF_TIME}\s+ago\b,?\s+(?:(?!and\b)[\w'’-]+\s+){{0,3}}"
                            rf"(?:(?:was|were)(?!\s+\w+(?:ed|en)\b)|nobody|no\s+one)\b"),
         "Four years ago Kim was ill.", "Four years ago Kim was robbed.",
         _LASTED),
    Rule("span", near(before=r"\b(?:was|were)\s+(?:already|still|an?|the|no)\b[^.,;:]*\s",
                      after=rf"\s+{OF_TIME}\s+ago\b"),
         "It was a problem for Kim ten years ago.", "It was said by Kim ten years ago.",
         _LASTED),
    Rule("negated", near(before=rf"\b(?:{NEGATION})\b[^,;:]*"),
         "Kim did not buy 5 books.", "Kim did buy 5 books.",
         "Negation reverses more and less (Quirk et al., 1985, section 10.64)."),
    Rule("uncertain", earlier(rf"(?:{ASKING})\b.{{0,20}}\b(?:what|how|whether|why|if)", until=";:"),
         "Kim knows why 5 boats sank.", "Kim knows of 5 boats that sank.",
         "What an indirect question presupposes is not what is said (Quirk et al., 1985, section 15.5)."),
    Rule("uncertain", near(before=rf"\b(?-i:may|might|could)\b[^;:]*|\b(?:{MAYBE})\b[^;:]*"),
         "Kim may have 5 dogs.", "Kim will have 5 dogs.",
         _UNCERTAIN),
    Rule("uncertain", governed("can|could|may|might|should|ought|capable"),
         "Kim can feed 5 dogs.", "Kim feeds 5 dogs.",
         "Who can do it can also do less, and who should may do more (Quirk et al., 1985, chapter 4)."),
    Rule("uncertain", governed(WANTING, link="to"),
         "Kim hopes to buy 5 boats.", "Kim bought 5 boats.",
         "What is wanted need not be so (Quirk et al., 1985, chapter 16)."),
    Rule("uncertain", earlier(rf"(?:is|are|was|were|be|['’]s)\s+{VERY}(?:{EASY})"
                              rf"\s+(?:for\s+\w+\s+(?:\w+\s+)?)?to"),
         "It is easy for Kim to sell 5 boats.", "It is certain that Kim sold 5 boats.",
         "What is easy to do need not be done (Quirk et al., 1985, chapter 16)."),
    Rule("uncertain", is_awaited,
         "Kim will sing when Lee has 5 boats.", "Kim sang when Lee had 5 boats.",
         "It is not said that it is or will be so (Quirk et al., 1985, chapter 15)."),
    Rule("uncertain", near(before=rf"\b(?:for|of|among|to)\s+(?:[\w-]+\s+){{0,3}}{PERSONS}\s+"
                                  r"(?:who\s+|that\s+)?(?:mak|earn|hav|ow|buy|pay|spend)\w*\s+"
                                  r"|\b(?:all|any|every|each|most)\s+(?!of\b)(?:\w+\s+){1,2}(?:who|that|with)\s+"
                                  r"(?:\w+\s+){0,2}"),
         "It is cheap for couples making $50 with Kim.", "It is cheap, and Kim is making $50.",
         "What holds for some need not hold only for them."),
    Rule("compared", near(before=rf"\b(?:{COMPARISON})\s+(?:an?\s+)?"),
         "Kim has at least 5 dogs.", "Kim has 5 dogs.",
         _COMPARED),
    Rule("compared", earlier("only"),
         "Kim only sold old boats with 5 oars.", "Kim sold only old boats, and 5 oars.",
         "Only says that there are no more (Quirk et al., 1985, section 8.116)."),
    Rule("compared", lambda n: n.quantity and (n.currency or n.quantity.percent) and _is_passed(n),
         "Kim's rate passes $180.", "Kim's rate was $180.",
         _COMPARED),
    Rule("compared", near(after=r"(?:\s[\w-]+){0,3}\s+(?:or\s+(?:more|less|fewer|so|something|under|over"
                                r"|older|younger|above|thereabouts|an?\s+little)|at\s+best|flat(?!\s\w))\b"
                                r"|(?:\s[\w-]+)?\s+(?:and\s+(?:above|over|up)|plus|only|less\s+an?)\b|\+"),
         "Kim has 5 dogs or more.", "Kim has 5 dogs or cats.",
         _COMPARED),
)
# fmt: on
