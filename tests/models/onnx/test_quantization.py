"""Token-by-token quantization, on graphs that are made here; and the export of small checkpoints."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper

from crossexam.models.onnx import quantization
from crossexam.models.onnx.quantization import Quantized, exact_weight_bits, quantize

RNG = np.random.default_rng(3)
EXACT = exact_weight_bits()  # 7 on processors whose products of 8-bit integers saturate
WEIGHTS = {
    "into": RNG.normal(size=(32, 48)).astype(np.float32),
    "out": RNG.normal(size=(48, 32)).astype(np.float32),
    "head": RNG.normal(size=(32, 3)).astype(np.float32),
}


#: Two products for every token with GELU between, and one for the first token.
LAYERS = """
<ir_version: 10, opset_import: ["": 20]>
layers (float[pairs,tokens,32] tokens) => (float[pairs,1,3] logits)
<float[pairs,tokens,32] tokens, float[pairs,tokens,48] wide, float[pairs,tokens,48] active,
 float[pairs,1,32] first, int64[1] zero = {0}>
{
    wide = MatMul(tokens, into)
    active = Gelu(wide)
    narrow = MatMul(active, out)
    first = Gather<axis = 1>(narrow, zero)
    logits = MatMul(first, head)
}
"""


def layers() -> onnx.ModelProto:
    model = onnx.parser.parse_model(LAYERS)
    model.graph.initializer.extend(numpy_helper.from_array(table, name) for name, table in WEIGHTS.items())
    return model


def run(model: onnx.ModelProto, tokens: NDArray[np.float32]) -> Any:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"tokens": tokens})[0]


def test_it_computes_nearly_the_same_with_integers_whatever_the_size_of_the_values() -> None:
    for scale, most in ((1e-6, 0.2), (1.0, 0.02), (1e6, 0.02)):  # GELU of small values is negative as often
        model, given = layers(), RNG.normal(size=(6, 5, 32)).astype(np.float32) * np.float32(scale)
        expected = run(model, given)
        assert quantize(model, EXACT) == Quantized(2, 3, EXACT)
        operators = [node.op_type for node in model.graph.node]
        assert operators.count("MatMulIntegerToFloat") == 2
        assert operators.count("MatMul") == 1  # of the first token alone
        apart = abs(run(model, given) - expected).max() / abs(expected).max()
        assert 0 < apart <= most * 2 ** (8 - EXACT)
    assert np.isfinite(run(model, np.zeros((1, 5, 32), dtype=np.float32))).all()


def test_weights_have_the_bits_that_the_processor_multiplies_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Saturating:
        def __init__(self, *arguments: Any, **options: Any) -> None: ...

        def run(self, *arguments: Any) -> list[NDArray[np.int32]]:
            return [np.full((32, 64), 32 * 32_767, dtype=np.int32)]

    assert exact_weight_bits() in (7, 8)
    monkeypatch.setattr(onnxruntime, "InferenceSession", Saturating)
    assert exact_weight_bits() == 7
    assert 2 * 255 * quantization._LARGEST[7] < 2**15
