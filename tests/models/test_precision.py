"""Models in bfloat16: what rounding changes is measured, kept with the run, and told."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.models.inference import SequenceClassifier
from crossexam.models.label_order import PAIRS
from crossexam.models.precision import rounding_sentences
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite


def test_rounding_is_measured_on_the_pairs_asked(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it overturns most answers."""
    lower = SequenceClassifier.lower

    def overturned(self: SequenceClassifier, dtype: Any) -> None:
        lower(self, dtype)
        with torch.no_grad():
            self.model.classifier.bias.copy_(torch.tensor([90.0, 0.0, 0.0]))

    exact = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    monkeypatch.setattr(SequenceClassifier, "lower", overturned)
    model = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu", "dtype": "bfloat16"})
    rounded = model.predict(PAIRS)
    found = model.details["rounding"]
    assert found["same_label"] == (exact.argmax(axis=1) == 0).sum() < len(PAIRS)
    assert found["largest_difference"] == pytest.approx(np.abs(exact - rounded).max(), abs=1e-4)


def test_a_run_says_if_its_predictions_were_rounded_in_two_ways(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = tuple(Example(f"{k}", *pair, label="neutral") for k, pair in enumerate(PAIRS))
    half = {"device": "cpu", "dtype": "bfloat16"}
    run = partial(predict_suite, f"hf/{tiny_checkpoint}", store=tmp_path, options=half)
    first = run(Dataset("d", items[:9]))
    (way,) = first.details["rounding"]["ways"]
    assert way.endswith(f"torch {torch.__version__}")
    monkeypatch.setattr(SequenceClassifier, "way", lambda *_, **__: "cuda, torch 9")
    (sentence,) = rounding_sentences(run(Dataset("d", items)).details)
    assert sentence.endswith(f"2 computations that round differently: {way} / cuda, torch 9")
