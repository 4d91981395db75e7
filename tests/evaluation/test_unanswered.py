"""Measures of runs with missing answers, against all ways in which the items could have been answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, ReadItems
from crossexam.core.estimate import Bounds, Estimate
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.keys import keyed_comparisons
from crossexam.evaluation.lexically_misleading import misled_parts
from crossexam.evaluation.measures import TestSetResult, measure
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.several.joint import joint_outcomes
from crossexam.evaluation.truncation import truncations
from crossexam.evaluation.unanswered import answered_part
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import clustered_mcnemar, paired_difference
from crossexam.stats.power import minimum_detectable_drop
from made import runs as letters
from made.runs import run_of


def dataset(name: str, golds: str, base: str | None = None, **more: Any) -> Dataset:
    """A test set of which two items share a premise."""
    return letters.dataset(name, golds, base, sharing=2, **more)


def filled_in(said: Mapping[str, str], golds: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Yield the answers with every combination of right and wrong in place of what is missing."""
    places = [(name, k) for name, given in said.items() for k, a in enumerate(given) if a in "?!"]
    for choice in product((True, False), repeat=len(places)):
        made = {name: list(given) for name, given in said.items()}
        for (name, k), is_right in zip(places, choice, strict=True):
            gold = golds[name][k]
            made[name][k] = gold if is_right else ("N" if gold == "E" else "E")
        yield {name: "".join(given) for name, given in made.items()}


GOLD = "ENCENCENCE"
GOLDS_OF = {"base.dev": GOLD, "negation.dev": GOLD, "antonymy.dev": "CCCCCCCC"}
BASE, NEGATION = dataset("base.dev", GOLD), dataset("negation.dev", GOLD, "base.dev")
SETS = (BASE, NEGATION, dataset("antonymy.dev", "CCCCCCCC", "base.dev", keeps_label=False))
HOLES = {"base.dev": "EN?ENEEN!E", "negation.dev": "?NCNNCEEC?", "antonymy.dev": "CEC!CCNC"}
OTHER = {"base.dev": "E?CENCNNCE", "negation.dev": GOLD, "antonymy.dev": "NNNNCCC?"}


def results(said: Mapping[str, str], *, limit: float = 1.0, **details: Any) -> dict[str, TestSetResult]:
    return {each.name: each for each in measure(run_of(said, *SETS, **details), max_unanswered=limit)}


def extremes(values: Sequence[Estimate | None]) -> tuple[Estimate, Estimate]:
    """The least and the most of *values*, without their widths, which the values do not determine."""
    given = [value for value in values if value is not None]
    return min(given, key=lambda each: each.value), max(given, key=lambda each: each.value)


def ends(bounds: Any) -> tuple[float, float]:
    assert isinstance(bounds, Bounds)
    return bounds.least.value, bounds.most.value


@pytest.mark.parametrize("two_labels", [False, True])
def test_bounds_are_those_of_all_possible_answers(two_labels: bool) -> None:
    found = results(HOLES, two_label=two_labels)
    every = [results(made, two_label=two_labels) for made in filled_in(HOLES, GOLDS_OF)]
    for name, result in found.items():
        assert result.unanswered.accuracy == Bounds(*extremes([each[name].accuracy for each in every]))
        drops = [each[name].drop or each[name].difference for each in every]
        if any(drops):
            bounds, (least, most) = result.unanswered.drop, extremes(drops)
            assert ends(bounds) == pytest.approx((least.value, most.value))
            assert {bounds.least, bounds.most} <= set(drops)
            before = extremes([each[name].base_accuracy for each in every])
            assert result.unanswered.base_accuracy == Bounds(*before)


def test_the_limit_is_a_share_that_may_be_reached() -> None:
    for limit, only in ((0.1, False), (0.0999, True)):
        run = run_of({"base.dev": "E?CENCENCE", "negation.dev": GOLD}, BASE, NEGATION)
        base, negation = measure(run, max_unanswered=limit)
        assert (base.only_bounds, negation.only_bounds) == (only, False)
        assert (isinstance(negation.accuracy, Bounds), isinstance(negation.drop, Bounds)) == (False, only)
        assert (negation.p_holm is None) is only
        assert negation.unanswered.count == 0  # its base lacks an answer
    base, negation = measure(run_of({"base.dev": "?" * 10, "negation.dev": GOLD}, BASE, NEGATION))
    assert (base.n, base.labelled, ends(base.accuracy)) == (0, 10, (0, 1))
    assert (ends(negation.drop), negation.accuracy.value) == ((-1, 0), 1)
    gold = run_of(HOLES, *SETS)
    assert cx.accuracy(gold, max_unanswered=1)["base.dev"].value == 7 / 8
    assert isinstance(cx.accuracy(gold)["base.dev"], Bounds)
    assert isinstance(cx.accuracy_by(gold, "gold")["base.dev"]["contradiction"], Bounds)


def test_comparisons_are_of_items_that_both_answered() -> None:
    base, negation, _ = compare_runs(run_of(HOLES, *SETS), run_of(OTHER, *SETS), max_unanswered=1.0)
    both = [0, 3, 4, 5, 6, 7, 9]
    one, two = ([said["base.dev"][k] == GOLD[k] for k in both] for said in (HOLES, OTHER))
    clusters = [k // 2 for k in both]
    assert base.difference == paired_difference(one, two, clusters)
    assert (base.accuracy_a, base.accuracy_b) == (share_correct(one, clusters), share_correct(two, clusters))
    assert base.p_value == clustered_mcnemar(one, two, clusters).p_exact
    assert (base.unanswered.a, base.unanswered.b, base.unanswered.missing) == (2, 1, 3)
    assert negation.unanswered.b == 0


def test_corrections_count_the_tests_that_were_planned() -> None:
    """Nine paired tests, of which eight have only bounds: the p-value of the first is corrected for nine."""
    gold = GOLD * 10
    sets = [dataset("base.dev", gold), *(dataset(f"set{k}.dev", gold, "base.dev") for k in range(9))]
    right = {each.name: gold for each in sets}
    holes = {f"set{k}.dev": "?" * 100 for k in range(1, 9)}
    run = run_of({**right, "set0.dev": "N" * 20 + gold[20:], **holes}, *sets)
    found = {each.name: each for each in measure(run)}
    first = found["set0.dev"]
    assert [each.name for each in found.values() if each.only_bounds] == list(holes)
    assert first.p_holm == pytest.approx(9 * first.p_value)
    discordant = (first.mcnemar.b + first.mcnemar.c) / 100
    least = minimum_detectable_drop(first.effective_pairs, discordant, 0.05 / 9)
    assert first.minimum_detectable_drop == least
    compared = {each.name: each for each in compare_runs(run, run_of(right, *sets))}
    assert compared["set0.dev"].p_holm == pytest.approx(10 * compared["set0.dev"].p_value)
    assert (ends(compared["set1.dev"].difference), compared["set1.dev"].p_value) == ((-1, 0), None)


def test_what_one_of_two_did_not_answer_is_left_out_of_parts_joint_outcomes_and_keys() -> None:
    a, b = run_of(HOLES, *SETS), run_of({**OTHER, "base.dev": GOLD, "antonymy.dev": "C" * 8}, *SETS)
    first, second = answered_part(a, b, 0.15)
    assert list(first.datasets) == list(second.datasets) == ["antonymy.dev"]
    assert first.outcomes_of("antonymy.dev").unanswered() == {"cut": 1}
    pairs = [{"pair": "hot/cold" if k % 2 else "big/small"} for k in range(8)]
    data = dataset("antonymy.dev", "CCCCCCCC", info=pairs)
    one, two = run_of({"antonymy.dev": "CEC!CCNC"}, data), run_of({"antonymy.dev": "CENN?CNC"}, data)
    (joint,) = joint_outcomes(one.datasets, *score_both(one, two))
    assert (joint.n, joint.both_right, joint.both_wrong) == (6, 3, 2)
    assert {kind: n for kind, n in joint.same_errors.items() if n} == {"C-E": 1, "C-N": 1}
    (compared,) = keyed_comparisons(one.datasets, *score_both(one, two))
    assert (compared.n, compared.over_items.value) == (6, 1 / 6)


def test_truncation_and_misleading_parts_have_bounds_too() -> None:
    scores = [{"lexically_misleading_score": 0.1 * k} for k in range(10)]
    run = run_of({"base.dev": "ENCENCE?C!"}, dataset("base.dev", GOLD, info=scores))
    cut = np.arange(10) < 4
    (found,) = truncations(replace(run, reading={"base.dev": ReadItems(cut, cut)}), max_unanswered=0.25)
    assert (found.accuracy.value, ends(found.accuracy_read)) == (1, (4 / 6, 1))
    whole, highest = misled_parts(run, (0.0, 0.65), max_unanswered=0.25)
    assert (whole.size, whole.model.value) == (10, 1)
    assert (highest.size, ends(highest.model)) == (3, (1 / 3, 1))
