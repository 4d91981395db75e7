"""A BERT classifier as an ONNX graph: in float32, or of 8 bits with constant scales of its activations.

Every product of 8 bits is ``X W ~ s diag(w) (Xq - z) Wq``: each column of ``W`` has a scale *w*, and *s* and
the zero point *z* are constants, from the lowest and highest values of ``X`` on some pairs (:func:`ranges`).
An answer then does not depend on the pairs beside it, and nothing is computed to find the scales; values
beyond are clipped.  Of the last layer only the first token is computed, which is all that the head reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
LARGEST_WEIGHT = 64  # twice 64 * 255 fits into 16 bits, in which processors without VNNI add two products
CONTRIB = "com.microsoft"
CONTRIB_OPERATORS = ("MatMulIntegerToFloat", "MultiHeadAttention")
ENCODER = "bert.encoder.layer."
EMBEDDINGS = "bert.embeddings."

Ranges = Mapping[str, tuple[float, float]]
Weights = Mapping[str, "NDArray[np.float32]"]


def is_matrix(name: str, table: NDArray[np.float32]) -> bool:
    """Return whether the weights *name* are a matrix of a product, not a table of embeddings."""
    return table.ndim == 2 and not name.startswith(EMBEDDINGS)


def eight_bits(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return *matrix* [k, n] as integers, and the scale of each column [n]."""
    scales = np.maximum(abs(matrix).max(axis=0), np.finfo(np.float32).tiny * LARGEST_WEIGHT) / LARGEST_WEIGHT
    integers = np.clip(np.rint(matrix / scales), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    return integers.astype(np.int8), scales.astype(np.float32)


def scale_of(low: float, high: float) -> tuple[np.float32, np.uint8]:
    """Return the scale and the zero point with which 8 bits hold the numbers from *low* to *high*."""
    scale = np.float32((max(high, 0) - min(low, 0)) / 255)
    return scale, np.uint8(np.rint(-min(low, 0) / scale))


def eight_bits_of_table(table: NDArray[np.float32]) -> tuple[NDArray[np.uint8], np.float32, np.uint8]:
    """Return *table* as integers, with their scale and zero point."""
    scale, zero = scale_of(float(table.min()), float(table.max()))
    integers = np.clip(np.rint(table / scale) + np.float32(zero), 0, 255)
    return integers.astype(np.uint8), scale, zero


def rounded(weights: Weights) -> dict[str, NDArray[np.float32]]:
    """Return *weights* as they are when 8 bits hold them."""
    made = dict(weights)
    for name, table in weights.items():
        if is_matrix(name, table):
            integers, scales = eight_bits(table.T)
            made[name] = (integers * scales).T
        elif table.ndim == 2:
            integers, scale, zero = eight_bits_of_table(table)
            made[name] = (integers.astype(np.float32) - np.float32(zero)) * scale
    return made


@dataclass
class Graph:
    """A graph while it is made of *weights* and *config*: of 8 bits if there are *ranges*, else in float32.

    ``read`` are the tensors that a product reads.
    """

    weights: Weights
    config: Mapping[str, Any]
    ranges: Ranges | None = None
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, onnx.TensorProto] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)

    def add(self, output: str, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return the name of its *output*."""
        domain = CONTRIB if operator in CONTRIB_OPERATORS else ""
        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def constant(self, name: str, value: Any, kind: Any = None) -> str:
        """Return the *name* of a constant, which is added unless it is there."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.array(value, dtype=kind, order="C"), name)
        return name

    def integers(self, *values: int) -> str:
        """Return the name of a constant of integers."""
        return self.constant(f"integers_{'_'.join(map(str, values))}", values, np.int64)

    def embedded(self, name: str, ids: str) -> str:
        """Return the embeddings *name* of *ids*."""
        table = self.weights[f"{EMBEDDINGS}{name}_embeddings.weight"]
        if self.ranges is None:
            return self.add(name, "Gather", self.constant(f"{name}_table", table), ids)
        integers, scale, zero = eight_bits_of_table(table)
        rows = self.add(f"{name}_integers", "Gather", self.constant(f"{name}_table", integers), ids)
        scales = self.constant(f"{name}_scale", scale), self.constant(f"{name}_zero", zero)
        return self.add(name, "DequantizeLinear", rows, *scales)

    def product(self, states: str, name: str, output: str = "") -> str:
        """Return the product of *states* with the weights *name*, plus their bias."""
        matrix, output = self.weights[f"{name}.weight"].T, output or f"{name}.result"
        bias = self.constant(f"{name}.bias", self.weights[f"{name}.bias"])
        if self.ranges is None:
            self.read.setdefault(states, states)
            raw = self.add(f"{name}.raw", "MatMul", states, self.constant(name, matrix))
            return self.add(output, "Add", raw, bias)
        scale, zero = scale_of(*self.ranges[states])
        scales = self.constant(f"{states}_scale", scale), self.constant(f"{states}_zero", zero)
        if states not in self.read:
            self.read[states] = self.add(f"{states}_integers", "QuantizeLinear", states, *scales)
        integers, columns = eight_bits(matrix)
        weights = self.constant(name, integers), scales[0], self.constant(f"{name}.scales", columns)
        given = (self.read[states], *weights, scales[1], "", bias)
        return self.add(output, "MatMulIntegerToFloat", *given)

    def norm(self, states: str, name: str) -> str:
        """Return *states* normalized with the weights *name*."""
        parts = [
            self.constant(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias")
        ]
        epsilon = float(self.config["layer_norm_eps"])
        return self.add(f"{name}.result", "LayerNormalization", states, *parts, axis=-1, epsilon=epsilon)

    def embeddings(self) -> str:
        """Return the states of all tokens before the first layer."""
        tokens = self.add("tokens", "Shape", "input_ids", start=1)
        places = self.constant("places", range(self.config["max_position_embeddings"]), np.int64)
        found = self.add("positions", "Slice", places, self.integers(0), tokens)
        states = self.embedded("word", "input_ids")
        for name, ids in (("token_type", "token_type_ids"), ("position", found)):
            states = self.add(f"with_{name}", "Add", states, self.embedded(name, ids))
        return self.norm(states, f"{EMBEDDINGS}LayerNorm")

    def layer(self, number: int, states: str, mask: str) -> str:
        """Return the states after a layer; after the last, those of the first token of each pair alone."""
        name = f"{ENCODER}{number}"
        asking = states
        if number == self.config["num_hidden_layers"] - 1:
            ends = self.integers(0), self.integers(1), self.integers(1)
            asking = self.add("first_tokens", "Slice", states, *ends)
        query = self.product(asking, f"{name}.attention.self.query")
        key, value = (self.product(states, f"{name}.attention.self.{part}") for part in ("key", "value"))
        heads = self.config["num_attention_heads"]
        given = query, key, value, "", mask
        context = self.add(f"{name}.context", "MultiHeadAttention", *given, num_heads=heads)
        found = self.product(context, f"{name}.attention.output.dense")
        states = self.add(f"{name}.attended", "Add", found, asking)
        states = self.norm(states, f"{name}.attention.output.LayerNorm")
        wide = self.product(states, f"{name}.intermediate.dense")
        wide = self.add(f"{name}.active", "Gelu", wide)
        found = self.product(wide, f"{name}.output.dense")
        return self.norm(self.add(f"{name}.sum", "Add", found, states), f"{name}.output.LayerNorm")

    def model(self) -> onnx.ModelProto:
        """Return the graph, for any number of pairs and tokens; in float32 it also returns what is read."""
        states = self.embeddings()
        mask = self.add("mask", "Cast", "attention_mask", to=TensorProto.INT32)
        for number in range(self.config["num_hidden_layers"]):
            states = self.layer(number, states, mask)
        first = self.add("first", "Squeeze", states, self.integers(1))
        pooled = self.add("pooled", "Tanh", self.product(first, "bert.pooler.dense"))
        outputs = [self.product(pooled, "classifier", "logits"), *(self.read if self.ranges is None else ())]
        graph = helper.make_graph(
            self.nodes,
            "classifier",
            [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"]) for name in INPUTS],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            list(self.constants.values()),
        )
        sets = [helper.make_opsetid("", 20), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=9)


def ranges(session: Any, inputs: Iterable[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest value of each tensor that *session*, in float32, has for *inputs*."""
    found: dict[str, tuple[float, float]] = {}
    names = [each.name for each in session.get_outputs()]
    for tables in inputs:
        for name, table in zip(names, session.run(names, tables), strict=True):
            low, high = found.get(name, (np.inf, -np.inf))
            found[name] = min(low, float(table.min())), max(high, float(table.max()))
    return found
