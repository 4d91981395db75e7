"""Consistency in reports: the table, what it says of rules that are left out, comparisons, and data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_runs import csv_rows, json_figures, tables_of

import crossexam as cx
from crossexam.core.dataset import Run
from crossexam.evaluation.consistency import consistency_of
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.data import comparison_json, render_csv, render_json
from crossexam.reports.headline import headlines
from crossexam.reports.results import ReportOptions, results_of
from crossexam.reports.sections import compared_tables, warnings


@pytest.fixture(scope="module")
def run() -> Run:
    return cx.run("builtin/overlap", cx.build("consistency", "builtin:demo"))


@pytest.fixture(scope="module")
def other(run: Run) -> Run:
    """A model that exchanges the labels of every other answer of *run*."""
    answers = {name: rows.copy() for name, rows in run.probabilities.items()}
    for rows in answers.values():
        rows[::2] = rows[::2][:, [1, 2, 0]]
    return replace(run, model="other", probabilities=answers)


def test_the_table_has_both_rates_of_every_rule(run: Run) -> None:
    found = consistency_of(run)
    results = results_of([run], ReportOptions(published_rows=False))
    (table,) = tables_of(results, "consistency")
    assert [(row[1], *row[3:8]) for row in table.rows] == [
        (each.rule.says, each.n, each.count, each.of_all, each.conditions, each.of_condition)
        for each in found.values()
    ]
    assert not any("eft out" in note for note in table.notes)
    (by_label,) = tables_of(results, "by_label")
    assert len(by_label.rows) == sum(len(each.by_base) for each in found.values())
    # These test sets have no accuracy.
    assert [row[0] for row in accuracy_table(results).rows] == ["base (builtin demo)", "majority baseline"]
    plain = results_of([run.restricted_to(["base.builtin_demo"])])
    assert tables_of(plain, "consistency") == []
    assert "violations" not in render_json(plain)
    assert "consistency" not in headlines(plain)[0]


def test_the_page_says_which_rules_are_left_out(run: Run) -> None:
    of_two = replace(run, manifest={**run.manifest, "details": {"two_label": True}})
    notes = tables_of(results_of([of_two]), "consistency")[0].notes
    said = "needs three labels, so left out: symmetry, negation, transitivity ec, transitivity ne"
    assert sum(said in note for note in notes) == 1
    without = run.restricted_to([name for name in run.datasets if not name.startswith("base")])
    (table,) = tables_of(results_of([without]), "consistency")
    assert [row[1] for row in table.rows] == ["E(p, p)"]
    assert any("the run lacks the base, so left out: symmetry" in note for note in table.notes)
    said = "was not asked about the base, without which symmetry, negation"
    told = [sum(said in warning for warning in warnings(results_of([each]))) for each in (without, run)]
    assert told == [1, 0]


def test_two_models_are_compared_by_the_violations_of_both(run: Run, other: Run) -> None:
    tables = {each.title: each for each in compared_tables(results_of((run, other)))}
    rates = {row[1]: row[3:6] for row in tables["A minus B in violations"].rows}
    second = consistency_of(other)
    for name, each in consistency_of(run).items():
        a, b, difference = rates[each.rule.says]
        assert (a.value, b.value) == (each.of_all.value, second[name].of_all.value)  # type: ignore[union-attr]
        assert difference.value == pytest.approx(a.value - b.value)  # type: ignore[union-attr]


def test_every_number_is_in_the_data(run: Run, other: Run) -> None:
    results = results_of([run])
    rows = csv_rows(render_csv(results))
    rates = {row["test_set"] + row["of"]: row for row in rows if row["statistic"] == "violations_of_all"}
    text, compared = render_json(results), comparison_json(results_of((run, other)))
    assert "violations_left_out" not in text
    for each in consistency_of(run).values():
        name = each.rule.name
        assert float(rates[each.test_set + name]["value"]) == each.of_all.value
        stated = json_figures(text, each.test_set)
        count = stated["violations_count"]["of"][name]
        assert (count["n"], count["value"]) == (each.n, each.count)
        assert stated["violations_of_all"]["of"][name]["low"] == each.of_all.low
        assert (name in stated["violations_of_condition"]["of"]) == (each.of_condition is not None)
        assert name in json_figures(compared, each.test_set)["violations_difference"]["of"]


def test_the_headline_names_the_rule_that_is_violated_most_often(run: Run) -> None:
    found = consistency_of(run)
    most = max(found.values(), key=lambda each: each.of_all.value)
    (said,) = headlines(results_of([run]))
    rule, rate = most.rule.name.replace("_", " "), most.of_all_at(1 - 0.05 / len(found))
    assert rate.low < most.of_all.low < most.of_all.high < rate.high
    bounds = f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"
    assert said.endswith(
        f"Of the consistency rules, it violates {rule} most often: on {100 * rate.value:.1f} % of "
        f"{most.n} items (95 % interval {bounds}, adjusted for the choice among {len(found)} rates)."
    )
    rows = {name: np.tile([1.0, 0.0, 0.0], (len(each), 1)) for name, each in run.probabilities.items()}
    names = [name for name in run.datasets if name.startswith(("base", "identity"))]
    (said,) = headlines(results_of([replace(run, probabilities=rows).restricted_to(names)]))
    assert said.endswith("It violates none of the consistency rules.")
    bare = {
        name: replace(dataset, examples=tuple(replace(item, label=None) for item in dataset))
        for name, dataset in run.datasets.items()
    }
    (said,) = headlines(results_of([replace(run, datasets=bare)]))
    assert said.startswith("builtin/overlap: no item has a gold label. Of the consistency rules, it violates")
