"""Compositionality-sensitivity subsets (Nie et al., 2019, sections 5.3 and 5.4).

The lexically-misleading score of an example is the largest probability that a bag-of-words model gives
to a wrong label (equation 6).  CS_lambda are the examples whose score is at least lambda: single words
point to a wrong label there, so that only how they are put together can tell the right one.

The subsets CS_lambda of a base while a suite is built (Nie et al., 2019, section 5.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from crossexam.constructions.apply import Yield
from crossexam.core.dataset import ContentHash, Dataset
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.core.manifest import signature
from crossexam.models.model import Model
from crossexam.stats.clusters import Clusters
from crossexam.stats.estimate import share_correct
from crossexam.suites.bases import Base, labelled, noted, part_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

#: The key of ``info`` that the score stands under.
SCORE: Final = "lexically_misleading_score"
#: Table 5 has these beside the whole.
LAMBDAS: Final = (0.5, 0.6, 0.7)


def lexically_misleading_scores(probabilities: ArrayLike, gold: ArrayLike) -> NDArray[np.float64]:
    """Return the largest probability of a wrong label of each example: [n]; equation 6.

    *probabilities* [n, k] are a bag-of-words model's, *gold* [n] are columns of them.

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
    """Return the labelled examples of *dataset*, which is CS_0, with their scores in ``info``."""
    return Dataset(dataset.name, subset(dataset, probabilities, 0.0).examples, dataset.manifest)


def subset(dataset: Dataset, probabilities: NDArray[np.float64], lam: float) -> Dataset:
    """Return CS_lambda of *dataset*, each example with its score in ``info``.

    *probabilities* [n, 3] are a bag-of-words model's about *dataset*.  Examples without a gold label have
    no score and are in no subset.  The name is ``cs_0_7.PART``: a point would end the construction's.
    Raises ValueError where *lam* is no share.

    >>> import numpy as np
    >>> from crossexam.core.example import Example
    >>> pair = Example("a", "He is not standing.", "He is sitting.", "entailment")
    >>> found = subset(Dataset("base.tiny", (pair,)), np.array([[0.1, 0.1, 0.8]]), 0.7)
    >>> found.name, found.examples[0].info[SCORE]
    ('cs_0_7.tiny', 0.8)
    """
    if not 0 <= lam <= 1:
        raise ValueError(f"lambda is {lam}, wanted a share from 0 to 1")
    examples, answered, gold = labelled(dataset, probabilities)
    scores = lexically_misleading_scores(answered, gold).tolist()
    kept = tuple(
        noted(example, {SCORE: round(score, 6)})
        for example, score in zip(examples, scores, strict=True)
        if score >= lam
    )
    return part_of(dataset, subset_name(lam), kept)


def subset_name(lam: float) -> str:
    """Return what CS_lambda is called: a point would end the name of a construction.

    >>> subset_name(0.7)
    'cs_0_7'
    """
    return f"cs_{lam:g}".replace(".", "_")


class Point(NamedTuple):
    """A point of the curve: how many examples CS_lambda has, and a model's accuracy on them."""

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
    """Return size and accuracy of CS_lambda for each of *lambdas*, 0 to 1 in steps of 0.05 without.

    *scores* [n] are those of the examples, *correct* [n] says which of them a model answers rightly.

    >>> points = curve([0.2, 0.6, 0.9], [True, False, True], lambdas=[0, 0.5, 0.95])
    >>> [(point.size, point.accuracy.value) for point in points]
    [(3, 0.6666666666666666), (2, 0.5), (0, nan)]
    """
    import numpy as np

    misled, right = np.asarray(scores, dtype=np.float64), np.asarray(correct, dtype=bool)
    groups = None if clusters is None else np.asarray(clusters)
    points = []
    for lam in [step / 20 for step in range(21)] if lambdas is None else lambdas:
        kept = misled >= lam
        found = share_correct(right[kept], None if groups is None else groups[kept])
        points.append(Point(lam, int(kept.sum()), found))
    return tuple(points)


Sink = Callable[[Example], None]


class MisledSet:
    """CS_lambda of a base while it grows: those that *model*, which reads words alone, has wrong."""

    def __init__(self, lam: float, base: Base, model: Model, sink: Sink) -> None:
        self.lam, self.base, self.model = lam, base, model
        self.name = f"{subset_name(lam)}.{base.part}"
        self._sink, self._hash, self._counts = sink, ContentHash(), Yield()

    def take(self, chunk: Sequence[Example], probabilities: Any) -> None:
        """Add those of *chunk* whose score is high enough; *probabilities* [n, 3] are the model's."""
        found = subset(Dataset(f"base.{self.base.part}", tuple(chunk)), probabilities, self.lam)
        for example in found.examples:
            self._hash.update(example)
            self._sink(example)
        self._counts.examples += len(chunk)
        self._counts.items += len(found)
        self._counts.rejected["score below lambda"] += len(chunk) - len(found)

    def entry(self, limit: int | None) -> dict[str, Any]:
        """Return this set's entry of the suite's manifest."""
        kind = f"{subset_name(self.lam)}.v1"
        parts: dict[str, object] = {
            "corpus": f"{self.base.spec}@{self.base.identity}",
            "subset": kind,
            "model": self.model.key[:16],
        }
        parts |= {"limit": limit} if limit is not None else {}
        return {
            "construction": kind,
            "part": self.base.part,
            "base_set": None,
            "keeps_label": True,
            "test_class": "compositionality",
            "rows": self._counts.items,
            "content_hash": self._hash.hexdigest(),
            "signature": signature(parts),
            "yield": self._counts.as_dict(),
        }
