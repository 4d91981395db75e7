"""A run of a zoo model that was killed anywhere gives, once resumed, the bytes of one that nobody killed."""

import random
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from crossexam.core.sealed import MANIFEST, write_manifest
from crossexam.models import zoo
from crossexam.models.table import open_model
from crossexam.training.checkpoints import Description, save_model
from crossexam.training.vocabulary import Vocabulary
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.layers import Sizes
from crossexam.zoo.table import ARCHITECTURES
from made.architectures import shrunken
from made.cases import for_each

WORDS = (
    "a the old young red dog cat man woman child runs sits eats sees near under tree house and two".split()
)
MOST = 24  # of a width: sums are long enough that their order shows


def saved(architecture: Architecture, config: Any, folder: Path) -> Path:
    """Write an untrained small model of *architecture* to *folder*."""
    vocabulary = Vocabulary.of_words(WORDS, characters="".join(WORDS))
    sizes = Sizes(len(vocabulary.words), len(vocabulary.characters), len(vocabulary.tags))
    torch.manual_seed(3)
    described = Description(architecture, config, sizes)
    model = described.build()
    folder.mkdir()
    save_model(folder, described, model, vocabulary)
    scores = {"dev_accuracy": 33.3, "dev_loss": 1.1}
    write_manifest(folder / MANIFEST, {"kind": "zoo", "scores": scores, "fingerprint": {}, "versions": {}})
    return folder


def some_pairs(count: int) -> list[tuple[str, str]]:
    """Return pairs of sentences of many lengths, some of which share a sentence."""
    draw = random.Random(1)
    sentences = [" ".join(draw.choices(WORDS, k=draw.randint(1, 14))) + "." for _ in range(count)]
    return [(draw.choice(sentences), draw.choice(sentences)) for _ in range(count)]


def test_a_resumed_run_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "_CPU_MATCHED", 8)
    monkeypatch.setattr(zoo, "_CPU_WORDS", 60)
    pairs = some_pairs(40)

    def check(name: str) -> None:
        config = ARCHITECTURES[name].config
        tags = {"tags": config.tags} if hasattr(config, "tags") else {}
        folder = saved(ARCHITECTURES[name], shrunken(config, MOST, **tags), tmp_path / name)

        def answers(known: list[bool], batches: int | None = None) -> NDArray[np.float64]:
            found = np.full((len(pairs), 3), np.nan)
            model: Any = open_model(f"zoo/{folder}", {"device": "cpu"})
            for batch in islice(model.batches(pairs, known), batches):
                found[list(batch.indices)] = batch.probabilities
            return found

        whole, first = answers([False] * len(pairs)), answers([False] * len(pairs), 2)
        assert not np.isnan(whole).any()
        known = ~np.isnan(first[:, 0])
        assert 0 < known.sum() < len(pairs)
        rest = answers(known.tolist())
        assert np.isnan(rest[known]).all()  # nothing is asked twice
        assert np.where(known[:, None], first, rest).tobytes() == whole.tobytes()

    for_each(check, ARCHITECTURES)
