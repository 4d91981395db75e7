"""Labelled examples of a corpus, for training, fitting and scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import THREE_LABELS, Projection, projection_for
from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import CorpusSpec


@dataclass(frozen=True)
class Corpus:
    """Labelled examples of one corpus; if it has a *share*, each epoch draws that part of them anew.

    *projection* is how three predicted labels are mapped to those of the corpus.
    """

    spec: str
    examples: tuple[Example, ...]
    share: float | None = None
    projection: Projection = THREE_LABELS

    def describe(self) -> dict[str, Any]:
        """Return what a manifest says of the corpus."""
        labels = Counter(str(example.label) for example in self.examples)
        shared = {} if self.share is None else {"share": self.share}
        return {
            "spec": self.spec,
            "rows": len(self.examples),
            "content_hash": content_hash(self.examples),
            "labels": {label: labels[label] for label in self.projection.labels},
            **({"projection": declared} if (declared := self.projection.declaration) else {}),
            **shared,
        }


def iter_labelled(
    spec: CorpusSpec,
    reading: Reading = Reading(),
    *,
    limit: int | None = None,
    report: ReadingReport | None = None,
) -> Iterator[Example]:
    """Return the labelled examples of *spec*, the first *limit* of them, read one at a time."""
    return islice(spec.examples(reading, labelled_only=True, report=report), limit)


def load_corpus(spec: str | CorpusSpec, reading: Reading = Reading(), *, limit: int | None = None) -> Corpus:
    """Return the labelled examples of one corpus, the first *limit* of them.

    A share is allowed in a CorpusSpec from :meth:`CorpusSpec.parse_union`, not in a text.  Raises
    CrossexamError if there are no labelled examples.
    """
    spec = spec if isinstance(spec, CorpusSpec) else CorpusSpec.parse(spec)
    report = ReadingReport()
    examples = tuple(iter_labelled(spec, reading, limit=limit, report=report))
    if not examples:
        raise CrossexamError(
            f"none of the {report.examples} examples is labelled",
            where=spec.text,
            wanted="pairs with gold labels",
        )
    golds = (example.label for example in examples)
    return Corpus(spec.text, examples, spec.share, projection_for(spec.declared_projection(), golds))


def trains_two_labels(projections: Collection[Projection], train: str, declared: bool) -> bool:
    """Return whether a model trained on corpora with *projections* has two labels; *declared* decides.

    Raises CrossexamError if some of the corpora have three labels and others two, unless it is declared.
    """
    two = [each is not THREE_LABELS for each in projections]
    if any(two) and not all(two) and not declared:
        raise CrossexamError(
            "some training corpora have three labels, others two",
            where=train,
            wanted="corpora with the same labels",
            hint="--two-labels trains on entailment and not_entailment",
        )
    return declared or all(two)
