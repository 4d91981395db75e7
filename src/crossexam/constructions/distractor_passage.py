"""An irrelevant passage before, after or around the evidence of a document.

Our own; after the distracting passages of retrieval and the position effects of long inputs (Liu et al.,
2024, Lost in the Middle, section 2).  The passage is the premise of another item of the same base, so that
its style gives nothing away, and never one of the same cluster.  It is a paragraph of its own.

The label is kept.  What a document says, it still says with another passage beside it, so entailment and
contradiction stay unless the passage contradicts the evidence; a neutral hypothesis stays neutral unless the
passage decides it.  Either happens by chance only, and rarely: passages with half of the hypothesis's content
words or more, by form, are not used.  That is not proof, and a base whose documents are about one matter
needs a look at the items (``crossexam validate``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from crossexam.constructions.construction import ONE_SENTENCE, Draft, Rejection, Resources, Yielded
from crossexam.core.example import PLACE, Edit, Example
from crossexam.language.sentences import sentences_of

#: The number of passages before and after the evidence, by place.
PLACES: Final = {"before": (1, 0), "after": (0, 1), "around": (1, 1)}
_ANY: Final = "any"
_GAP: Final = "\n\n"


@dataclass(frozen=True)
class Options:
    """The *place* of the passage: ``any`` draws one for each item, ``around`` puts a passage on each side."""

    place: Literal["any", "before", "after", "around"] = "any"


def distractor_passage(
    example: Example, resources: Resources, rng: random.Random, options: Options = Options()
) -> Iterator[Yielded]:
    """Yield the pair with a passage of another item before, after or around the premise."""
    if not sentences_of(example.premise):
        yield Rejection(ONE_SENTENCE)
        return
    place = rng.choice(list(PLACES)) if options.place == _ANY else options.place
    before, after = PLACES[place]
    passages = list(islice(resources.passages.drawn(example, rng), before + after))
    if len(passages) < before + after:
        yield Rejection("too few unrelated passages of other items")
        return
    end = len(example.premise)
    edits = [Edit("premise", 0, 0, "", f"{passage}{_GAP}") for passage in passages[:before]]
    edits += [Edit("premise", end, end, "", f"{_GAP}{passage}") for passage in passages[before:]]
    yield Draft(example.label, tuple(edits), info={PLACE: place})
