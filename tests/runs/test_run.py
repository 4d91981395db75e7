"""Asking a model about a suite, and runs as folders; suites as folders."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.sealed import write_manifest
from crossexam.core.test_sets import read_suite, read_suites, write_test_set
from crossexam.runs.folder import save_run
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run

BASE = Dataset(
    "base.tiny",
    (
        Example("1", "A man sleeps.", "A man sleeps.", "entailment"),
        Example("2", "A man sleeps.", "A man never sleeps.", "contradiction"),
        Example("3", "A man sleeps.", "A dog sleeps.", "neutral"),
    ),
)
MORE = Dataset("more.tiny", (BASE.examples[2], Example("4", "It rains.", "It is wet.", None)))
OVERLAP = {"base.tiny": [0, 2, 0], "more.tiny": [0, 1]}  # "A dog sleeps": 2 of 3 words; "It is wet": 1 of 3


def write_suite(folder: Path) -> Path:
    entries = {}
    for dataset in (BASE, MORE):
        write_test_set(folder / f"{dataset.name}.parquet", dataset)
        entries[dataset.name] = {
            "file": f"{dataset.name}.parquet",
            "construction": "base",
            "rows": len(dataset),
            "content_hash": dataset.content_hash(),
            "sha256": sha256_of(folder / f"{dataset.name}.parquet"),
            "signature": f"set:{dataset.name}",
        }
    write_manifest(folder / "manifest.json", {"name": "tiny", "test_sets": entries})
    return folder


def test_a_suite_is_asked_and_comes_back_from_its_folder(tmp_path: Path) -> None:
    suite = read_suite(write_suite(tmp_path / "suite"))
    answered = predict_suite("builtin/overlap", suite, store=tmp_path / "run")
    save_run(answered, tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    for each in (answered, loaded):
        assert {name: each.scored(name).predicted.tolist() for name in each.datasets} == OVERLAP
        assert each.model == "builtin/overlap"
        assert each.datasets["base.tiny"].manifest["signature"] == "set:base.tiny"
    assert [list(data) for data in loaded.datasets.values()] == [list(BASE), list(MORE)]
    assert all(np.array_equal(answered.probabilities[name], loaded.probabilities[name]) for name in OVERLAP)


def test_the_manifest_says_what_was_done(tmp_path: Path) -> None:
    suite = read_suite(write_suite(tmp_path / "suite"))
    calls: list[tuple[str, int, int | None]] = []
    answered = predict_suite(
        "builtin/overlap", suite, store=tmp_path, progress=lambda *call: calls.append(call)
    )
    manifest = answered.manifest
    assert (manifest["distinct_pairs"], manifest["asked_pairs"], manifest["pairs_from_store"]) == (4, 4, 0)
    assert manifest["truncated_pairs"] == 0
    assert len(manifest["model_key"]) == 32
    assert manifest["test_sets"]["more.tiny"] == {
        "rows": 2,
        "of_rows": 2,
        "content_hash": MORE.content_hash(),
        "signature": "set:more.tiny",
        "truncated": 0,
        "edit_unseen": 0,
    }
    assert {"numpy", "crossexam"} <= set(manifest["packages"])
    assert calls == [("running builtin/overlap", 0, 4), ("running builtin/overlap", 4, 4)]
    json.dumps(dict(manifest))


def test_predictions_are_a_table_that_others_can_read(tmp_path: Path) -> None:
    save_run(predict_suite("builtin/overlap", read_suite(write_suite(tmp_path / "suite"))), tmp_path / "run")
    table = pl.read_parquet(tmp_path / "run" / "predictions" / "more.tiny.parquet")
    shares = ["p_entailment", "p_neutral", "p_contradiction"]
    assert table.columns == ["id", "label", "predicted", "correct", *shares, "truncated", "edit_unseen"]
    assert table.rows() == [
        ("3", "neutral", "entailment", False, 1.0, 0.0, 0.0, False, False),
        ("4", None, "neutral", None, 0.0, 1.0, 0.0, False, False),
    ]
    as_model = predict_suite(f"file/{tmp_path / 'run' / 'predictions' / 'more.tiny.parquet'}", MORE)
    assert as_model.scored("more.tiny").predicted.tolist() == OVERLAP["more.tiny"]


def test_a_dataset_a_path_and_a_file_can_be_asked_about(tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "suite")
    assert (
        predict_suite("builtin/overlap", BASE).scored("base.tiny").predicted.tolist() == OVERLAP["base.tiny"]
    )
    assert list(predict_suite("builtin/overlap", str(folder)).datasets) == ["base.tiny", "more.tiny"]
    single = predict_suite("builtin/overlap", folder / "more.tiny.parquet")
    assert single.scored("more.tiny").predicted.tolist() == OVERLAP["more.tiny"]


def test_a_limit_takes_the_first_items_and_is_loaded_as_such(tmp_path: Path) -> None:
    answered = predict_suite("builtin/overlap", read_suite(write_suite(tmp_path / "suite")), limit=1)
    save_run(answered, tmp_path / "run")
    loaded = read_run(tmp_path / "run")
    assert [len(data) for data in loaded.datasets.values()] == [1, 1]
    assert loaded.manifest["limit"] == 1
    assert loaded.manifest["test_sets"]["base.tiny"]["of_rows"] == 3
    with pytest.raises(CrossexamError, match="the limit is 0\n  wanted: a positive whole number"):
        predict_suite("builtin/overlap", BASE, limit=0)


def test_a_run_can_be_moved_with_its_suite_or_alone_and_without_one(tmp_path: Path) -> None:
    place = tmp_path / "here"
    answered = predict_suite("builtin/overlap", read_suite(write_suite(place / "suite")))
    for folder in (place / "runs" / "overlap", place / "a" / "run"):
        save_run(answered, folder)
    save_run(predict_suite("builtin/overlap", Suite("s", {"base.tiny": BASE})), place / "never-written")
    shutil.move(place / "a" / "run", place / "run")
    assert list(read_run(place / "run").datasets["base.tiny"]) == list(BASE)
    shutil.move(place, tmp_path / "there")
    for folder in ("runs/overlap", "never-written"):
        assert list(read_run(tmp_path / "there" / folder).datasets["base.tiny"]) == list(BASE)


def test_names_of_test_sets_do_not_leave_the_folder(tmp_path: Path) -> None:
    data = Dataset("../a/b: ü.tiny", BASE.examples)
    save_run(predict_suite("builtin/overlap", data), tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert list(read_run(tmp_path / "run").datasets) == [data.name]


def test_the_same_answers_make_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        save_run(predict_suite("builtin/alignment", BASE), tmp_path / name)
    file = "predictions/base.tiny.parquet"
    assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_runs_that_cannot_be_loaded_say_why(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite")
    with pytest.raises(
        FormatError, match=r"this is not a run, or it was not finished\n.*\n  hint: repeat `crossexam run`"
    ):
        read_run(tmp_path)
    with pytest.raises(FormatError, match="the folder of a suite, not of a run"):
        read_run(suite)
    save_run(predict_suite("builtin/overlap", read_suite(suite)), tmp_path / "run")
    changed = (Example("1", "A man sleeps.", "A man snores.", "neutral"), *BASE.examples[1:])
    write_test_set(suite / "base.tiny.parquet", changed)
    with pytest.raises(FormatError, match=r"base\.tiny\.parquet: the file was changed by hand, or damaged"):
        read_run(tmp_path / "run")
    shutil.rmtree(suite)
    with pytest.raises(
        FormatError, match=r"the items of test set 'base.tiny' are missing\n  hint: put the suite back"
    ):
        read_run(tmp_path / "run")


def test_predictions_of_another_test_set_are_refused(tmp_path: Path) -> None:
    save_run(predict_suite("builtin/overlap", Suite("s", {"base.tiny": BASE, "more.tiny": MORE})), tmp_path)
    shutil.copy(
        tmp_path / "predictions" / "base.tiny.parquet", tmp_path / "predictions" / "more.tiny.parquet"
    )
    with pytest.raises(FormatError, match=r"more.tiny.parquet: the predictions were changed after the run"):
        read_run(tmp_path)


def test_functions_are_asked_in_batches(tmp_path: Path) -> None:
    sizes = []

    def judge(pairs: Sequence[tuple[str, str]]) -> list[str]:
        sizes.append(len(pairs))
        return ["neutral"] * len(pairs)

    data = Dataset("d", tuple(Example(str(k), str(k), "h", None) for k in range(7)))
    answered = predict_suite(judge, data, options={"batch_size": 3})
    assert sizes == [3, 3, 1]
    assert set(answered.scored("d").predicted) == {1}


def test_models_that_answer_nonsense_are_told() -> None:
    class Broken:
        name, key, details = "broken", "k", {}

        def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            return np.full((len(pairs), 3), 0.5)

    with pytest.raises(CrossexamError, match="broken: the model did not return probabilities for 3 pairs"):
        predict_suite(Broken(), BASE)


def test_an_empty_suite_and_an_empty_test_set(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="the suite has no test sets"):
        predict_suite("builtin/overlap", Suite("s", {}))
    save_run(predict_suite("builtin/overlap", Dataset("d", ())), tmp_path)
    assert read_run(tmp_path).probabilities["d"].shape == (0, 3)


def test_suites_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file or folder"):
        read_suite(tmp_path / "nowhere")
    (tmp_path / "x.csv").write_text("a")
    with pytest.raises(FormatError, match=r"'\.csv' is not a file extension for test sets"):
        read_suite(tmp_path / "x.csv")
    with pytest.raises(FormatError, match="this is not a suite, or it was not finished"):
        read_suite(tmp_path)
    folder = write_suite(tmp_path / "suite")
    write_test_set(folder / "more.tiny.parquet", BASE)
    with pytest.raises(FormatError, match="its SHA-256 is not that of the manifest"):
        read_suite(folder)
    (folder / "more.tiny.parquet").unlink()
    with pytest.raises(
        FormatError, match=r"the manifest lists test set 'more.tiny', but its file does not exist"
    ):
        read_suite(folder)
    write_manifest(folder / "manifest.json", {"model": "x", "test_sets": {}})
    with pytest.raises(FormatError, match=r"folder of a run, not of a suite(\n.*)+crossexam report "):
        read_suite(folder)


def test_several_suites_are_asked_as_one(tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "suite")
    write_test_set(tmp_path / "third.jsonl", BASE, file_format="jsonl")
    both = read_suites([folder, tmp_path / "third.jsonl"])
    assert list(both.datasets) == ["base.tiny", "more.tiny", "third"]
    again = read_suites([folder, folder / "more.tiny.parquet"])  # the same items once
    assert list(again.datasets) == ["base.tiny", "more.tiny"]


def test_what_was_learnt_by_asking_is_known_from_the_store(tmp_path: Path) -> None:
    class Doubtful:
        name, key = "doubtful", "doubtful.v1"

        def __init__(self) -> None:
            self.details: dict[str, object] = {"probe": "not asked"}

        def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            self.details["probe"] = {"warning": "the order could not be verified"}
            return np.tile([1.0, 0.0, 0.0], (len(pairs), 1))

    data = Dataset("x", (Example("a", "It rains.", "It is wet.", "neutral"),))
    first, again = (predict_suite(Doubtful(), data, store=tmp_path) for _ in range(2))
    assert again.manifest["asked_pairs"] == 0
    assert again.manifest["details"]["probe"] == first.manifest["details"]["probe"]
    assert "warning" in again.manifest["details"]["probe"]
