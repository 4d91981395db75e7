"""The table of predictions by label on test sets of one gold label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import Label
from crossexam.reports.accuracy import accuracy_table, error_table, prediction_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.table import Table, number_text


def run_of(name: str, golds: list[Label], said: str) -> Run:
    items = tuple(Example(f"i{k}", f"Pip sees {k}.", "Pip.", gold) for k, gold in enumerate(golds))
    rows = np.array([[0.8 if letter == answer else 0.1 for letter in "ENC"] for answer in said])
    return Run("mine", {name: Dataset(name, items, {})}, {name: rows}, {})


def table_of(*runs: Run, published_rows: bool = True) -> Table:
    return prediction_table(results_of(runs, published_rows=published_rows))


def test_shares_of_each_label_and_the_published_below() -> None:
    table = table_of(run_of("so_swap.snli_dev", ["contradiction"] * 4, "EENC"))
    headers = [column.header for column in table.columns]
    assert headers[1:] == ["Expected", "Model", "Items", "Entailment", "Neutral", "Contradiction"]
    assert table.rows[0] == ("so swap", "contradiction", "mine", 4, 0.5, 0.25, 0.25)
    beside = {str(row[2]): row[4:] for row in table.rows[1:]}
    assert beside["DIIN (published)"] == (0.849, 0.106, 0.045)  # Table 2: E 84.9, C 4.5, N 10.6
    assert beside["Human (published)"] == (0.02, 0.14, 0.84)
    assert beside["ESIM trained with AddAmod (published)"] == (0.731, 0.259, 0.01)  # Table 4
    assert number_text(table.rows[1][4], "percent").endswith("†")
    assert table.notes[1].startswith(
        "† Published for items made by other rules. For so swap, our rules leave"
    )
    assert "Nie, Wang & Bansal" in table.notes[2]


def test_published_rows_stand_once_below_all_models() -> None:
    said = [run_of("add_amod.snli_dev", ["neutral"] * 2, answers) for answers in ("EN", "NN")]
    names = [row[2] for row in table_of(*said).rows]
    assert names[:3] == ["mine (1)", "mine (2)", "RSE (published)"]
    assert len(names) == 2 + 8 + 2
    assert [row[2] for row in table_of(*said, published_rows=False).rows] == ["mine (1)", "mine (2)"]


def test_sets_of_several_labels_and_bases_are_left_out() -> None:
    assert table_of(run_of("negation.x", ["neutral", "entailment"], "EN")).rows == ()
    assert table_of(run_of("base.x", ["neutral", "neutral"], "EN")).rows == ()


def test_a_base_of_another_corpus_has_no_published_rows() -> None:
    table = table_of(run_of("so_swap.my_corpus", ["contradiction"] * 2, "EC"))
    assert [row[2] for row in table.rows] == ["mine"]
    assert len(table.notes) == 1


def test_a_set_of_another_study_has_no_published_rows() -> None:
    table = table_of(run_of("antonymy.x", ["contradiction"] * 2, "EC"))
    assert [row[2] for row in table.rows] == ["mine"]
    assert len(table.notes) == 1


@pytest.mark.parametrize("suffix", [".md", ".tex", ".html"])
def test_it_is_in_the_report(suffix: str) -> None:
    text = make_report(run_of("so_swap.snli_dev", ["contradiction"] * 4, "EENC")).text(suffix)
    assert "Predictions by label" in text
    assert "84.9" in text


def test_the_letter_n_is_explained_for_two_labels() -> None:
    items = (Example("a", "It rains.", "It is wet.", "not_entailment"),)
    run = Run("m", {"base.x": Dataset("base.x", items)}, {"base.x": np.array([[1.0, 0.0, 0.0]])}, {})
    assert "In test sets of two labels, N is not_entailment." in error_table(results_of([run])).notes


def test_figures_of_three_labels_do_not_stand_beside_models_of_two() -> None:
    run = run_of("so_swap.snli_dev", ["contradiction"] * 4, "EENC")
    two = replace(run, manifest={**run.manifest, "details": {"two_label": True}}, model="two")
    assert len(accuracy_table(results_of([run])).columns) > 3
    assert len(accuracy_table(results_of([two])).columns) == 3
    assert len(accuracy_table(results_of([two, run])).columns) > 4
    assert "84.9" not in make_report(two).text(".md")


def test_published_shares_of_errors_stand_below_those_of_the_models() -> None:
    """Tables 4 and 7 of Naik et al. (2018)."""
    parts = {
        "antonymy.dev_matched": ("CH (published)", None, 0.9978, 0.0022),
        "word_overlap.dev_mismatched": ("CH (published)", None, None, 0.8533),
        "base.dev_matched": ("CH (published)", None, None, 0.3292),
    }
    for name, expected in parts.items():
        run = run_of(name, ["contradiction"] * 4, "EENC")
        table = error_table(results_of([run]))
        assert expected in [row[1:5] for row in table.rows[1:]]
        assert "Tables 4 and 7" in table.notes[-1]
        assert len(error_table(results_of([run], published_rows=False)).rows) == 1
    for name in ("negation.dev_matched", "antonymy.my_corpus"):
        assert len(error_table(results_of([run_of(name, ["contradiction"] * 4, "EENC")])).rows) == 1


def test_the_tautology_of_table_5_has_published_figures() -> None:
    name = "tautology.dev_mismatched"
    run = run_of(name, ["contradiction"] * 4, "EENC")
    table = accuracy_table(results_of([run]))
    published = dict(zip([column.header for column in table.columns], table.rows[0], strict=True))
    assert (published["NB"], published["BiLSTM"], published["CH"]) == (0.497, 0.493, None)
    assert any("Table 5, after training with the negation distraction" in note for note in table.notes)
    other = replace(run.datasets[name], manifest={"signature": "corpus:x|clause:it is wet|version:1"})
    table = accuracy_table(results_of([replace(run, datasets={name: other})]))
    assert "NB" not in [column.header for column in table.columns]
