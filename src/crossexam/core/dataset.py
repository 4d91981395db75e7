"""Datasets, suites of them, and runs: a model's predictions over a suite."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crossexam.core.example import Example

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crossexam.core.manifest import TestSetEntry


@dataclass(frozen=True)
class Dataset:
    """Examples with a name and a manifest that records where they come from.

    >>> len(Dataset("tiny", (Example("a", "It rains.", "It is wet.", "neutral"),)))
    1
    """

    name: str
    examples: Sequence[Example]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    @cached_property
    def entry(self) -> TestSetEntry:
        """The manifest as the typed entry of a test set."""
        from crossexam.core.manifest import TestSetEntry

        return TestSetEntry.from_json(self.name, self.manifest)

    def content_hash(self) -> str:
        """Return 16 hexadecimal digits that change when an id, a text or a label does."""
        return content_hash(self.examples)


class ContentHash:
    """A running hash of examples, for sets that are streamed."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=8)

    def update(self, example: Example) -> None:
        """Add one example."""
        record = f"{example.id}\x1f{example.premise}\x1f{example.hypothesis}\x1f{example.label}\x1e"
        self._hash.update(record.encode("utf-8", "surrogatepass"))

    def hexdigest(self) -> str:
        """Return 16 hexadecimal digits."""
        return self._hash.hexdigest()


def content_hash(examples: Sequence[Example]) -> str:
    """Return the hash of ids, texts and labels, in order, as 16 hexadecimal digits."""
    running = ContentHash()
    for example in examples:
        running.update(example)
    return running.hexdigest()


@dataclass(frozen=True)
class Suite:
    """Test sets by name, built together from one base."""

    name: str
    datasets: Mapping[str, Dataset]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Dataset:
        return self.datasets[name]

    def __iter__(self) -> Iterator[Dataset]:
        return iter(self.datasets.values())

    def __len__(self) -> int:
        return len(self.datasets)


@dataclass(frozen=True)
class Run:
    """The predictions of *model*: per test set an array of probabilities [n, 3], columns in LABELS order.

    The rows of a model that gives labels only have a single 1.  The manifest holds the model key, the
    counts of truncated and predicted pairs, and the signature of every test set.
    """

    model: str
    datasets: Mapping[str, Dataset]
    probabilities: Mapping[str, NDArray[np.float64]]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def predictions(self, name: str) -> NDArray[np.int64]:
        """Return the index of the most probable label of each item of test set *name*: [n]."""
        winners: NDArray[np.int64] = self.probabilities[name].argmax(axis=1)
        return winners
