"""Checkpoints of transformers as models: ``hf/ID-or-folder``.

Weights are read from safetensors only, and code that comes with a checkpoint is never run.  The class order
is never assumed: it is verified with the probe before anything is predicted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final, Literal

from crossexam.core.errors import CrossexamError
from crossexam.models.checkpoint import DeclaredOrder, declared_order, import_torch, load_tokenizer
from crossexam.models.classifier import ClassifierModel
from crossexam.models.label_order import PAIRS
from crossexam.models.model import Pair, check_batch_size
from crossexam.models.precision import Rounding, sample
from crossexam.models.threshold import check_threshold
from crossexam.training.pretrained import Checkpoint, find_checkpoint

if TYPE_CHECKING:
    from crossexam.models.inference import SequenceClassifier

_VERSION: Final = "hf.v1"
#: How predictions in fewer bits are computed.  Another order of operations changes those of float32 by some
#: 1e-7, but these by as much as their rounding does: predictions of another version are not to be mixed in.
_ROUNDED: Final = ("rounded.v2",)


@dataclass(frozen=True)
class Options:
    """How a checkpoint is loaded and run.

    ``batch_size`` counts pairs (``auto``: batches of about the same number of tokens); ``dtype`` is that of
    the weights and of the arithmetic, and what rounding changes is measured on some of the pairs;
    ``max_length`` counts the tokens of a pair, by default the checkpoint's maximum; ``label_order`` declares
    the class order, by default the configuration's; ``threshold`` is the probability above which a model of
    two labels predicts entailment; ``revision`` is that of a hub checkpoint.
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


def open_huggingface(name: str, options: Options) -> ClassifierModel:
    """Return the model ``hf/FOLDER`` or ``hf/ID`` (of the hub); raises CrossexamError.

    Weights are loaded when the model first predicts, so that a run whose predictions are all stored needs
    none; errors in the files or the class names are raised at once.
    """
    checkpoint = find_checkpoint(name.partition("/")[2], options.revision)
    declared = declared_order(checkpoint, options.label_order, options.threshold)
    content = checkpoint.content_hash()
    rounded = () if options.dtype == "float32" else _ROUNDED
    parts = (_VERSION, content, options.dtype, str(options.max_length), *declared.key_parts, *rounded)
    key = hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
    details = {
        "checkpoint": content,
        "revision": checkpoint.revision,
        "architecture": (checkpoint.config.get("architectures") or [None])[0],
        "dtype": options.dtype,
    }
    load = partial(_load, checkpoint, options, declared)
    return ClassifierModel(checkpoint.where, key, declared, load, _token_starts(checkpoint), details)


def _load(
    checkpoint: Checkpoint, options: Options, declared: DeclaredOrder, asked: Sequence[Pair]
) -> SequenceClassifier:
    """Return the loaded checkpoint; raises CrossexamError.

    If it is not to predict in float32, some of the pairs that are *asked* first are predicted in both.
    """
    import_torch(checkpoint)
    from crossexam.models.inference import SequenceClassifier
    from crossexam.training.devices import has_instructions

    classifier = SequenceClassifier(
        checkpoint, device=options.device, max_length=options.max_length, batch_size=options.batch_size
    )
    classifier.take_shortcuts(classifier.encode(PAIRS))
    if options.dtype != "float32":
        sampled = classifier.encode(sample(asked))
        exact = declared.probabilities(classifier.all_logits(sampled))
        classifier.lower(options.dtype)
        rounded = declared.probabilities(classifier.all_logits(sampled))
        native = has_instructions(options.dtype, classifier.device)
        classifier.rounding = Rounding.between(
            exact, rounded, options.dtype, native=native, way=classifier.way(native=native)
        )
    return classifier


def _token_starts(checkpoint: Checkpoint) -> Callable[[str], list[int]]:
    """Return the function that locates the tokens of a text; it loads the tokenizer at its first call."""
    loaded = cache(partial(load_tokenizer, checkpoint))

    def starts(text: str) -> list[int]:
        tokenizer = loaded()
        if not tokenizer.is_fast:
            raise CrossexamError(
                "its tokenizer does not say where the tokens are in the text",
                where=checkpoint.where,
                hint="measure chunks in words: --chunk words:300",
            )
        encoded = tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [start for start, _ in encoded["offset_mapping"]]

    return starts
