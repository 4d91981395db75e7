"""Polarity of the positions of a sentence: natural logic on POS tags.

After MacCartney (2009), chapter 6, and Hu and Moss (2018): each operator of a table has a restrictor and a
scope, and the monotonicity of nested operators composes.

Deviation: these authors parse with a categorial grammar or dependencies; here scopes are read off the tags,
and off dependencies if there are any, since most corpora ship no parses.  If the tags do not decide (on the
attachment of a phrase after an object), the polarity is ``none``, unless it makes no difference.
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
    """The replacements that keep a sentence true: by more general words (up), more specific (down), or none.

    *reason* names the operators whose restrictor or scope the position is in, outermost first.
    """

    direction: Direction
    reason: str


def compose(outer: Direction, inner: Direction) -> Direction:
    """Return the composition of two directions: down twice is up, and none stays none.

    >>> compose("down", "down"), compose("up", "down"), compose("none", "down")
    ('up', 'down', 'none')
    """
    if "none" in (outer, inner):
        return "none"
    return "up" if outer == inner else "down"


def polarity_at(tokens: Sequence[Token], position: int, parsed: Parsed | None = None) -> Polarity:
    """Return the polarity of the token at *position* of a sentence with Penn tags.

    *parsed*: its dependencies, used if they have the same tokens.  Raises IndexError outside the sentence.

    >>> tags = "No/DT dog/NN is/VBZ barking/VBG loudly/RB ./.".split()
    >>> tokens = [Token(word, k, k + 1, tag) for k, (word, tag) in enumerate(t.split("/") for t in tags)]
    >>> polarity_at(tokens, 1)
    Polarity(direction='down', reason="restrictor of 'no'")
    """
    if not 0 <= position < len(tokens):
        raise IndexError(f"no token {position} in a sentence of {len(tokens)}")
    sentence = sentence_of(tokens, parsed)
    over = [region for region in regions(sentence) if region.start <= position < region.end]
    direction: Direction = "up"
    for region in over:
        direction = compose(direction, region.direction)
    return Polarity(direction, ", ".join(region.by for region in over) or "no operator over it")
