"""Tautologies appended to a sentence (Naik et al., 2018, C18-1198, section 3.2).

Conjoining the premise or the hypothesis with a statement that is true in all possible worlds does not
change the relation between them: if p entails h, then p entails h and t; likewise for contradiction and
neutral.

Word overlap appends "and true is true" to the hypothesis, negation "and false is not true" to the
hypothesis, and length mismatch "and true is true" five times to the premise; ``tautology`` appends a clause
chosen by the user.

Difference from the paper: it appends to the very end of the sentence, and its Table 2 shows that the final
full stop is dropped (``rules=paper``).  We insert before the closing punctuation, so that the sentence still
ends as before and the edit is a pure insertion; after a quotation with which it ends, as nobody said the
tautology, but within the quotation marks of a whole sentence.

The authors' script (``make_distraction_adv_samples_jsonl.py`` of NLI_StressTest, ``rules=released``) cuts the
hypothesis at its first ".", "!" or "?", inserts the tautology before that mark and drops whatever follows it,
even if the mark is within "3.5" or "U.S."; one without a token that ends in such a mark keeps all.  It
changes no premise: no script of length mismatch was released, so only the paper's text says how it is made.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Edit, Example, Side
from crossexam.core.rules import OURS, Rules

_REMEMBERED: Final = 4096  # sentences, to which several constructions append
_CLOSING: Final = re.compile(r"""[\s.!?…,;:"'”’»*-]*$""")
_OPEN_QUOTE: Final = re.compile(r"""(?:^|[\s(\[])['‘]""")
#: The marks that close a quotation, and those that open it.
_QUOTATION_MARKS: Final = {
    "''": re.compile("``"),
    '"': re.compile('"'),
    "”": re.compile("“"),
    "»": re.compile("«"),
    "'": _OPEN_QUOTE,
    "’": _OPEN_QUOTE,
}
_ENDS_SENTENCE: Final = re.compile(r"[.!?…]")
# A full stop that belongs to the word: p.m., U.S., and the most frequent abbreviations.
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:[A-Za-z]\.)*[A-Za-z]|\b(?:etc|Inc|Ltd|Co|Corp|Jr|Sr|Mr|Mrs|Ms|Dr|St|Ave|vs|Rs|lbs?|ft|approx))$"
)


@lru_cache(_REMEMBERED)
def insertion_point(sentence: str) -> tuple[int, bool]:
    """Return the offset at which a clause is appended to *sentence*, and whether a full stop must follow it.

    The offset is :func:`end_of_words`, or the end of a quotation that begins within the sentence and ends it.

    >>> "He left."[: insertion_point("He left.")[0]], insertion_point('He said "I left."')
    ('He left', (17, True))
    """
    place, needs_stop = end_of_words(sentence)
    marks, rest = _closed_quotation(sentence, place)
    if not marks:
        return place, needs_stop
    return len(sentence) - len(rest), bool(_ENDS_SENTENCE.search(marks)) and not rest.strip()


def _closed_quotation(sentence: str, place: int) -> tuple[str, str]:
    """Return what closes a quotation after *place*, where the words of *sentence* end, and what follows it.

    Both are empty if none is closed there, or if it begins before or with the sentence.
    """
    for mark, opening in _QUOTATION_MARKS.items():
        within, found, rest = sentence[place:].rpartition(mark)
        before = sentence[:place].lstrip()
        opened = [each.start() for each in opening.finditer(before)] if found else []
        if opened and opened[-1] > 0 and (mark != '"' or len(opened) % 2):
            return within + found, rest
    return "", ""


def end_of_words(sentence: str) -> tuple[int, bool]:
    """Return the offset at which the words of *sentence* end, and whether a full stop must follow more words.

    The offset precedes closing punctuation and quotation marks; the full stop of a final abbreviation
    stays with its word, after which a sentence that goes on needs another one.

    >>> "He left."[: end_of_words("He left.")[0]], end_of_words("It is 5 p.m.")
    ('He left', (12, True))
    """
    match = _CLOSING.search(sentence)
    place = match.start() if match else len(sentence)
    if place == 0:
        return len(sentence.rstrip()), False
    closing = sentence[place:]
    if closing.startswith("'") and not _OPEN_QUOTE.search(sentence[:place]):
        place += 1  # the apostrophe of a plural possessive, not a quotation mark
    if closing.startswith(".") and not closing.startswith(".."):
        word = _last_word(sentence[:place])
        is_initialism = "." in word[-2:] or len(word) > 1
        if is_initialism and _ABBREVIATION.search(word):
            return place + 1, not closing[1:].strip()
    return place, False


def _last_word(text: str) -> str:
    return text.rsplit(maxsplit=1)[-1]


def append(
    example: Example, side: Side, clause: str, times: int = 1, *, rules: Rules = OURS
) -> Iterator[Yielded]:
    """Yield *example* with "and *clause*" appended *times* times to the sentence on *side*."""
    sentence = example.text(side)
    if not sentence.strip():
        yield Rejection("empty sentence")
        return
    place, end, closing = _PLACES[rules](sentence)
    edit = Edit(side, place, end, sentence[place:end], f" and {clause}" * times + closing)
    yield Draft(example.label, (edit,))


def _ours(sentence: str) -> tuple[int, int, str]:
    place, needs_stop = insertion_point(sentence)
    return place, place, "." if needs_stop else ""


def _at_the_end(sentence: str) -> tuple[int, int, str]:
    """Return the place after the last word, which takes the final full stop away (Table 2)."""
    place = len(sentence.rstrip().removesuffix("."))
    return place, len(sentence), ""


def _before_the_first_mark(sentence: str) -> tuple[int, int, str]:
    """Return the first mark of the sentence, which the script puts last."""
    mark = re.search(r"[.!?]\s*", sentence) if _ENDS_TOKEN.search(sentence) else None
    if mark is None:
        return len(sentence), len(sentence), ""
    return mark.start(), len(sentence), mark.group()


#: A mark that ends a token of the parse, which is what the script looks for first.
_ENDS_TOKEN: Final = re.compile(r"[.!?](?!\w)")
#: By rules: what of the sentence is replaced, from where to where, and what follows the clause.
_PLACES: Final[dict[Rules, Callable[[str], tuple[int, int, str]]]] = {
    "ours": _ours,
    "paper": _at_the_end,
    "released": _before_the_first_mark,
}


@dataclass(frozen=True)
class Options:
    """By whose *rules* the tautology is appended: ours, the paper's, or the authors' script's."""

    rules: Rules = OURS


@dataclass(frozen=True)
class LengthOptions:
    """By whose *rules* the premise is lengthened: ours or the paper's, since no script of it was released."""

    rules: Literal["ours", "paper"] = OURS


@dataclass(frozen=True)
class TautologyOptions(Options):
    """The *clause* to append, and by whose *rules*; the default is DIFF TAUT of the paper (Table 5)."""

    clause: str = "green is not red"

    def __post_init__(self) -> None:
        if not self.bare:
            raise CrossexamError(
                "the tautology is empty",
                where="--tautology",
                wanted='a clause such as "green is not red"',
            )

    @property
    def bare(self) -> str:
        """The clause without an initial conjunction and a final full stop."""
        return self.clause.strip().removeprefix("and ").rstrip(".")


def tautology(
    example: Example, resources: Resources, rng: random.Random, options: TautologyOptions = TautologyOptions()
) -> Iterator[Yielded]:
    """Yield the pair with a user-defined tautology after the hypothesis (section 4.6, Table 5)."""
    yield from append(example, "hypothesis", options.bare, rules=options.rules)


def negation(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield the pair with a tautology containing a strong negation word after the hypothesis."""
    yield from append(example, "hypothesis", "false is not true", rules=options.rules)


def word_overlap(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield the pair with a tautology after the hypothesis, which lowers the word overlap."""
    yield from append(example, "hypothesis", "true is true", rules=options.rules)


def length_mismatch(
    example: Example, resources: Resources, rng: random.Random, options: LengthOptions = LengthOptions()
) -> Iterator[Yielded]:
    """Yield the pair with a premise made much longer, but not more informative (section 3.2)."""
    yield from append(example, "premise", "true is true", times=5, rules=options.rules)
