"""What each shortcut of ``hf/`` and ``lm/`` gains alone: the CPU time without it over that with all of them.

    python bench/shortcuts.py SNLI_DEV.jsonl [--models minilm,tiny,small] [--items N] [--rounds N]

The ways to run a model take turns in one process, with one thread.  The lowest CPU time of a way counts, as
other work slows it least; beside it are the lowest and the highest ratio of a round.  ``minilm`` is the
encoder of ``hf_throughput.py``, ``tiny`` and ``small`` are the language models of ``lm_throughput.py``, with
labels of several tokens (the template ``words``; --template for others).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

import torch
from hf_throughput import Pair, make_checkpoint, processor, stress_pairs
from lm_throughput import SIZES, gpt2

from crossexam.models import packed
from crossexam.models.inference import SequenceClassifier
from crossexam.models.lm import encoding, scoring
from crossexam.models.table import open_model

ALL: Final = "all of them"
Patches = Mapping[str, Sequence[AbstractContextManager[Any]]]


def nothing(*_: Any, **__: Any) -> None:
    """Take no shortcut."""


def in_turn(self: Any, encoded: Any) -> list[list[int]]:
    """Return batches of 32 pairs, as they come."""
    rows = range(len(encoded.lengths))
    return [list(rows[start : start + 32]) for start in rows[::32]]


def no_cache(*_: Any) -> None:
    """Be a model without a cache."""
    raise RuntimeError


def without(target: Any, name: str, instead: Any) -> list[AbstractContextManager[Any]]:
    """Return what puts something in place of what takes a shortcut."""
    return [patch.object(target, name, instead, create=True)]


NEVER: Final = property(lambda _: False, lambda _, value: None)
OF_CLASSIFIERS: Final[Patches] = {
    ALL: [],
    "packed layers": without(SequenceClassifier, "_pack", nothing),
    "the first token alone in the last layer": without(SequenceClassifier, "read_first_token_only", nothing),
    "batches of like length": without(SequenceClassifier, "plan", in_turn),
}
OF_LANGUAGE_MODELS: Final[Patches] = {
    ALL: [],
    "packed layers": without(scoring, "is_worth_packing", lambda _: False),
    "torch's GELU": without(packed, "_activations", lambda _: ()),
    "the beginning of all prompts, once": without(scoring.CausalScorer, "_read", no_cache),
    "labels that continue prompts": without(scoring.CausalScorer, "continues", NEVER),
    "tokens without their places": without(encoding, "_backend_of", nothing),
}


def compare(name: str, options: Mapping[str, Any], ways: Patches, pairs: Sequence[Pair], rounds: int) -> None:
    """Print the CPU time of a model without each shortcut over that with all."""
    models = {}
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for way, patches in ways.items():
        with ExitStack() as stack:
            any(map(stack.enter_context, patches))
            models[way] = open_model(name, dict(options))
            models[way].predict(pairs[:4])
    for _ in range(rounds):
        for way, patches in ways.items():
            with ExitStack() as stack:
                any(map(stack.enter_context, patches))
                start = time.process_time()
                models[way].predict(pairs)
                seconds[way].append(time.process_time() - start)
    for way, spent in seconds.items():
        ratios = [other / own for other, own in zip(spent, seconds[ALL], strict=True)]
        ratio = min(spent) / min(seconds[ALL])
        print(f"  {way:40} {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", default="minilm,tiny,small")
    parser.add_argument("--template", default="words")
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    pairs = stress_pairs(asked.corpus, asked.items)
    print(f"{len(pairs)} pairs, {processor()}")
    options = {"device": "cpu", "dtype": "float32"}
    with TemporaryDirectory() as place:
        for name in asked.models.split(","):
            folder = Path(place) / name
            print(name)
            if name in SIZES:
                gpt2(folder, **SIZES[name])
                ask = partial(compare, f"lm/{folder}", {**options, "template": asked.template})
                ask(OF_LANGUAGE_MODELS, pairs, asked.rounds)
            else:
                make_checkpoint(folder)
                compare(f"hf/{folder}", options, OF_CLASSIFIERS, pairs, asked.rounds)


if __name__ == "__main__":
    main()
