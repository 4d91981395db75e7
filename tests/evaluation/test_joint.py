"""What two models get right and wrong together: counted by hand, in tables, CSV and JSON."""

from __future__ import annotations

import csv
import io

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, Label
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.reports.analyses.joint import joint_against_table
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.data import comparison_csv
from crossexam.reports.results import results_of

E, N, C = "entailment", "neutral", "contradiction"
# Gold, prediction of A, prediction of B, word pair.
ITEMS: list[tuple[Label, Label, Label, str]] = [
    (C, C, C, "hot/cold"),
    (C, C, C, "hot/cold"),
    (C, E, E, "hot/cold"),
    (C, E, N, "big/small"),
    (C, E, E, "man/woman"),
    (C, C, E, "old/new"),
    (N, E, E, "near/far"),
    (N, N, N, "near/far"),
]


def run_of(model: str, column: int, part: str = "x") -> Run:
    items = [
        Example(f"a:{k}", f"Ann has {k} cats.", f"Ann has {k}.", gold, info={"pair": pair})
        for k, (gold, _, _, pair) in enumerate(ITEMS)
    ]
    answers = np.eye(3)[[LABEL_INDEX[row[column]] for row in ITEMS]]  # type: ignore[index]
    name = f"antonymy.{part}"
    facts = {"construction": "antonymy.v1", "part": part}
    return Run(model, {name: Dataset(name, items, facts)}, {name: answers}, {})


def test_items_pairs_and_common_errors_are_counted() -> None:
    (found,) = joint_outcomes(run_of("one", 1), run_of("other", 2))
    assert (found.n, found.both_right, found.both_wrong) == (8, 3, 4)
    assert found.easy == 2  # hot/cold, near/far
    assert found.hard == 4  # hot/cold, big/small, man/woman, near/far
    assert found.same_errors == {"C-E": 2, "N-E": 1}  # not big/small: E and N


def test_the_clusters_of_shared_items_are_numbered_once() -> None:
    first, second = run_of("one", 1), run_of("other", 2)
    name = next(iter(first.datasets))
    apart = [scored[name].clusters for scored in score_both(first, second)]
    shared = Run("other", first.datasets, second.probabilities, {})
    together = [scored[name].clusters for scored in score_both(first, shared)]
    assert together[0] is together[1]
    assert apart[0] is not apart[1]
    assert apart[0].tolist() == apart[1].tolist() == together[0].tolist()


def test_the_table_and_the_files_have_the_same_numbers() -> None:
    first, second = run_of("one", 1), run_of("other", 2)
    *_, table = comparison_tables(first, second)
    assert table.rows == (("antonymy", "A and B", 8, 3, 4, 2, 4, 0, 0, 0, 0, 1, 2),)
    assert table == joint_against_table(results_of([first, second]))
    (row,) = csv.DictReader(io.StringIO(comparison_csv(first, second)))
    names = ("both_right", "both_wrong", "easy_keys", "hard_keys", "both_C-E", "both_N-E", "both_E-C")
    assert [row[name] for name in names] == ["3", "4", "2", "4", "2", "1", "0"]


def test_the_published_counts_stand_below_those_of_the_same_corpus() -> None:
    part = "multinli_dev_matched"
    *_, table = comparison_tables(run_of("one", 1, part), run_of("other", 2, part))
    assert table.rows[1][1:7] == ("RC and CH (published)", 1561, 171, 982, 84, 617)
    assert len(table.rows) == 2
    results = results_of([run_of("one", 1, part), run_of("other", 2, part)], published_rows=False)
    assert len(joint_against_table(results).rows) == 1
