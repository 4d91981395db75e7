"""Labelled examples of a corpus, for training, fitting and scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.corpora.reading import ReadingReport
from crossexam.corpora.spec import CorpusSpec


@dataclass(frozen=True)
class Corpus:
    """Labelled examples of one corpus; if it has a *share*, each epoch draws that part of them anew."""

    spec: str
    examples: tuple[Example, ...]
    share: float | None = None

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of the corpus."""
        labels = Counter(str(example.label) for example in self.examples)
        shared = {} if self.share is None else {"share": self.share}
        return {
            "spec": self.spec,
            "rows": len(self.examples),
            "content_hash": content_hash(self.examples),
            "labels": {label: labels[label] for label in LABELS},
            **shared,
        }


def iter_labelled(
    spec: CorpusSpec, *, limit: int | None = None, report: ReadingReport | None = None
) -> Iterator[Example]:
    """Return the labelled examples of *spec*, the first *limit* of them, read one at a time."""
    return islice(spec.examples(labelled_only=True, report=report), limit)


def load_corpus(spec: str | CorpusSpec, *, limit: int | None = None) -> Corpus:
    """Return the labelled examples of one corpus, the first *limit* of them.

    A share is allowed in a CorpusSpec from :meth:`CorpusSpec.parse_union`, not in a text.  Raises
    CrossexamError if there are no labelled examples.
    """
    spec = spec if isinstance(spec, CorpusSpec) else CorpusSpec.parse(spec)
    report = ReadingReport()
    examples = tuple(iter_labelled(spec, limit=limit, report=report))
    if not examples:
        raise CrossexamError(
            f"none of the {report.examples} examples is labelled",
            where=spec.text,
            wanted="pairs with gold labels",
        )
    return Corpus(spec.text, examples, spec.share)
