"""The log-likelihoods of ``lm/`` against those that lm-eval gave."""

import json
from pathlib import Path
from typing import Any

import lm_golden
import numpy as np
import pytest
from transformers import DynamicCache

from crossexam.models import packed
from crossexam.models.lm import language_model
from crossexam.models.model import Model
from crossexam.models.table import open_model

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden" / "lm_eval.json").read_text(encoding="utf-8")
)


def _opened(name: str, folder: Path, **values: Any) -> Model:
    chat = "yes" if name.endswith("chat") else "no"
    return open_model(f"lm/{folder}", {"chat": chat, "device": "cpu", **values})


def _assert_gives(model: Any, expected: object) -> None:
    """A sum of many tokens is rounded to float32 in lm-eval: one part in ten million per addition."""
    outcomes = model.answered(lm_golden.PAIRS).outcomes
    found = [list(each.detail["log_likelihood"].values()) for each in outcomes]
    np.testing.assert_allclose(found, np.array(expected), rtol=3e-7, atol=1e-5)


@pytest.mark.parametrize("first", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_log_likelihoods_are_those_that_lm_eval_gave(
    lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """With one template in the first tier, with the others in the second."""
    monkeypatch.setattr(language_model, "template_named", lm_golden.template_of)
    for name in sorted(GOLDEN.keys() - {"versions"}):
        for template, expected in GOLDEN[name].items():
            if (template == "words") is first:
                _assert_gives(_opened(name, lm_folders[name], template=template), expected)


def test_labels_that_continue_their_prompts_have_the_same_likelihoods(
    lm_folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shortcut is taken, gives what reading both together gives, and is left if caches are wrong."""
    repeat = DynamicCache.batch_repeat_interleave

    def wrong(self: Any, repeats: int) -> None:
        repeat(self, repeats)
        self.layers[0].keys += 1

    for is_right, repeats in ((True, repeat), (False, wrong)):
        monkeypatch.setattr(DynamicCache, "batch_repeat_interleave", repeats)
        model = _opened("gpt2", lm_folders["gpt2"], template="words")
        _assert_gives(model, GOLDEN["gpt2"]["words"])
        assert bool(model.details["labels_continue_prompts"]) is is_right
        assert (model.details["tokens_read_once"] > 50) is is_right


def test_packed_layers_give_the_same_likelihoods(lm_folders: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is packed if the likelihoods changed: torch's internals may change."""
    forward = packed.PackedLinear.forward
    monkeypatch.setattr(packed, "PACKED_BYTES", range(2**30))
    for name, factor, packs in (("gpt2", 1.0, True), ("llama", 1.0, True), ("gpt2", 1.01, False)):
        changed = lambda self, states, by=factor: by * forward(self, states)  # noqa: E731
        monkeypatch.setattr(packed.PackedLinear, "forward", changed)
        model = _opened(name, lm_folders[name], template="gpt3")
        _assert_gives(model, GOLDEN[name]["gpt3"])
        assert bool(model.details["packed_layers"]) is packs
