"""What is done on a device other than a CPU, tried on one that computes on the CPU, and on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.models import gpu, inference
from crossexam.models.classifier import ClassifierModel
from crossexam.models.gpu import GPU_TOKENS, fetched_in_order, fitting_tokens, tokens_within
from crossexam.models.inference import SequenceClassifier
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


class Elsewhere:
    """A device that is not called a CPU."""

    type = "elsewhere"


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let models believe that they are on another device; return what happened, in order."""
    happened: list[str] = []
    forward = SequenceClassifier._forward

    def launched(self: SequenceClassifier, encoded: Any, rows: Any) -> torch.Tensor:
        happened.append("launched")
        return forward(self, encoded, rows)

    def fetched(table: torch.Tensor, device: Any) -> Any:
        def wait() -> torch.Tensor:
            happened.append("waited")
            return table

        return wait

    monkeypatch.setattr(SequenceClassifier, "_forward", launched)
    monkeypatch.setattr(gpu, "_fetch", fetched)
    monkeypatch.setattr(inference, "sent", lambda table, device: table)
    return happened


def moved(checkpoint: Path, **options: Any) -> tuple[ClassifierModel, SequenceClassifier]:
    model = open_model(f"hf/{checkpoint}", {"device": "cpu", **options})
    assert isinstance(model, ClassifierModel)
    classifier = model._loaded()
    assert isinstance(classifier, SequenceClassifier)
    classifier.device = Elsewhere()
    return model, classifier


def test_results_are_read_when_later_batches_are_under_way(
    tiny_checkpoint: Path, elsewhere: list[str]
) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    model, _ = moved(tiny_checkpoint, batch_size=2)
    elsewhere.clear()
    assert np.allclose(model.predict(PAIRS), expected, atol=1e-6)
    batches = len(PAIRS) // 2
    ahead = 8
    assert elsewhere == (
        ["launched"] * ahead + ["launched", "waited"] * (batches - ahead) + ["waited"] * ahead
    )


def test_memory_that_ends_halves_the_batch_and_keeps_the_order(
    tiny_checkpoint: Path, elsewhere: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    model, classifier = moved(tiny_checkpoint, batch_size=16)
    forward, sizes = classifier.model.forward, []

    def scarce(*args: Any, **inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 5:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(*args, **inputs)

    monkeypatch.setattr(classifier.model, "forward", scarce)
    assert np.allclose(model.predict(PAIRS), expected, atol=1e-6)
    assert model.details["halved_batches"] == sum(size > 5 for size in sizes) > 0


def test_tokens_are_those_that_fit() -> None:
    assert tokens_within(10**15, 1_000) == GPU_TOKENS
    for free in (10**7, 10**8, 10**9):
        tokens = tokens_within(free, 20_000)
        assert tokens == 512 or tokens * 20_000 <= free / 2 < 2 * tokens * 20_000
    assert fitting_tokens(lambda: None, 30, torch.device("cpu")) == GPU_TOKENS


def test_fetched_tables_are_theirs_in_order() -> None:
    tables = [torch.tensor([float(number)]) for number in range(30)]
    found = list(fetched_in_order(iter(tables), torch.device("cpu")))
    assert all(torch.equal(a, b) for a, b in zip(found, tables, strict=True))


@needs_gpu
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_gpu_predicts_what_a_cpu_predicts(tiny_checkpoint: Path, dtype: str) -> None:
    expected = open_model(f"hf/{tiny_checkpoint}", {"device": "cpu"}).predict(PAIRS)
    model = open_model(f"hf/{tiny_checkpoint}", {"device": "cuda", "dtype": dtype, "batch_size": 2})
    assert np.abs(model.predict(PAIRS) - expected).max() < (1e-3 if dtype == "float32" else 0.05)


@needs_gpu
def test_a_gpu_is_waited_for_only_when_results_are_read(tiny_checkpoint: Path) -> None:
    model = open_model(f"hf/{tiny_checkpoint}", {"device": "cuda", "batch_size": 2})
    assert isinstance(model, ClassifierModel)
    classifier = model._loaded()
    assert isinstance(classifier, SequenceClassifier)
    encoded = classifier.encode(PAIRS)
    torch.cuda.set_sync_debug_mode("error")
    try:
        classifier._forward(encoded, [0, 1])
    finally:
        torch.cuda.set_sync_debug_mode("default")
