"""Accuracy over keys: means of word pairs beside means of items, in tables, JSON, gates and comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.evaluation.keys import KeyedResult, keyed_results
from crossexam.evaluation.scores import score_run
from crossexam.reports.analyses.keys import KEYS
from crossexam.reports.data import render_json
from crossexam.reports.results import results_of
from crossexam.reports.sections import compared_tables
from crossexam.stats.estimate import share_correct
from made.runs import dataset, run_of

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


@pytest.mark.parametrize(("construction", "key"), [("negation", "pair"), ("antonymy", "kind")])
def test_without_keys_there_is_no_row(construction: str, key: str) -> None:
    without = run(HALF, f"{construction}.x", key)
    assert keyed(without) == ()
    assert KEYS.sections[0].tables_of(results_of([without])) == []
    titles = [table.title for table in compared_tables(results_of((without, without)))]
    assert not any("over keys" in title.casefold() for title in titles)
    assert "keys" not in render_json(results_of([without]))
