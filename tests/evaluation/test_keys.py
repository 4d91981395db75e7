"""Accuracy over keys: means of word pairs beside means of items."""

import pytest

from crossexam.evaluation.keys import KeyedResult, keyed_results
from crossexam.evaluation.scores import score_run
from crossexam.stats.estimate import share_correct
from made.runs import dataset, run_of

#: man/woman is half of the items, and the only one that is right.
PAIRS = ["man/woman"] * 20 + [f"w{k}/v{k}" for k in range(20)]


def keyed(name: str = "antonymy.x", key: str = "pair") -> tuple[KeyedResult, ...]:
    of = run_of({name: "C" * 20 + "E" * 20}, dataset(name, "C" * 40, info=[{key: pair} for pair in PAIRS]))
    return keyed_results(of.datasets, score_run(of))


def test_a_frequent_pair_decides_the_mean_over_items_but_not_that_over_keys() -> None:
    (found,) = keyed()
    assert (found.n, found.keys, found.largest, found.largest_share) == (40, 21, "man/woman", 0.5)
    assert found.over_items.value == 0.5
    assert found.over_keys.value == pytest.approx(1 / 21)
    (rules,) = keyed("numerical_reasoning.x", "how")  # all rules that there are: no sample
    assert (rules.keys, rules.over_items) == (21, share_correct([k < 20 for k in range(40)]))
    assert keyed("negation.x") == keyed(key="kind") == ()  # have no keys
