"""What the tests of training share: toys, small data, and trainings that are done once for all tests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.core.example import Example
from crossexam.corpora.spec import read_corpus
from crossexam.corpora.trained import TrainedFolder
from crossexam.training.data import Data, load_data
from crossexam.training.request import TrainingRequest
from crossexam.training.train import train_model
from crossexam.zoo import bilstm_max, esim, table
from crossexam.zoo.architecture import Recipe

_RECIPE = Recipe("adam", 0.01, 8, 2, source="here")
#: Small models with an RNN: a sentence encoder, and one that hands out no sentence vectors.
TOYS = {
    "toy": replace(bilstm_max.ARCHITECTURE, name="toy", recipe=_RECIPE, config=bilstm_max.Config(6, 5, 8)),
    "crossing": replace(esim.ARCHITECTURE, name="crossing", recipe=_RECIPE, config=esim.Config(6, 5)),
}


@pytest.fixture(autouse=True, scope="module")
def _toys() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patched:
        for name, architecture in TOYS.items():
            patched.setitem(table.ARCHITECTURES, name, architecture)
        yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def small_data() -> Data:
    return load_data("builtin:demo[:60]", "builtin:demo[60:90]")


@pytest.fixture(scope="session")
def three() -> list[Example]:
    tags = [["A", "DT"], ["dog", "NN"], ["barks", "VBZ"]]
    info = {"premise_tags": tags, "premise_binary_parse": "( ( A dog ) barks )"}
    return [
        Example("a", "A dog barks", "It barks.", "entailment", info=info),
        Example("b", "Rain falls on the old town.", "A Dog", "neutral"),
        Example("c", "A dog barks", "Snow", "contradiction", info=info),
    ]


@pytest.fixture
def request_of(tmp_path: Path, small_data: Data) -> Callable[..., TrainingRequest]:
    """Return the request for a training into a folder of the test, of a toy if nothing else is said."""

    def make(name: str = "toy", folder: str = "out", **given: Any) -> TrainingRequest:
        data = given.pop("data", small_data)
        return TrainingRequest(name, data, tmp_path / folder, device="cpu", **given)

    return make


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, small_data: Data) -> Callable[..., TrainedFolder]:
    """Return a training of the small data, done once for all tests: they leave its folder as it is."""
    done: dict[str, TrainedFolder] = {}

    def of(name: str = "toy", **given: Any) -> TrainedFolder:
        key = f"{name} {sorted(given.items())}"
        if key not in done:
            folder = tmp_path_factory.mktemp("trained") / "out"
            done[key] = train_model(TrainingRequest(name, small_data, folder, device="cpu", **given))
        return done[key]

    return of


@pytest.fixture
def toy(trained: Callable[..., TrainedFolder], copied: Callable[..., Path]) -> Path:
    """A folder of a trained toy to be changed."""
    return copied(trained().folder, "out")


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random vectors of the words of the built-in corpus."""
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    words = sorted(
        {word for example in read_corpus("builtin:demo") for word in example.premise.lower().split()}
    )
    numbers = np.random.default_rng(0).normal(size=(len(words), 4))
    lines = (f"{w} {' '.join(f'{n:.3f}' for n in row)}" for w, row in zip(words, numbers, strict=True))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def of_kind(tiny_checkpoint: Path, vectors: Path) -> dict[str, list[object]]:
    """The arguments that train a small model of each kind, by the prefix of its name."""
    return {
        "zoo": ["cbow", "--epochs", 2, "--set", "width=8", "--set", "hidden=8"],
        "bow": ["bag-of-words", "--set", "min_count=1"],
        "hom": ["hypothesis-fasttext", "--epochs", 2],
        "rf": ["random-forest", "--vectors", vectors, "--set", "trees=3"],
        "hf": [f"hf/{tiny_checkpoint}", "--epochs", 1],
    }
