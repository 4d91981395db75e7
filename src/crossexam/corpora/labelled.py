""""""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.corpora.reading import load
from crossexam.corpora.spec import sliced

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
