"""The nineteen features of the random forest: seconds for 10,000 SNLI pairs, and what each kind costs.

    CROSSEXAM_DATA=... python bench/random_forest_features.py [--pairs 10000]

The pairs are the first of the training set at hand, the vectors the cut of Google News beside it.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from crossexam.corpora.spec import iter_corpus
from crossexam.language.word_vectors import first_vectors
from crossexam.shallow import pair_features
from crossexam.shallow.pair_features import FEATURES, PairFeatures, word_movers_distance

WANTED = 60.0  # seconds for 10,000 pairs


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    count = parser.parse_args().pairs
    data = Path(os.environ["CROSSEXAM_DATA"])
    corpus = iter_corpus(data / "snli" / "snli_1.0_train_subset.jsonl")
    pairs = [(example.premise, example.hypothesis) for example in islice(corpus, count)]
    seconds, vectors = timed(
        lambda: first_vectors(data / "vectors" / "googlenews_word2vec_8000x300.txt.gz", 400_000)
    )
    print(f"{len(vectors.words):,} vectors of {vectors.rows.shape[1]} numbers: {seconds:.2f} s")
    features = PairFeatures(vectors)
    features.of(pairs[:10])  # imports
    seconds, found = timed(lambda: features.of(pairs))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(pairs):,} pairs, {len(FEATURES)} features: {seconds:.1f} s "
        f"({1e6 * seconds / len(pairs):.0f} µs a pair; wanted: below {WANTED * len(pairs) / 10_000:.0f} s), "
        f"{100 * found.found / found.words:.1f} % of words have a vector, peak {peak:.0f} MiB"
    )
    strings = pair_features._of_strings()
    seconds, _ = timed(lambda: [strings(*pair) for pair in pairs])
    print(f"  BLEU and fuzzy scores: {seconds:.1f} s")
    sides = [(features._read(premise), features._read(hypothesis)) for premise, hypothesis in pairs]
    rows = vectors.rows.astype(np.float64)
    asked = [(p.rows, h.rows) for p, h in sides if p.rows and h.rows]
    seconds, _ = timed(lambda: [word_movers_distance(*pair, rows) for pair in asked])
    print(f"  word mover's distance: {seconds:.1f} s")


if __name__ == "__main__":
    main()
