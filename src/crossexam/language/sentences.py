"""Sentence segmentation.

By rules, not by NLTK's Punkt: its model is not in NLTK's wheel, so a fresh installation has none, and it
was trained on edited newspaper text.  Word problems (AQuA-RAT) are different: "A starts from P and B.
Find ...", "Rs. 450", "at rest.How far", "43 sheep. he wanted", questions without a question mark.
"""

from __future__ import annotations

import re
from typing import Final

from crossexam.language.tokens import Span

# Abbreviations after which the sentence continues, whatever follows.
_TITLES: Final = frozenset(
    "mr mrs ms dr prof rs re st mt gen col capt lt sgt sen rep gov rev hon messrs vs approx viz cf eg"
    " ie fig figs eq art sq".split()
)
# Abbreviations that may end a sentence: it ends if the next word is capitalised as only a first word is.
_ABBREVIATIONS: Final = frozenset(
    "no nos etc inc ltd co corp jr sr bros dept est tel ave blvd rd jan feb mar apr jun jul aug sep"
    " sept oct nov dec mon tue tues wed thu thur thurs fri sat sun al ph p pp vol ch sec pg temp avg"
    " max min hr hrs mins secs km cm mm kg gm gms lb lbs oz ft yd yds in kmph mph paise pc pcs qty wt"
    " ht".split()
)
_OPENERS: Final = frozenset(
    "a after all although an and another as assume at because before both but by calculate consider"
    " convert during each evaluate every express find following for from given had has have he hence"
    " her here his how however i if in is it its let many most my no not now of on one only or other"
    " otherwise our out over she show since so solve some suppose than that the their then there"
    " therefore these they this those though thus to two under until we what when where whether which"
    " while who whose why with you your".split()
)

# End marks with the closing quotation marks and brackets after them.
_END: Final = re.compile(r"(?P<mark>[.?!…]+)(?P<close>[\"'”’)\]]*)(?P<gap>\s*)")
_BLANK_LINE: Final = re.compile(r"\s*\n\s*\n\s*|\s*\n\s*(?=(?:[A-Z\"“(]|\d+[.)]\s|[IVX]+\.\s|[-•*]\s))")
_LAST_WORD: Final = re.compile(r"[^\s(\[\"“'‘]+$")
_NEXT_WORD: Final = re.compile(r"[\"“'‘(\[]*([^\W_]+(?:['’][a-z]+)?)")


def split_sentences(text: str) -> tuple[Span, ...]:
    """Return the (start, end) of every sentence of *text*, in order, without surrounding blanks.

    Only blanks separate sentences.  A line break ends one if the next line starts like a sentence or a
    list item.

    >>> text = "Mr. Rao paid Rs. 4.50 at rest.How much did B. pay? He left."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Mr. Rao paid Rs. 4.50 at rest.', 'How much did B. pay?', 'He left.']
    """
    cuts = [match.start() for match in _BLANK_LINE.finditer(text)]
    cuts += [match.end("close") for match in _END.finditer(text) if _ends(text, match)]
    spans: list[Span] = []
    start = 0
    for end in (*sorted(cuts), len(text)):
        piece = text[start:end]
        if piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, start + len(piece.rstrip())))
        start = end
    return tuple(spans)


def sentences_of(document: str) -> tuple[Span, ...]:
    """Return the (start, end) of the sentences of *document*; none if it has fewer than two.

    >>> sentences_of("It rains. It is wet."), sentences_of("It rains.")
    (((0, 9), (10, 20)), ())
    """
    sentences = split_sentences(document)
    return sentences if len(sentences) > 1 else ()


def _ends(text: str, match: re.Match[str]) -> bool:
    """Return whether a sentence ends at the end mark of *match*."""
    following = _NEXT_WORD.match(text, match.end())
    if following is None:
        return bool(match["gap"])  # marks and numbers: ". $5 was paid"; nothing: the end of the text
    word = following.group(1)
    if not match["gap"]:
        return _ends_without_space(text, match, word)
    if match["mark"].endswith(("?", "!")):
        return not (word[0].islower() and match["close"])  # "Why?" he asked
    if match["mark"] in {"...", "…", ".."}:
        return not word[0].islower()
    before = _LAST_WORD.search(text, max(0, match.start() - 30), match.start())
    return (
        before is None
        or bool(match["close"] and not word[0].islower())
        or _ends_after(text, before.start(), before.group(), word)
    )


def _ends_after(text: str, at: int, last: str, word: str) -> bool:
    """Return whether a sentence ends between *last*, which begins at *at* and has a full stop, and *word*."""
    if (last.isdigit() or set(last) <= set("IVX")) and not text[:at].rpartition("\n")[2].strip():
        return False  # the marker of a list item: 1. or II.
    lower = last.lower()
    opens = word.lower() in _OPENERS and word[0].isupper()
    if lower in _TITLES or (lower in {"no", "nos"} and word[0].isdigit()):
        return False
    if len(last) == 1 and last.isalpha():
        return opens or (word[0].isupper() and (last.islower() or _after_lower_case(text, at)))
    if "." in last and last.replace(".", "").isalpha():  # p.m, U.S, i.e
        return opens or (lower in {"a.m", "p.m"} and word[0].isupper())
    if lower in _ABBREVIATIONS:
        return word[0].isupper() and (opens or lower not in {"no", "st", "co", "sec", "ch", "p", "pp", "vol"})
    return not word[0].islower() or len(last) > 2


def _ends_without_space(text: str, match: re.Match[str], word: str) -> bool:
    """Return whether a space is missing: "rest.How", "pay?He"; not in 3.5, U.S.A, site.com."""
    if not word[0].isupper() or (len(word) > 1 and word.isupper()):
        return False
    if match["mark"] != ".":
        return True
    before = _LAST_WORD.search(text, max(0, match.start() - 30), match.start())
    last = before.group() if before else ""
    if not last or last.lower() in _TITLES or "://" in last or last.lower().startswith("www"):
        return False
    if "." in last.rstrip("."):
        return last.lower() in {"a.m", "p.m"} or last[0].isdigit()
    return (len(last) > 1 and last[-1].islower() and last != "Ph") or last[-1] in "0123456789%)"


def _after_lower_case(text: str, at: int) -> bool:
    """Return whether the word before *at* is in lower case: stations A and B. (but: John F. Kennedy)."""
    words = text[:at].split()
    return bool(words) and words[-1].islower()
