"""Pairs per CPU second of fine-tuning: ``crossexam train hf/...`` beside the Trainer of transformers.

    python bench/train_throughput.py SNLI_DEV.jsonl [--checkpoint FOLDER] [--items N] [--rounds N]

All train the same checkpoint on the same pairs with AdamW and batches of 32 of about the same length, in
alternating rounds of one process, in float32, with products of bfloat16 (ours only), and in bfloat16.  The
best of its rounds counts.  Reading, loading and scoring are left out.  Without --checkpoint it is that of
``hf_throughput.py``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from accelerate.state import AcceleratorState
from hf_throughput import LABELS, make_checkpoint, processor

from crossexam.core.example import Example
from crossexam.corpora.spec import iter_corpus
from crossexam.training.data import load_data
from crossexam.training.devices import Device
from crossexam.training.encoding import plan_epoch
from crossexam.training.loop import Epoch, LoopSettings, Trainer
from crossexam.training.objective import Objective
from crossexam.training.request import TrainingRequest
from crossexam.training.scoring import Score
from crossexam.training.transformer import TransformerTraining

SIZE = 32
Train = Callable[[], object]


def ours(checkpoint: Path, corpus: str, precision: str) -> Train:
    """Return what trains an epoch with our loop, everything but the training done."""
    data = load_data(corpus, "builtin:demo")
    request = TrainingRequest(
        f"hf/{checkpoint}", data, checkpoint, values={"epochs": "1", "batch_size": f"{SIZE}"}
    )
    training = TransformerTraining.of(request)
    encoded = training.pipeline.encode(data.examples, for_training=True)
    objective = Objective(training.build(), training.pipeline.output, None)
    batches = plan_epoch(encoded.lengths, SIZE, seed=0, epoch=0)
    epoch = Epoch(batches, lambda rows: training.pipeline.collate(encoded, rows))
    device = Device("cpu", precision)
    settings = LoopSettings(training.recipe, 0, device)
    trainer = Trainer(objective, lambda _: epoch, lambda _: {"dev": Score(0.0, 0.0)}, settings)

    def train() -> None:
        with device.products():
            trainer.run()

    return train


def theirs(checkpoint: Path, examples: Sequence[Example], folder: Path, precision: str) -> Train:
    """Return what trains an epoch with transformers' Trainer."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    rows: list[dict[str, Any]] = [
        {
            **tokenizer(e.premise, e.hypothesis, truncation=True, max_length=128),
            "labels": LABELS.index(str(e.label)),
        }
        for e in examples
    ]
    settings = transformers.TrainingArguments(
        output_dir=str(folder), per_device_train_batch_size=SIZE, num_train_epochs=1, learning_rate=2e-5,
        weight_decay=0.01, warmup_steps=1, train_sampling_strategy="group_by_length", use_cpu=True,
        bf16=precision == "bfloat16", report_to=[], save_strategy="no", logging_strategy="no",
        disable_tqdm=True,
    )  # fmt: skip
    return transformers.Trainer(
        model=transformers.AutoModelForSequenceClassification.from_pretrained(checkpoint),
        args=settings,
        train_dataset=rows,  # type: ignore[arg-type]
        data_collator=transformers.DataCollatorWithPadding(tokenizer),
    ).train


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--items", type=int, default=960)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    spec = f"{asked.corpus}[:{asked.items}]"
    examples = list(islice(iter_corpus(spec), asked.items))
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = asked.checkpoint or Path(place)
        if asked.checkpoint is None:
            make_checkpoint(folder)
        for _ in range(asked.rounds):
            for precision in ("float32", "medium", "bfloat16"):
                makers = {f"crossexam {precision}": lambda p=precision: ours(folder, spec, p)}
                if precision != "medium":
                    makers[f"Trainer {precision}"] = lambda p=precision: theirs(
                        folder, examples, Path(place), p
                    )
                for name, make in makers.items():
                    AcceleratorState._reset_state(reset_partial_state=True)  # it keeps the first precision
                    train = make()
                    start = time.process_time()
                    train()
                    best[name] = min(best.get(name, float("inf")), time.process_time() - start)
    print(f"{len(examples)} pairs, {asked.threads} threads, {processor()}")
    for name, seconds in best.items():
        print(f"{name:20} {len(examples) / seconds:7.1f} pairs per CPU second")
    for precision in ("float32", "medium", "bfloat16"):
        ratio = best["Trainer float32"] / best[f"crossexam {precision}"]
        print(f"crossexam {precision} / Trainer float32: {ratio:.2f}")
    print(f"crossexam / Trainer in bfloat16: {best['Trainer bfloat16'] / best['crossexam bfloat16']:.2f}")


if __name__ == "__main__":
    main()
