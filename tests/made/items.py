"""Items that constructions make of sentences whose tags are given."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.core.example import Example


def made_by(
    name: str, *examples: Example, seeds: Iterable[int] = (0,), **options: Any
) -> tuple[list[Example], dict[str, int]]:
    """What the construction *name* makes of the examples with each of the seeds, and why not more."""
    items: list[Example] = []
    rejected: Counter[str] = Counter()
    for seed in seeds:
        resources = LanguageResources("parses")
        found, counts = apply_construction(name, examples, seed=seed, resources=resources, options=options)
        items += found
        rejected.update(counts["rejected"])
    return items, dict(rejected)
