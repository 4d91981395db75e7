"""Checkpoints of sequence classifiers: their class order, and loading them with transformers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.models.label_order import (
    KNOWN_ORDERS,
    TWO_LABELS,
    Order,
    ProbeResult,
    class_name,
    is_two_label,
    order_text,
    parse_order,
    refuse_conflict,
    verify_order,
)
from crossexam.models.threshold import (
    head_shares,
    label_probabilities,
    missing_threshold,
    refuse_threshold,
)
from crossexam.training.pretrained import Checkpoint
from crossexam.training.transformers_logging import quiet_transformers

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FALLBACK_LENGTH: Final = 512
_NO_LENGTH: Final = 100_000  # tokenizers without a maximum say 10 ** 30
#: Architectures whose position ids start after that of the padding token.
_OFFSET_POSITIONS: Final = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "roberta-prelayernorm"})


@dataclass(frozen=True)
class DeclaredOrder:
    """A class order and its source, and the *threshold* of a model of two labels, if one is declared."""

    order: Order
    source: str
    threshold: float | None = None

    @property
    def key_parts(self) -> list[str]:
        """Return what the key of a model contains of it."""
        threshold = [] if self.threshold is None else [f"threshold {self.threshold}"]
        return [order_text(self.order), *threshold]

    @property
    def details(self) -> dict[str, Any]:
        """Return what a run's manifest says of it."""
        return {
            "label_order": list(self.order),
            "label_order_from": self.source,
            "two_label": is_two_label(self.order),
            **({} if self.threshold is None else {"threshold": self.threshold}),
        }

    def probabilities(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return *logits* [n, k] as probabilities [n, 3] in the order of ``LABELS``."""
        return label_probabilities(head_shares(logits), self.order, self.threshold)

    def verified(self, logits: NDArray[np.float64], *, where: str) -> ProbeResult:
        """Return how well the order fits a model with these *logits* [30, k] for the probe.

        Raises CrossexamError if another order fits so much better that this one must be wrong, or if the
        order has another number of classes than the model.
        """
        result = self.judged(logits, where=where)
        refuse_conflict(result, where=where, source=self._source_text)
        return result

    def judged(self, logits: NDArray[np.float64], *, where: str) -> ProbeResult:
        """Return how well the order fits, as :meth:`verified`, but accept that another fits better."""
        shares = head_shares(logits)
        if shares.shape[1] != len(self.order):
            raise CrossexamError(
                f"the model has {logits.shape[1]} outputs, but its class order {len(self.order)} classes "
                f"({order_text(self.order)}, {self._source_text})",
                where=where,
                wanted="an output per class",
            )
        return verify_order(shares, self.order)

    @property
    def _source_text(self) -> str:
        if self.source == "declared":
            return "as declared"
        return f"from {self.source}" if "." in self.source else f"from the {self.source}"


def declared_order(
    checkpoint: Checkpoint, label_order: tuple[str, ...] | None, threshold: float | None = None
) -> DeclaredOrder:
    """Return the class order of *checkpoint*: the declared one, else its configuration's, else a known one.

    A head with one output is read as two classes, P(entailment) and the rest, and needs a *threshold*.
    Raises CrossexamError if it has none, if no source gives the order, if the head has more than three
    outputs, or if a threshold is given for three.
    """
    where = checkpoint.where
    names = _class_names(checkpoint.config, checkpoint.where)
    if len(names) == 1:
        return _order_of_one_output(checkpoint, label_order, threshold)
    if len(names) not in (2, 3):
        raise CrossexamError(
            f"the checkpoint has a head of {len(names)} classes",
            where=where,
            wanted="a classifier with two or three NLI classes, or with one output",
        )
    if threshold is not None and len(names) == 3:
        raise refuse_threshold("the checkpoint has three classes", where=where)
    if label_order:
        order = parse_order(label_order, where="--label-order")
        if len(order) != len(names):
            raise CrossexamError(
                f"--label-order names {len(order)} classes, but the checkpoint has {len(names)}",
                where=where,
                wanted="each class of the checkpoint once, in its order",
            )
        return DeclaredOrder(order, "declared", threshold)
    if all(class_name(name) is not None for name in names):
        order = parse_order(names, where=f"{where}, config.json, id2label")
        return DeclaredOrder(order, "config.json", threshold)
    for known in (checkpoint.name, str(checkpoint.config.get("_name_or_path", ""))):
        if known.lower() in KNOWN_ORDERS and len(names) == len(KNOWN_ORDERS[known.lower()]):
            return DeclaredOrder(KNOWN_ORDERS[known.lower()], "table of known checkpoints", threshold)
    example = "contradiction,neutral,entailment" if len(names) == 3 else "entailment,not_entailment"
    raise CrossexamError(
        f"config.json calls the classes {', '.join(names)}, which does not say which labels they are",
        where=where,
        wanted="a class order",
        hint=f"--label-order {example} (or what its card says); it is then checked on easy items",
    )


def _order_of_one_output(
    checkpoint: Checkpoint, label_order: tuple[str, ...] | None, threshold: float | None
) -> DeclaredOrder:
    activation = (checkpoint.config.get("sentence_transformers") or {}).get("activation_fn", "")
    if str(activation).endswith("Identity"):
        raise CrossexamError(
            "the checkpoint has one output, which is a score and not a probability",
            where=checkpoint.where,
            wanted="a classifier, or one output with a sigmoid",
            hint="a function can turn its scores into labels: py/MODULE:FUNCTION",
        )
    if threshold is None:
        raise missing_threshold("the checkpoint has one output", where=checkpoint.where)
    if not label_order:
        return DeclaredOrder(TWO_LABELS, "one output, read as P(entailment)", threshold)
    order = parse_order(label_order, where="--label-order")
    if not is_two_label(order):
        raise CrossexamError(
            f"--label-order names {len(order)} classes, but the checkpoint has one output",
            where=checkpoint.where,
            wanted="entailment,not_entailment, or not_entailment,entailment if it is P(not_entailment)",
        )
    return DeclaredOrder(order, "declared", threshold)


def _class_names(config: Mapping[str, Any], where: str) -> list[str]:
    """Return the names of the classes in their order, transformers' default names if there are none."""
    names = config.get("id2label")
    if isinstance(names, Mapping) and names:
        try:
            return [str(names[key]) for key in sorted(names, key=int)]
        except ValueError:
            raise FormatError(
                f"a key of id2label is not a number: {', '.join(map(str, names))}",
                where=f"{where}, config.json",
                wanted='the number of each class, from "0" on',
            ) from None
    count = config.get("num_labels", 2)
    return [f"LABEL_{number}" for number in range(count if isinstance(count, int) else 0)]


def limit_of(limit: object, where: str) -> int:
    """Return the *limit* on tokens that a tokenizer states; raises FormatError if it is not a number."""
    if not isinstance(limit, int | float) or not isfinite(limit):
        raise FormatError(
            f"model_max_length is {limit}",
            where=f"{where}, tokenizer_config.json",
            wanted="the greatest number of tokens of a text",
        )
    return int(limit)


def longest_pair(tokenizer_limit: int, config: Mapping[str, Any], stated: int | None, *, where: str) -> int:
    """Return how many tokens a pair may have: *stated* ones, else the tokenizer's or the model's limit.

    Raises CrossexamError if *stated* is above that limit or below 8.

    >>> longest_pair(10**30, {"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1},
    ...              None, where="hf/x")
    512
    """
    length = tokenizer_limit
    if length > _NO_LENGTH:
        length = int(config.get("max_position_embeddings") or _FALLBACK_LENGTH)
        if config.get("model_type") in _OFFSET_POSITIONS:
            length -= int(config.get("pad_token_id") or 0) + 1
    if stated is not None and not 8 <= stated <= length:
        raise CrossexamError(
            f"--max-length is {stated}", where=where, wanted=f"8 to {length} tokens for this checkpoint"
        )
    return stated or length


def import_torch(checkpoint: Checkpoint) -> Any:
    """Return the module torch; raises MissingExtraError if it or transformers is not installed."""
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        package = (error.name or "torch").partition(".")[0]
        raise MissingExtraError(package, "torch", checkpoint.where) from None
    return torch


def find_device(name: str, where: str) -> Any:
    """Return the torch device called *name* (``auto``: a GPU if there is one); raises CrossexamError."""
    import torch

    from crossexam.training.devices import available_device

    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    return available_device(name, where)


def load_checkpoint(checkpoint: Checkpoint) -> tuple[Any, Any]:
    """Return the tokenizer and the model of *checkpoint*.

    Raises CrossexamError if transformers cannot load it, or if weights of the classifier are missing, which
    transformers would initialize at random with a warning.
    """
    from transformers import AutoModelForSequenceClassification

    where = checkpoint.where
    tokenizer = load_tokenizer(checkpoint)
    try:
        with quiet_transformers():
            model, report = AutoModelForSequenceClassification.from_pretrained(
                checkpoint.folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except Exception as error:  # transformers raises nearly anything for a checkpoint it cannot read
        raise cannot_load(checkpoint, error) from error
    missing = sorted(report["missing_keys"])
    if missing:
        raise CrossexamError(
            f"the checkpoint lacks {len(missing)} of the classifier's weights ({', '.join(missing[:3])}): "
            "it was not fine-tuned for classification, and its predictions would be random",
            where=where,
            wanted="a sequence-classification checkpoint",
        )
    return tokenizer, model


def load_tokenizer(checkpoint: Checkpoint) -> Any:
    """Return the tokenizer of *checkpoint*; raises CrossexamError if transformers cannot load it."""
    import_torch(checkpoint)
    from transformers import AutoTokenizer

    try:
        with quiet_transformers():
            return AutoTokenizer.from_pretrained(checkpoint.folder, trust_remote_code=False)
    except Exception as error:  # transformers raises nearly anything for a tokenizer it cannot read
        raise cannot_load(checkpoint, error) from error


def cannot_load(checkpoint: Checkpoint, error: Exception) -> CrossexamError:
    """Return the error that transformers cannot load *checkpoint*, with what it says about it."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    hint = "checkpoints with their own code are not run" if "auto_map" in checkpoint.config else None
    return CrossexamError(f"transformers cannot load it: {first}", where=checkpoint.where, hint=hint)
