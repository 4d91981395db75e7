"""Corpora with two labels: what is read, written, scored and refused."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from letters import GOLD_OF, dataset

from crossexam.core import test_sets
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.labels import (
    GOLD_INDEX,
    GOLDS,
    LABELS,
    PROJECTIONS,
    THREE_LABELS,
    TIE,
    projection_named,
    projection_of,
)
from crossexam.core.test_sets import read_test_set, write_test_set
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_run

TWO = PROJECTIONS["two labels"]
NO_CONTRADICTION = PROJECTIONS["no contradiction"]
shares = st.lists(st.floats(0.001, 1.0), min_size=3, max_size=3).map(lambda row: np.array([row]) / sum(row))


def run_of(golds: str, rows: list[list[float]], **manifest: object) -> Run:
    data = dataset("base.own", golds, **manifest)
    return Run("m", {data.name: data}, {data.name: np.array(rows)}, {})


@given(shares)
def test_two_labels_go_by_the_sum_of_what_is_not_entailed(row: np.ndarray) -> None:
    entailed = row[0, 0] > row[0, 1] + row[0, 2] + TIE
    assert TWO.predictions(row).tolist() == [GOLD_INDEX["entailment" if entailed else "not_entailment"]]
    assert np.allclose(TWO.shares(row).sum(axis=1), 1.0)


@given(shares)
def test_without_contradiction_the_others_keep_their_ratio(row: np.ndarray) -> None:
    left = NO_CONTRADICTION.shares(row)[0]
    assert left[0] * row[0, 1] == pytest.approx(left[1] * row[0, 0])


@given(shares)
def test_of_three_labels_the_most_probable_one_is_predicted(row: np.ndarray) -> None:
    second, first = np.sort(row[0])[1:]
    (predicted,) = THREE_LABELS.predictions(row).tolist()
    assert predicted == row.argmax() or first - second <= TIE


def test_a_declared_projection_goes_before_the_labels() -> None:
    rows, declared = [[0.3, 0.2, 0.5], [0.2, 0.3, 0.5]], "no contradiction"
    assert measure(run_of("EN", rows))[0].accuracy.value == 0.0
    assert measure(run_of("EN", rows, projection=declared))[0].accuracy.value == 1.0
    with pytest.raises(CrossexamError, match=f"gold labels outside the projection '{declared}': contradict"):
        score_run(run_of("EC", rows, projection=declared))
    with pytest.raises(UnknownNameError, match="two labels"):
        projection_named("two label")
    assert projection_of({"projection": None}, ["entailment", "not_entailment"]) is TWO
    assert projection_of({}, list(LABELS)) is THREE_LABELS


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_the_fourth_label_survives_a_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"two.{suffix}"
    write_test_set(path, dataset("base.own", "En-"), file_format=suffix)
    assert [example.label for example in read_test_set(path)] == ["entailment", "not_entailment", None]


@pytest.mark.slow
def test_datasets_reads_four_names_only_where_they_are_needed(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    names = {}
    for kind, golds in (("two", "En"), ("three", "NC")):
        write_test_set(tmp_path / f"{kind}.parquet", dataset("base.own", golds))
        file = str(tmp_path / f"{kind}.parquet")
        read = datasets.load_dataset("parquet", data_files=file, cache_dir=str(tmp_path / "cache"))["train"]
        names[kind] = read.features["label"].names
        assert [read.features["label"].int2str(k) for k in read["label"]] == [GOLD_OF[each] for each in golds]
    assert names == {"two": list(GOLDS), "three": list(LABELS)}


def test_a_late_fourth_label_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_sets, "ROWS_PER_GROUP", 50)
    three = (Example(str(number), "P.", "H.", "neutral") for number in range(50))
    late = [Example("late", "P.", "H.", "not_entailment")]
    with pytest.raises(FormatError, match="'not_entailment' appears after 50 or more"):
        write_test_set(tmp_path / "late.parquet", chain(three, late))
    assert not list(tmp_path.iterdir())
