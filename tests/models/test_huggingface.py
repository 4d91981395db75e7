"""How checkpoints of transformers predict: shortcuts, batches and their memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.training import first_token
from made.cases import refused

LONG = [(f"{a} {b} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
WHOLE = [*PAIRS, *LONG]
MIXED = [*WHOLE, *[(a, "") for a, _ in PAIRS[:3]]]  # a pipeline takes an empty hypothesis for none


def opened(folder: Path, **options: Any) -> Any:
    return open_model(f"hf/{folder}", {"device": "cpu", **options})


def test_answers_are_those_of_the_pipeline(learnt: Any) -> None:
    """With the shortcut or without it, and whatever the batches."""
    for folder in learnt.values():
        pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None, device="cpu")
        rows = pipeline([{"text": p, "text_pair": h} for p, h in WHOLE])
        expected = [[next(a["score"] for a in row if a["label"] == name) for name in LABELS] for row in rows]
        model = opened(folder)
        short = model.predict(MIXED)
        assert np.abs(short[: len(WHOLE)] - expected).max() < 1e-5
        assert model.details["first_token_only"] is True
        for name, value in (("LIKE_BERT", frozenset()), ("LOGIT_TOLERANCE", -1.0)):  # none is that close
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(first_token, name, value)
                model = opened(folder)
                assert np.abs(model.predict(MIXED) - short).max() < 1e-6
                assert model.details["first_token_only"] is False
        for size in (1, "auto"):
            other = opened(folder, batch_size=size).predict(MIXED[::-1])[::-1]
            assert np.allclose(other, short, atol=1e-6)


def test_a_resumed_run_has_the_bits_of_an_undisturbed_one(
    learnt: dict[str, Path], lm_folders: dict[str, Path], exported: Path, quantized: Path
) -> None:
    classifiers = (f"hf/{learnt['bert']}", f"onnx/{exported}", f"onnx/{quantized}")
    for name in (*classifiers, f"lm/{lm_folders['gpt2']}"):
        model: Any = open_model(name, {"batch_size": 7})
        whole, known = model.predict(MIXED), [False] * len(MIXED)
        for batch in list(model.batches(MIXED, known))[::2]:
            for index in batch.indices:
                known[index] = True
        rest = list(model.batches(MIXED, known))
        assert sum(len(batch.indices) for batch in rest) == known.count(False)
        for batch in rest:
            assert np.array_equal(batch.probabilities, whole[list(batch.indices)])


def test_truncated_pairs_are_counted(learnt: Any, exported: Path) -> None:
    long = " ".join(sorted({text for pair in PAIRS for text in pair}))
    data = Dataset("d", [Example(p, p, "A dog.", "neutral") for p in (long, "A cat.")])
    for name in (f"hf/{learnt['roberta']}", f"onnx/{exported}"):
        assert predict_suite(name, data).manifest.truncated_pairs == 1
        assert predict_suite(name, data, options={"max_length": 8}).manifest.truncated_pairs == 2
        said = refused(lambda at=name: open_model(at, {"max_length": 65}).predict(PAIRS))
        assert "wanted: 8 to 64 tokens" in said


def test_a_tokenizer_that_does_not_say_where_its_tokens_are_is_searched(
    learnt: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For ten tokens; of an odd number, tokenizers of the two kinds split the last differently."""
    classifier = opened(learnt["bert"], max_length=13)._loaded()
    pairs = [*LONG, *[(b, a) for a, b in LONG]]
    read = classifier.encode(pairs).read
    assert len(read) > 30
    monkeypatch.setattr(type(classifier.tokenizer), "is_fast", False)
    assert classifier.encode(pairs).read == read


def test_batches_are_halved_where_memory_ends(learnt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = opened(learnt["bert"]).predict(MIXED)
    model, most, sizes = opened(learnt["bert"], batch_size=32), 150, list[int]()
    classifier: Any = model._loaded()
    forward = classifier.model.forward

    def scarce(*args: Any, **inputs: Any) -> Any:
        sizes.append(inputs["input_ids"].numel())
        if sizes[-1] > most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return forward(*args, **inputs)

    monkeypatch.setattr(classifier.model, "forward", scarce)
    assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
    assert model.details["halved_batches"] == sum(size > most for size in sizes) > 0
    before = len(sizes)
    model.predict(MIXED)  # what does not fit is known by now
    assert all(size <= most for size in sizes[before:])
    most = 0
    with pytest.raises(CrossexamError, match=r"a single pair of [0-9]+ tokens .*\n  hint: --max-length"):
        model.predict(PAIRS)


def test_what_could_not_be_verified_and_unknown_devices_are_told(headed: Any) -> None:
    untrained = headed(3)
    assert "'toaster'" in refused(lambda: opened(untrained, device="toaster").predict(PAIRS))
    model = opened(untrained)
    model.predict(PAIRS)
    assert "could not be verified" in model.details["probe"]["warning"]
