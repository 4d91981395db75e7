"""Accuracy over keys: means of word pairs beside means of items, in tables, CSV, JSON and comparisons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.keys import keyed_comparisons, keyed_results
from crossexam.gates.judge import judge
from crossexam.gates.rules import rules_from
from crossexam.reports.analyses.keys import KEYS
from crossexam.reports.data import render_json
from crossexam.reports.results import results_of
from crossexam.reports.sections import compared_tables
from crossexam.stats.clusters import cluster_codes
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar

#: man/woman is half of the items.
PAIRS = ["man/woman"] * 20 + [f"w{k}/v{k}" for k in range(20)]


def run_of(right: list[bool], model: str = "mine", construction: str = "antonymy", key: str = "pair") -> Run:
    items = [
        Example(f"a:{k}", f"Ann has {k} cats.", f"Ann has {k}.", "contradiction", info={key: pair})
        for k, pair in enumerate(PAIRS)
    ]
    answers = np.array([[0.1, 0.1, 0.8] if each else [0.8, 0.1, 0.1] for each in right])
    name = f"{construction}.x"
    facts = {"construction": f"{construction}.v1", "part": "x"}
    return Run(model, {name: Dataset(name, items, facts)}, {name: answers}, {})


ONLY_THE_FREQUENT = [True] * 20 + [False] * 20
HALF = [True, False] * 20


def test_a_frequent_pair_decides_the_mean_over_items_but_not_that_over_keys() -> None:
    (found,) = keyed_results(run_of(ONLY_THE_FREQUENT))
    assert (found.n, found.keys, found.largest, found.largest_share) == (40, 21, "man/woman", 0.5)
    assert found.over_items.value == 0.5
    assert found.over_keys.value == pytest.approx(1 / 21)


def test_word_pairs_are_a_sample_wherever_an_accuracy_is_shown() -> None:
    """In the accuracy, the drop and its test, a comparison, a gate: by premise and by pair at once."""
    run = run_of(ONLY_THE_FREQUENT)
    right, pairs = np.array(ONLY_THE_FREQUENT), cluster_codes(PAIRS, 40)
    expected = share_correct(right, np.stack([np.arange(40), pairs], axis=1))
    assert expected.high - expected.low > 2 * (share_correct(right).high - share_correct(right).low)
    (found,) = keyed_results(run)
    assert found.over_items == expected
    (result,) = results_of([run]).models[0].results
    assert result.accuracy == expected
    (check,) = judge(run, rules_from([{"set": "*", "measure": "accuracy", "min": 0.4}])).checks
    assert check.value == expected
    nothing = [False] * 40
    (pair,) = compare_runs(run, run_of(nothing, "other"))
    assert pair.accuracy_a == expected
    assert clustered_mcnemar(right, nothing).p_exact < 1e-5
    assert pair.p_value == clustered_mcnemar(right, nothing, pairs).p_exact == 1.0  # they differ on one pair


def test_the_two_orders_of_a_pair_are_one() -> None:
    run = run_of(ONLY_THE_FREQUENT)
    name, dataset = next(iter(run.datasets.items()))
    turned = [
        replace(item, info={"pair": "woman/man"}) if k < 10 else item
        for k, item in enumerate(dataset.examples)
    ]
    other = Run(run.model, {name: Dataset(name, turned, dict(dataset.manifest))}, dict(run.probabilities), {})
    one, both = (results_of([each]).models[0].results[0].accuracy for each in (run, other))
    assert both == one


def test_the_rules_of_numerical_reasoning_are_all_that_there_are() -> None:
    run = run_of(ONLY_THE_FREQUENT, construction="numerical_reasoning", key="how")
    (found,) = keyed_results(run)
    assert found.keys == 21
    assert found.over_items == share_correct(ONLY_THE_FREQUENT)


@pytest.mark.parametrize(("construction", "key"), [("negation", "pair"), ("antonymy", "kind")])
def test_without_keys_there_is_no_row(construction: str, key: str) -> None:
    run = run_of(HALF, construction=construction, key=key)
    assert keyed_results(run) == ()
    assert KEYS.sections[0].tables_of(results_of([run])) == []
    assert not any("over keys" in table.title.casefold() for table in compared_tables(results_of((run, run))))
    assert "keys" not in render_json(results_of([run]))


def test_two_models_are_compared_over_keys() -> None:
    first, second = run_of(ONLY_THE_FREQUENT, "one"), run_of(HALF, "other")
    (found,) = keyed_comparisons(first, second)
    assert found.over_items.value == 0.0  # 20 of 40 each
    assert found.over_keys.value == pytest.approx((0.5 - 10 / 1) / 21)  # 1/2 of man/woman; 10 pairs lost
    assert found.over_keys.high < 0
    (table,) = (
        each for each in compared_tables(results_of((first, second))) if each.title == "A minus B over keys"
    )
    assert table.rows == (("antonymy", 40, 21, found.over_items, found.over_keys),)
