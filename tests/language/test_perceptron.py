"""The perceptron in the package: how it was trained, how accurate it is beside NLTK's own weights."""

from __future__ import annotations

import gzip
import json
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from crossexam.language.tagging.nltk_tagger import NltkTagger, downloaded
from crossexam.language.tagging.perceptron import shipped

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    path = ROOT / "scripts" / "train_tagger.py"
    if not path.is_file():
        pytest.skip("the scripts are not in the source distribution")
    return runpy.run_path(str(path))


def test_training_twice_gives_the_same_bytes_with_small_weights_dropped(script: dict[str, Any]) -> None:
    tagged = ("A/DT dog/NN runs/VBZ ./.", "The/DT dogs/NNS run/VBP", "Run/VB !/.")
    sentences = [[tuple(pair.split("/")) for pair in each.split()] for each in tagged]

    def trained() -> bytes:
        random.seed(script["SEED"])
        packed: bytes = script["packed"](script["train"](sentences))
        return packed

    content = trained()
    assert content == trained()
    weights, _, classes = json.loads(gzip.decompress(content))
    assert all(abs(weight) >= 1 for of_tags in weights.values() for weight in of_tags.values())
    assert classes == sorted({".", *"DT NN NNS VBZ VBP VB".split()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "file"), [("ewt", "ud_ewt/en_ewt-ud-test.conllu"), ("snli", "snli/snli_1.0_test.jsonl")]
)
def test_the_weights_in_the_package_are_more_accurate_than_those_of_nltk(
    corpus: str, file: str, script: dict[str, Any], shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nltk.data.path", [str(shared_data / "nltk_data")])
    sentences = list(script[corpus](shared_data / file))[:2_000]
    ours, theirs = (script["accuracy"](NltkTagger(each), sentences)[0] for each in (shipped, downloaded))
    assert ours > theirs + 2
