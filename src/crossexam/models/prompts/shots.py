"""Shots: solved examples from a labelled corpus that a prompt shows before the question."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.core.randomness import rng_for
from crossexam.corpora.spec import iter_corpus
from crossexam.models.model import Pair
from crossexam.models.prompts.template import Shot, Template

#: More shots than this fit in no prompt: a misprint, not a wish.
_MOST: Final = 1_000


@dataclass(frozen=True)
class Shots:
    """The *examples* that prompts show, drawn from the corpus *source* by *seed*; none by default."""

    examples: tuple[Shot, ...] = ()
    ids: tuple[str, ...] = ()
    source: str = ""
    seed: int = 0

    @property
    def sha256(self) -> str:
        """The hash of the examples in their order, on which answers depend; empty if there are none."""
        if not self.examples:
            return ""
        return hashlib.sha256(json.dumps([list(each) for each in self.examples]).encode()).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        """What the manifest of a run says of them."""
        if not self.examples:
            return {}
        return {
            "shots": {
                "count": len(self.examples),
                "from": self.source,
                "seed": self.seed,
                "ids": list(self.ids),
                "labels": [each.label for each in self.examples],
                "sha256": self.sha256,
            }
        }

    def refuse_asking_about(self, pairs: Iterable[Pair]) -> None:
        """Raise CrossexamError if one of *pairs*, about which a model is asked, is among the examples."""
        for pair in pairs:
            if pair in self._ids_by_pair:
                raise CrossexamError(
                    f"the example {self._ids_by_pair[pair]} is shown in the prompts, and is an item of a "
                    "test set",
                    where=f"--shots-from {self.source}",
                    wanted="shots about which the model is not asked",
                    hint="draw them from another split or corpus (crossexam ls corpora), or with "
                    f"--shots-seed {self.seed + 1}",
                )

    @cached_property
    def _ids_by_pair(self) -> Mapping[Pair, str]:
        named = zip(self.examples, self.ids, strict=True)
        return {(each.premise, each.hypothesis): name for each, name in named}


def draw_shots(template: Template, count: int, source: str | None, seed: int) -> Shots:
    """Return *count* shots for *template* from the corpus *source*, as many for each label as possible.

    They depend on the corpus and on *seed* alone, and stand in random order.  Raises CrossexamError if the
    corpus is not stated, cannot be read, or has too few examples of a label.

    >>> from crossexam.models.prompts.table import template
    >>> shots = draw_shots(template("gpt3"), 3, "builtin:demo", 0)
    >>> sorted(each.label for each in shots.examples)
    ['contradiction', 'entailment', 'neutral']
    """
    if (count > 0) != (source is not None) or not 0 <= count <= _MOST:
        raise CrossexamError(
            f"--shots is {count}, and --shots-from is {source or 'not given'}",
            wanted="a number of shots and the corpus from which they are drawn, or neither",
            hint="for example --shots 3 --shots-from snli:train, or from another corpus that is not tested: "
            "crossexam ls corpora lists those that are installed",
        )
    if source is None:
        return Shots()
    rng = rng_for(seed, "shots")
    labels = list(template.labels)
    rng.shuffle(labels)
    wanted = {label: len(range(place, count, len(labels))) for place, label in enumerate(labels)}
    drawn = _drawn(iter_corpus(source), template, wanted, rng)
    for label, found in drawn.items():
        if len(found) < wanted[label]:
            raise CrossexamError(
                f"{source} has {len(found)} examples of {label}, and {wanted[label]} are to be shown",
                where="--shots-from",
                wanted=f"a corpus with the labels {', '.join(template.labels)}",
            )
    chosen = [(example, label) for label, found in drawn.items() for example in found]
    rng.shuffle(chosen)
    return Shots(
        tuple(Shot(example.premise, example.hypothesis, label) for example, label in chosen),
        tuple(example.id for example, _ in chosen),
        source,
        seed,
    )


def _drawn(
    examples: Iterable[Example], template: Template, wanted: dict[Gold, int], rng: random.Random
) -> dict[Gold, list[Example]]:
    """Return *wanted* examples of each label, each sample of that size being as likely (algorithm R)."""
    seen = dict.fromkeys(wanted, 0)
    drawn: dict[Gold, list[Example]] = {label: [] for label in wanted}
    for example in examples:
        label = example.label and template.label_of(example.label)
        if label is None:
            continue
        seen[label] += 1
        place = rng.randrange(seen[label])
        if len(drawn[label]) < wanted[label]:
            drawn[label].append(example)
        elif place < wanted[label]:
            drawn[label][place] = example
    return drawn
