"""Packed layers: they are used only if they change nothing, and can be put back."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.models import packed
from crossexam.models.inference import SequenceClassifier
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model


@pytest.fixture(autouse=True)
def _small_models_are_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "PACKED_BYTES", range(2**30))


def opened(checkpoint: Path, **options: Any) -> Any:
    return open_model(f"hf/{checkpoint}", {"device": "cpu", **options})


def test_packed_layers_change_nothing_or_are_put_back(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is packed without the operation."""
    with monkeypatch.context() as patch:
        patch.setattr(SequenceClassifier, "_pack", lambda *_: None)
        expected = opened(tiny_checkpoint).predict(PAIRS)
    model = opened(tiny_checkpoint)
    assert np.abs(model.predict(PAIRS) - expected).max() < 1e-6
    assert model.details["packed_layers"] is True
    assert {type(layer) for layer in model._loaded().model.base_model.encoder.layer} == {packed.PackedLayer}
    forward = packed.PackedLinear.forward

    def missing(*_: Any) -> None:
        raise AttributeError("'_OpNamespace' 'mkldnn' object has no attribute '_reorder_linear_weight'")

    for method, wrong in (
        ("forward", lambda self, states: forward(self, states) * 1.01),
        ("forward", lambda self, states: forward(self, states) * float("nan")),
        ("__init__", missing),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(packed.PackedLinear, method, wrong)
            model = opened(tiny_checkpoint)
            assert np.array_equal(model.predict(PAIRS), expected)
            assert model.details["packed_layers"] is False


def test_a_busy_machine_packs_the_same_layers(tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed layers round differently: a run that is resumed must not choose anew by the time they take."""
    for dtype in ("float32", "bfloat16"):
        found = []
        for growth in (2.0, 0.5):  # each call takes longer than the one before, or less long
            seconds = (growth**n for n in range(1_000))
            with monkeypatch.context() as patch:
                for clock in ("thread_time", "process_time", "perf_counter", "monotonic"):
                    patch.setattr(time, clock, lambda seconds=seconds: next(seconds))
                model = opened(tiny_checkpoint, dtype=dtype)
                found.append(model.predict(PAIRS))
                # Without instructions for bfloat16, torch packs nothing in it.
                can_pack = dtype == "float32" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
                assert model.details["packed_layers"] is can_pack
        assert np.array_equal(*found)
