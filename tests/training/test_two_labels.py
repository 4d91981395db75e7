"""Training, development and test corpora with two labels, for every kind of model that can be trained."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.labels import ENTAILMENT_OR_NOT
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.training.data import load_data
from made.commands import invoke

THREE = "builtin:demo"
YES_OR_NO = {"yes": "entailment", "no": "not_entailment"}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in corpus with two labels, in words of its own."""
    path = tmp_path_factory.mktemp("two") / "two.jsonl"
    with path.open("w") as file:
        for example in read_corpus(THREE):
            label = "yes" if example.label == "entailment" else "no"
            row = {"premise": example.premise, "hypothesis": example.hypothesis, "label": label}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.fixture
def train(manifest_of: Any, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Train a model into ``m`` with a command, and return its manifest."""

    def run(*arguments: object) -> dict[str, Any]:
        invoke("train", *arguments, "-o", tmp_path / "m")
        return dict(manifest_of(tmp_path / "m"))

    return run


@pytest.mark.parametrize("kind", ["zoo", "bow", "hom", "rf", pytest.param("hf", marks=pytest.mark.slow)])
def test_two_labels_in_training_dev_and_test(
    kind: str, two: Path, of_kind: Any, train: Any, tmp_path: Path
) -> None:
    labels = ["--labels", "yes=entailment,no=not_entailment"]
    manifest = train(*of_kind[kind], "--train", two, "--dev", two, "--test", two, *labels)
    (test,) = manifest["tests"].values()
    assert test["accuracy"] == pytest.approx(manifest["scores"]["dev_accuracy"], abs=1e-3)
    model = open_model(f"{kind}/{tmp_path / 'm'}", {"device": "cpu"})
    assert model.details["two_label"] is True
    answered = model.predict([("It rains.", "It is wet."), ("A dog runs.", "A cat sleeps.")])
    assert (answered[:, 2] == 0).all()
    np.testing.assert_allclose(answered.sum(axis=1), 1)
    for dataset in (read_corpus(two, Reading(labels=YES_OR_NO)), read_corpus(THREE)):
        run = predict_suite(model.name, dataset, options={"device": "cpu"})
        (found,) = accuracy_by_set(run).values()
        assert 100 * found.value == pytest.approx(test["accuracy"], abs=1e-3)


def test_corpora_of_both_kinds_need_a_declaration(
    train: Any, two: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    both, reading = f"{two}+{THREE}", Reading(labels=YES_OR_NO)
    assert "some training corpora have three labels, others two" in refused(load_data, both, THREE, reading)
    assert load_data(both, THREE, reading, two_labels=True).classes is ENTAILMENT_OR_NOT
    manifest = train("bag-of-words", "--train", THREE, "--dev", THREE, "--two-labels")
    assert manifest["fingerprint"]["two_labels"] is True
    assert open_model(f"bow/{tmp_path / 'm'}").details["two_label"] is True
    assert "the labels of 'builtin' are known" in refused(load_data, THREE, THREE, reading)
