"""Pairs a second of the zoo's architectures beside the time of their own matrix products, and public rates.

    python bench/zoo_speed.py [NAME[:FIELD=VALUE,...]...] [--batch N] [--seconds 6] [--device cpu]

Each is built at its paper's size, but for fields of its configuration that are given, and trained and asked
with SNLI dev's sentences in float32 on one thread, batches in random order and bucketed by length.  The floor
of an architecture: its matrix products, convolutions and recurrent kernels alone, recorded while it trains on
those very batches and run again with numbers of the same shapes and strides.  CPU seconds; of several rounds
the fastest counts.

The public rates are those of implementations on the same text with 300-d embeddings, one thread, float32,
measured once on another machine of this kind; "x public" is ours over theirs.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from crossexam.core.settings import parse_assignments, with_options
from crossexam.corpora.labelled import load_corpus
from crossexam.training.encoding import Encoder
from crossexam.training.objective import Objective
from crossexam.training.optimizers import make_optimizer
from crossexam.training.pipeline import LabelledBatch
from crossexam.training.vocabulary import make_vocabulary
from crossexam.training.zoo import zoo_output
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.layers import Sizes
from crossexam.zoo.table import ARCHITECTURES

HEAVY = ("mm", "addmm", "bmm", "baddbmm", "mv", "convolution", "convolution_backward",
         "mkldnn_rnn_layer", "mkldnn_rnn_layer_backward", "_cudnn_rnn", "_cudnn_rnn_backward",
         "mkldnn_linear", "_thnn_fused_lstm_cell")  # fmt: skip

# Pairs a CPU second of public implementations: batch, (train shuffled, bucketed), (infer shuffled, bucketed).
# Names: who; ``config`` is what differs from the paper's size.
PUBLIC: dict[str, tuple[str, int, tuple[float, float], tuple[float, float], dict[str, Any]]] = {
    "decomposable_attention": ("libowen2121", 32, (454, 707), (2063, 3444), {}),
    "esim": ("coetaur0", 32, (36, 50), (250, 336), {}),
    "infersent": ("official", 64, (3.5, 5.9), (19, 30), {}),
    "bimpm": ("galsang, no characters", 64, (18, 45), (62, 141), {}),
    "hbmp": ("official", 64, (16.6, 27), (58, 103), {}),
    "residual_stacked": ("official", 32, (9.5, 13), (56, 57), {}),
    "shortcut_stacked": ("official", 32, (1.7, 2.3), (8, 10), {}),
    "gumbel_tree_lstm": ("jihunchoi", 128, (9.7, 40), (27, 113), {}),
    "syntactic_tree_lstm": ("SPM_toolkit", 32, (5.5, 15.5), (15, 41), {}),
    "diin": ("MatchZoo core", 16, (3.2, 3.2), (10, 10), {}),
}


@dataclass(frozen=True)
class Timing:
    """Pairs a CPU second, and the CPU time over that of the heavy kernels alone."""

    rate: float
    over_floor: float


class Recording(TorchDispatchMode):
    """Keeps the heavy calls that run under it, as functions of stand-ins of the same shapes."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []
        self._made: dict[Any, torch.Tensor] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        answer = func(*args, **(kwargs or {}))
        if func.overloadpacket.__name__ in HEAVY:
            stand_ins = torch.utils._pytree.tree_map(self._stand_in, (args, kwargs or {}))
            self.calls.append((func, *stand_ins))
        return answer

    def _stand_in(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.is_mkldnn:
            return value
        key = tuple(value.shape), value.stride(), value.dtype, value.device
        if key not in self._made:
            made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
            self._made[key] = made.normal_(std=0.1)
        return self._made[key]

    def run(self) -> None:
        """Run the calls again."""
        with torch.no_grad():
            for func, args, kwargs in self.calls:
                func(*args, **kwargs)


class Bench:
    """One architecture over the batches of a corpus."""

    def __init__(self, architecture: Architecture, examples: Sequence[Any], batch: int, device: str) -> None:
        needs = architecture.needs
        vocabulary, _, _ = make_vocabulary(
            examples, lower_case=False, characters="characters" in needs, vectors=None, progress=_silent
        )
        self.encoder = Encoder(vocabulary, needs)
        self.pairs = self.encoder.pairs(examples, max_length=100)
        sizes = Sizes(len(vocabulary.words), len(vocabulary.characters), len(vocabulary.tags))
        torch.manual_seed(0)
        self.model: Any = architecture.build(architecture.config, sizes).to(device)
        self.objective = Objective(self.model, zoo_output, None)
        self.optimizer = make_optimizer(self.objective, architecture.recipe)
        self.batch, self.device = batch, device

    def batches(self, bucketed: bool) -> list[LabelledBatch]:
        """Return all batches, in random order."""
        lengths = self.pairs.lengths
        order = list(range(len(lengths)))
        random.Random(0).shuffle(order)
        if bucketed:
            order.sort(key=lambda k: lengths[k])
        rows = [order[k : k + self.batch] for k in range(0, len(order), self.batch)]
        random.Random(1).shuffle(rows)
        labels = torch.from_numpy(self.pairs.labels)
        made = (LabelledBatch(self.encoder.collate(self.pairs, r), labels[r]) for r in rows)
        return [each.to(torch.device(self.device)) for each in made]

    def train(self, batches: Sequence[LabelledBatch]) -> None:
        """Take a step a batch."""
        self.objective.train()
        for batch in batches:
            self.optimizer.zero_grad()
            self.objective(batch).mean().backward()
            self.optimizer.step()

    def infer(self, batches: Sequence[LabelledBatch]) -> None:
        """Answer every batch."""
        self.model.eval()
        with torch.no_grad():
            for batch in batches:
                self.model(batch.inputs)


def timed(
    step: Callable[[Sequence[LabelledBatch]], None], batches: Sequence[LabelledBatch], seconds: float
) -> Timing:
    """Return how fast *step* is over as many of *batches* as fit, and over its heavy kernels alone."""
    started = time.process_time()
    step(batches[:2])
    chosen = batches[: max(2, int(seconds / 8 / max(1e-9, (time.process_time() - started) / 2)))]
    with Recording() as recorded:
        step(chosen)
    whole, floor = (min(_cpu(f) for _ in range(3)) for f in (lambda: step(chosen), recorded.run))
    return Timing(sum(len(b.labels) for b in chosen) / whole, whole / floor)


def _cpu(function: Callable[[], None]) -> float:
    started = time.process_time()
    function()
    return time.process_time() - started


def _silent(*_: object) -> None:
    return None


def row(name: str, examples: Sequence[Any], batch: int | None, seconds: float, device: str) -> list[str]:
    """Return the cells of an architecture's row."""
    plain, _, changes = name.partition(":")
    architecture = ARCHITECTURES[plain]
    who, size, trained, inferred, config = PUBLIC.get(plain, ("", architecture.recipe.batch_size, (), (), {}))
    if changes:  # of which there are no public rates
        who, trained, inferred = "", (), ()
        config = {**config, **parse_assignments(changes.split(","), name)}
    architecture = replace(architecture, config=with_options(architecture.config, config, plain))
    if batch is not None:
        size, who, trained, inferred = batch, "", (), ()
    bench = Bench(architecture, examples, size, device)
    cells = [name, str(size)]
    for step, public in ((bench.train, trained), (bench.infer, inferred)):
        for k, bucketed in enumerate((False, True)):
            timing = timed(step, bench.batches(bucketed), seconds)
            beside = f", {timing.rate / public[k]:.2f} x public" if public else ""
            cells.append(f"{timing.rate:.3g} ({timing.over_floor:.2f} x floor{beside})")
    return [*cells, who]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="architectures, as in diin:length=100; default: all")
    parser.add_argument("--corpus", default="snli:dev")
    parser.add_argument("--pairs", type=int, default=1_024)
    parser.add_argument(
        "--batch", type=int, help="pairs of a batch; default: of the public rate or the recipe"
    )
    parser.add_argument("--seconds", type=float, default=6.0, help="CPU seconds a measurement, about")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    torch.set_num_threads(1)
    examples = load_corpus(given.corpus).examples
    examples = random.Random(0).sample(examples, min(given.pairs, len(examples)))
    orders = "train, shuffled | train, bucketed | infer, shuffled | infer, bucketed"
    print(f"| architecture | batch | {orders} | public |")
    print("|---|---|---|---|---|---|---|")
    for name in given.names or ARCHITECTURES:
        print(
            "| " + " | ".join(row(name, examples, given.batch, given.seconds, given.device)) + " |",
            flush=True,
        )
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
