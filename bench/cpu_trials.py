"""Ways to run a checkpoint faster on a CPU that were tried, beside what is done: what each would gain.

    python bench/cpu_trials.py products
    python bench/cpu_trials.py attention
    python bench/cpu_trials.py batches SNLI_DEV.jsonl CHECKPOINT
    python bench/cpu_trials.py compile SNLI_DEV.jsonl CHECKPOINT
    python bench/cpu_trials.py onnx SNLI_DEV.jsonl FP32 INT8
    python bench/cpu_trials.py folders SNLI_DEV.jsonl FOLDER ...

One thread; CPU seconds, the best of several.  ``products``: the linear layers of a MiniLM by the number of
tokens, and products in float32 made of three in bfloat16.  ``attention``: torch's fused attention beside its
steps one by one.  ``batches``: other numbers of tokens per batch.  ``compile``: torch's compiler with frozen
weights and shapes that vary.  ``onnx``: options of a session, sizes of batches and static scales of
activations, for what ``crossexam convert`` wrote.  ``folders``: exported models beside the first of them.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from hf_throughput import Pair, opened, stress_pairs
from shortcuts import OF_CLASSIFIERS
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention

from crossexam.models.onnx import model as onnx
from crossexam.models.packed import PackedLinear

WIDTH, WIDE, HEADS = 384, 1536, 12  # of a MiniLM
DTYPES: Final = (torch.float32, torch.bfloat16)
#: What computes the scale of a token: the ends of the names of its results.
_DYNAMIC: Final = ("highest", "lowest", "scale_above", "scale_below", "scale", "scaled")
SHAPES: Final = ((48, 16), (24, 31), (12, 64), (6, 128))
#: Options of a session of onnxruntime by the name of a trial: attributes, or entries of its configuration.
SESSIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "no arena": {"enable_cpu_mem_arena": False},
    "no memory pattern": {"enable_mem_pattern": False},
    "not deterministic": {"use_deterministic_compute": False},
    "all fusions": {"disabled": None},
    "no packed weights": {"session.disable_prepacking": "1"},
    "denormals are zero": {"session.set_denormal_as_zero": "1"},
}


def seconds(compute: Callable[[], object], rounds: int = 12) -> float:
    """Return the CPU seconds of *compute*: the best of *rounds*."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        compute()
        best = min(best, time.process_time() - start)
    return best


def products() -> None:
    """Print the rates of linear layers by dtype and tokens, and those of products in parts."""
    for dtype in DTYPES:
        for tokens in (128, 256, 768, 1536, 3072):
            rates = {name: f"{each / 1e9:.0f}" for name, each in linear_rates(tokens, dtype).items()}
            print(f"{dtype}, {tokens} tokens, GFLOP/s: {rates}", flush=True)
    in_three()


def linear_rates(tokens: int, dtype: torch.dtype) -> dict[str, float]:
    """Return the operations per second of the linear layers of a MiniLM."""

    def rate(weights: Sequence[Tensor], activation: Any = "none", *, packed: bool = True) -> float:
        states = torch.randn(tokens, weights[0].shape[1], dtype=dtype)
        layers = [PackedLinear(w, None, activation) if packed else partial(linear, weight=w) for w in weights]
        operations = 2 * tokens * sum(weight.numel() for weight in weights)
        return operations / seconds(lambda: [layer(states) for layer in layers])

    up, down = torch.randn(WIDE, WIDTH, dtype=dtype), torch.randn(WIDTH, WIDE, dtype=dtype)
    heads = torch.randn(3 * WIDTH, WIDTH, dtype=dtype)
    return {
        "wide": rate([up]),
        "wide, not packed": rate([up], packed=False),
        "wide with GELU": rate([up], "gelu"),
        "narrow": rate([down]),
        "query, then key and value": rate([heads[:WIDTH], heads[WIDTH:]]),
        "all three at once": rate([heads]),
    }


def in_three() -> None:
    """Print a product in float32 beside one made of three of bfloat16, with errors against float64.

    With x = h(x) + l(x), where h rounds to bfloat16, x w is about h(x) h(w) + h(x) l(w) + l(x) h(w).
    """
    states, weight = torch.randn(768, WIDTH), torch.randn(WIDE, WIDTH) / 20
    exact = states.double() @ weight.double().T
    high = weight.bfloat16().float()
    parts = torch.cat([high, weight - high, high], dim=1)

    def split(table: Tensor) -> Tensor:
        rounded = table.bfloat16().float()
        return torch.cat([rounded, rounded, table - rounded], dim=1)

    whole = PackedLinear(weight, None)
    found = {"float32": (seconds(lambda: whole(states)), whole(states))}
    torch.set_float32_matmul_precision("medium")
    three = PackedLinear(parts, None)
    found["three in bfloat16"] = (seconds(lambda: three(split(states))), three(split(states)))
    torch.set_float32_matmul_precision("highest")
    for name, (spent, result) in found.items():
        print(f"{name}: {1e3 * spent:.2f} ms, error {float((result - exact).abs().max()):.1e}", flush=True)


def attention() -> None:
    """Print the time of fused attention beside that of its steps, by dtype and shape."""
    for pairs, tokens in SHAPES:
        for dtype in DTYPES:
            query, key, value = torch.randn(3, pairs, HEADS, tokens, WIDTH // HEADS, dtype=dtype).unbind(0)
            found = {
                "fused": seconds(partial(scaled_dot_product_attention, query, key, value)),
                "steps": seconds(partial(in_steps, query, key, value)),
            }
            if dtype != torch.float32:
                found["steps in float32"] = seconds(partial(in_float32, query, key, value))
            times = {name: f"{1e3 * each:.2f}" for name, each in found.items()}
            print(f"{pairs} pairs of {tokens} tokens, {dtype}, ms: {times}", flush=True)


def in_steps(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return what attention gives, by two products and a softmax."""
    scores = query * query.shape[-1] ** -0.5 @ key.transpose(-1, -2)
    return scores.softmax(-1) @ value


def in_float32(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return in_steps(query.float(), key.float(), value.float()).to(query.dtype)


def batches(checkpoint: Path, pairs: Sequence[Pair]) -> None:
    """Print our speed by dtype and tokens per batch, relative to the fewest, in three alternating rounds."""
    sizes = (768, 1536, 3072, 6144)
    for dtype in ("float32", "bfloat16"):
        classifier = opened(checkpoint, device="cpu", dtype=dtype)._loaded()
        encoded = classifier.encode(pairs)
        spent: dict[int, list[float]] = {size: [] for size in sizes}
        for _ in range(3):
            for size in sizes:
                classifier._budget = size
                plan = classifier.plan(encoded)
                spent[size].append(sum(seconds(partial(classifier._forward, encoded, r), 1) for r in plan))
        for size in sizes:
            classifier._budget = size
            padded = sum(len(r) * int(encoded.lengths[r].max()) for r in classifier.plan(encoded))
            ratios = [a / b for a, b in zip(spent[sizes[0]], spent[size], strict=True)]
            best, first = min(spent[size]), min(spent[sizes[0]])
            print(f"{dtype}, {size} tokens: {len(pairs) / best:.0f} pairs per CPU second, "
                  f"x {first / best:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
                  f"padding {100 * (padded / encoded.lengths.sum() - 1):.1f} %", flush=True)  # fmt: skip


def compiled(checkpoint: Path, pairs: Sequence[Pair]) -> None:
    """Print our speed and that of the model as torch compiles it."""
    import torch._inductor.config as inductor

    for dtype in ("float32", "bfloat16"):
        ours = opened(checkpoint, device="cpu", dtype=dtype)._loaded()
        with OF_CLASSIFIERS["packed layers"][0]:
            other = opened(checkpoint, device="cpu", dtype=dtype)._loaded()
        encoded = ours.encode(pairs)
        plan = ours.plan(encoded)
        with torch.no_grad(), inductor.patch(freezing=True):
            other.model = torch.compile(other.model, dynamic=True)
            spent = [batch_seconds(partial(forward, each, encoded), plan) for each in (ours, other)]
        print(f"{dtype}: compiled is {spent[0] / spent[1]:.2f} times as fast", flush=True)


def forward(classifier: Any, encoded: Any, rows: Sequence[int]) -> Tensor:
    """Return logits, without the inference mode that the compiler does not take."""
    inputs = classifier.inputs(encoded, rows)
    result: Tensor = classifier.model(
        **{name: torch.from_numpy(each) for name, each in inputs.items()}
    ).logits
    return result


def batch_seconds(compute: Callable[[Sequence[int]], object], plan: Sequence[Sequence[int]]) -> float:
    """Return the CPU seconds of all batches of *plan*, of each the best of three."""
    for rows in plan:
        compute(rows)
    return sum(seconds(partial(compute, rows), 3) for rows in plan)


def exported(float32: Path, int8: Path, pairs: Sequence[Pair]) -> None:
    """Print what each trial gains with a graph in float32 and one of 8 bits."""
    onnx._cores = lambda: (1, 1)
    for folder in (float32, int8):
        trials = {"as it is": loaded(folder)}
        for name, settings in SESSIONS.items():
            trials[name] = loaded(folder)
            trials[name].session = session(folder / onnx.DEFAULT_GRAPH, settings)
        for tokens in (128, 512, 1024):
            trials[f"{tokens} tokens"] = loaded(folder)
            trials[f"{tokens} tokens"]._tokens = tokens
        if folder == int8:
            trials["static scales"] = loaded(folder)
            trials["static scales"].session = session(with_static_scales(folder, pairs[::2]), {})
        compare(folder.name, trials, pairs)


def loaded(folder: Path) -> onnx.OnnxClassifier:
    return onnx.OnnxClassifier(onnx.find_export(f"onnx/{folder}", folder), max_length=None, batch_size="auto")


def session(graph: Any, settings: Mapping[str, Any]) -> Any:
    """Return a session of *graph* with *settings* besides ours."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level, options.use_deterministic_compute = 3, True
    for name, value in settings.items():
        if name.startswith("session."):
            options.add_session_config_entry(name, value)
        elif name != "disabled":
            setattr(options, name, value)
    disabled = settings.get("disabled", onnx._SLOW_FUSIONS)
    source = str(graph) if isinstance(graph, Path) else graph.SerializeToString()
    return onnxruntime.InferenceSession(
        source, options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )


def compare(
    name: str, trials: Mapping[str, onnx.OnnxClassifier], pairs: Sequence[Pair], rounds: int = 3
) -> None:
    """Print the speed of each of *trials* relative to the first, in alternating *rounds*."""
    first, *_ = trials.values()
    encoded = first.encode(pairs)
    spent: dict[str, list[float]] = {trial: [] for trial in trials}
    labels: dict[str, Any] = {}
    for _ in range(rounds):
        for trial, classifier in trials.items():
            plan = classifier.plan(encoded)
            start = time.process_time()
            logits = np.concatenate(list(classifier.logits(encoded, plan)))
            spent[trial].append(time.process_time() - start)
            labels[trial] = logits[np.argsort(np.concatenate(plan))].argmax(axis=1)
    for trial, own in spent.items():
        ratios = [a / b for a, b in zip(next(iter(spent.values())), own, strict=True)]
        same = (labels[trial] == next(iter(labels.values()))).mean()
        print(f"{name}, {trial}: {len(pairs) / min(own):.0f} pairs per CPU second, "
              f"x {min(next(iter(spent.values()))) / min(own):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
              f"same label {100 * same:.1f} %", flush=True)  # fmt: skip


def with_static_scales(folder: Path, pairs: Sequence[Pair]) -> Any:
    """Return the graph of 8 bits in *folder* with a scale per product: the largest of a token of *pairs*."""
    import onnx as formats
    from onnx import numpy_helper

    largest = largest_scales(folder, pairs)
    dynamic = {f"{name.removesuffix('scale')}{part}" for name in largest for part in _DYNAMIC}
    model = formats.load(folder / onnx.DEFAULT_GRAPH)
    producers = {name: node for node in model.graph.node for name in node.output}
    nodes = []
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            tensor = node.output[0].removesuffix("_quantized")
            node.input[0], node.input[1] = tensor, f"static_{tensor}_scale"
        if node.op_type == "Mul" and node.input[0].endswith("_unscaled"):
            product = producers[node.input[0]]
            product.input[2], product.output[0] = f"static_{node.input[1]}", node.output[0]
        elif node.output[0] not in dynamic:
            nodes.append(node)
    kept = [formats.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    model.graph.initializer.extend(
        numpy_helper.from_array(np.float32(value), f"static_{name}") for name, value in largest.items()
    )
    return model


def largest_scales(folder: Path, pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the largest scale of a token of *pairs*, by its name in the graph in *folder*."""
    import onnx as formats
    from onnx import TensorProto, helper

    probe = formats.load(folder / onnx.DEFAULT_GRAPH)
    found = [node.output[0] for node in probe.graph.node if node.op_type == "Max"]
    names = [name for name in found if name.endswith("_scale")]
    probe.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    classifier, asked = loaded(folder), session(probe, {})
    encoded = classifier.encode(pairs)
    largest = dict.fromkeys(names, 0.0)
    for row in range(len(pairs)):  # by itself, so that nothing is padded
        tables = {
            "input_ids": encoded.padded([row], encoded.ids, 0, "right"),
            "attention_mask": encoded.mask([row], "right"),
            "token_type_ids": encoded.padded([row], encoded.types, 0, "right"),
        }
        scales = asked.run(names, {name: tables[name].astype(k) for name, k in classifier._types.items()})
        for name, scale in zip(names, scales, strict=True):
            largest[name] = max(largest[name], float(scale.max()))
    return largest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trial", choices=("products", "attention", "batches", "compile", "onnx", "folders"))
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--items", type=int, default=200)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print(f"load {os.getloadavg()[0]:.1f}")
    if asked.trial in ("products", "attention"):
        with torch.inference_mode():
            {"products": products, "attention": attention}[asked.trial]()
        return
    corpus, *folders = asked.paths
    pairs = stress_pairs(corpus, asked.items)
    if asked.trial == "onnx":
        exported(folders[0], folders[1], pairs)
    elif asked.trial == "folders":
        onnx._cores = lambda: (1, 1)
        compare("stress tests", {str(each): loaded(each) for each in folders}, pairs, rounds=5)
    else:
        {"batches": batches, "compile": compiled}[asked.trial](folders[0], pairs)


if __name__ == "__main__":
    main()
