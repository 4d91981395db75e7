"""Loading a checkpoint with transformers: safetensors only, no code of the checkpoint's own."""

from __future__ import annotations

from typing import Any

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.models.checkpoint import Checkpoint
from crossexam.training.quiet import quiet_transformers


def import_torch(checkpoint: Checkpoint) -> Any:
    """Return the module torch; raises MissingExtraError where it or transformers is not installed."""
    try:
        import torch
        import transformers  # noqa: F401
    except ImportError as error:
        package = (error.name or "torch").partition(".")[0]
        raise MissingExtraError(package, "torch", f"hf/{checkpoint.name}") from None
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
            f"there is no device '{name}' here: {first}", where=where, hint="--device auto"
        ) from None
    return device


def load_checkpoint(checkpoint: Checkpoint) -> tuple[Any, Any]:
    """Return the tokenizer and the model of *checkpoint*.

    Raises CrossexamError where transformers cannot load it, and where weights of the classifier are
    lacking: transformers would make them up at random with a warning.
    """
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    where = f"hf/{checkpoint.name}"
    try:
        with quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(checkpoint.folder, trust_remote_code=False)
            model, report = AutoModelForSequenceClassification.from_pretrained(
                checkpoint.folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except Exception as error:  # transformers raises nearly anything for a checkpoint it cannot read
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        hint = "checkpoints with code of their own are not run" if "auto_map" in checkpoint.config else None
        raise CrossexamError(f"transformers cannot load it: {first}", where=where, hint=hint) from error
    missing = sorted(report["missing_keys"])
    if missing:
        raise CrossexamError(
            f"the checkpoint lacks {len(missing)} of the classifier's weights ({', '.join(missing[:3])}): "
            "it was not fine-tuned for classification, and would answer at random",
            where=where,
            wanted="a sequence-classification checkpoint",
        )
    return tokenizer, model
