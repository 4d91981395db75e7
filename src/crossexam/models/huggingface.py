"""Checkpoints of transformers as models: ``hf/ID-or-folder``.

Weights are read from safetensors only, and code that comes with a checkpoint is never run.  The class order
is never assumed: it is verified with the probe before anything is predicted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from crossexam.core.errors import CrossexamError
from crossexam.models.checkpoint import DeclaredOrder, declared_order, load_tokenizer
from crossexam.models.label_order import (
    PAIRS,
    is_two_label,
    order_text,
    refuse_conflict,
    verify_order,
)
from crossexam.models.model import Batch, Pair, answered_by, check_batch_size
from crossexam.models.threshold import check_threshold, head_shares, label_probabilities
from crossexam.training.pretrained import Checkpoint, find_checkpoint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crossexam.models.inference import SequenceClassifier

_VERSION: Final = "hf.v1"


@dataclass(frozen=True)
class Options:
    """How a checkpoint is loaded and run.

    ``batch_size`` counts pairs (``auto``: batches of about the same number of tokens); ``dtype`` is that of
    the weights; ``max_length`` counts the tokens of a pair, by default the checkpoint's maximum;
    ``label_order`` declares the class order, by default the configuration's; ``threshold`` is the probability
    above which a model of two labels predicts entailment; ``revision`` is that of a hub checkpoint.
    """

    device: str = "auto"
    batch_size: int | Literal["auto"] = "auto"
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    max_length: int | None = None
    label_order: tuple[str, ...] | None = None
    threshold: float | None = None
    revision: str | None = None

    def __post_init__(self) -> None:
        check_batch_size(self.batch_size)
        check_threshold(self.threshold)


class HuggingFaceModel:
    """A sequence classifier, loaded and probed when it first predicts."""

    def __init__(self, checkpoint: Checkpoint, declared: DeclaredOrder, options: Options) -> None:
        self.name = f"hf/{checkpoint.name}"
        self._checkpoint, self._declared, self._options = checkpoint, declared, options
        self._classifier: SequenceClassifier | None = None
        self._tokenizer: Any = None
        content = checkpoint.content_hash()
        parts = [_VERSION, content, options.dtype, str(options.max_length), order_text(declared.order)]
        parts += [] if options.threshold is None else [f"threshold {options.threshold}"]
        self.key = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        self._details: dict[str, Any] = {
            "checkpoint": content,
            "revision": checkpoint.revision,
            "architecture": (checkpoint.config.get("architectures") or [None])[0],
            "dtype": options.dtype,
            "label_order": list(declared.order),
            "label_order_from": declared.source,
            "two_label": is_two_label(declared.order),
            **({} if options.threshold is None else {"threshold": options.threshold}),
            "probe": "not asked: every answer was in the store",
            "real_tokens": 0,
            "processed_tokens": 0,
        }

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the facts on the checkpoint and on how it was run."""
        if self._classifier is not None:
            self._details["halved_batches"] = self._classifier.halved
        return self._details

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*: [n, 3]; raises CrossexamError."""
        return answered_by(self, pairs).probabilities

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not *known*, batch by batch.

        Batches are planned over all *pairs*, so that an interrupted run resumes with the same batches: the
        last bits of a probability depend on the rest of its batch.
        """
        classifier = self._loaded()
        encoded = classifier.encode(pairs)
        planned = ([row for row in batch if not known[row]] for batch in classifier.plan(encoded))
        todo = [rows for rows in planned if rows]
        for rows, logits in zip(todo, classifier.logits(encoded, todo), strict=True):
            lengths = encoded.lengths[rows]
            self._details["real_tokens"] += int(lengths.sum())
            self._details["processed_tokens"] += len(rows) * int(lengths.max())
            probabilities = label_probabilities(
                head_shares(logits), self._declared.order, self._options.threshold
            )
            yield Batch(rows, probabilities, [encoded.read.get(row) for row in rows])

    def token_starts(self, text: str) -> list[int]:
        """Return the offset in *text* of each of its tokens; raises CrossexamError.

        Only the tokenizer is loaded for it.
        """
        if self._tokenizer is None:
            self._tokenizer = load_tokenizer(self._checkpoint)
        if not self._tokenizer.is_fast:
            raise CrossexamError(
                "its tokenizer does not say where the tokens are in the text",
                where=self.name,
                hint="measure chunks in words: --chunk words:300",
            )
        encoded = self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [start for start, _ in encoded["offset_mapping"]]

    def _loaded(self) -> SequenceClassifier:
        """Return the classifier, loaded and its class order verified; raises CrossexamError."""
        if self._classifier is not None:
            return self._classifier
        from crossexam.models.inference import SequenceClassifier

        options = self._options
        classifier = SequenceClassifier(
            self._checkpoint,
            device=options.device,
            dtype=options.dtype,
            max_length=options.max_length,
            batch_size=options.batch_size,
        )
        probe = classifier.encode(PAIRS)
        classifier.read_first_token_only(probe)
        logits = next(iter(classifier.logits(probe, [list(range(len(PAIRS)))])))
        result = verify_order(head_shares(logits), self._declared.order)
        refuse_conflict(result, where=self.name, source=_source_text(self._declared.source))
        self._details |= {
            "probe": result.as_details(),
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


def open_huggingface(name: str, options: Options) -> HuggingFaceModel:
    """Return the model ``hf/FOLDER`` or ``hf/ID`` (of the hub); raises CrossexamError.

    Weights are loaded when the model first predicts, so that a run whose predictions are all stored needs
    none; errors in the files or the class names are raised at once.
    """
    checkpoint = find_checkpoint(name.partition("/")[2], options.revision)
    return HuggingFaceModel(
        checkpoint, declared_order(checkpoint, options.label_order, options.threshold), options
    )
