"""Checkpoints of sequence classifiers: their class order, and loading them with transformers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.models.label_order import (
    KNOWN_ORDERS,
    TWO_LABELS,
    Order,
    class_name,
    is_two_label,
    parse_order,
)
from crossexam.models.threshold import missing_threshold, refuse_threshold
from crossexam.training.pretrained import Checkpoint
from crossexam.training.transformers_logging import quiet_transformers


@dataclass(frozen=True)
class DeclaredOrder:
    """A class order and its source."""

    order: Order
    source: str


def declared_order(
    checkpoint: Checkpoint, label_order: tuple[str, ...] | None, threshold: float | None = None
) -> DeclaredOrder:
    """Return the class order of *checkpoint*: the declared one, else its configuration's, else a known one.

    A head with one output is read as two classes, P(entailment) and the rest, and needs a *threshold*.
    Raises CrossexamError if it has none, if no source gives the order, if the head has more than three
    outputs, or if a threshold is given for three.
    """
    where = checkpoint.where
    names = _class_names(checkpoint.config)
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
                f"--label-order names {len(order)} classes, but the checkpoint has {len(names)}", where=where
            )
        return DeclaredOrder(order, "declared")
    if all(class_name(name) is not None for name in names):
        return DeclaredOrder(parse_order(names, where=f"{where}, config.json, id2label"), "config.json")
    for known in (checkpoint.name, str(checkpoint.config.get("_name_or_path", ""))):
        if known.lower() in KNOWN_ORDERS and len(names) == len(KNOWN_ORDERS[known.lower()]):
            return DeclaredOrder(KNOWN_ORDERS[known.lower()], "table of known checkpoints")
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
        return DeclaredOrder(TWO_LABELS, "one output, read as P(entailment)")
    order = parse_order(label_order, where="--label-order")
    if not is_two_label(order):
        raise CrossexamError(
            f"--label-order names {len(order)} classes, but the checkpoint has one output",
            where=checkpoint.where,
            wanted="entailment,not_entailment, or not_entailment,entailment if it is P(not_entailment)",
        )
    return DeclaredOrder(order, "declared")


def _class_names(config: Mapping[str, Any]) -> list[str]:
    """Return the names of the classes in their order, transformers' default names if there are none."""
    names = config.get("id2label")
    if isinstance(names, Mapping) and names:
        return [str(names[key]) for key in sorted(names, key=int)]
    return [f"LABEL_{number}" for number in range(int(config.get("num_labels", 2)))]


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

    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CrossexamError(
            f"device '{name}' is not available: {first}", where=where, hint="--device auto"
        ) from None
    return device


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
        raise _cannot_load(checkpoint, error) from error
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
        raise _cannot_load(checkpoint, error) from error


def _cannot_load(checkpoint: Checkpoint, error: Exception) -> CrossexamError:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    hint = "checkpoints with their own code are not run" if "auto_map" in checkpoint.config else None
    return CrossexamError(f"transformers cannot load it: {first}", where=checkpoint.where, hint=hint)
