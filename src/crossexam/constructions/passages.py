"""The passages of a base, its premises of several sentences, from which distractors are drawn."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crossexam.core.example import Example, cluster_of
from crossexam.language.lexicons.closed_classes import CLOSED_CLASSES
from crossexam.language.sentences import sentences_of

_WORD: Final = re.compile(r"[^\W_]+")
_DRAWS: Final = 20  # attempts at a fitting passage


@dataclass(frozen=True)
class Passages:
    """The distinct premises of several sentences of a base, each with its cluster, in a fixed order."""

    entries: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, examples: Iterable[Example]) -> Passages:
        """Return the passages of *examples*, in whatever order they come."""
        found = {(cluster_of(each), each.premise) for each in examples if sentences_of(each.premise)}
        return cls(tuple(sorted(found)))

    @property
    def name(self) -> str:
        """The number of passages and a hash of them, for signatures."""
        text = "\x1e".join("\x1f".join(entry) for entry in self.entries)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return f"{len(self.entries)}#{digest}"

    def drawn(self, example: Example, rng: random.Random) -> Iterator[str]:
        """Yield passages of other clusters than that of *example* that do not bear on its hypothesis.

        None twice; none after twenty attempts.
        """
        own, content = cluster_of(example), _content_words(example.hypothesis)
        met = {own}
        for _ in range(_DRAWS if self.entries else 0):
            cluster, passage = self.entries[rng.randrange(len(self.entries))]
            if cluster not in met and not _bears_on(passage, content):
                met.add(cluster)
                yield passage


def _content_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - CLOSED_CLASSES


def _bears_on(passage: str, content: frozenset[str]) -> bool:
    """Return whether *passage* has at least half of the *content* words of a hypothesis."""
    return bool(content) and 2 * len(content & _content_words(passage)) >= len(content)
