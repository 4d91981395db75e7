"""What is done on a device other than a CPU, tried on ones that compute on the CPU, and on a GPU."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.models import gpu, inference
from crossexam.models.gpu import GPU_TOKENS, fetched_in_order, fitting_tokens
from crossexam.models.inference import SequenceClassifier
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def test_another_device_is_not_asked_for_what_a_gpu_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device such as mps, tensors are sent and fetched as torch does, in batches of the usual size."""
    monkeypatch.setattr(torch.Tensor, "pin_memory", None)
    monkeypatch.setattr(torch.cuda, "Event", None)
    device: Any = SimpleNamespace(type="elsewhere")
    tables = [torch.tensor([float(number)]) for number in range(30)]
    assert all(map(torch.equal, fetched_in_order(iter(tables), device), tables))
    assert fitting_tokens(lambda: None, 30, device) == GPU_TOKENS
    gpu.free_cached(device)
    monkeypatch.setattr(torch.Tensor, "to", lambda table, where: (table, where))
    assert gpu.sent(tables[0], device) == (tables[0], device)


class SimulatedGpu:
    """What torch asks of a GPU, answered by the CPU: *happened* are the requests, in order.

    A batch takes *per_token* bytes per token of the *free* ones.
    """

    def __init__(self, patch: pytest.MonkeyPatch, *, free: int = 2**40, per_token: int = 1_000) -> None:
        self.happened: list[str] = []
        self.free, self.per_token, self.tokens = free, per_token, 0
        self._move, self._make, self._forward = torch.Tensor.to, torch.empty, SequenceClassifier._forward
        cuda = {
            "Event": self._event,
            "current_stream": lambda device: f"the stream of {device}",
            "empty_cache": lambda: self.happened.append("emptied"),
            "reset_peak_memory_stats": lambda device: self.happened.append("reset"),
            "memory_allocated": lambda device: 5_000,
            "memory_reserved": lambda device: 7_000,
            "max_memory_allocated": lambda device: 5_000 + self.per_token * self.tokens,
            "mem_get_info": lambda device: (self.free - 2_000, 2**50),
        }
        for name, answer in cuda.items():
            patch.setattr(torch.cuda, name, answer)
        patch.setattr(inference, "find_device", lambda *_: torch.device("cuda"))
        patch.setattr(torch.Tensor, "pin_memory", lambda table: table)
        patch.setattr(torch.Tensor, "to", lambda table, *given, **named: self._moved(table, given, named))
        patch.setattr(torch, "empty", lambda *shape, pin_memory=False, **named: self._make(*shape, **named))
        patch.setattr(
            SequenceClassifier, "_forward", lambda classifier, *given: self._launched(classifier, *given)
        )

    def _moved(self, table: torch.Tensor, given: Any, named: dict[str, Any]) -> torch.Tensor:
        if given[:1] != (torch.device("cuda"),):
            return self._move(table, *given, **named)
        if named.get("non_blocking"):
            self.happened.append("sent")
        dtype = given[1] if len(given) > 1 else None
        return table if dtype is None else self._move(table, dtype)

    def _launched(self, classifier: Any, encoded: Any, rows: Any) -> torch.Tensor:
        self.tokens = len(rows) * int(encoded.lengths[list(rows)].max())
        self.happened.append("launched")
        return self._forward(classifier, encoded, rows)

    def _event(self) -> Any:
        def record(stream: str) -> None:
            assert stream == "the stream of cuda"
            self.happened.append("recorded")

        return SimpleNamespace(record=record, synchronize=lambda: self.happened.append("waited"))


def opened(checkpoint: Path, **options: Any) -> Any:
    return open_model(f"hf/{checkpoint}", options)


def test_a_gpu_is_given_batches_without_being_waited_for(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = opened(tiny_checkpoint, device="cpu").predict(PAIRS)
    simulated = SimulatedGpu(monkeypatch)
    model = opened(tiny_checkpoint, dtype="bfloat16", batch_size=2)
    model._loaded()
    simulated.happened.clear()
    found = model.predict(PAIRS)
    assert np.abs(found - expected).max() < 0.05
    kinds = [each for each in simulated.happened if each in {"launched", "recorded", "waited"}]
    batches, ahead = len(PAIRS) // 2, 8
    step = ["launched", "recorded"]
    assert kinds == step * ahead + [*step, "waited"] * (batches - ahead) + ["waited"] * ahead
    assert simulated.happened.count("sent") == 2 * batches  # tokens and mask
    assert model.details["device"] == "cuda"
    assert model.details["packed_layers"] is False
    assert model.details["rounding"]["ways"] == [f"cuda, torch {torch.__version__}"]


def test_batches_are_as_large_as_the_memory_of_the_gpu_suggests(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for free, expected in ((2**40, GPU_TOKENS), (4_000_000, 1_024), (1, 512)):
        with monkeypatch.context() as patch:
            simulated = SimulatedGpu(patch, free=free, per_token=1_500)
            model = opened(tiny_checkpoint)
            assert model._loaded().facts["batch_tokens"] == expected
            assert simulated.happened[simulated.happened.index("reset") + 1] == "launched"


def test_a_gpu_whose_memory_ends_gives_its_cache_back(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = opened(tiny_checkpoint, device="cpu").predict(PAIRS)
    simulated = SimulatedGpu(monkeypatch)
    model = opened(tiny_checkpoint, batch_size=16)
    classifier: Any = model._loaded()
    forward = classifier.model.forward

    def scarce(*given: Any, **inputs: Any) -> Any:
        if len(inputs["input_ids"]) > 5:
            raise RuntimeError("CUDA error: out of memory")
        return forward(*given, **inputs)

    monkeypatch.setattr(classifier.model, "forward", scarce)
    assert np.allclose(model.predict(PAIRS), expected, atol=1e-6)
    assert simulated.happened.count("emptied") == model.details["halved_batches"] > 0


def test_the_end_of_memory_is_known_by_its_kind_or_its_words() -> None:
    assert gpu.is_out_of_memory(torch.OutOfMemoryError("CUDA"))
    for words in ("can't allocate memory", "not enough memory"):
        assert gpu.is_out_of_memory(RuntimeError(f"DefaultCPUAllocator: {words}"))


@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_gpu_predicts_what_a_cpu_predicts(tiny_checkpoint: Path, dtype: str) -> None:
    expected = opened(tiny_checkpoint, device="cpu").predict(PAIRS)
    model = opened(tiny_checkpoint, device="cuda", dtype=dtype, batch_size=2)
    assert np.abs(model.predict(PAIRS) - expected).max() < (1e-3 if dtype == "float32" else 0.05)


@needs_gpu
def test_a_gpu_is_waited_for_only_when_results_are_read(tiny_checkpoint: Path) -> None:
    classifier: Any = opened(tiny_checkpoint, device="cuda", batch_size=2)._loaded()
    encoded = classifier.encode(PAIRS)
    torch.cuda.set_sync_debug_mode("error")
    try:
        classifier._forward(encoded, [0, 1])
    finally:
        torch.cuda.set_sync_debug_mode("default")
