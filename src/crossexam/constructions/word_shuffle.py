"""Word shuffling at test time (after Nie et al., 2019, section 4.1, who shuffle the training data).

An ablation, not a robustness test: only the order of the words changes, so a model whose predictions stay
the same did not use word order.  The gold label is kept, although a human reader may no longer agree.

Words are separated by white space, not by a tokenizer: a clitic, hyphen or comma stays attached to its
word, so that the sentence keeps its words whatever the tokenization of the model, and no tagger is needed.
Sentence-final punctuation stays at the end.  All permutations except the original are equally likely.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.tautology import end_of_words
from crossexam.core.example import SIDES, Edit, Example, Side

_PIECE: Final = re.compile(r"\S+")


def word_shuffle(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with the words of both sentences shuffled; a one-word sentence does not change."""
    yield from _shuffled(example, SIDES, rng)


def word_shuffle_premise(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with the words of the premise shuffled."""
    yield from _shuffled(example, ("premise",), rng)


def word_shuffle_hypothesis(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with the words of the hypothesis shuffled."""
    yield from _shuffled(example, ("hypothesis",), rng)


def _shuffled(example: Example, sides: tuple[Side, ...], rng: random.Random) -> Iterator[Yielded]:
    edits = tuple(edit for side in sides for edit in _other_order(example.text(side), side, rng))
    if not edits:
        yield Rejection("no other order of words")
        return
    yield Draft(example.label, edits)


def _other_order(sentence: str, side: Side, rng: random.Random) -> Iterator[Edit]:
    """Yield the edit that permutes the words of *sentence*, if a different order exists.

    >>> [edit.new for edit in _other_order("It rains!", "premise", random.Random(0))]
    ['rains It']
    """
    end = end_of_words(sentence)[0]
    spans = [match.span() for match in _PIECE.finditer(sentence, 0, end)]
    words = [sentence[start:stop] for start, stop in spans]
    if len(set(words)) < 2:
        return
    order = list(words)
    while order == words:
        rng.shuffle(order)
    first, last = spans[0][0], spans[-1][1]
    gaps = [sentence[spans[k][1] : spans[k + 1][0]] for k in range(len(spans) - 1)]
    new = "".join(piece for pair in zip(order, [*gaps, ""], strict=True) for piece in pair)
    yield Edit(side, first, last, sentence[first:last], new)
