"""Measures of runs: a suite of a few items whose every number can be counted by hand."""

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import TestSetResult, accuracy_by_set, measure
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.unpaired import difference
from made.runs import dataset, run_of, stating

BASE = dataset("base.dev", "ENCENC", premises="aaabbb")
NEGATION = dataset("negation.dev", "ENCENC", "base.dev", premises="aaabbb")
ANTONYMY = dataset(
    "antonymy.dev", "CCCC", "base.dev", premises="aabb", bases=["base:0", "base:1", "base:3", "base:4"],
    keeps_label=False,
    info=[{"pair": "hot/cold", "word_class": "adjective"}] * 3
    + [{"pair": "man/woman", "word_class": "noun"}],
)  # fmt: skip
ANSWERS = {"base.dev": "ENCENE", "negation.dev": "CNCNNN", "antonymy.dev": "EECN"}


def run(*sets: Dataset, model: str = "m", **said: str) -> Run:
    known = {**ANSWERS, **{f"{name}.dev": letters for name, letters in said.items()}}
    return run_of({each.name: known[each.name] for each in sets}, *sets, model=model)


def results(*sets: Dataset, **said: str) -> dict[str, TestSetResult]:
    return {each.name: each for each in measure(run(*sets, **said))}


def test_a_test_set_that_keeps_labels_is_paired_with_its_base() -> None:
    found = results(BASE, NEGATION)["negation.dev"]
    before, after, premises = [1, 1, 1, 1, 1, 0], [0, 1, 1, 0, 1, 0], list("aaabbb")
    assert found.drop == paired_difference(before, after, premises)
    assert found.drop.value == 2 / 6
    assert found.base_accuracy == share_correct(before, premises)
    test = clustered_mcnemar(before, after, premises)
    assert (found.p_value, found.p_mid) == (test.p_exact, test.p_mid)
    assert found.flip_rate == share_correct([1, 0, 0, 1, 0, 1], premises)
    assert found.errors["E-C"] == 1
    assert found.false_neutral_share == 2 / 3  # E taken for N, C taken for N, E taken for C
    assert found.difference is None
    alone = results(NEGATION)["negation.dev"]  # without the base in the run
    assert alone.base_set == "base.dev"
    assert alone.drop is alone.base_accuracy is alone.difference is alone.mcnemar is None


def test_a_test_set_that_changes_labels_is_compared_as_a_whole() -> None:
    found = results(BASE, ANTONYMY)["antonymy.dev"]
    units = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])  # premises and word pairs
    assert found.difference == difference([1, 1, 1, 1, 1, 0], [0, 0, 1, 0], np.repeat([0, 1], 3), units)
    assert found.difference.value == pytest.approx(5 / 6 - 1 / 4)
    assert found.base_accuracy.n == 6
    assert found.drop is found.p_value is found.flip_rate is None
    assert found.slices == {
        "word class": {
            "adjective": share_correct([0, 0, 1], units[:3]),
            "noun": share_correct([0], units[3:]),
        },
        # pairs of fewer than 5 items are pooled; a single pool says nothing new
    }
    empty = dataset("antonymy.dev", "", "base.dev", keeps_label=False)
    nothing = results(BASE, empty, antonymy="")["antonymy.dev"]
    assert (nothing.n, nothing.accuracy.n, nothing.difference, nothing.slices) == (0, 0, None, {})


def test_items_are_paired_by_the_id_of_a_base_that_is_there() -> None:
    base = dataset("base.dev", "EEEN", premises="abcd")
    bases = ["base:3", "base:0", "base:0"]
    turned = dataset("negation.dev", "NEE", "base.dev", premises="daa", bases=bases)
    found = results(base, turned, base="ECCC", negation="NEC")["negation.dev"]
    assert found.drop == paired_difference([0, 1, 1], [1, 1, 0], list("daa"))
    assert found.base_accuracy == share_correct([0, 1, 1], list("daa"))


def test_a_model_of_two_labels_is_scored_on_two() -> None:
    rows = np.array([[0.6, 0.4, 0.0], [0.45, 0.3, 0.25], [0.2, 0.8, 0.0], [0.5, 0.5, 0.0]])
    two = stating("ENCE", rows, details={"two_label": True})
    (found,) = measure(two)
    # entailment where above 1/2: E, not, not, not
    assert found.accuracy.value == accuracy_by_set(two)["base.own"].value == 3 / 4
    assert found.confusion == ((1, 1, 0), (0, 1, 0), (0, 0, 1))
    assert (found.false_neutral_share, found.false_entailment_share) == (None, 0.0)
    assert found.projection.startswith("not_entailment = neutral + contradiction")
    three = stating("ENCE", rows)
    assert measure(three)[0].accuracy.value == 1 / 4  # E, E, N, and N by the tie of E and N
    assert compare_runs(three, two)[0].b == 0


def test_the_majority_class_is_beaten_beyond_chance() -> None:
    """A model of two labels is right on neutral and contradiction alike, and so is the majority class."""
    # always the majority class, a quarter right, all right, one item better: chance
    rows = [("N" * 40, False), ("E" * 40, False), ("ENNC" * 10, True), ("ENNE" + "N" * 36, False)]
    for answers, beaten in rows:
        (result,) = measure(run_of({"base.x": answers}, dataset("base.x", "ENNC" * 10)))
        assert (result.majority.share, result.majority.beaten) == (20 / 40, beaten), answers
    data = dataset("base.x", "EEENNCC" * 2)
    for two_label, expected in ((False, ("entailment", 6 / 14)), (True, ("not_entailment", 8 / 14))):
        (result,) = measure(run_of({"base.x": "EEENNNN" * 2}, data, two_label=two_label))
        assert (result.majority.label, result.majority.share) == expected


def test_missing_predictions_are_refused() -> None:
    with pytest.raises(CrossexamError, match=r"test set base.dev: 'm' has 2 predictions for 6 items"):
        measure(run(BASE, base="EN"))
