"""What is done on a device other than a CPU, tried on ones that compute on the CPU, and on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.models import gpu
from crossexam.models.gpu import GPU_TOKENS, fetched_in_order, fitting_tokens
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
CUDA = torch.device("cuda")


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


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What torch was asked of a GPU, in order; the CPU answers in its place."""
    found: list[str] = []

    def noted(name: str) -> Callable[..., None]:
        return lambda *given: found.append(name)

    event = SimpleNamespace(record=noted("recorded"), synchronize=noted("waited"))
    monkeypatch.setattr(torch.cuda, "Event", lambda: event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: None)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", noted("reset"))
    monkeypatch.setattr(torch.cuda, "empty_cache", noted("emptied"))
    empty = torch.empty
    monkeypatch.setattr(torch, "empty", lambda *shape, pin_memory, **named: empty(*shape, **named))
    return found


def test_results_are_waited_for_when_eight_later_batches_are_under_way(happened: list[str]) -> None:
    tables = [torch.tensor([float(number)]) for number in range(20)]
    assert all(map(torch.equal, fetched_in_order(iter(tables), CUDA), tables))
    assert happened == ["recorded"] * 8 + ["recorded", "waited"] * 12 + ["waited"] * 8


def test_batches_are_as_large_as_the_memory_of_the_gpu_suggests(
    happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of 100 tokens takes 1,500 bytes per token here."""
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 5_000)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 7_000)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda device: 5_000 + 1_500 * 100)
    for free, expected in ((2**40, GPU_TOKENS), (4_000_000, 1_024), (1, 512)):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free - 2_000, 2**50))
        assert fitting_tokens(lambda: happened.append("launched"), 100, CUDA) == expected
    assert happened == ["reset", "launched"] * 3


def test_the_end_of_memory_is_known_and_the_cache_given_back(happened: list[str]) -> None:
    assert gpu.is_out_of_memory(torch.OutOfMemoryError("CUDA"))
    for words in ("can't allocate memory", "not enough memory"):
        assert gpu.is_out_of_memory(RuntimeError(f"DefaultCPUAllocator: {words}"))
    gpu.free_cached(CUDA)
    assert happened == ["emptied"]


@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_gpu_predicts_what_a_cpu_predicts(tiny_checkpoint: Path, dtype: str) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    model = open_model(f"hf/{tiny_checkpoint}", {"device": "cuda", "dtype": dtype, "batch_size": 2})
    assert np.abs(model.predict(PAIRS) - expected).max() < (1e-3 if dtype == "float32" else 0.05)


@needs_gpu
def test_a_gpu_is_waited_for_only_when_results_are_read(tiny_checkpoint: Path) -> None:
    classifier: Any = open_model(f"hf/{tiny_checkpoint}", {"device": "cuda", "batch_size": 2})
    classifier = classifier._loaded()
    encoded = classifier.encode(PAIRS)
    torch.cuda.set_sync_debug_mode("error")
    try:
        classifier._forward(encoded, [0, 1])
    finally:
        torch.cuda.set_sync_debug_mode("default")
