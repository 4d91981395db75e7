"""The sentences of a document in another order.

Our own.  The label is kept: what each sentence says does not depend on its place.  Exceptions are pronouns,
which may now seem to refer to somebody else, and stories, in which the order of the sentences is that of the
events; where a hypothesis is about either, the label can be in doubt.  All orders except the original are
equally likely, and what stands between the sentences stays in its place.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from crossexam.constructions.construction import ONE_SENTENCE, Draft, Rejection, Resources, Yielded
from crossexam.core.example import Edit, Example
from crossexam.language.sentences import sentences_of


def sentence_shuffle(example: Example, resources: Resources, rng: random.Random) -> Iterator[Yielded]:
    """Yield the pair with the sentences of the premise in another order."""
    premise = example.premise
    spans = sentences_of(premise)
    if not spans:
        yield Rejection(ONE_SENTENCE)
        return
    sentences = [premise[start:end] for start, end in spans]
    if len(set(sentences)) < 2:
        yield Rejection("all sentences are the same")
        return
    order = list(sentences)
    while order == sentences:
        rng.shuffle(order)
    gaps = [premise[end:start] for (_, end), (start, _) in pairwise(spans)]
    new = "".join(piece for pair in zip(order, [*gaps, ""], strict=True) for piece in pair)
    first, last = spans[0][0], spans[-1][1]
    yield Draft(example.label, (Edit("premise", first, last, premise[first:last], new),))
