"""Apply constructions to a stream of examples and count what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from crossexam.constructions.construction import Construction, Rejection
from crossexam.constructions.resources import Resources
from crossexam.core.example import Example, cluster_of
from crossexam.core.randomness import SeededOnUse

CHUNK: Final = 1_000  # examples annotated at once


@dataclass
class Yield:
    """How many *examples* went in, how many *items* came out, what was *rejected* for which reason."""

    examples: int = 0
    items: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data, the commonest reason first."""
        return {"examples": self.examples, "items": self.items, "rejected": dict(self.rejected.most_common())}


class Maker:
    """One construction at work on a stream: seeded by example, unique where it must be, counting.

    >>> from crossexam.constructions.table import CONSTRUCTIONS
    >>> maker = Maker(CONSTRUCTIONS["negation"], Resources(), seed=0)
    >>> [item.hypothesis for item in maker.items(Example("a", "It rains.", "It is wet.", "neutral"))]
    ['It is wet and false is not true.']
    """

    def __init__(self, construction: Construction, resources: Resources, *, seed: int) -> None:
        self.construction, self.resources, self.seed = construction, resources, seed
        self.counts = Yield()
        self._chance = SeededOnUse()
        self._seen: set[int] = set()
        self._sentences: set[int] = set()

    def items(self, example: Example) -> Iterator[Example]:
        """Yield the items made from *example*."""
        self.counts.examples += 1
        base = (example.premise, example.hypothesis)
        if self.construction.per_sentence:
            example = self._new_sentences(example)
        self._chance.aim(self.seed, self.construction.name, example.id)
        for outcome in self.construction.function(example, self.resources, self._chance):
            if isinstance(outcome, Rejection):
                self.counts.rejected[outcome.reason] += 1
            elif (outcome.premise, outcome.hypothesis) == base:
                self.counts.rejected["equal to its base"] += 1
            elif self._is_repeated(outcome):
                self.counts.rejected["pair already in the set"] += 1
            else:
                self.counts.items += 1
                yield outcome

    def _new_sentences(self, example: Example) -> Example:
        """Return *example* with those sentences empty that were met before."""
        premise, hypothesis = self._unless_known(example.premise), self._unless_known(example.hypothesis)
        if premise == example.premise and hypothesis == example.hypothesis:
            return example
        info = {**example.info, "cluster": cluster_of(example)}
        return Example(example.id, premise, hypothesis, example.label, example.base, example.change, info)

    def _unless_known(self, sentence: str) -> str:
        """Return *sentence*, or nothing where it was met before."""
        size = len(self._sentences)
        self._sentences.add(hash(sentence))
        if not sentence or len(self._sentences) > size:
            return sentence
        self.counts.rejected["sentence met before"] += 1
        return ""

    def _is_repeated(self, item: Example) -> bool:
        if not self.construction.unique_pairs:
            return False
        pair = hash((item.premise, item.hypothesis))
        if pair in self._seen:
            return True
        self._seen.add(pair)
        return False


def chunks(examples: Iterable[Example], size: int = CHUNK) -> Iterator[list[Example]]:
    """Yield *examples* in lists of *size*, the last one shorter."""
    iterator = iter(examples)
    while chunk := list(islice(iterator, size)):
        yield chunk


def make(
    name: str, examples: Iterable[Example], *, seed: int = 0, resources: Resources | None = None
) -> tuple[list[Example], Mapping[str, Any]]:
    """Return the items that construction *name* makes of *examples*, and its yield.

    Raises UnknownNameError.  The items depend on the examples and the seed alone.
    """
    from crossexam.constructions.table import construction_named

    resources = resources or Resources()
    maker = Maker(construction_named(name), resources, seed=seed)
    items: list[Example] = []
    for chunk in chunks(examples):
        resources.prepare(chunk)
        for example in chunk:
            items.extend(maker.items(example))
    return items, maker.counts.as_dict()
