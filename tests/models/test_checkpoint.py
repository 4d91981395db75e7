"""What a checkpoint says of its classes and files, and what is refused before it predicts."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError
from transformers import AutoModelForSequenceClassification

import crossexam
from crossexam.core.dataset import Dataset
from crossexam.core.errors import MissingExtraError, how_to_install
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model
from made.cases import for_each, refused


def test_a_head_with_one_output_needs_a_threshold(headed: Any) -> None:
    folder = headed(1)
    half = open_model(f"hf/{folder}", {"threshold": 0.5})
    plain = half.predict(PAIRS)[:, 0]
    assert half.details["two_label"] is True
    other = open_model(f"hf/{folder}", {"threshold": 0.6})
    assert other.key != half.key
    np.testing.assert_array_equal(other.predict(PAIRS)[:, 0] > 0.5, plain > 0.6)
    turned = open_model(f"hf/{folder}", {"threshold": 0.5, "label_order": "not_entailment,entailment"})
    np.testing.assert_allclose(turned.predict(PAIRS)[:, 0], 1 - plain, atol=1e-12)
    activation = {"activation_fn": "torch.nn.modules.linear.Identity"}
    score = headed(1, "score", sentence_transformers=activation)
    assert "is a score and not a probability" in refused(open_model, f"hf/{score}", {"threshold": 0.5})


def test_files_that_are_refused(learnt: dict[str, Path], copied: Any, tmp_path: Path) -> None:
    """Weights that are pickled or missing, code, and folders that are no checkpoints; nothing is run."""
    bert, ran = learnt["bert"], tmp_path / "ran"
    beside = copied(bert, "beside")
    (beside / "model.safetensors").rename(beside / "something.safetensors")
    torch.save({}, beside / "pytorch_model.bin")
    own_code = {"AutoConfig": "own.C", "AutoModelForSequenceClassification": "own.M"}
    own = copied(bert, "own", config={"model_type": "own", "auto_map": own_code})
    (own / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    headless = copied(bert, "headless")
    AutoModelForSequenceClassification.from_pretrained(bert).bert.save_pretrained(headless)
    order = {"label_order": LABELS}

    nan = copied(bert, "nan", tokenizer_config={"model_max_length": float("nan")})
    large = copied(bert, "large")
    tokens = re.sub(r'("ids": \[\s*)\d+', r"\g<1>4000000000", (large / "tokenizer.json").read_text())
    (large / "tokenizer.json").write_text(tokens)
    padding = copied(bert, "padding", tokenizer_config={"pad_token": "[P\u202eAD]"})

    def check(path: Any, options: Any, said: str) -> None:
        assert said in refused(lambda: open_model(f"hf/{path}", options).predict(PAIRS))

    rows = (
        (beside, order, "transformers cannot load it: "),
        (own, {}, "with their own code are not run"),
        (copied(bert, "names", config={"id2label": {"NaN": "neutral"}}), {}, "a key of id2label is not a"),
        (bert, {"label_order": "neutral,contradiction"}, "is not a class order"),
        (headless, order, "lacks 2 of the classifier's weights (classifier.bias, classifier.weight)"),
        (nan, {}, "model_max_length is nan"),
        (padding, {}, "a token has a number that is not among the"),
        (large, {}, "a token, or a type of tokens, has a number that no model has"),
    )
    for_each(check, rows)
    assert not ran.exists()


def test_a_missing_package_is_named_before_the_hub_is_asked(
    learnt: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def snapshot_download(name: str, *, local_files_only: bool = False, **_: Any) -> str:
        assert local_files_only, "the hub was asked"
        raise LocalEntryNotFoundError(name)

    tests = Dataset("tiny", (Example("e", "It rains.", "It is wet.", "entailment"),))
    assert "the hub could not be reached" in refused(crossexam.run, "hf/no-such-owner/no-such-model", tests)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    for model in ("hf/some/model", "lm/gpt2", "mean/builtin/overlap,hf/some/model", f"hf/{learnt['bert']}"):
        needs = f"{model.rpartition(',')[2]} needs the package 'torch', which is not installed"
        assert refused(MissingExtraError, crossexam.run, model, tests).has(needs, how_to_install("torch"))
