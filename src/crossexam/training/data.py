"""What is trained on: corpora by name, several at once, a share or a slice of one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.randomness import rng_for
from crossexam.corpora.reading import load
from crossexam.corpora.slices import sliced

_SHARE: Final = re.compile(r"(.+)@(0?\.\d+)")


@dataclass(frozen=True)
class Corpus:
    """Labelled examples of one corpus; of one with a *share* each epoch reads another random part."""

    spec: str
    examples: tuple[Example, ...]
    share: float | None = None

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of it."""
        labels = Counter(str(example.label) for example in self.examples)
        shared = {} if self.share is None else {"share": self.share}
        return {
            "spec": self.spec,
            "rows": len(self.examples),
            "content_hash": content_hash(self.examples),
            "labels": {label: labels[label] for label in LABELS},
            **shared,
        }


@dataclass(frozen=True)
class Data:
    """What a training reads: corpora to train on, one to stop and choose by, and *tests* for the end."""

    train: tuple[Corpus, ...]
    dev: Corpus
    tests: tuple[Corpus, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        """Return all training examples."""
        return tuple(example for corpus in self.train for example in corpus.examples)

    def of_epoch(self, epoch: int, seed: int) -> list[Example]:
        """Return the training examples of *epoch*: all, but of a corpus with a share only that."""
        found: list[Example] = []
        for corpus in self.train:
            if corpus.share is None:
                found += corpus.examples
                continue
            rng = rng_for(seed, "share", corpus.spec, str(epoch))
            count = max(1, round(corpus.share * len(corpus.examples)))
            found += [corpus.examples[k] for k in sorted(rng.sample(range(len(corpus.examples)), count))]
        return found

    @property
    def redrawn(self) -> bool:
        """Whether epochs differ in what they read."""
        return any(corpus.share is not None for corpus in self.train)

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of the data that the weights depend on."""
        return {"train": [corpus.describe() for corpus in self.train], "dev": self.dev.describe()}


def load_data(train: str, dev: str, *, tests: Sequence[str] = (), limit: int | None = None) -> Data:
    """Return the data that the options name; raises CrossexamError where they cannot be trained on.

    *train* is ``CORPUS+CORPUS``, *dev* and each of *tests* one corpus.  A corpus is ``NAME:SPLIT`` or a
    path, with ``[start:stop:step]`` for a slice of its labelled examples (``snli:dev[::2]``) or, of those
    trained on, ``@0.15`` for a share drawn anew each epoch.  *limit* takes the first of each training
    corpus.
    """
    specs = [train] if Path(train).exists() else train.split("+")
    corpora = _unique_ids([load_corpus(spec, limit=limit) for spec in specs])
    data = Data(tuple(corpora), load_corpus(dev), tuple(load_corpus(test) for test in tests))
    seen = {example.label for example in data.examples}
    if len(seen) == 1:
        raise CrossexamError(
            f"all {len(data.examples)} training examples are {seen.pop()}",
            where=train,
            wanted="examples of at least two labels",
            hint="a file sorted by label needs a larger --limit" if limit else None,
        )
    return data


def load_corpus(spec: str, *, limit: int | None = None) -> Corpus:
    """Return the labelled examples of *spec*; raises CrossexamError where there are none."""
    path, share = spec, None
    if not Path(spec).exists() and (found := _SHARE.fullmatch(spec)):
        path, share = found[1], float(found[2])
    path, part = sliced(path)
    examples = load(path).examples
    labelled = tuple(example for example in examples if example.label is not None)[part][:limit]
    if not labelled:
        raise CrossexamError(
            f"no labelled examples among {len(examples)}", where=spec, wanted="pairs with gold labels"
        )
    return Corpus(spec, labelled, share)


def _unique_ids(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return *corpora* with their names before their ids where two share an id."""
    ids = Counter(example.id for corpus in corpora for example in corpus.examples)
    if len(corpora) == 1 or ids.total() == len(ids):
        return list(corpora)
    renamed = []
    for number, corpus in enumerate(corpora):
        examples = tuple(replace(e, id=f"{number}/{e.id}") if ids[e.id] > 1 else e for e in corpus.examples)
        renamed.append(replace(corpus, examples=examples))
    return renamed
