"""Applying constructions to a stream of examples, and counting items and rejections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from crossexam.constructions.construction import Construction, Rejection, Resources
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import construction_named
from crossexam.core.errors import CrossexamError
from crossexam.core.example import CLUSTER, Example, cluster_of
from crossexam.core.labels import THREE_LABELS, Projection, projection_of
from crossexam.core.randomness import SeededOnUse
from crossexam.core.settings import with_options

CHUNK: Final = 1_000  # examples per batch of tagging and parsing


@dataclass
class YieldCounts:
    """The number of *examples* processed, of *items* built, and of *rejected* cases by reason."""

    examples: int = 0
    items: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data, the most frequent reason first."""
        return {"examples": self.examples, "items": self.items, "rejected": dict(self.rejected.most_common())}


class Applier:
    """A construction as applied to a stream of examples, with one seed per example.

    *projection* is that of the examples; labels that the construction assigns are mapped to its labels.
    Duplicate pairs are rejected if the construction demands unique ones; items and rejections are counted.

    >>> applier = Applier(construction_named("negation"), LanguageResources(), seed=0)
    >>> [item.hypothesis for item in applier.items(Example("a", "It rains.", "It is wet.", "neutral"))]
    ['It is wet and false is not true.']
    """

    def __init__(
        self,
        construction: Construction,
        resources: Resources,
        *,
        seed: int,
        projection: Projection = THREE_LABELS,
    ) -> None:
        self.construction, self.resources, self.seed = construction, resources, seed
        self.projection = projection if construction.keeps_label else projection.of_new_labels
        self.counts = YieldCounts()
        self._function = construction.bound
        self._versioned = construction.versioned
        self._stream = construction.drawn_as or construction.name
        self._random = SeededOnUse()
        self._seen: set[int] = set()
        self._sentences: set[int] = set()

    def items(self, example: Example) -> Iterator[Example]:
        """Yield the items built from *example*."""
        self.counts.examples += 1
        if example.is_single_text and not self.construction.takes_single_texts:
            self.counts.rejected["a single sentence, not a pair"] += 1
            return
        base = (example.premise, example.hypothesis)
        if self.construction.per_sentence:
            example = self._new_sentences(example)
        self._random.aim(self.seed, self._stream, example.id)
        for outcome in self._function(example, self.resources, self._random):
            if isinstance(outcome, Rejection):
                self.counts.rejected[outcome.reason] += 1
                continue
            item = outcome if isinstance(outcome, Example) else outcome.item(example, self._versioned)
            if item is not outcome and (item.premise, item.hypothesis) == base:
                self.counts.rejected["equal to its base"] += 1
            elif self._is_repeated(item):
                self.counts.rejected["pair already in the set"] += 1
            else:
                self.counts.items += 1
                label = self.projection.gold(item.label)
                yield item if label == item.label else replace(item, label=label)

    def _new_sentences(self, example: Example) -> Example:
        """Return *example* without the sentences that have been processed before."""
        premise, hypothesis = self._unless_known(example.premise), self._unless_known(example.hypothesis)
        if premise == example.premise and hypothesis == example.hypothesis:
            return example
        info = {**example.info, CLUSTER: cluster_of(example)}
        return Example(example.id, premise, hypothesis, example.label, example.base, example.change, info)

    def _unless_known(self, sentence: str) -> str:
        """Return *sentence*, or an empty string if it has been processed before."""
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
    """Yield *examples* in lists of *size*; the last one may be shorter."""
    iterator = iter(examples)
    while chunk := list(islice(iterator, size)):
        yield chunk


def apply_construction(
    construction: str | Construction,
    examples: Iterable[Example],
    *,
    seed: int = 0,
    resources: LanguageResources | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[list[Example], Mapping[str, Any]]:
    """Return the items that *construction* (or the one of that name) builds from *examples*, and its yield.

    *options* are those of the construction, by name; the items depend only on these, the examples and the
    seed.  Raises UnknownNameError, and CrossexamError if *resources* lack the word pairs that it uses.

    >>> items, counts = apply_construction("negation", [Example("a", "It rains.", "It is wet.", "neutral")])
    >>> counts["examples"], counts["items"]
    (1, 1)
    """
    resources = resources or LanguageResources()
    examples = list(examples)
    named = construction_named(construction) if isinstance(construction, str) else construction
    if "word_pairs" in named.uses and not hasattr(resources, "antonyms"):
        raise CrossexamError(
            f"'{named.name}' needs word pairs and the index of a training corpus",
            hint="crossexam build behaviour builds its test set",
        )
    chosen = with_options(named.options, options or {}, named.name)
    projection = projection_of({}, (example.label for example in examples))
    applier = Applier(replace(named, options=chosen), resources, seed=seed, projection=projection)
    resources.gather(named, lambda: examples)
    items: list[Example] = []
    for chunk in chunks(examples):
        resources.prepare(chunk)
        for example in chunk:
            items.extend(applier.items(example))
    return items, applier.counts.as_dict()
