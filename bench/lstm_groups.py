"""CPU seconds of training steps with LSTMs that read a batch in groups of like length, over all at once.

    python bench/lstm_groups.py [ARCHITECTURE...]

The same three batches of SNLI dev at the paper's size, in random order and bucketed, in turns; of two rounds
the faster counts.
"""

from __future__ import annotations

import argparse
import random
import time

import torch
from zoo_speed import PUBLIC, Bench

from crossexam.corpora.labelled import load_corpus
from crossexam.zoo import layers
from crossexam.zoo.table import ARCHITECTURES

_ALL_AT_ONCE = 10**15


def ratio(bench: Bench, *, bucketed: bool) -> float:
    """Return the CPU seconds in groups over those of whole batches."""
    batches = bench.batches(bucketed)[:3]
    bench.train(batches[:1])
    own, seconds = layers._CALL_WORDS, dict.fromkeys((False, True), float("inf"))
    for grouped in (False, True) * 2:
        layers._CALL_WORDS = own if grouped else _ALL_AT_ONCE
        started = time.process_time()
        bench.train(batches)
        seconds[grouped] = min(seconds[grouped], time.process_time() - started)
    return seconds[True] / seconds[False]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["bilstm_max", "hbmp", "esim", "bimpm"])
    torch.set_num_threads(1)
    examples = random.Random(0).sample(load_corpus("snli:dev").examples, 1_024)
    for name in parser.parse_args().names:
        architecture = ARCHITECTURES[name]
        size = PUBLIC[name][1] if name in PUBLIC else architecture.recipe.batch_size
        bench = Bench(architecture, examples, size, "cpu")
        shuffled, bucketed = (ratio(bench, bucketed=each) for each in (False, True))
        print(f"{name}: in random order {shuffled:.2f}, bucketed {bucketed:.2f}", flush=True)


if __name__ == "__main__":
    main()
