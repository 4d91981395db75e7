"""Accuracy over keys: means of word pairs beside means of items, in tables, JSON, gates and comparisons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from letters import dataset, run_of

from crossexam.core.dataset import Run
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.keys import KeyedResult, keyed_comparisons, keyed_results
from crossexam.evaluation.measures import measure
from crossexam.evaluation.scores import score_both, score_run
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
ONLY_THE_FREQUENT, HALF = "C" * 20 + "E" * 20, "CE" * 20
RIGHT = np.array([letter == "C" for letter in ONLY_THE_FREQUENT])


def run(said: str = ONLY_THE_FREQUENT, name: str = "antonymy.x", key: str = "pair") -> Run:
    return run_of({name: said}, dataset(name, "C" * 40, info=[{key: pair} for pair in PAIRS]))


def keyed(of: Run) -> tuple[KeyedResult, ...]:
    return keyed_results(of.datasets, score_run(of))


def test_a_frequent_pair_decides_the_mean_over_items_but_not_that_over_keys() -> None:
    (found,) = keyed(run())
    assert (found.n, found.keys, found.largest, found.largest_share) == (40, 21, "man/woman", 0.5)
    assert found.over_items.value == 0.5
    assert found.over_keys.value == pytest.approx(1 / 21)
    (rules,) = keyed(run(name="numerical_reasoning.x", key="how"))
    assert (rules.keys, rules.over_items) == (21, share_correct(RIGHT))  # all rules that there are: no sample


def test_word_pairs_are_a_sample_wherever_an_accuracy_is_shown() -> None:
    """In the accuracy, the drop and its test, a comparison, a gate: by premise and by pair at once."""
    pairs = cluster_codes(PAIRS, 40)
    expected = share_correct(RIGHT, np.stack([np.arange(40), pairs], axis=1))
    assert expected.high - expected.low > 2 * (share_correct(RIGHT).high - share_correct(RIGHT).low)
    (found,) = keyed(run())
    (result,) = measure(run())
    (check,) = judge(run(), rules_from([{"set": "*", "measure": "accuracy", "min": 0.4}])).checks
    nothing = [False] * 40
    (pair,) = compare_runs(run(), run("E" * 40))
    assert [found.over_items, result.accuracy, check.value, pair.accuracy_a] == [expected] * 4
    assert clustered_mcnemar(RIGHT, nothing).p_exact < 1e-5
    assert pair.p_value == clustered_mcnemar(RIGHT, nothing, pairs).p_exact == 1.0  # they differ on one pair
    (data,) = run().datasets.values()
    turned = [replace(item, info={"pair": "woman/man"}) if k < 10 else item for k, item in enumerate(data)]
    other = replace(run(), datasets={data.name: replace(data, examples=tuple(turned))})
    assert measure(other)[0].accuracy == expected  # the two orders of a pair are one


@pytest.mark.parametrize(("construction", "key"), [("negation", "pair"), ("antonymy", "kind")])
def test_without_keys_there_is_no_row(construction: str, key: str) -> None:
    without = run(HALF, f"{construction}.x", key)
    assert keyed(without) == ()
    assert KEYS.sections[0].tables_of(results_of([without])) == []
    titles = [table.title for table in compared_tables(results_of((without, without)))]
    assert not any("over keys" in title.casefold() for title in titles)
    assert "keys" not in render_json(results_of([without]))


def test_two_models_are_compared_over_keys() -> None:
    (found,) = keyed_comparisons(run().datasets, *score_both(run(), run(HALF)))
    assert found.over_items.value == 0.0  # 20 of 40 each
    assert found.over_keys.value == pytest.approx((0.5 - 10 / 1) / 21)  # 1/2 of man/woman; 10 pairs lost
    assert found.over_keys.high < 0
