"""The log-likelihoods of ``lm/`` against lm-eval's: recorded ones, and new ones where it is installed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from crossexam.models import packed
from crossexam.models.lm import language_model
from crossexam.models.lm.language_model import LanguageModel
from crossexam.models.packed import PackedLinear
from crossexam.models.table import open_model

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "lm_eval.json").read_text(encoding="utf-8")
)
MODELS = [name for name in GOLDEN if name != "versions"]


def _opened(name: str, folder: Path, **values: Any) -> LanguageModel:
    chat = "yes" if name.endswith("chat") else "no"
    model = open_model(f"lm/{folder}", {"chat": chat, "device": "cpu", **values})
    assert isinstance(model, LanguageModel)
    return model


def _likelihoods(model: LanguageModel, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    found = {}
    for batch in model.batches(pairs, [False] * len(pairs)):
        for index, outcome in zip(batch.indices, batch.outcomes, strict=True):
            assert outcome.detail is not None
            found[index] = list(outcome.detail["log_likelihood"].values())
    return np.array([found[index] for index in range(len(pairs))])


def _assert_equal(found: NDArray[np.float64], expected: object) -> None:
    """A sum of many tokens is rounded to float32 in lm-eval: one part in ten million per addition."""
    np.testing.assert_allclose(found, np.array(expected), rtol=3e-7, atol=1e-5)


#: With which template each model is asked in the first tier.
FIRST = "words"


def _compare(folders: dict[str, Path], script: ModuleType, *, first: bool) -> None:
    for name in MODELS:
        for template, expected in GOLDEN[name].items():
            if (template == FIRST) is first:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(language_model, "template_named", script.template_of)
                    model = _opened(name, folders[name], template=template)
                    _assert_equal(_likelihoods(model, script.PAIRS), expected)


def test_log_likelihoods_are_those_that_lm_eval_gave(
    lm_script: ModuleType, lm_folders: dict[str, Path]
) -> None:
    _compare(lm_folders, lm_script, first=True)


@pytest.mark.slow
def test_log_likelihoods_are_those_that_lm_eval_gave_with_all_templates(
    lm_script: ModuleType, lm_folders: dict[str, Path]
) -> None:
    _compare(lm_folders, lm_script, first=False)


@pytest.mark.slow
def test_log_likelihoods_are_those_of_the_installed_lm_eval(
    lm_script: ModuleType, lm_folders: dict[str, Path]
) -> None:
    pytest.importorskip("lm_eval", reason="lm-eval (extra interop) is not installed")
    for name in MODELS:
        chat = name.endswith("chat")
        asked = lm_script.likelihoods(lm_folders[name], chat=chat, names=("gpt3", "flan-mnli-0"))
        for template, expected in asked.items():
            model = _opened(name, lm_folders[name], template=template)
            _assert_equal(_likelihoods(model, lm_script.PAIRS), expected)


def test_log_likelihoods_are_those_of_lighteval(lm_folders: dict[str, Path]) -> None:
    """Those that lighteval 0.13.0 logged for the same model and items."""
    details = Path(__file__).parents[2] / "data" / "lighteval" / "likelihoods.parquet"
    rows = pl.read_parquet(details).to_dicts()
    pairs = [(row["doc"]["specific"]["premise"], row["doc"]["specific"]["hypothesis"]) for row in rows]
    model = _opened("gpt2", lm_folders["gpt2"], template="gpt3")
    theirs = np.exp([row["model_response"]["logprobs"] for row in rows])
    expected = theirs / theirs.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict(pairs), expected, rtol=1e-4, atol=1e-9)


def test_labels_that_continue_their_prompts_have_the_same_likelihoods(
    lm_script: ModuleType, lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shortcut is taken, gives what reading both together gives, and is left if caches cannot be used."""
    from transformers import DynamicCache

    name, template = "gpt2", "flan-mnli-0"
    model = _opened(name, lm_folders[name], template=template)
    _assert_equal(_likelihoods(model, lm_script.PAIRS), GOLDEN[name][template])
    assert model.details["labels_continue_prompts"]
    instructed = _opened(name, lm_folders[name], template="words")
    _assert_equal(_likelihoods(instructed, lm_script.PAIRS), GOLDEN[name]["words"])
    assert instructed.details["tokens_read_once"] > 50

    def refuse(self: object, repeats: int) -> None:
        raise NotImplementedError

    monkeypatch.setattr(DynamicCache, "batch_repeat_interleave", refuse)
    model = _opened(name, lm_folders[name], template=template)
    _assert_equal(_likelihoods(model, lm_script.PAIRS), GOLDEN[name][template])
    assert not model.details["labels_continue_prompts"]


def test_packed_layers_and_logits_of_labels_only_give_the_same_likelihoods(
    lm_script: ModuleType, lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small layers and those that take too much memory are not packed."""
    for name, sizes, packs in (
        ("gpt2", range(2**30), True),
        ("llama", range(2**30), True),
        ("gpt2", range(1_000), False),
        ("gpt2", range(2**20, 2**30), False),
    ):
        monkeypatch.setattr(packed, "PACKED_BYTES", sizes)
        model = _opened(name, lm_folders[name], template="gpt3")
        _assert_equal(_likelihoods(model, lm_script.PAIRS), GOLDEN[name]["gpt3"])
        assert bool(model.details["packed_layers"]) is packs
        assert model.details["logits_of_labels_only"] or not packs


def test_shortcuts_that_change_the_likelihoods_are_not_taken(
    lm_script: ModuleType, lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model may scale its logits after the last layer, and torch's internal operations may change."""
    from transformers import GPT2LMHeadModel

    monkeypatch.setattr(packed, "PACKED_BYTES", range(2**30))
    forward = PackedLinear.forward
    monkeypatch.setattr(PackedLinear, "forward", lambda self, states: 1.01 * forward(self, states))
    head = GPT2LMHeadModel.get_output_embeddings
    monkeypatch.setattr(GPT2LMHeadModel, "get_output_embeddings", lambda self: lambda x: head(self)(x) / 2)
    model = _opened("gpt2", lm_folders["gpt2"], template="gpt3")
    _assert_equal(_likelihoods(model, lm_script.PAIRS), GOLDEN["gpt2"]["gpt3"])
    assert not model.details["packed_layers"]
    assert not model.details["logits_of_labels_only"]


def test_a_cache_that_changes_the_likelihoods_is_not_used(
    lm_script: ModuleType, lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import DynamicCache

    repeat = DynamicCache.batch_repeat_interleave

    def wrong(self: Any, repeats: int) -> None:
        repeat(self, repeats)
        self.layers[0].keys += 1

    monkeypatch.setattr(DynamicCache, "batch_repeat_interleave", wrong)
    for template in ("flan-mnli-0", "words"):
        model = _opened("gpt2", lm_folders["gpt2"], template=template)
        _assert_equal(_likelihoods(model, lm_script.PAIRS), GOLDEN["gpt2"][template])
        assert not model.details["labels_continue_prompts"]
        assert model.details["tokens_read_once"] == 0
