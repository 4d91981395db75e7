"""The index of word pairs at the size of SNLI's training set, and against a plain dict of Counters.

    CROSSEXAM_DATA=... python bench/word_pair_index.py [--examples 550152]

The corpus is made of the 27,872 pairs of that set that are at hand, copied until there are enough.  How many
distinct words and pairs the whole set has is extrapolated from the half and the whole of the part, by the
slope of log against log, which falls as corpora grow, so that it says too much.  Plain copies would have no
new pairs.  So in each copy but the first, each word that the part has at most COMMON times takes one of FORMS
suffixes, the empty one among them, by a checksum of word and copy: the same words come in other combinations.
FORMS is the least number with which the made corpus has more words and more pairs than extrapolated.
Shuffled, so that no premise comes twice in a row, as in the set itself three times.

In processes of their own: the index made from the file and kept, then loaded and asked; and, on the part at
hand, the same by a dict of Counters with the same tokenizer.  Memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from pathlib import Path

from crossexam.core.example import Example
from crossexam.corpora.spec import iter_corpus
from crossexam.language.word_pair_index import word_forms

EXAMPLES = 550_152
COMMON = 2_000
FORMS = 5
LOOKUPS = 1_000_000
PART = Path(os.environ.get("CROSSEXAM_DATA", "")) / "snli" / "snli_1.0_train_subset.jsonl"


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _since(wall: float, cpu: float) -> str:
    return f"{time.perf_counter() - wall:.1f} s wall, {time.process_time() - cpu:.1f} s CPU"


def extrapolated(examples: list[Example], count: int) -> tuple[float, float]:
    """Return how many distinct words and pairs *count* examples would have."""
    order = random.Random(0).sample(examples, len(examples))
    words: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    marks, points = {len(order) // 2, len(order)}, []
    for number, example in enumerate(order, 1):
        premise, hypothesis = set(word_forms(example.premise)), set(word_forms(example.hypothesis))
        words |= premise | hypothesis
        pairs |= {(one, other) for one in premise for other in hypothesis}
        if number in marks:
            points.append((number, len(words), len(pairs)))
    (n, *half), (m, *whole) = points
    slopes = [math.log(b / a) / math.log(m / n) for a, b in zip(half, whole, strict=True)]
    grown = [b * (count / m) ** slope for b, slope in zip(whole, slopes, strict=True)]
    print(
        f"at {m:,}: {whole[0]:,} words, {whole[1]:,} pairs, exponents {slopes[0]:.2f} and {slopes[1]:.2f}; "
        f"at {count:,} that makes {grown[0]:,.0f} words and {grown[1]:,.0f} pairs"
    )
    return grown[0], grown[1]


def make(examples: list[Example], count: int, path: Path) -> None:
    """Write *count* examples in SNLI's form, altered copies of *examples*, shuffled."""
    split = [(e.label, word_forms(e.premise), word_forms(e.hypothesis)) for e in examples]
    often = Counter(word for _, premise, hypothesis in split for word in premise + hypothesis)
    order = list(range(count))
    random.Random(1).shuffle(order)
    with path.open("w", encoding="utf-8") as stream:
        for number in order:
            copy, place = divmod(number, len(split))
            label, *sides = split[place]
            texts = [
                " ".join(_altered(word, copy) if often[word] <= COMMON else word for word in side)
                for side in sides
            ]
            row = {"gold_label": label, "sentence1": texts[0], "sentence2": texts[1]}
            stream.write(json.dumps(row) + "\n")


def _altered(word: str, copy: int) -> str:
    form = zlib.crc32(f"{word} {copy}".encode()) % FORMS if copy and word.isalpha() else 0
    return f"{word}q{'abcdefgh'[form]}" if form else word


def measure(path: Path, cache: Path) -> None:
    """Make and keep the index of *path*."""
    from crossexam.suites.behaviour import cached_index

    wall, cpu = time.perf_counter(), time.process_time()
    index = cached_index(str(path), cache_folder=cache)
    size = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file()) / 2**20
    print(
        f"index of {index.manifest['examples']:,} examples: {len(index.words):,} words, {len(index):,} "
        f"pairs, {size:.0f} MiB on disk: {_since(wall, cpu)}, peak {peak():.0f} MiB"
    )


def ask(path: Path, cache: Path) -> None:
    """Load the kept index and look pairs up, half of them drawn from it."""
    from crossexam.suites.behaviour import cached_index

    wall = time.perf_counter()
    index = cached_index(str(path), cache_folder=cache)
    loading = time.perf_counter() - wall
    rng = random.Random(2)
    keys = index.keys[sorted(rng.sample(range(len(index)), min(len(index), LOOKUPS // 2)))].tolist()
    pairs = [(index.words[key >> 31], index.words[key & (2**31 - 1)]) for key in keys]
    pairs += [(rng.choice(index.words), rng.choice(index.words)) for _ in range(len(pairs))]
    rng.shuffle(pairs)
    wall = time.perf_counter()
    found = index.counts(pairs)
    cold = time.perf_counter() - wall
    wall = time.perf_counter()
    index.polarity(pairs)
    asked = time.perf_counter() - wall
    print(
        f"loading, with the hash of the corpus: {loading:.2f} s; {len(pairs):,} pairs, "
        f"{found.any(axis=1).mean():.0%} seen: {len(pairs) / cold:,.0f} lookups a second, "
        f"{len(pairs) / asked:,.0f} polarities, peak {peak():.0f} MiB"
    )


def plain(path: Path, _: Path) -> None:
    """The same by a dict of Counters."""
    before, wall, cpu = peak(), time.perf_counter(), time.process_time()
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    examples = 0
    for example in iter_corpus(path):
        examples += 1
        premise = set(word_forms(example.premise))
        for other in set(word_forms(example.hypothesis)):
            for one in premise:
                counts[one, other][str(example.label)] += 1
    print(
        f"dict of Counters of {examples:,} examples: {len(counts):,} pairs: {_since(wall, cpu)}, "
        f"peak {peak():.0f} MiB, of it {before:.0f} before"
    )
    print(f"RATIO {time.process_time() - cpu} {peak()}")


def ours(path: Path, _: Path) -> None:
    """Our index of the part, in memory."""
    from crossexam.language.word_pair_index import WordPairIndex

    before, wall, cpu = peak(), time.perf_counter(), time.process_time()
    index = WordPairIndex.build(iter_corpus(path))
    print(
        f"our index of {index.manifest['examples']:,} examples: {len(index):,} pairs: {_since(wall, cpu)}, "
        f"peak {peak():.0f} MiB, of it {before:.0f} before"
    )
    print(f"RATIO {time.process_time() - cpu} {peak()}")


STAGES = {"measure": measure, "ask": ask, "plain": plain, "ours": ours}


def _run(stage: str, path: Path, cache: Path) -> list[float]:
    command = [sys.executable, __file__, "--inner", stage, str(path), str(cache)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    print(*(line for line in lines if not line.startswith("RATIO")), sep="\n", flush=True)
    return [float(number) for number in lines[-1].split()[1:]] if lines[-1].startswith("RATIO") else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--inner", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        stage, path, cache = arguments.inner
        STAGES[stage](Path(path), Path(cache))
        return
    with tempfile.TemporaryDirectory() as scratch:
        path, cache = Path(scratch) / "made.jsonl", Path(scratch) / "cache"
        examples = list(iter_corpus(PART))
        extrapolated(examples, arguments.examples)
        make(examples, arguments.examples, path)
        _run("measure", path, cache)
        _run("ask", path, cache)
        theirs, our = _run("plain", PART, cache), _run("ours", PART, cache)
        print(f"ratios on the part: time {theirs[0] / our[0]:.2f}, peak memory {theirs[1] / our[1]:.2f}")


if __name__ == "__main__":
    main()
