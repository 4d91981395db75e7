"""A tiny corpus, a file of word vectors, and the command line, for the tests of all shallow models."""

from pathlib import Path

import numpy as np
import pytest

from crossexam.core.example import Example
from made.corpora import write_lines, write_records


@pytest.fixture(scope="session")
def taught() -> tuple[Example, ...]:
    """Eight times the same pair of each label, which every model learns."""
    return tuple(
        Example(f"{number}{label}", premise, hypothesis, label, info={})
        for number in range(8)
        for premise, hypothesis, label in (
            ("A dog runs outside.", "A dog runs.", "entailment"),
            ("A man sleeps.", "A man sleeps outside with his cat.", "neutral"),
            ("A woman runs.", "Nobody is here.", "contradiction"),
        )
    )


@pytest.fixture(scope="session")
def corpus(taught: tuple[Example, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same in the format of SNLI."""
    lines = [
        {"gold_label": e.label, "pairID": e.id, "sentence1": e.premise, "sentence2": e.hypothesis}
        for e in taught
    ]
    return write_records(tmp_path_factory.mktemp("corpus") / "tiny.jsonl", lines)


@pytest.fixture(scope="session")
def vectors_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = "dog cat man woman sleeps runs outside not".split()
    rows = zip(words, np.random.default_rng(1).normal(size=(len(words), 3)).tolist(), strict=True)
    lines = (f"{word} {' '.join(map(str, row))}" for word, row in rows)
    return write_lines(tmp_path_factory.mktemp("vectors") / "tiny.txt", lines)
