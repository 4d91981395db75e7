"""Devices and precisions that are not here are named."""

import pytest
import torch

from crossexam.training.devices import Device
from made.cases import refused


def test_a_device_or_a_precision_that_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the device 'cuda:77' is not available" in refused(Device, "cuda:77")
    assert "no precision" in refused(Device, "cpu", "float8")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_f": True})
    assert "no instructions for training in bfloat16" in refused(Device, "cpu", "bfloat16")
