"""Checkpoints of sequence classifiers: finding them, their class order, loading them with transformers.

Weights are read from safetensors only, and code that comes with a checkpoint is never run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.core.files import read_json, sha256_of
from crossexam.models.label_order import (
    KNOWN_ORDERS,
    TWO_LABELS,
    Order,
    class_name,
    is_two_label,
    parse_order,
)
from crossexam.models.threshold import missing_threshold, refuse_threshold
from crossexam.training.transformers_logging import quiet_transformers

#: The files that predictions depend on: weights (safetensors only), configuration, tokenizer.
_PATTERNS: Final = ("*.safetensors", "*.json", "*.txt", "*.model", "*.tiktoken")
_SAFETENSORS_HINT: Final = (
    "if you trust it, load it and save it again: model.save_pretrained(folder) writes safetensors"
)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint: its *folder*, its *name*, the *revision* downloaded from the hub, its configuration."""

    folder: Path
    name: str
    revision: str | None
    config: Mapping[str, Any]

    @property
    def where(self) -> str:
        """Return the name of the model, for messages."""
        return f"hf/{self.name}"

    def content_hash(self) -> str:
        """Return 32 hexadecimal digits that change when weights, configuration or tokenizer do."""
        running = hashlib.blake2b(digest_size=16)
        for path in _files(self.folder):
            running.update(f"{path.name}\x1f{sha256_of(path)}\x1e".encode())
        return running.hexdigest()


def find_checkpoint(spec: str, revision: str | None) -> Checkpoint:
    """Return the checkpoint in the folder *spec*, or the hub's checkpoint of this name.

    Raises CrossexamError if there is none, if it has no safetensors, or if it is not a checkpoint of
    transformers.
    """
    folder = Path(spec).expanduser()
    if folder.is_dir():
        if revision is not None:
            raise CrossexamError(
                "a local folder has no revisions", where=f"hf/{spec}", hint="leave out --revision"
            )
        commit = None
    elif spec.startswith((".", "/", "~")) or spec.count("/") > 1:
        raise CrossexamError("no such folder", where=f"hf/{spec}")
    else:
        folder, commit = _download(spec, revision)
    config_file = folder / "config.json"
    if not config_file.exists():
        raise FormatError(
            "config.json is missing",
            where=f"hf/{spec}",
            wanted="a checkpoint that save_pretrained wrote",
            hint="an adapter must be merged into its model first"
            if (folder / "adapter_config.json").exists()
            else None,
        )
    if not any(path.suffix == ".safetensors" for path in _files(folder)):
        raise CrossexamError(
            "no safetensors file; pickled weights are never read, since they can run code",
            where=f"hf/{spec}",
            hint=_SAFETENSORS_HINT,
        )
    return Checkpoint(folder, spec, commit, read_json(config_file))


def _files(folder: Path) -> list[Path]:
    return sorted(path for pattern in _PATTERNS for path in folder.glob(pattern) if path.is_file())


def _download(spec: str, revision: str | None) -> tuple[Path, str]:
    """Return the folder of the hub's checkpoint *spec* in the local cache, and its commit."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError("transformers", "torch", f"hf/{spec}") from None
    try:
        got = snapshot_download(
            spec, revision=revision, allow_patterns=list(_PATTERNS), ignore_patterns=["*/*"]
        )
    except HFValidationError:
        raise CrossexamError(
            "no such folder, and this cannot be the name of a checkpoint", where=f"hf/{spec}"
        ) from None
    except LocalEntryNotFoundError:
        raise CrossexamError(
            "no such folder, and no checkpoint of this name in the cache; the hub could not be reached",
            where=f"hf/{spec}",
            hint="check the path, or the connection (and HF_HUB_OFFLINE)",
        ) from None
    except HfHubHTTPError as error:
        raise CrossexamError(f"the hub refused the download: {error}", where=f"hf/{spec}") from None
    folder = Path(got)
    return folder, folder.name


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
