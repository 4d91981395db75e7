"""Orders of classes: they are those that a checkpoint or the user states, if the probe agrees."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from crossexam.core.labels import LABELS
from crossexam.models.label_order import KNOWN_ORDERS, PAIRS, PROBE
from crossexam.models.table import open_model
from made.cases import refused


def _named(names: Sequence[str]) -> dict[str, Any]:
    return {"id2label": {str(k): name for k, name in enumerate(names)}, "label2id": {}}


def _reordered(folder: Path, rows: Sequence[Any]) -> Path:
    """Put the rows of the head in the order *rows*."""
    weights = load_file(folder / "model.safetensors")
    take = [LABELS.index(name) for name in rows]
    for key in weights:
        if key.startswith(("classifier.weight", "classifier.bias", "classifier.out_proj.")):
            weights[key] = weights[key][take].clone()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.mark.parametrize("kind", ["bert", pytest.param("roberta", marks=pytest.mark.slow)])
def test_orders_are_followed_or_refused(learnt: Any, copied: Any, kind: str) -> None:
    folder, order = learnt[kind], ("neutral", "contradiction", "entailment")
    expected = open_model(f"hf/{folder}").predict(PAIRS)
    assert [LABELS[row.argmax()] for row in expected] == [label for _, _, label in PROBE]
    upper, numbers = _named([each.upper() for each in order]), _named(["LABEL_0", "LABEL_1", "LABEL_2"])
    named = _reordered(copied(folder, "named", config=upper), order)
    declared = _reordered(copied(folder, "declared", config=numbers), order)
    for path, options, source in ((named, {}, "config.json"), (declared, {"label_order": order}, "declared")):
        model = open_model(f"hf/{path}", options)
        assert np.allclose(model.predict(PAIRS), expected, atol=1e-6)
        assert model.details["label_order_from"] == source
    wrong = copied(folder, "wrong", config=_named(order))
    way_out = "hint: --label-order entailment,neutral,contradiction"
    assert refused(lambda: open_model(f"hf/{wrong}").predict(PAIRS)).has("% of 30 easy", way_out)


def test_known_checkpoints_are_recognised_by_the_name_in_their_config(headed: Any) -> None:
    known = headed(3, **_named("abc"), _name_or_path="textattack/bert-base-uncased-MNLI")
    model = open_model(f"hf/{known}")
    assert model.details["label_order"] == ["contradiction", "entailment", "neutral"]
    for name, order in KNOWN_ORDERS.items():
        assert name == name.lower()
        assert sorted(order) == sorted(LABELS)
