"""Sequence classifiers as models, whatever runs them: their class order is verified before they predict.

``hf/`` and ``onnx/`` differ in how a pair becomes logits, which is what a ``LoadedClassifier`` does.  The
rest is here: the probe, batches, probabilities in the order of the labels, the facts for a run's manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from crossexam.models.checkpoint import DeclaredOrder
from crossexam.models.label_order import PAIRS
from crossexam.models.model import Batch, Model, Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crossexam.models.batches import TokenizedPairs


class LoadedClassifier(Protocol):
    """A loaded sequence classifier."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return what a run's manifest says of the computation; it may change while logits are computed."""
        ...

    def encode(self, pairs: Sequence[Pair]) -> TokenizedPairs:
        """Return *pairs* as tokens, those above the maximum length truncated."""
        ...

    def plan(self, encoded: TokenizedPairs) -> list[list[int]]:
        """Return the batches for *encoded*, which depend on the lengths and the options alone."""
        ...

    def processed_tokens(self, lengths: Sequence[int]) -> int:
        """Return how many tokens a batch of pairs of these *lengths* costs, padding included."""
        ...

    def logits(
        self, encoded: TokenizedPairs, batches: Sequence[Sequence[int]]
    ) -> Iterator[NDArray[np.float64]]:
        """Yield the logits [len(batch), classes] of each of *batches*, in their order."""
        ...


class ClassifierModel(Model):
    """A sequence classifier as a model: *load* returns it, given the pairs that are asked first.

    *locate* returns the offsets of the tokens of a text.
    """

    name: str
    key: str

    def __init__(
        self,
        name: str,
        key: str,
        declared: DeclaredOrder,
        load: Callable[[Sequence[Pair]], LoadedClassifier],
        locate: Callable[[str], list[int]],
        details: Mapping[str, Any],
    ) -> None:
        self.name, self.key = name, key
        self._declared, self._load, self._locate = declared, load, locate
        self._classifier: LoadedClassifier | None = None
        self._details: dict[str, Any] = {
            **details,
            **declared.details,
            "probe": "not asked: every answer was in the store",
            "real_tokens": 0,
            "processed_tokens": 0,
        }

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the facts on the model and on how it was run."""
        return {**self._details, **(self._classifier.facts if self._classifier else {})}

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not *known*, batch by batch.

        Batches are planned over all *pairs*, so that an interrupted run resumes with the same batches: the
        last bits of a probability depend on the rest of its batch.
        """
        classifier = self._loaded(pairs)
        encoded = classifier.encode(pairs)
        planned = ([row for row in batch if not known[row]] for batch in classifier.plan(encoded))
        todo = [rows for rows in planned if rows]
        for rows, logits in zip(todo, classifier.logits(encoded, todo), strict=True):
            lengths = encoded.lengths[rows].tolist()
            self._details["real_tokens"] += sum(lengths)
            self._details["processed_tokens"] += classifier.processed_tokens(lengths)
            probabilities = self._declared.probabilities(logits)
            yield Batch(rows, probabilities, [encoded.read.get(row) for row in rows])

    def token_starts(self, text: str) -> list[int]:
        """Return the offset in *text* of each of its tokens; raises CrossexamError.

        Only the tokenizer is loaded for it.
        """
        return self._locate(text)

    def _loaded(self, asked: Sequence[Pair] = PAIRS) -> LoadedClassifier:
        """Return the classifier, loaded and its class order verified; raises CrossexamError."""
        if self._classifier is None:
            classifier = self._load(asked or PAIRS)
            probe = classifier.encode(PAIRS)
            logits = next(iter(classifier.logits(probe, [list(range(len(PAIRS)))])))
            self._details["probe"] = self._declared.verified(logits, where=self.name).as_details()
            self._classifier = classifier
        return self._classifier
