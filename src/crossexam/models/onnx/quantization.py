"""Graphs with weights of 8 bits, whose activations are quantized token by token.

Every row of a product ``X W`` (a token) has its own scale, every column of ``W`` too: with the symmetric
``W ~ Wq diag(w)`` and ``X ~ diag(s) (Xq - z)``, ``X W ~ diag(s) ((Xq - z) Wq) diag(w)``, where the product is
of integers.  The scale of a token is ``s = max(max x / (255 - z), -min x / z)``, so that nothing is clipped;
the zero point *z* is a constant: 128, and 16 after GELU, whose values are above -0.17.

onnxruntime's own ``quantize_dynamic`` has one scale for the whole input of a product.  A pair's answer then
depends on the pairs beside it, and one token with large values costs all the others their precision.

Products stay in float32 if they are not made for every token (the heads, and the last layer if only its
first token is read), or if they give the values of attention, of which errors reach the answer undamped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

#: The zero point of activations by the operator that computes them, and of others.
ZERO_POINTS: Final[Mapping[str, int]] = {"Gelu": 16}
_ZERO_POINT: Final = 128
_LARGEST: Final = {8: 127, 7: 63}  # absolute value of a weight, by bits
_SMALLEST_SCALE: Final = 1e-12  # of a token without values other than zero
_CONTRIB: Final = "com.microsoft"
_VALUES: Final = 2  # the input of Attention
_PASSED: Final = frozenset({"Add", "Reshape", "Transpose"})  # between a product and Attention


class Quantized(NamedTuple):
    """How many of the *products* with weights were quantized, and the *bits* of their weights."""

    quantized: int
    products: int
    bits: int


def quantize(model: onnx.ModelProto, bits: int | None = None) -> Quantized:
    """Quantize the products of *model* in place; ``value_info`` must have the shapes of their inputs.

    *bits* are those of the weights, by default what this processor computes exactly
    (:func:`exact_weight_bits`).
    """
    from onnx import helper

    work = _Rewriting(model, bits or exact_weight_bits())
    nodes: list[onnx.NodeProto] = []
    done = total = 0
    for node in model.graph.node:
        known = node.op_type == "MatMul" and node.input[1] in work.constants
        total += known
        if known and work.is_for_every_token(node) and node.output[0] not in work.values:
            nodes += work.quantized(node)
            done += 1
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [each for each in (*model.graph.initializer, *work.made.values()) if each.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    if done and all(each.domain != _CONTRIB for each in model.opset_import):
        model.opset_import.append(helper.make_opsetid(_CONTRIB, 1))
    return Quantized(done, total, work.bits)


@dataclass
class _Rewriting:
    """The graph of *model* while its products are replaced; *made* are the new constants."""

    model: onnx.ModelProto
    bits: int
    made: dict[str, onnx.TensorProto] = field(default_factory=dict)

    def __post_init__(self) -> None:
        graph = self.model.graph
        self.constants = {each.name: each for each in graph.initializer}
        self._producers = {name: node for node in graph.node for name in node.output}
        self._shapes = {each.name: each.type.tensor_type.shape.dim for each in graph.value_info}
        self._activations: dict[str, tuple[str, str]] = {}
        self.values = {
            self._product_before(node.input[_VALUES]) for node in graph.node if node.op_type == "Attention"
        }

    def is_for_every_token(self, node: onnx.NodeProto) -> bool:
        """Return whether the rows of the product *node* are all tokens of all pairs: [pairs, tokens, k]."""
        shape = self._shapes.get(node.input[0], ())
        return len(shape) == 3 and bool(shape[1].dim_param)

    def quantized(self, node: onnx.NodeProto) -> list[onnx.NodeProto]:
        """Return the nodes that replace the product *node*."""
        from onnx import helper, numpy_helper

        name, (result,) = node.input[1], node.output
        weights, scales = quantized_weights(numpy_helper.to_array(self.constants[name]), self.bits)
        nodes, activations, scale, zero = self._quantized_activations(node.input[0])
        product = [
            activations,
            self._constant(f"{name}_quantized", weights),
            self._constant("one", 1.0, "float32"),
            self._constant(f"{name}_scales", scales),
            zero,
        ]
        raw = f"{result}_unscaled"
        return [
            *nodes,
            helper.make_node("MatMulIntegerToFloat", product, [raw], domain=_CONTRIB),
            helper.make_node("Mul", [raw, scale], [result]),
        ]

    def _quantized_activations(self, name: str) -> tuple[list[onnx.NodeProto], str, str, str]:
        """Return the nodes that quantize the tensor *name*, unless they exist; their results, the zero point.

        The results are the integers and the scale of each token.
        """
        from onnx import helper

        maker = self._producers.get(name)
        zero = ZERO_POINTS.get(maker.op_type, _ZERO_POINT) if maker else _ZERO_POINT
        point = self._constant(f"zero_{zero}", zero, "uint8")
        if name in self._activations:
            return [], *self._activations[name], point
        end = self._constant("last_axis", [-1], "int64")
        up = self._constant(f"above_{zero}", 1 / (255 - zero), "float32")
        down = self._constant(f"below_{zero}", -1 / zero, "float32")
        least = self._constant("smallest_scale", _SMALLEST_SCALE, "float32")
        one = self._constant("one", 1.0, "float32")
        steps: tuple[tuple[str, list[str], str, dict[str, Any]], ...] = (
            ("ReduceMax", [name, end], "highest", {"keepdims": 1}),
            ("ReduceMin", [name, end], "lowest", {"keepdims": 1}),
            ("Mul", [f"{name}_highest", up], "scale_above", {}),
            ("Mul", [f"{name}_lowest", down], "scale_below", {}),
            ("Max", [f"{name}_scale_above", f"{name}_scale_below", least], "scale", {}),
            ("Div", [name, f"{name}_scale"], "scaled", {}),
            ("QuantizeLinear", [f"{name}_scaled", one, point], "quantized", {}),
        )
        nodes = [
            helper.make_node(operator, inputs, [f"{name}_{output}"], **attributes)
            for operator, inputs, output, attributes in steps
        ]
        self._activations[name] = (f"{name}_quantized", f"{name}_scale")
        return nodes, *self._activations[name], point

    def _constant(self, name: str, value: Any, kind: str | None = None) -> str:
        from onnx import numpy_helper

        if name not in self.made:
            self.made[name] = numpy_helper.from_array(np.asarray(value, dtype=kind), name)
        return name

    def _product_before(self, name: str) -> str:
        """Return the output of the product from which the tensor *name* comes, *name* if there is none."""
        found = self._producers.get(name)
        while found is not None and found.op_type in _PASSED:
            computed = [each for each in found.input if each not in self.constants]
            found = self._producers.get(computed[0]) if computed else None
        return found.output[0] if found is not None and found.op_type == "MatMul" else name


def quantized_weights(weights: NDArray[np.float32], bits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return *weights* [k, n] as integers, and the scale of each column [n].

    >>> import numpy as np
    >>> integers, scales = quantized_weights(np.array([[1.0, -4.0], [0.5, 2.0]], dtype=np.float32), 8)
    >>> integers.tolist(), (127 * scales).round(4).tolist()
    ([[127, -127], [64, 64]], [1.0, 4.0])
    """
    largest = _LARGEST[bits]
    scales = np.maximum(abs(weights).max(axis=0), np.finfo(np.float32).tiny * largest) / largest
    integers = np.clip(np.rint(weights / scales), -largest, largest)
    return integers.astype(np.int8), scales.astype(np.float32)


def exact_weight_bits() -> int:
    """Return 8 if onnxruntime multiplies 8-bit integers exactly on this processor, else 7.

    x86 processors without VNNI add two products in 16 bits, which saturate: 2 * 255 * 127 is above 32,767,
    2 * 255 * 63 is not.
    """
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    weights = np.full((64, 64), _LARGEST[8], dtype=np.int8)
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["activations", "weights"], ["product"])],
        "saturation",
        [helper.make_tensor_value_info("activations", TensorProto.UINT8, [32, 64])],
        [helper.make_tensor_value_info("product", TensorProto.INT32, [32, 64])],
        [numpy_helper.from_array(weights, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    activations = np.full((32, 64), 255, dtype=np.uint8)
    (found,) = session.run(None, {"activations": activations})
    return 8 if (found == activations.astype(np.int32) @ weights.astype(np.int32)).all() else 7
