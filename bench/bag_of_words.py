"""The bag-of-words model at the size of SNLI and MultiNLI together: 943,000 pairs.

    CROSSEXAM_DATA=... NLTK_DATA=... python bench/bag_of_words.py [--pairs 943000]

The pairs are made: lengths of sentences, words with their tags, and the words of hypotheses given the
label are drawn from the parts of both training sets that are at hand, 58 % after SNLI, three pairs to a
premise, as JSON lines with parses as both corpora ship them.  Words are drawn one by one, so that there
are more different word pairs than in real text.  Fitting and scoring run in a process of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import accumulate, islice
from pathlib import Path

PAIRS = 943_000
SCORED = 20_000
_PARTS = (
    ("snli/snli_1.0_train_subset.jsonl", 0.583),
    ("multinli/multinli_train_subset_tokenised.tsv", 0.417),
)


class _Drawer:
    """Draws sentences as lists of (word, tag), by lengths and words counted in real ones."""

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.counts: Counter[tuple[str, str]] = Counter()

    def add(self, tokens: list[tuple[str, str]]) -> None:
        self.lengths.append(len(tokens))
        self.counts.update(tokens)

    def ready(self) -> None:
        self.words, self.weights = list(self.counts), list(accumulate(self.counts.values()))

    def draw(self, rng: random.Random) -> list[tuple[str, str]]:
        return rng.choices(self.words, cum_weights=self.weights, k=rng.choice(self.lengths))


def make_pairs(path: Path, count: int) -> None:
    """Write *count* made pairs to *path* in SNLI's form."""
    from crossexam.core.example import SIDES
    from crossexam.corpora.spec import iter_corpus
    from crossexam.language.tagging.tagger import resolve_tagger

    tagger, rng = resolve_tagger("auto"), random.Random(0)
    data = Path(os.environ["CROSSEXAM_DATA"])
    drawers: list[dict[str, _Drawer]] = []
    for name, _ in _PARTS:
        found: dict[str, _Drawer] = {}
        for example in iter_corpus(data / name):
            for side in SIDES:
                tokens = [(t.text, t.tag) for t in tagger.tokens(example, side)]
                plain = [(word, tag) for word, tag in tokens if not set(word) & set("() \\")]
                key = side if side == "premise" else str(example.label)
                found.setdefault(key, _Drawer()).add(plain)
        for drawer in found.values():
            drawer.ready()
        drawers.append(found)
    shares = [share for _, share in _PARTS]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            label = ("entailment", "neutral", "contradiction")[number % 3]
            if number % 3 == 0:
                chosen = rng.choices(drawers, shares)[0]
                premise = chosen["premise"].draw(rng) or [("It", "PRP")]
            hypothesis = chosen[label].draw(rng) or [("It", "PRP")]
            record = {"gold_label": label, "pairID": f"{number}"}
            for place, tokens in (("1", premise), ("2", hypothesis)):
                record[f"sentence{place}"] = " ".join(word for word, _ in tokens)
                leaves = " ".join(f"({tag} {word})" for word, tag in tokens)
                record[f"sentence{place}_parse"] = f"(ROOT (S {leaves}))"
            stream.write(json.dumps(record) + "\n")


def measure(path: Path, folder: Path) -> None:
    """Fit on the pairs in *path*, score 20,000 of them; print seconds and peak memory."""
    from crossexam.corpora.spec import iter_corpus
    from crossexam.models.table import open_model
    from crossexam.shallow.bag_of_words import BAG_OF_WORDS
    from crossexam.shallow.fitting import FitRequest, fit_once

    stages: dict[str, float] = {}

    def progress(stage: str, done: int, total: int | None) -> None:
        stages.setdefault(stage, time.process_time())

    wall, cpu = time.perf_counter(), time.process_time()
    trained = fit_once(BAG_OF_WORDS, FitRequest(str(path), "snli:dev", folder, progress=progress))
    end = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    manifest = trained.manifest
    print(
        f"{manifest['examples']:,} pairs, {sum(manifest['features'].values()):,} features, "
        f"{manifest['iterations']} iterations: {time.perf_counter() - wall:.1f} s wall, "
        f"{end - cpu:.1f} s CPU (words {stages['counting features'] - cpu:.1f}, "
        f"features {stages['fitting'] - stages['counting features']:.1f}, "
        f"regression {end - stages['fitting']:.1f}), peak {peak:.0f} MiB"
    )
    pairs = [(e.premise, e.hypothesis) for e in islice(iter_corpus(path), SCORED)]
    model = open_model(f"bow/{folder}")
    wall, cpu = time.perf_counter(), time.process_time()
    model.predict(pairs)
    print(
        f"scoring {len(pairs):,} pairs, with loading the model: {time.perf_counter() - wall:.2f} s wall, "
        f"{time.process_time() - cpu:.2f} s CPU"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--inner", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        measure(*arguments.inner)
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "made.jsonl"
        make_pairs(path, arguments.pairs)
        command = [sys.executable, __file__, "--inner", str(path), str(Path(scratch) / "model")]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
