"""What is done on a device other than a CPU."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.models import gpu
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model


def test_another_device_is_not_asked_for_what_a_gpu_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a device such as mps, tensors are sent and fetched as torch does, in batches of the usual size."""
    monkeypatch.setattr(torch.Tensor, "pin_memory", None)
    monkeypatch.setattr(torch.cuda, "Event", None)
    device: Any = SimpleNamespace(type="elsewhere")
    tables = [torch.tensor([float(number)]) for number in range(30)]
    assert all(map(torch.equal, gpu.fetched_in_order(iter(tables), device), tables))
    assert gpu.fitting_tokens(lambda: None, 30, device) == gpu.GPU_TOKENS
    gpu.free_cached(device)
    monkeypatch.setattr(torch.Tensor, "to", lambda table, where: (table, where))
    assert gpu.sent(tables[0], device) == (tables[0], device)


def test_the_end_of_memory_is_known_by_its_kind_or_its_words() -> None:
    assert gpu.is_out_of_memory(torch.OutOfMemoryError("CUDA"))
    assert gpu.is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_gpu_predicts_what_a_cpu_predicts(tiny_checkpoint: Path, dtype: str) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    model = open_model(f"hf/{tiny_checkpoint}", {"device": "cuda", "dtype": dtype, "batch_size": 2})
    assert np.abs(model.predict(PAIRS) - expected).max() < (1e-3 if dtype == "float32" else 0.05)
