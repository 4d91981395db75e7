"""Tokens with character offsets, and their dependencies: of a sentence, or of a parse aligned with it.

A construction edits the characters of the published sentence, so a token of a parse must first be located
there.  Parsers rewrite what they read: they use the Penn Treebank's escapes, and Stanford's tokenizer
normalises more (its documentation, `PTBTokenizer`, lists the options: currencies, fractions, dashes,
ellipses, American spelling, dropped characters, and a full stop that is duplicated after a final
abbreviation).  In SNLI's dev and test sets, and the part of its train set that has parses, only quotes and
round brackets differ from the text; the rest occurs in MultiNLI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from crossexam.core.errors import CrossexamError

#: From a character, token or leaf to that after the last one.
Span = tuple[int, int]


class Token(NamedTuple):
    """A token: *text* is characters *start* to *end* of the sentence; *tag* is a Penn tag, '' if none."""

    text: str
    start: int
    end: int
    tag: str


class Parsed(NamedTuple):
    """A sentence with dependencies: the *heads* of its *tokens* (-1 for the root) and their *relations*.

    Relations are those of Universal Dependencies (``nsubj``, ``nsubj:pass``, ``obj``, ``obl:agent``,
    ``amod``, ``det``, ``acl:relcl`` ...), whatever labels the parser uses.

    >>> tokens = (Token("Dogs", 0, 4, "NNS"), Token("bark", 5, 9, "VBP"))
    >>> Parsed(tokens, (1, -1), ("nsubj", "root")).children(1)
    (0,)
    """

    tokens: tuple[Token, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]

    def children(self, index: int, *relations: str) -> tuple[int, ...]:
        """Return the dependents of the token at *index*, of any relation or of one of *relations*."""
        return tuple(
            k
            for k, head in enumerate(self.heads)
            if head == index and (not relations or self.relations[k] in relations)
        )

    def below(self, index: int) -> tuple[int, ...]:
        """Return the token at *index* and all its direct and indirect dependents, in order."""
        found = {index}
        grown = True
        while grown:
            more = {k for k, head in enumerate(self.heads) if head in found} - found
            found |= more
            grown = bool(more)
        return tuple(sorted(found))


class AlignmentError(CrossexamError):
    """The words of a parse are not those of its sentence."""


# What the text may have instead of a word of the parse, most likely first.
# fmt: off
_WRITTEN: Final[dict[str, tuple[str, ...]]] = {
    "-LRB-": ("(",),  "-LSB-": ("[",),  "-LCB-": ("{",),
    "-RRB-": (")",),  "-RSB-": ("]",),  "-RCB-": ("}",),
    "``":    ('"', "“", "„", "«", "''", "'", "‘", "‹", "`"),
    "''":    ('"', "”", "“", "»", "'", "’", "›", "´´", "´"),
    "`":     ("'", "‘", "‹", "’", "´"),
    "'":     ("’", "‘", "`", "´", "›"),
    "...":   ("…", ". . .", "..", "...."),
    "--":    ("—", "–", "―", "---", "-", "\x96", "\x97"),
    "-":     ("–", "—", "‐", "‑"),
    "$":     ("€", "£", "¥", "US$"),
    "#":     ("£",),
    "cents": ("¢",),
    "&":     ("&amp;",), "<": ("&lt;",), ">": ("&gt;",),
    "1/4":   ("¼",),  "1/2":   ("½",),  "3/4":   ("¾",),
}
# fmt: on

# One alternative after another, first match wins.  Apostrophes: ' and ’; \u00ad is the soft hyphen.
_WORD: Final = re.compile(
    r"""
      (?:[A-Za-z]\.){2,}(?:[A-Za-z](?!\w))?               # U.S., p.m., B.C.E
    | (?:Mrs?|Ms|Dr|Prof|St|Mt|Rs?|Re|No|Nos|Jr|Sr|Gen|Col|Capt|Lt|Sgt|Sen|Rep|Gov|Rev|vs|etc|approx|Inc|Corp
      |Ltd|Co|Tel|Ave|Jan|Feb|Aug|Sept?|Oct|Nov|Dec|[A-Z](?=\.\ +[A-Z][a-z]))
      \.(?=\ +\S|,|\d|[A-Z])                             # Mr. J. Smith, Rs. 500, Inc., ...
    | https?://[^\s<>"]+ | [\w.+-]+@[\w-]+\.\w[\w.-]*\w
    | ['’]\d0s\b                                          # the '90s
    | \d+(?:[.,:/]\d+)*(?:[^\W\d_]+)?(?:-[^\W_]+)*        # 1,234.5  6:30  1/2  3rd  5kg  12-year-old
    | (?i:can(?=not\b)|gon(?=na\b)|wan(?=na\b)|got(?=ta\b)|gim(?=me\b)|lem(?=me\b))
    | [^\W_]+?(?=(?:n['’][tT]|N['’]T)\b) | n['’][tT]\b | N['’]T\b
    | ['’](?i:s|m|d|ll|re|ve)\b
    | [^\W_]+(?:(?:(?!['’](?i:s|m|d|ll|re|ve)\b)['’]|[-\u00ad]|&(?=[A-Z]\b)|\.(?=[a-z]{2,3}\b))[^\W_]+)*
    | \.{2,} | --+ | ``|'' | _+
    | \S
    """,
    re.VERBOSE,
)

new_token: Final = tuple.__new__  # a third of the time of Token(...), for millions of tokens
_SIMILAR: Final = 0.6  # color and colour have 0.91, theater and theatre 0.86, dog and cat 0


def align(sentence: str, leaves: Iterable[tuple[str, str]]) -> tuple[Token, ...]:
    """Return the tokens of a parse with their offsets in *sentence*, from its (tag, word) *leaves*.

    The text of a token is the sentence's (a quotation mark if the parse has ` `` `); tokens do not
    overlap, and only blanks and characters that the parser dropped separate them.  Words of the parse
    that are not in the sentence, full stops after a final abbreviation, are left out.
    Raises AlignmentError if the parse belongs to another sentence.

    >>> align('He said "no" (twice).', [("PRP", "He"), ("VBD", "said"), ("``", "``"), ("UH", "no"),
    ...       ("''", "''"), ("-LRB-", "-LRB-"), ("RB", "twice"), ("-RRB-", "-RRB-"), (".", ".")])[2]
    Token(text='"', start=8, end=9, tag='``')
    """
    tokens: list[Token] = []
    position = 0
    for tag, word in leaves:
        start = position + 1 if sentence.startswith(" ", position) else position
        if sentence.startswith(word, start):  # nearly always
            position = start + len(word)
            tokens.append(new_token(Token, (word, start, position, tag)))
            continue
        found = _find_rewritten(sentence, position, word, tokens)
        if found is None:
            continue
        start, position = found
        tokens.append(Token(sentence[start:position], start, position, tag))
    rest = sentence[position:]
    if rest and any(map(str.isalnum, rest)):
        raise _misfit(f"the parse ends before {_excerpt(sentence, position)}", sentence)
    return tuple(tokens)


def words(sentence: str) -> tuple[Token, ...]:
    """Return the words and punctuation marks of *sentence* with their offsets, without tags.

    Follows the conventions of the Penn Treebank (clitics are separated, ``do n't``; hyphenated words are
    not), in one pass over the text.  A full stop inside a text of several sentences is a separate token;
    NLTK's tokenizer, which expects one sentence, leaves it attached to the word.

    >>> [token.text for token in words("Mr. Lee's dog can't cost $1,200.50.")]
    ['Mr.', 'Lee', "'s", 'dog', 'ca', "n't", 'cost', '$', '1,200.50', '.']
    """
    found = _WORD.finditer(sentence)
    return tuple([new_token(Token, (match.group(), *match.span(), "")) for match in found])


def _find_rewritten(sentence: str, position: int, word: str, tokens: list[Token]) -> Span | None:
    """Return the span of *word* at or after *position*, None if the parser added it."""
    here = _skip_blank(sentence, position)
    span = _spelt(sentence, here, word)
    if span is None and tokens and here == position and sentence[here - 1 : here + 1].isalpha():
        end = here + len(_run_of_letters(sentence, here))  # dialog/ue: the parse has a shorter word
        tokens[-1] = tokens[-1]._replace(text=sentence[tokens[-1].start : end], end=end)
        here = _skip_blank(sentence, end)
        span = _spelt(sentence, here, word)
    if span is None and word == "." and tokens and tokens[-1].text.endswith("."):
        return None
    if span is None and here < len(sentence) and not sentence[here].isalnum():
        while here < len(sentence) and not sentence[here].isalnum() and span is None:
            here += 1  # a character that the parser dropped
            span = _spelt(sentence, here, word)
    if span is None:
        raise _misfit(f"the parse has {word!r} where the sentence has {_excerpt(sentence, here)}", sentence)
    return span


def _spelt(sentence: str, here: int, word: str) -> Span | None:
    """Return the span of *word* at *here* in any of the forms that parsers rewrite, or None."""
    plain = word.replace("\\/", "/").replace("\\*", "*")
    curly, blank = plain.replace("'", "’"), plain.replace("\xa0", " ")
    for form in (word, *_WRITTEN.get(word, ()), plain, curly, blank):
        if sentence.startswith(form, here):
            return here, here + len(form)
    written = re.match(r"[^\W_]+(?:[-'’.,/][^\W_]+)*", sentence[here : here + 2 * len(word) + 8])
    if written is None or not plain[0].isalnum():
        return None
    for surface in (written.group(), _run_of_letters(sentence, here)):
        likeness = SequenceMatcher(None, surface.lower(), plain.lower(), autojunk=False).ratio()
        if surface and likeness >= _SIMILAR:
            return here, here + len(surface)
    return None


def _skip_blank(sentence: str, position: int) -> int:
    while position < len(sentence) and sentence[position].isspace():
        position += 1
    return position


def _run_of_letters(sentence: str, here: int) -> str:
    end = here
    while end < len(sentence) and sentence[end].isalpha():
        end += 1
    return sentence[here:end]


def _excerpt(sentence: str, position: int) -> str:
    return repr(sentence[position : position + 20]) if position < len(sentence) else "its end"


def _misfit(what: str, sentence: str) -> AlignmentError:
    return AlignmentError(
        what,
        where=f"sentence {sentence[:60]!r}",
        wanted="the parse of this sentence",
        hint="`--tagger builtin` tags the sentence itself",
    )
