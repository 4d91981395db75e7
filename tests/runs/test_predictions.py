"""What is learnt of a model only by asking it is known from the store, too."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.models.ensemble import Mean
from crossexam.models.model import Model, Pair
from crossexam.models.precision import Rounding
from crossexam.runs.folder import run_into_folder
from crossexam.runs.run import predict_suite

DATA = Dataset("tiny", [Example(str(k), f"Dog {k} runs.", "It moves.", "neutral") for k in range(20)])


class Rounded(Model):
    """A model whose rounding and device are known once it was asked."""

    def __init__(self, name: str, same: int = 127) -> None:
        self.name = self.key = name
        self.details: dict[str, Any] = {"dtype": "bfloat16"}
        self._rounding = Rounding("bfloat16", True, 128, same, 0.01)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        self.details |= {"device": "cuda", "rounding": self._rounding.as_details(), "one_by_one": False}
        return np.tile([0.5, 0.25, 0.25], (len(pairs), 1))


def ensemble() -> Model:
    return Mean("mean/a,b", (Rounded("a"), Mean("mean/c,d", (Rounded("c", 120), Rounded("d", 121)))))


@pytest.mark.parametrize("model", [lambda: Rounded("alone"), ensemble], ids=["single", "ensemble"])
def test_a_run_from_the_store_knows_what_was_learnt(model: Any, tmp_path: Path) -> None:
    first = predict_suite(model(), DATA, store=tmp_path)
    again = predict_suite(model(), DATA, store=tmp_path)
    assert again.manifest.asked_pairs == 0
    assert (again.details, again.manifest.device) == (first.details, first.manifest.device)
    whole = run_into_folder(model(), DATA, tmp_path / "run")
    (tmp_path / "run" / "manifest.json").unlink()  # as if it was killed before
    again = run_into_folder(model(), DATA, tmp_path / "run")
    assert again.details == whole.details


def test_a_resumed_run_names_the_packages_that_were_loaded_when_it_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member of an ensemble may be asked no more, and a library that only it needs not be loaded."""
    monkeypatch.setitem(sys.modules, "rapidfuzz", ModuleType("rapidfuzz"))
    first = predict_suite(Rounded("alone"), DATA, store=tmp_path)
    assert "rapidfuzz" in first.manifest.packages
    monkeypatch.delitem(sys.modules, "rapidfuzz")
    again = predict_suite(Rounded("alone"), DATA, store=tmp_path)
    assert again.manifest.packages == first.manifest.packages
    assert "packages" not in again.details
    assert "rapidfuzz" not in predict_suite(Rounded("alone"), DATA).manifest.packages
