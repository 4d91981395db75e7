"""Asking a model about a suite, and runs as folders."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.test_sets import read_suite
from crossexam.runs.folder import save_run
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.cases import refused
from made.suites import BASE, MORE, write_suite

OVERLAP = {"base.tiny": [0, 2, 0], "more.tiny": [0, 1]}  # "A dog sleeps": 2 of 3 words; "It is wet": 1 of 3


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """The two test sets in files."""
    return read_suite(write_suite(tmp_path / "suite", BASE, MORE, signature="signed"))


def test_a_suite_is_asked_and_comes_back_from_its_folder(suite: Suite, tmp_path: Path) -> None:
    answered = predict_suite("builtin/overlap", suite, store=tmp_path / "run")
    save_run(answered, tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    for each in (answered, loaded):
        assert {name: each.scored(name).predicted.tolist() for name in each.datasets} == OVERLAP
        assert each.datasets["base.tiny"].manifest["signature"] == "signed"
    assert [list(data) for data in loaded.datasets.values()] == [list(BASE), list(MORE)]
    assert all(np.array_equal(answered.probabilities[name], loaded.probabilities[name]) for name in OVERLAP)


def test_predictions_are_a_table_that_others_can_read(suite: Suite, tmp_path: Path) -> None:
    save_run(predict_suite("builtin/overlap", suite), tmp_path / "run")
    first = tmp_path / "run" / "predictions" / "more.tiny.parquet"
    rows = pq.read_table(first).to_pylist()
    assert " ".join(rows[0]).startswith("id label predicted correct p_entailment p_neutral p_contradiction")
    assert list(rows[0].values())[:7] == ["3", "neutral", "entailment", False, 1.0, 0.0, 0.0]
    assert list(rows[1].values())[:7] == ["4", None, "neutral", None, 0.0, 1.0, 0.0]
    as_model = predict_suite(f"file/{first}", MORE)
    assert as_model.scored("more.tiny").predicted.tolist() == OVERLAP["more.tiny"]


def test_a_limit_takes_the_first_items(suite: Suite, tmp_path: Path) -> None:
    save_run(predict_suite("builtin/overlap", suite, limit=1), tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    assert [list(data) for data in loaded.datasets.values()] == [[BASE.examples[0]], [MORE.examples[0]]]
    assert loaded.manifest.limit == 1
    assert loaded.manifest.test_sets["base.tiny"].of_rows == 3


def test_an_empty_suite_and_an_empty_test_set() -> None:
    assert "the suite has no test sets" in refused(predict_suite, "builtin/overlap", Suite("s", {}))
    assert predict_suite("builtin/overlap", Dataset("d", ())).probabilities["d"].shape == (0, 3)
