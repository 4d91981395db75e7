"""A test set while it grows: items go out as they are made, what the manifest says is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from crossexam.constructions.making import Maker
from crossexam.constructions.resources import Resources
from crossexam.core.dataset import ContentHash
from crossexam.core.example import HEAVY_INFO, Example, cluster_of
from crossexam.core.signature import signature
from crossexam.suites.bases import Base
from crossexam.suites.request import Request

Sink = Callable[[Example], None]


class GrowingSet:
    """A test set while it grows: its name, maker (None for the base itself) and where items go."""

    def __init__(self, name: str, base: Base, maker: Maker | None, sink: Sink) -> None:
        self.name, self.base, self.maker = name, base, maker
        self.rows = 0
        self._sink, self._hash = sink, ContentHash()

    def take(self, example: Example) -> None:
        """Add what this set makes of *example*."""
        for item in self.maker.items(example) if self.maker else (_light(example),):
            self.rows += 1
            self._hash.update(item)
            self._sink(item)

    def entry(self, base_set: str | None, request: Request) -> dict[str, Any]:
        """Return this set's entry of the suite's manifest."""
        construction = self.maker.construction if self.maker else None
        parts: dict[str, object] = {"corpus": f"{self.base.spec}@{self.base.identity}"}
        if self.maker and construction:
            parts["construction"] = construction.versioned
            parts |= _used(self.maker.resources, construction.uses)
        if request.as_published:
            parts["rules"] = "as-published"
        if request.indirect:
            parts["antonyms"] = "indirect"
        if construction and request.both_directions and "adjectives" in construction.uses:
            parts["directions"] = "both"
        if construction and construction.draws:
            parts["seed"] = request.seed
        parts |= {"limit": request.limit} if request.limit is not None else {}
        return {
            "construction": construction.versioned if construction else "base",
            "part": self.base.part,
            "base_set": base_set if construction and not construction.reads_problems else None,
            "keeps_label": construction.keeps_label if construction else True,
            "test_class": construction.test_class if construction else "base",
            "rows": self.rows,
            "content_hash": self._hash.hexdigest(),
            "signature": signature(parts),
            "yield": self.maker.counts.as_dict() if self.maker else None,
        }


def _light(example: Example) -> Example:
    """Return *example* without what only constructions read, with its cluster."""
    info = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    return replace(example, info=info | {"cluster": cluster_of(example)})


def _used(resources: Resources, uses: Iterable[str]) -> dict[str, object]:
    """Return the signature's parts for the resources that a construction uses."""
    from importlib.metadata import version

    facts: dict[str, Callable[[], object]] = {
        "annotator": lambda: resources.annotator.name,
        "recognizer": lambda: resources.recognizer.name,
        "parser": lambda: resources.parser.name,
        "adjectives": lambda: resources.adjectives.name,
        "wordnet": lambda: resources.wordnet.version,
        "tautology": lambda: resources.tautology,
        "lemminflect": lambda: version("lemminflect"),
    }
    return {name: facts[name]() for name in uses}
