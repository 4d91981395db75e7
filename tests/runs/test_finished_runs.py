"""The same command again when all predictions are there: nothing is looked up, and nothing wrong is taken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.example import Example
from crossexam.core.files import read_json
from crossexam.models.chunking import Chunking
from crossexam.models.model import Pair
from crossexam.runs import folder as run_folder
from crossexam.runs.answer_store import AnswerStore
from crossexam.runs.folder import run_into_folder
from crossexam.runs.saved import read_run

SUITE = Suite(
    "s",
    {
        name: Dataset(
            name, tuple(Example(f"{name}{k}", f"P {k}. Q.", f"H {k % 5}.", LABEL) for k in range(20))
        )
        for name, LABEL in (("one.made", "neutral"), ("two.made", None))
    },
)


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


def timeless(run: Run) -> dict[str, Any]:
    return {k: v for k, v in run.manifest.items() if k not in {"seconds", "finished"}}


@pytest.mark.parametrize("chunking", [None, Chunking("sentences:1")], ids=["whole", "chunks"])
@pytest.mark.parametrize("limit", [None, 7])
def test_a_finished_run_is_taken_as_it_is(
    tmp_path: Path, request: pytest.FixtureRequest, chunking: Chunking | None, limit: int | None
) -> None:
    first, asked = run(tmp_path, chunking=chunking, limit=limit)
    run(tmp_path / "other", chunking=chunking, limit=limit)
    (tmp_path / "other" / "manifest.json").unlink()
    looked_up, none = run(tmp_path / "other", chunking=chunking, limit=limit)
    assert (asked > 0, none) == (True, 0)
    saved = read_json(tmp_path / "manifest.json")
    request.getfixturevalue("no_look_up")
    again, none = run(tmp_path, chunking=chunking, limit=limit)
    assert none == 0
    assert timeless(again) == timeless(looked_up)  # as when all is found in the store
    assert (again.manifest["asked_pairs"], again.manifest["pairs_from_store"]) == (0, asked)
    for name in SUITE.datasets:
        assert again.probabilities[name].tolist() == first.probabilities[name].tolist()
        assert again.reading[name].truncated.tolist() == first.reading[name].truncated.tolist()
    now = read_json(tmp_path / "manifest.json")
    assert now["test_sets"] == saved["test_sets"]
    assert now["pairs_from_store"] == asked
    assert list(read_run(tmp_path).datasets) == list(SUITE.datasets)


def test_predictions_that_were_changed_or_are_forced_are_written_again(tmp_path: Path) -> None:
    first, _ = run(tmp_path)
    path = tmp_path / "predictions" / "one.made.parquet"
    before, number = path.read_bytes(), path.stat().st_ino
    assert run(tmp_path, force=True)[1] == 0
    assert (path.read_bytes(), path.stat().st_ino == number) == (before, False)
    pl.read_parquet(path).reverse().write_parquet(path)
    again, none = run(tmp_path)
    assert (none, path.read_bytes()) == (0, before)
    assert again.probabilities["one.made"].tolist() == first.probabilities["one.made"].tolist()


def test_predictions_are_written_by_row_groups_as_pyarrow_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folder, "_ROWS_PER_GROUP", 8)
    for dataset in (SUITE["one.made"], SUITE["two.made"], Dataset("no.made", ())):
        made, _ = run(tmp_path / dataset.name, Suite("s", {dataset.name: dataset}))
        path = tmp_path / dataset.name / "predictions" / f"{dataset.name}.parquet"
        shares, read = made.probabilities[dataset.name], made.reading[dataset.name]
        labels = np.array(["entailment", "neutral", "contradiction"])
        predicted = labels[shares.argmax(axis=1)]
        columns = {
            "id": pa.array([example.id for example in dataset], pa.large_string()),
            "label": pa.array([example.label for example in dataset], pa.large_string()),
            "predicted": pa.array(predicted.tolist(), pa.large_string()),
            "correct": pa.array(
                [e.label and e.label == label for e, label in zip(dataset, predicted, strict=True)],
                pa.bool_(),
            ),
            **{f"p_{label}": pa.array(shares[:, k], pa.float64()) for k, label in enumerate(labels)},
            "truncated": pa.array(read.truncated),
            "edit_unseen": pa.array(read.edit_unseen),
        }
        pq.write_table(pa.table(columns), tmp_path / "x.parquet", compression="zstd", row_group_size=8)
        assert path.read_bytes() == (tmp_path / "x.parquet").read_bytes()
