"""Tiny checkpoints of classifiers in the form of Hugging Face."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crossexam.core.labels import LABELS


def save_tiny(
    folder: Path,
    tokenizer: Any,
    kind: str = "bert",
    *,
    labels: int = 3,
    seed: int = 7,
    positions: int = 64,
    train: Callable[[Any, Any], None] = lambda tokenizer, model: None,
) -> None:
    """Save a model of two small layers with a head of so many classes, those of LABELS if three.

    *train* changes the model, which has random weights of *seed*.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    names = dict(enumerate(LABELS)) if labels == 3 else {k: f"LABEL_{k}" for k in range(labels)}
    config = AutoConfig.for_model(
        kind,
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=positions if kind == "bert" else positions + 2,
        type_vocab_size=2 if kind == "bert" else 1,
        pad_token_id=tokenizer.pad_token_id,
        id2label=names,
        label2id={name: number for number, name in names.items()},
    )
    torch.manual_seed(seed)
    model = AutoModelForSequenceClassification.from_config(config)
    train(tokenizer, model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
