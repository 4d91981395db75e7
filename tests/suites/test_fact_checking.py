"""The suite of benchmarks of fact checking, from small files in their formats."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Suite
from crossexam.core.example import cluster_of
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.table import suite_request
from made.cases import refused

MADE = Path(__file__).parents[1] / "data" / "readers"


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(MADE))


def built(limit: int | None = None, **options: Any) -> Suite:
    return build_in_memory(suite_request("fact-checking", options={"fact-checking": options}, limit=limit))


def test_there_is_a_test_set_per_data_set() -> None:
    suite = built()
    sizes = {name: len(data) for name, data in suite.datasets.items()}
    of_test = {"aggrefact_reveal": 2, "true_frank": 2, "true_paws": 2, "summac_frank": 1}
    assert sizes == {f"base.{name}": size for name, size in of_test.items()}
    of_dev = ["base.aggrefact_cnn", "base.aggrefact_wice", "base.summac_factcc"]
    assert list(built(split="dev").datasets) == of_dev
    entry = suite["base.true_frank"].entry
    assert (entry.projection, entry.is_base) == ("two labels", True)
    facts = {"benchmark": "true", "title": "TRUE", "data_set": "frank", "split": "test"}
    assert entry.facts["fact_checking"] == facts
    first, second = suite["base.true_frank"].examples  # claims about one document
    assert first.info["cluster"] == second.info["cluster"] == cluster_of(first)
    some = built(only=("true , summac",))
    assert list(some.datasets) == ["base.true_frank", "base.true_paws", "base.summac_frank"]
    assert {len(data) for data in built(limit=1)} == {1}  # of each data set


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = build_to_folder(suite_request("fact-checking"), tmp_path / "out").notes
    assert "not installed, so not included: true:summeval, true:mnbm" in " ".join(notes)
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    assert "not installed: aggrefact, true, summac" in refused(built)
    shutil.copy(MADE / "paws_download.csv", tmp_path / "data")
    assert list(built().datasets) == ["base.true_paws"]
    rows = ("dataset,doc,claim,label", "Wice,It rained.,It was wet.,1", "wice,It snowed.,It was hot.,0")
    (tmp_path / "data" / "aggrefact_test.csv").write_text("\n".join(rows))
    assert "'Wice' and 'wice' would have test sets of one name" in refused(built)
