"""Pairs a second of the ``onnx/`` models that ``crossexam convert`` makes, beside ``hf/`` in float32.

    crossexam convert hf/CHECKPOINT -o FP32
    crossexam convert hf/CHECKPOINT -o INT8 --int8 --accept
    python bench/onnx_throughput.py SNLI_DEV.jsonl CHECKPOINT FP32 INT8 [--items N] [--rounds N]

The models take turns on slices of the same stress-test pairs in one process, first with one thread each,
then (on a quarter of the pairs) with two.  A model's ratio to ``hf/`` is that of the sums over all slices,
with the lowest and highest of a slice.  Tokens are made before the clock starts.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import onnxruntime
import torch
from hf_throughput import Pair, stress_pairs

from crossexam.models.huggingface import Options, open_huggingface
from crossexam.models.onnx import model as onnx
from crossexam.stats.estimate import share_correct

FLAGS = ("avx2", "avx512f", "avx_vnni", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")


def loaded(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the classifiers by name."""
    name = f"hf/{arguments.checkpoint}"
    found: dict[str, Any] = {
        f"hf/ {dtype}": open_huggingface(name, Options(device="cpu", dtype=dtype))._loaded()
        for dtype in ("float32", "bfloat16")
    }
    for name, folder in (("onnx/ float32", arguments.float32), ("onnx/ int8", arguments.int8)):
        export = onnx.find_export(f"onnx/{folder}", folder)
        found[name] = onnx.OnnxClassifier(export, max_length=None, batch_size="auto")
    if arguments.openvino:
        for precision in ("f32", "bf16"):
            made = onnx.OnnxClassifier(
                onnx.find_export("onnx/openvino", arguments.float32), max_length=None, batch_size="auto"
            )
            made.session = OpenVino(arguments.float32 / "model.onnx", precision)
            found[f"openvino {precision}"] = made
    return found


class OpenVino:
    """A graph that OpenVINO runs, in the place of a session of onnxruntime."""

    def __init__(self, graph: Path, precision: str) -> None:
        import openvino

        settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision}
        compiled = openvino.Core().compile_model(str(graph), "CPU", settings)
        self._request = compiled.create_infer_request()

    def run(self, outputs: Sequence[str], inputs: dict[str, Any]) -> list[np.ndarray]:
        return [self._request.infer(inputs)[name].copy() for name in outputs]


def answers(classifier: Any, pairs: Sequence[Pair]) -> tuple[np.ndarray, float, float]:
    """Return the logits of *pairs*, and the CPU and wall seconds that they took."""
    encoded = classifier.encode(pairs)
    plan = classifier.plan(encoded)
    cpu, wall = time.process_time(), time.perf_counter()
    parts = list(classifier.logits(encoded, plan))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    logits = np.concatenate(parts)
    ordered = np.empty_like(logits)
    ordered[[row for batch in plan for row in batch]] = logits
    return ordered, cpu, wall


def measure(threads: int, make: Any, pairs: Sequence[Pair], rounds: int) -> None:
    """Print a line for each classifier that *make* returns: all answer *pairs* in so many slices."""
    torch.set_num_threads(threads)
    onnx._cores = lambda: (threads, 1)
    found = make()
    logits: dict[str, list[np.ndarray]] = {name: [] for name in found}
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in found}
    for classifier in found.values():
        answers(classifier, pairs[:16])
    for turn in range(rounds):
        for name, classifier in found.items():
            made, *spent = answers(classifier, pairs[turn::rounds])
            logits[name].append(made)
            seconds[name].append((spent[0], spent[1]))
    first, *_ = found
    print(f"{threads} thread(s), {len(pairs):,} pairs in {rounds} slices, load {os.getloadavg()[0]:.1f}")
    reference, base = np.concatenate(logits[first]), np.array(seconds[first])
    for name in found:
        spent = np.array(seconds[name])
        ratios = base / spent
        whole = base.sum(axis=0) / spent.sum(axis=0)
        same = np.concatenate(logits[name]).argmax(axis=1) == reference.argmax(axis=1)
        print(
            f"{name:14} {len(pairs) / spent[:, 0].sum():7.1f} pairs per CPU second; "
            f"CPU x {whole[0]:.2f} ({ratios[:, 0].min():.2f} to {ratios[:, 0].max():.2f}), "
            f"wall x {whole[1]:.2f} ({ratios[:, 1].min():.2f} to {ratios[:, 1].max():.2f}); "
            f"same label {share_correct(same):.2f} %",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    for name in ("checkpoint", "float32", "int8"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--items", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--openvino", action="store_true", help="also OpenVINO, which runs the graph FP32")
    asked = parser.parse_args()
    pairs = stress_pairs(asked.corpus, asked.items)
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(cpuinfo.read_text(encoding="utf-8").split()) if cpuinfo.exists() else set()
    print(f"processor: {' '.join(flag for flag in FLAGS if flag in flags)}; "
          f"torch {torch.__version__}, onnxruntime {onnxruntime.__version__}")  # fmt: skip
    make = partial(loaded, asked)
    measure(1, make, pairs, asked.rounds)
    if not asked.openvino:  # whose request serves one thread at a time
        measure(2, make, pairs[: len(pairs) // 4], max(2, asked.rounds // 2))


if __name__ == "__main__":
    main()
