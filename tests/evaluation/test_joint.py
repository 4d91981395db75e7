"""What two models get right and wrong together: counted by hand, in tables, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import LABEL_INDEX, Label
from crossexam.evaluation.keys import keyed_comparisons
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.seen_pairs import TrainingPairs, seen_pairs
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.reports.analyses.joint import joint_against_table, kinds_against_table
from crossexam.reports.data import comparison_csv
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import compared_tables
from crossexam.reports.table import Table, number_text

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


# Gold, prediction of A, prediction of B, word pair, kind of the antonyms.
BOTH_ORDERS: list[tuple[Label, Label, Label, str, str]] = [
    (C, C, C, "hot/cold", "gradable"),
    (C, C, C, "cold/hot", "gradable"),  # the same pair
    (C, C, C, "man/woman", "complementary"),
    (C, E, E, "man/woman", "complementary"),
    (C, E, N, "woman/man", "complementary"),  # the same pair
    (C, E, E, "alpha/beta", "unknown"),
    (C, N, N, "top/bottom", "relational"),
    (C, C, E, "old/new", "gradable"),
]


def run_of(
    model: str,
    column: int,
    part: str = "x",
    rows: Sequence[tuple[str, ...]] = ITEMS,
    construction: str = "antonymy",
) -> Run:
    items = []
    for k, (gold, _, _, pair, *kind) in enumerate(rows):
        old, new = pair.split("/")
        change = Change("antonymy.v1", "premise", "premise", (Edit("hypothesis", 0, 3, old, new),))
        info = {"pair": pair, **({"kind": kind[0]} if kind else {})}
        items.append(Example(f"a:{k}", f"Ann has {k} cats.", f"Ann has {k}.", gold, None, change, info))
    answers = np.eye(3)[[LABEL_INDEX[row[column]] for row in rows]]
    name = f"{construction}.{part}"
    facts = {"construction": f"{construction}.v1", "part": part}
    return Run(model, {name: Dataset(name, items, facts)}, {name: answers}, {})


def both(
    part: str = "x", rows: Sequence[tuple[str, ...]] = ITEMS, construction: str = "antonymy"
) -> list[Run]:
    return [run_of(name, column, part, rows, construction) for column, name in ((1, "one"), (2, "other"))]


def titled(title: str, runs: Sequence[Run]) -> Table:
    return next(table for table in compared_tables(results_of(runs)) if table.title == title)


def test_items_pairs_and_common_errors_are_counted() -> None:
    (found,) = joint_outcomes(*both())
    assert (found.n, found.both_right, found.both_wrong) == (8, 3, 4)
    assert found.easy == 2  # hot/cold, near/far
    assert found.hard == 4  # hot/cold, big/small, man/woman, near/far
    assert found.same_errors == {"C-E": 2, "N-E": 1}  # not big/small: E and N


def shown(table: Table) -> list[str]:
    """Return the second row as it is shown."""
    return [number_text(cell, column.kind) for cell, column in zip(table.rows[1], table.columns, strict=True)]


def test_the_two_orders_of_a_pair_are_one_in_both_tables() -> None:
    first, second = both(rows=BOTH_ORDERS)
    (found,) = joint_outcomes(first, second)
    assert (found.both_right, found.both_wrong) == (3, 4)
    assert (found.easy, found.hard) == (2, 3)
    training = TrainingPairs("mine.csv", WordPairIndex.build([Example("t", "It is hot.", "It is cold.", C)]))
    counts = {each.group: each.pairs for each in seen_pairs(first, second, training)}
    assert (counts["both"], counts["neither"]) == (found.easy, found.hard)
    (keyed,) = keyed_comparisons(first, second)
    assert keyed.keys == 5


def test_published_pairs_are_marked_as_counted_otherwise() -> None:
    part = "multinli_dev_matched"
    released = both(part, BOTH_ORDERS, "antonymy_released")
    table = titled("Right and wrong together", released)
    assert shown(table)[2:7] == ["1,561", "171", "982", "84‡", "617‡"]
    assert table.notes[1] == (
        "The 8 items of antonymy (released) have 5 different pairs (7 if order and inflection tell "
        "pairs apart), so the published 617 cannot be of items that the authors' script makes."
    )
    assert table.notes[2].startswith("‡ The paper does not say how it counted pairs of words.")
    ours = both(part, BOTH_ORDERS)
    table = titled("Right and wrong together", ours)
    assert shown(table)[2:7] == ["1,561†", "171†", "982†", "84†‡", "617†‡"]
    assert not any("cannot be of items" in note for note in table.notes)
    assert "617$^\\dagger$$^\\ddagger$" in make_report(*ours).text(".tex")
    training = TrainingPairs("mine.csv", WordPairIndex.build([Example("t", "It is hot.", "It is cold.", C)]))
    *_, seen = compared_tables(results_of(released, ReportOptions(training=training)))
    assert shown(seen)[1:5] == ["both (RC and CH, published)", "84‡", "–", "89.8‡"]
    assert any(note.startswith("‡ The paper does not say how it counted") for note in seen.notes)
    assert any(note.startswith("† Published for items made by other rules.") for note in table.notes)


def test_kinds_of_antonyms_are_counted_beside_the_published_ones() -> None:
    first, second = both("multinli_dev_matched", BOTH_ORDERS)
    (found,) = joint_outcomes(first, second)
    right = {kind: share.value for kind, share in found.kinds_right.items()}
    wrong = {kind: share.value for kind, share in found.kinds_wrong.items()}
    assert right == {"gradable": 2 / 3, "complementary": 1 / 3, "relational": 0, "unknown": 0}
    assert wrong == {"gradable": 0, "complementary": 0.5, "relational": 0.25, "unknown": 0.25}
    table = titled("Kinds of antonyms", (first, second))
    assert [row[1:3] for row in table.rows] == [
        ("both", 3),
        ("both (RC and CH, published)", 100),
        ("neither", 4),
        ("neither (RC and CH, published)", 100),
    ]
    assert [row[3:] for row in table.rows[1::2]] == [(0, 0.99, 0.01, None), (0.07, 0.73, 0.2, None)]
    assert table == kinds_against_table(results_of([first, second]))
    rows = csv.DictReader(io.StringIO(comparison_csv(results_of((first, second)))))
    found = {(row["statistic"], row["of"]): row["value"] for row in rows}
    assert found["both_wrong_kind", "relational"] == "0.25"
    without = kinds_against_table(results_of([first, second], ReportOptions(published_rows=False)))
    assert [row[1] for row in without.rows] == ["both", "neither"]
    assert not kinds_against_table(results_of(both())).rows


def test_the_clusters_of_shared_items_are_numbered_once() -> None:
    first, second = both()
    name = next(iter(first.datasets))
    apart = [scored[name].clusters for scored in score_both(first, second)]
    shared = Run("other", first.datasets, second.probabilities, {})
    together = [scored[name].clusters for scored in score_both(first, shared)]
    assert together[0] is together[1]
    assert apart[0] is not apart[1]
    assert apart[0].tolist() == apart[1].tolist() == together[0].tolist()


def test_the_published_counts_stand_below_those_of_the_same_corpus() -> None:
    runs = both("multinli_dev_matched")
    *_, table = compared_tables(results_of(runs))
    assert table == joint_against_table(results_of(runs))
    assert table.rows[1][1:7] == ("RC and CH (published)", 1561, 171, 982, 84, 617)
    assert len(table.rows) == 2
    assert len(joint_against_table(results_of(runs, ReportOptions(published_rows=False))).rows) == 1
