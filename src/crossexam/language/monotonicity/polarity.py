"""Which way a sentence follows when a word of it is made more general: natural logic by tags.

After MacCartney (2009), chapter 6, and Hu and Moss (2018): operators of a table reach over parts of the
sentence, and what they do there composes.

Deviation: these parse with a categorial grammar or dependencies; here reach is read from tags, and
from dependencies where they are given, since most corpora ship none.  What the tags do not tell (what a
phrase after an object belongs to) is ``none``, unless it makes no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crossexam.language.monotonicity.operators import Direction
from crossexam.language.monotonicity.scopes import regions
from crossexam.language.monotonicity.spans import sentence_of
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.tokens import Token


class Polarity(NamedTuple):
    """Which replacements keep a sentence true: by more general words (up), more special ones (down), none.

    *reason* names the operators in whose reach the place is, outermost first.
    """

    direction: Direction
    reason: str


def compose(outer: Direction, inner: Direction) -> Direction:
    """Return what two operators do together: down twice is up, and none stays none.

    >>> compose("down", "down"), compose("up", "down"), compose("none", "down")
    ('up', 'down', 'none')
    """
    if "none" in (outer, inner):
        return "none"
    return "up" if outer == inner else "down"


def polarity_at(tokens: Sequence[Token], position: int, parsed: Parsed | None = None) -> Polarity:
    """Return the polarity of the token at *position* of a sentence with Penn tags.

    *parsed*: its dependencies, used if they are of the same tokens.  Raises IndexError outside.

    >>> tags = "No/DT dog/NN is/VBZ barking/VBG loudly/RB ./.".split()
    >>> tokens = [Token(word, k, k + 1, tag) for k, (word, tag) in enumerate(t.split("/") for t in tags)]
    >>> polarity_at(tokens, 1)
    Polarity(direction='down', reason="restrictor of 'no'")
    """
    if not 0 <= position < len(tokens):
        raise IndexError(f"no token {position} in a sentence of {len(tokens)}")
    over = [
        region for region in regions(sentence_of(tokens, parsed)) if region.start <= position < region.end
    ]
    direction: Direction = "up"
    for region in over:
        direction = compose(direction, region.direction)
    return Polarity(direction, ", ".join(region.by for region in over) or "no operator over it")
