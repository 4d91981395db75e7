"""Checkpoints of transformers as models: ``hf/ID-or-folder``.

Weights are read from safetensors only and code that comes with a checkpoint is never run.  The class
order is never assumed: it is verified by the probe before anything is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.labels import LABELS
from crossexam.models.checkpoint import Checkpoint, DeclaredOrder, declared_order, find_checkpoint
from crossexam.models.label_order import (
    PAIRS,
    is_two_label,
    judge,
    order_text,
    refuse_conflict,
    softmax,
    to_label_columns,
)
from crossexam.models.model import Batch, ModelOptions, Pair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crossexam.models.inference import Classifier

_VERSION: Final = "hf.v1"


class HuggingFaceModel:
    """A sequence classifier, which is loaded and probed when it is first asked."""

    def __init__(self, checkpoint: Checkpoint, declared: DeclaredOrder, options: ModelOptions) -> None:
        self.name = f"hf/{checkpoint.name}"
        self._checkpoint, self._declared, self._options = checkpoint, declared, options
        self._classifier: Classifier | None = None
        content = checkpoint.content_hash()
        parts = (_VERSION, content, options.dtype, str(options.max_length), order_text(declared.order))
        self.key = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        self._details: dict[str, Any] = {
            "checkpoint": content,
            "revision": checkpoint.revision,
            "architecture": (checkpoint.config.get("architectures") or [None])[0],
            "dtype": options.dtype,
            "label_order": list(declared.order),
            "label_order_from": declared.source,
            "two_label": is_two_label(declared.order),
            "probe": "not asked: every answer was in the store",
            "real_tokens": 0,
            "processed_tokens": 0,
        }

    @property
    def details(self) -> Mapping[str, Any]:
        """Return what is known of the checkpoint and of how it was asked."""
        if self._classifier is not None:
            self._details["halved_batches"] = self._classifier.halved
        return self._details

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]; raises CrossexamError."""
        import numpy as np

        table = np.zeros((len(pairs), len(LABELS)))
        for batch in self.batches(pairs, [False] * len(pairs)):
            table[list(batch.indices)] = batch.probabilities
        return table

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the answers to those of *pairs* that are not *known*, batch by batch.

        Batches are planned over all *pairs*, so that a run that was interrupted between two batches
        goes on with the very batches it would have had: the last bits of an answer depend on what
        else is in the batch.
        """
        classifier = self._loaded()
        encoded = classifier.encode(pairs)
        planned = ([row for row in batch if not known[row]] for batch in classifier.plan(encoded))
        todo = [rows for rows in planned if rows]
        for rows, logits in zip(todo, classifier.logits(encoded, todo), strict=True):
            lengths = encoded.lengths[rows]
            self._details["real_tokens"] += int(lengths.sum())
            self._details["processed_tokens"] += len(rows) * int(lengths.max())
            probabilities = to_label_columns(softmax(logits), self._declared.order)
            yield Batch(rows, probabilities, encoded.truncated[rows].tolist())

    def _loaded(self) -> Classifier:
        """Return the classifier, loaded and its class order verified; raises CrossexamError."""
        if self._classifier is not None:
            return self._classifier
        from crossexam.models.inference import Classifier

        classifier = Classifier(self._checkpoint, self._options)
        probe = classifier.encode(PAIRS)
        classifier.read_first_token_only(probe)
        logits = next(iter(classifier.logits(probe, [list(range(len(PAIRS)))])))
        verdict = judge(softmax(logits), self._declared.order)
        refuse_conflict(verdict, where=self.name, source=_source_text(self._declared.source))
        self._details |= {
            "probe": verdict.as_details(),
            "device": str(classifier.device),
            "max_length": classifier.max_length,
            "first_token_only": classifier.first_token_only,
        }
        self._classifier = classifier
        return classifier


def _source_text(source: str) -> str:
    return (
        "as declared" if source == "declared" else f"from {source}" if "." in source else f"from the {source}"
    )


def open_huggingface(spec: str, options: ModelOptions) -> HuggingFaceModel:
    """Return the checkpoint in the folder *spec*, or the hub's; raises CrossexamError.

    Weights are loaded when the model is first asked, so that a run whose answers are all stored needs
    none; what is wrong with the files or the class names is told at once.
    """
    checkpoint = find_checkpoint(spec, options.revision)
    return HuggingFaceModel(checkpoint, declared_order(checkpoint, options.label_order), options)
