"""The bits of quantized weights, by what the processor multiplies exactly."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from crossexam.models.onnx import quantization


def test_weights_have_the_bits_that_the_processor_multiplies_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Saturating:
        def __init__(self, *arguments: Any, **options: Any) -> None: ...

        def run(self, *arguments: Any) -> list[NDArray[np.int32]]:
            return [np.full((32, 64), 32 * 32_767, dtype=np.int32)]

    assert quantization.exact_weight_bits() in (7, 8)
    monkeypatch.setattr(onnxruntime, "InferenceSession", Saturating)
    assert quantization.exact_weight_bits() == 7
    assert 2 * 255 * quantization._LARGEST[7] < 2**15
