"""Compositionality-sensitivity subsets (Nie et al., 2019, sections 5.3 and 5.4).

The lexically-misleading score of an example is the largest probability that a bag-of-words model assigns
to a wrong label (equation 6).  CS_lambda is the set of examples whose score is at least lambda: their words
suggest a wrong label, and only the composition of these words suggests the correct one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import SCORE, Example
from crossexam.core.labels import Projection
from crossexam.core.manifest import BASE, SELECTOR_NOTES, TestSetEntry, signature
from crossexam.core.stored.encoded import EncodedItems
from crossexam.suites.bases import Base, part_of_base, with_gold, with_notes
from crossexam.suites.build import SuiteWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from crossexam.models.model import Model
    from crossexam.stats.clusters import Clusters

#: The values of lambda in Table 5.
LAMBDAS: Final = (0.5, 0.6, 0.7)
#: The version of the subsets; any change to the score requires a new one.
VERSION: Final = 1


def lexically_misleading_scores(probabilities: ArrayLike, gold: ArrayLike) -> NDArray[np.float64]:
    """Return the largest probability of a wrong label per example, [n] (equation 6).

    *probabilities* [n, k] are those of a bag-of-words model, *gold* [n] indexes their columns.

    >>> lexically_misleading_scores([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]], [0, 2]).tolist()
    [0.2, 0.7]
    """
    import numpy as np

    wrong = np.array(probabilities, dtype=np.float64)
    labels = np.asarray(gold, dtype=np.int64)
    wrong[np.arange(len(labels)), labels] = -np.inf
    scores: NDArray[np.float64] = wrong.max(axis=1, initial=-np.inf)
    return scores


def scored(dataset: Dataset, probabilities: NDArray[np.float64]) -> Dataset:
    """Return the labelled examples of *dataset*, that is CS_0, with their scores in ``info``."""
    return Dataset(dataset.name, cs_subset(dataset, probabilities, 0.0).examples, dataset.manifest)


def cs_subset(dataset: Dataset, probabilities: NDArray[np.float64], lam: float) -> Dataset:
    """Return CS_lambda of *dataset*, each example with its score in ``info``.

    *probabilities* [n, 3] are the predictions of a bag-of-words model for *dataset*.  Examples without a gold
    label have no score and are never included.  The name is ``cs_0_7.PART`` (:func:`subset_name`).  Raises
    ValueError if *lam* is not between 0 and 1.

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is not standing.", "He is sitting.", "entailment")
    >>> found = cs_subset(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]]), 0.7)
    >>> found.name, found.examples[0].info[SCORE]
    ('cs_0_7.tiny', 0.8)
    """
    if not 0 <= lam <= 1:
        raise ValueError(f"lambda is {lam}, but must be between 0 and 1")
    examples, answered, gold = with_gold(dataset, probabilities)
    scores = lexically_misleading_scores(answered, gold).tolist()
    kept = tuple(
        with_notes(example, {SCORE: round(score, 6)})
        for example, score in zip(examples, scores, strict=True)
        if score >= lam
    )
    return part_of_base(dataset, subset_name(lam), kept)


def check_lambdas(lambdas: Sequence[float]) -> None:
    """Raise CrossexamError unless all *lambdas* are from 0, which selects all labelled examples, to 1."""
    for lam in lambdas:
        if not 0 <= lam <= 1:
            raise CrossexamError(f"lambda is {lam:g}", wanted="a number from 0 to 1")


def subset_name(lam: float) -> str:
    """Return the name of CS_lambda in test sets, without a dot, which would end the construction's name.

    >>> subset_name(0.7)
    'cs_0_7'
    """
    return f"cs_{lam:g}".replace(".", "_")


#: A training set of SNLI or MultiNLI, or a part of one, in the name of a file or of a part of a test set.
_TRAINING_SET: Final = re.compile(r"(?:^|\W|_)(snli|multinli)(?:_1[._]0)?(?::|_)train(?:\W|_|$)")


def fitted_on_notes(model: Model, base: Base) -> list[str]:
    """Return what must be known of *model*, by which examples of *base* are selected, if it has seen them.

    It was fitted on the same file, or on a part of the same training set.
    """
    for name, sha256 in getattr(model, "fitted_on", {}).items():
        sets = [found[1] for text in (name, base.spec) if (found := _TRAINING_SET.search(text))]
        if base.identity.startswith(sha256[:16]) or (len(sets) == 2 and sets[0] == sets[1]):
            return [
                f"{model.name}, by which examples of {base.spec} are selected, was fitted on {name}: it "
                "knows the labels of examples that it has seen, so that few of them mislead it."
            ]
    return []


def selector_notes(model: Model, base: Base) -> list[str]:
    """Return what must be known of *model*, by whose scores subsets of *base* are selected; often nothing."""
    from crossexam.models.fitted import FittedModel
    from crossexam.shallow.bag_of_words import BAG_OF_WORDS

    notes = fitted_on_notes(model, base)
    if not (isinstance(model, FittedModel) and model.shallow is BAG_OF_WORDS):
        notes.append(
            f"{model.name}, by which examples of {base.spec} are selected, is not known to be a bag-of-words "
            "model: CS are the examples that mislead this model, not those that single words mislead (Nie et "
            "al. 2019, section 5.2)."
        )
    return notes


def selector_facts(notes: Sequence[str]) -> dict[str, Any]:
    """Return the facts of the entry of a test set that *notes* are about.

    >>> selector_facts([])
    {}
    """
    return {SELECTOR_NOTES: list(notes)} if notes else {}


class Point(NamedTuple):
    """A point of the curve: the size of CS_lambda, and the accuracy of a model on it."""

    lam: float
    size: int
    accuracy: Estimate


def curve(
    scores: ArrayLike,
    correct: ArrayLike,
    clusters: Clusters = None,
    *,
    lambdas: Sequence[float] | None = None,
) -> tuple[Point, ...]:
    """Return size and accuracy of CS_lambda for each of *lambdas*, by default 0 to 1 in steps of 0.05.

    *scores* [n] are those of the examples; *correct* [n] states which of them a model predicts correctly.

    >>> points = curve([0.2, 0.6, 0.9], [True, False, True], lambdas=[0, 0.5, 0.95])
    >>> [(point.size, point.accuracy.value) for point in points]
    [(3, 0.6666666666666666), (2, 0.5), (0, nan)]
    """
    import numpy as np

    from crossexam.stats.estimate import share_correct

    misled, right = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=bool)
    groups = None if clusters is None else np.asarray(clusters)
    points = []
    for lam in [step / 20 for step in range(21)] if lambdas is None else lambdas:
        kept = misled >= lam
        found = share_correct(right[kept], None if groups is None else groups[kept])
        points.append(Point(lam, int(kept.sum()), found))
    return tuple(points)


@dataclass(frozen=True)
class CSSelection:
    """The choice of the examples of CS_lambda, for each of *lambdas*, by the scores of the model *spec*.

    A copy in another process opens the model itself.
    """

    lambdas: tuple[float, ...]
    spec: str

    @cached_property
    def model(self) -> Model:
        """The model that computes the scores."""
        from crossexam.models.table import open_model  # stress tests need no model

        return open_model(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return CSSelection, (self.lambdas, self.spec)

    def chosen(
        self, chunk: Sequence[Example], projection: Projection
    ) -> tuple[tuple[Example, ...], list[tuple[Example, ...]]]:
        """Return the labelled examples of *chunk* with their scores, and those of each subset."""
        from crossexam.models.answers import refuse_unanswered

        pairs = [(example.premise, example.hypothesis) for example in chunk]
        probabilities = refuse_unanswered(self.model.predict(pairs), where=self.spec)
        whole = Dataset(BASE, tuple(chunk), {"projection": projection.name})
        subsets = [tuple(cs_subset(whole, probabilities, lam).examples) for lam in self.lambdas]
        return tuple(scored(whole, probabilities).examples), subsets


class CSSubsets:
    """The subsets CS_lambda of a base while they are written."""

    def __init__(self, base: Base, selection: CSSelection, writer: SuiteWriter) -> None:
        self.base, self.selection = base, selection
        self.notes = selector_notes(selection.model, base)
        self._writer = writer
        for note in self.notes:
            writer.note(f"warning: {note}")
        self._sinks = {lam: writer.open(f"{subset_name(lam)}.{base.part}") for lam in selection.lambdas}
        self._read = 0

    def take(self, examples: int, subsets: Sequence[EncodedItems]) -> None:
        """Add what was chosen from the next *examples* for each subset."""
        for sink, items in zip(self._sinks.values(), subsets, strict=True):
            sink.write(items)
        self._read += examples

    def close(self, limit: Mapping[str, object]) -> None:
        """Record the subsets; *limit* is the part of their signatures that states how much was read."""
        for lam, sink in self._sinks.items():
            name = subset_name(lam)
            parts = {"corpus": f"{self.base.spec}@{self.base.identity}", "subset": f"{name}.v{VERSION}"}
            rejected = {"score below lambda": self._read - sink.rows}
            entry = TestSetEntry(
                name,
                self.base.part,
                version=VERSION,
                test_class="compositionality",
                projection=self.base.projection.declaration,
                signature=signature({**parts, "model": self.selection.model.key[:16], **limit}),
                yields={"examples": self._read, "items": sink.rows, "rejected": rejected},
                facts=selector_facts(self.notes),
            )
            self._writer.close(sink, entry)
