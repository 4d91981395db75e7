"""The same command again when all predictions are there: nothing is looked up, and nothing wrong is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.example import Example
from crossexam.core.files import read_json
from crossexam.models.chunking import Chunking
from crossexam.models.model import Pair
from crossexam.runs import folder as run_folder
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.folder import run_into_folder
from made.runs import assert_same_answers

ITEMS = tuple(Example(str(k), f"P {k}. Q.", f"H {k % 5}.", "neutral") for k in range(20))
SUITE = Suite("s", {name: Dataset(name, ITEMS) for name in ("one.made", "two.made")})


class Lengths:
    """A model whose predictions depend on the lengths of the texts; it notes the pairs that it is asked."""

    name, details = "lengths", {"device": "abacus"}

    def __init__(self, key: str = "lengths.v1") -> None:
        self.key, self.asked = key, 0

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        self.asked += len(pairs)
        table = np.array([[len(premise), len(hypothesis), 1.0] for premise, hypothesis in pairs])
        return table / table.sum(axis=1, keepdims=True)


def run(folder: Path, data: Suite = SUITE, **arguments: Any) -> tuple[Run, int]:
    """The run in *folder* after one more, and how many pairs were asked."""
    model = Lengths()
    return run_into_folder(model, data, folder, **arguments), model.asked


@pytest.fixture
def no_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("an answer was looked up")

    monkeypatch.setattr(AnswerStore, "look_up", refused)
    monkeypatch.setattr(run_folder, "_write_predictions", refused)


@pytest.mark.parametrize("chunking", [None, Chunking("sentences:1")], ids=["whole", "chunks"])
def test_a_finished_run_is_taken_as_it_is(
    tmp_path: Path, request: pytest.FixtureRequest, chunking: Chunking | None
) -> None:
    first, asked = run(tmp_path, chunking=chunking, limit=7)
    saved = read_json(tmp_path / "manifest.json")
    request.getfixturevalue("no_look_up")
    again, none = run(tmp_path, chunking=chunking, limit=7)
    assert none == 0
    assert (again.manifest.asked_pairs, again.manifest.pairs_from_store) == (0, asked)
    assert_same_answers(again, first)
    assert read_json(tmp_path / "manifest.json")["test_sets"] == saved["test_sets"]


def test_a_run_without_its_store_is_asked_again(tmp_path: Path) -> None:
    """Whoever removes the store asks the model again, and means all pairs even if that is interrupted."""
    _, asked = run(tmp_path)
    (tmp_path / FILE_NAME).unlink()
    with AnswerStore(tmp_path / FILE_NAME, "lengths.v1", "lengths"):
        pass  # as if it was interrupted at once
    assert run(tmp_path)[1] == asked


def test_predictions_that_were_changed_are_written_again(tmp_path: Path) -> None:
    first, _ = run(tmp_path)
    path = tmp_path / "predictions" / "one.made.parquet"
    before = path.read_bytes()
    table = pq.read_table(path)
    pq.write_table(table.take([*reversed(range(len(table)))]), path)
    again, none = run(tmp_path)
    assert (none, path.read_bytes()) == (0, before)
    assert again.probabilities["one.made"].tolist() == first.probabilities["one.made"].tolist()
