"""Datasets, suites and runs as a notebook sees them: short, with labels as strings, as tables of items."""

import pickle
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.example import Example
from crossexam.core.frames import info_columns
from crossexam.core.labels import GOLD_INDEX, LABELS
from crossexam.core.outcome import Outcomes
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.reports.report import make_report
from made.cases import refused
from made.runs import dataset, run_of

HOSTILE = "<script>alert('x')</script>"
THREE = dataset("three", "ENN-", info=lambda n: {"place": n % 2})
TWO = dataset("two", "EnnE", info=lambda n: {"place": n % 2})
SCITAIL = dataset("scitail", "ENN", projection="no contradiction")


def in_turn(*sets: Dataset, **details: Any) -> Run:
    """Return a run that predicts entailment, neutral, contradiction in turn."""
    return run_of({each.name: "ENCE"[: len(each)] for each in sets}, *sets, **details)


def test_predictions_are_labels() -> None:
    two = ["entailment", "not_entailment", "not_entailment", "entailment"]
    table: list[tuple[Dataset, dict[str, Any], list[str]]] = [
        (THREE, {}, [*LABELS, "entailment"]),
        (TWO, {}, two),
        (SCITAIL, {}, ["entailment", "neutral", "neutral"]),
        (THREE, {"two_label": True}, two),
    ]
    for test_set, details, wanted in table:
        run = in_turn(test_set, **details)
        assert run.predictions(test_set.name).tolist() == wanted
        assert run.scored(test_set.name).predicted.tolist() == [GOLD_INDEX[label] for label in wanted]


def test_a_table_has_a_row_per_item() -> None:
    run = in_turn(THREE, TWO)
    table = run.to_arrow()
    assert table.column_names == [
        "test_set", "id", "premise", "hypothesis", "label", "predicted", "correct", "cluster", "status",
        "outcome", "p_entailment", "p_neutral", "p_contradiction", "model_p_entailment", "model_p_neutral",
        "model_p_contradiction", "p_not_entailment",
    ]  # fmt: skip
    shown = table.select(["test_set", "id", "premise", "label", "predicted", "correct"])
    assert [tuple(row.values()) for row in shown.to_pylist()] == [
        (each.name, example.id, example.premise, example.label, predicted, correct)
        for each, marks in ((THREE, [True, True, False, None]), (TWO, [True] * 4))
        for example, predicted, correct in zip(each, run.predictions(each.name), marks, strict=True)
    ]
    frame = run.to_polars()
    for name, estimate in accuracy_by_set(run).items():  # as in reports
        assert frame.filter(test_set=name)["correct"].mean() == pytest.approx(estimate.value)
    shares = frame.select(f"model_p_{label}" for label in LABELS).to_numpy()
    assert np.array_equal(shares, np.concatenate([run.probabilities["three"], run.probabilities["two"]]))
    assert in_turn(Dataset("none", ())).to_arrow().schema == in_turn(THREE).to_arrow().schema
    assert len(table["cluster"].unique()) == 4  # the premises of the two sets are the same


def test_columns_of_info_keep_their_types_or_are_json() -> None:
    infos: list[dict[str, Any]] = [{"n": 1, "pair": ["hot", "cold"], "mixed": 1, "large": 2**70}]
    infos.append({"n": 2, "mixed": "one", "large": -1})
    examples = [Example(str(k), "P.", "H.", None, info=info) for k, info in enumerate(infos)]
    columns = info_columns([examples], ["n", "pair", "mixed", "large"])
    found = [column.to_pylist() for column in columns.values()]
    assert found == [[1, 2], ['["hot", "cold"]', None], ["1", "one"], [f"{2**70}", "-1"]]


def test_data_frames_are_the_same_table(monkeypatch: pytest.MonkeyPatch) -> None:
    run = in_turn(THREE, TWO)
    table = run.to_arrow(["place"])
    assert run.to_polars(["place"]).equals(pl.from_arrow(table))
    assert pl.from_pandas(run.to_pandas(["place"])).equals(pl.from_arrow(table))
    assert "'plaec'\n  hint: did you mean 'place'" in refused(run.to_arrow, ["plaec"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "to_pandas needs the package 'pandas', which is not installed" in refused(run.to_pandas)


def test_predictions_that_do_not_fit_the_test_set_are_refused() -> None:
    run = Run("mine", {"three": THREE}, {"three": np.eye(3)})
    single = {"three": Outcomes.all_answered(1)}
    one = Run("mine", {"three": THREE}, {"three": np.eye(3)[[0, 1, 2, 0]]}, outcomes=single)
    assert "'mine' has 3 predictions for 4 items" in refused(run.predictions, "three")
    assert "'mine' has 1 outcomes for 4 items" in refused(one.predictions, "three")
    assert "called 'tree'\n  hint: did you mean 'three'" in refused(run.predictions, "tree")


def test_tables_for_notebooks_are_escaped() -> None:
    hostile = Dataset(HOSTILE, THREE.examples)
    run = Run(HOSTILE, {HOSTILE: hostile}, {HOSTILE: np.eye(3)[[0, 1, 2, 0]]})
    for shown in (hostile, Suite(HOSTILE, {HOSTILE: hostile}), run, make_report(run)):
        page = shown._repr_html_()
        assert ("<script" in page, "&lt;script&gt;" in page) == (False, True)


def test_a_copy_by_pickle_has_no_hashes_of_this_process() -> None:
    """Another process gives other hashes: two test sets with one premise would have different clusters."""
    THREE.clusters()
    copy = pickle.loads(pickle.dumps(THREE))
    assert (copy, set(vars(copy))) == (THREE, {"name", "examples", "manifest"})
    assert np.array_equal(copy.clusters(), THREE.clusters())


def test_items_of_proposed_labels_have_a_status() -> None:
    infos = [{"status": "proposed", "verdict": verdict} for verdict in ("verified", "rejected", None)]
    run = in_turn(Dataset("judged", [Example("a", "P.", "H.", "neutral", info=info) for info in infos]))
    assert run.to_arrow()["status"].to_pylist() == ["verified", "rejected", "proposed"]
    assert "there is already a column 'status'" in refused(run.to_arrow, ["status"])
