"""Saved runs come back, wherever they were moved, unless they were changed."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from crossexam.core.dataset import Dataset
from crossexam.core.test_sets import read_suite
from crossexam.runs.folder import run_into_folder, save_run
from crossexam.runs.run import predict_suite
from crossexam.runs.saved import read_run
from made.cases import refused
from made.suites import BASE, MORE, write_suite


def test_predictions_changed_after_the_run_are_refused(tmp_path: Path) -> None:
    run_into_folder("builtin/overlap", BASE, tmp_path)
    path = tmp_path / "predictions" / "base.tiny.parquet"
    before, table = path.read_bytes(), pq.read_table(path)
    zeros = pa.array([0.0] * len(table))
    pq.write_table(table.set_column(table.schema.get_field_index("p_neutral"), "p_neutral", zeros), path)
    assert "base.tiny.parquet: the predictions were changed after the run" in refused(read_run, tmp_path)
    again = run_into_folder("builtin/overlap", BASE, tmp_path)
    assert again.manifest.asked_pairs == 0  # they are written again from the store
    assert path.read_bytes() == before


def test_a_run_can_be_moved_with_its_suite_or_alone_and_without_one(tmp_path: Path) -> None:
    place, never_written = tmp_path / "place", Dataset("../a/b: ü.tiny", BASE.examples)
    suite = read_suite(write_suite(place / "suite", BASE, MORE))
    for folder in (place / "runs" / "overlap", place / "a" / "run"):
        save_run(predict_suite("builtin/overlap", suite), folder)
    save_run(predict_suite("builtin/overlap", never_written), place / "never-written")
    names = sorted(path.name for path in place.iterdir())
    assert names == ["a", "never-written", "runs", "suite"]  # no name of a test set leaves the folder
    shutil.move(place / "a" / "run", place / "run")
    assert list(read_run(place / "run").datasets["base.tiny"]) == list(BASE)
    shutil.move(place, tmp_path / "there")
    for folder, name in (("runs/overlap", "base.tiny"), ("never-written", never_written.name)):
        assert list(read_run(tmp_path / "there" / folder).datasets[name]) == list(BASE)
