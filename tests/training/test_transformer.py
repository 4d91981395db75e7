"""Fine-tuning a pretrained transformer, here a tiny BERT with random weights."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertModel

from crossexam.core.errors import CrossexamError
from crossexam.training import devices
from crossexam.training.train import train_model


@pytest.mark.parametrize("precision", ["bfloat16", "medium"])
def test_training_in_bfloat16_says_so_and_starts_from_the_same_weights(
    tiny_checkpoint: Path, copied: Any, request_of: Any, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    bert = copied(tiny_checkpoint, "bert")
    BertModel.from_pretrained(tiny_checkpoint).save_pretrained(bert)  # without its classifier
    monkeypatch.setattr(devices, "has_instructions", lambda *_: True)  # other processors emulate it
    values = {"batch_size": "8", "epochs": "2", "lr": "0.001"}
    request = request_of(f"hf/{bert}", "exact", values=values)
    exact = train_model(request).manifest
    mixed = train_model(request_of(f"hf/{bert}", "mixed", values=values, precision=precision)).manifest
    assert torch.get_float32_matmul_precision() == "highest"
    assert (exact.precision, mixed.precision) == ("float32", precision)
    losses = [manifest.curve[0]["train_loss"] for manifest in (exact, mixed)]
    # products of so small a model are not rounded by medium
    assert (losses[0] != losses[1]) is (precision == "bfloat16")
    assert losses[0] == pytest.approx(losses[1], abs=0.02)
    recipe = exact.fingerprint["recipe"]
    assert (recipe["schedule"], recipe["optimizer"]) == ("linear-warmup", "adamw")
    with pytest.raises(CrossexamError, match=rf"another training run:\n.*precision.*{precision}"):
        train_model(replace(request, precision=precision))
