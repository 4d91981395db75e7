"""Pairs per CPU second of ``lm/`` beside lm-eval's ``hf`` on the same prompts, with labels of one token.

    python bench/lm_throughput.py [CORPUS] [--items N] [--rounds N] [--models tiny,small] [--template NAME]

Both run the same random model with one thread in one process and take turns on slices of the pairs; lm-eval
is run with several batch sizes.  Tokenization counts, loading does not.  The ratio is that of the sums over
all slices, to the best batch size, with the lowest and highest of a slice.  ``tiny`` is the GPT-2 of
``scripts/lm_golden.py``; ``small`` has the sizes of MiniLM (6 layers of 384 units, 30,522 tokens).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import numpy as np
import torch
from lm_golden import gpt2

from crossexam.corpora.spec import iter_corpus
from crossexam.models.prompts.table import template
from crossexam.models.prompts.template import Template
from crossexam.models.table import open_model

SIZES: dict[str, dict[str, int]] = {
    "tiny": {},
    "small": {"n_embd": 384, "n_layer": 6, "n_head": 12, "n_positions": 512, "vocab_size": 30_522},
}
BATCH_SIZES = (8, 32)
Pairs = Sequence[tuple[str, str]]


def ours(folder: Path, asked: Template) -> Callable[[Pairs], np.ndarray]:
    """Return the function that asks ``lm/``, loaded, for the log-likelihoods of the labels."""
    model: Any = open_model(f"lm/{folder}", {"template": asked.name, "device": "cpu", "dtype": "float32"})
    model.predict([("It rains.", "It is wet.")])

    def ask(pairs: Pairs) -> np.ndarray:
        found = {}
        for batch in model.batches(pairs, [False] * len(pairs)):
            for index, outcome in zip(batch.indices, batch.outcomes, strict=True):
                found[index] = list(outcome.detail["log_likelihood"].values())
        return np.array([found[index] for index in range(len(pairs))])

    return ask


def theirs(folder: Path, asked: Template, batch_size: int) -> Callable[[Pairs], np.ndarray]:
    """Return the function that asks lm-eval for the same."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(pretrained=str(folder), device="cpu", batch_size=batch_size, dtype="float32")

    def ask(pairs: Pairs) -> np.ndarray:
        requests = [
            Instance(
                request_type="loglikelihood",
                doc={},
                arguments=(asked.prompt(*pair), f"{asked.delimiter}{form}"),
                idx=k,
                metadata=("", 0, 1),
            )
            for pair in pairs
            for k, form in enumerate(asked.forms(*pair).values())
        ]
        values = [value for value, _ in model.loglikelihood(requests, disable_tqdm=True)]
        return np.array(values).reshape(len(pairs), -1)

    return ask


def compare(name: str, folder: Path, asked: Template, pairs: Pairs, rounds: int) -> None:
    """Print the pairs per CPU second of both, and their ratio."""
    ways = {
        "lm/": ours(folder, asked),
        **{f"lm-eval, batches of {n}": theirs(folder, asked, n) for n in BATCH_SIZES},
    }
    slices = [pairs[k::rounds] for k in range(rounds)]
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    worst = 0.0
    for part in slices:
        answers = {}
        for way, ask in ways.items():
            start = time.process_time()
            answers[way] = ask(part)
            seconds[way].append(time.process_time() - start)
        worst = max(worst, *(float(abs(answers["lm/"] - each).max()) for each in answers.values()))
    best = min(list(ways)[1:], key=lambda way: sum(seconds[way]))
    ratios = [b / a for a, b in zip(seconds["lm/"], seconds[best], strict=True)]
    for way, spent in seconds.items():
        print(f"{name:6} {way:24} {len(pairs) / sum(spent):9.1f} pairs per CPU second")
    ratio = sum(seconds[best]) / sum(seconds["lm/"])
    print(f"{name:6} ratio {ratio:.2f} [{min(ratios):.2f}, {max(ratios):.2f}] to {best};", end=" ")
    print(f"log-likelihoods at most {worst:.1e} apart")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", nargs="?", default="builtin:demo")
    parser.add_argument("--items", type=int, default=324)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", default="tiny,small")
    parser.add_argument("--template", default="true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pairs = [(e.premise, e.hypothesis) for e in islice(iter_corpus(arguments.corpus), arguments.items)]
    print(f"load {os.getloadavg()[0]:.1f}, torch {torch.__version__}, {len(pairs)} of {arguments.corpus}")
    print(f"template {arguments.template}")
    with TemporaryDirectory() as temporary:
        for name in arguments.models.split(","):
            folder = gpt2(Path(temporary) / name, **SIZES[name])
            compare(name, folder, template(arguments.template), pairs, arguments.rounds)


if __name__ == "__main__":
    main()
