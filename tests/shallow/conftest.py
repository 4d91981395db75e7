"""A tiny corpus, a file of word vectors, and the command line, for the tests of all shallow models."""

import json
from pathlib import Path

import numpy as np
import pytest

from crossexam.core.example import Example


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
    path = tmp_path_factory.mktemp("corpus") / "tiny.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def vectors_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "tiny.txt"
    words = "dog cat man woman sleeps runs outside not".split()
    rows = zip(words, np.random.default_rng(1).normal(size=(len(words), 3)).tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows), encoding="utf-8")
    return path
