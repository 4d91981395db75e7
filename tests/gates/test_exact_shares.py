"""Checks of shares: their p-values are binomial tails, so that they keep their level near 0 and 1, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.gates.checks import Check
from crossexam.gates.judge import judge
from crossexam.gates.rules import rules_from
from crossexam.gates.table import p_text
from crossexam.stats.estimate import exact_share, share_correct
from crossexam.stats.p_values import one_sided_p
from crossexam.stats.unpaired import difference

NAME = "base.dev"


def run_of(right: Any, clusters: Any = None) -> Run:
    """A run of items, each with a premise of its own unless *clusters* say otherwise."""
    codes = np.arange(len(right)) if clusters is None else clusters
    items = tuple(
        Example(f"b{k}", f"Premise {code}.", f"Hypothesis {k}.", LABELS[0], info={"cluster": f"c{code}"})
        for k, code in enumerate(codes.tolist())
    )
    rows = np.where(np.asarray(right)[:, None], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1])
    return Run("mine", {NAME: Dataset(NAME, items, {"construction": "base", "part": "dev"})}, {NAME: rows})


def check_of(right: Any, rule: dict[str, Any]) -> Check:
    (check,) = judge(run_of(right), rules_from([{"set": NAME, "measure": "accuracy", **rule}])).checks
    return check


def first(right: int, n: int) -> Any:
    return np.arange(n) < right


def test_97_of_100_do_not_break_a_limit_of_99_percent() -> None:
    check = check_of(first(97, 100), {"min": 0.99})
    assert check.outcome == "open"
    assert check.p_broken == pytest.approx(binom.cdf(97, 100, 0.99), rel=1e-4)  # 0.0794; by Wilson's 0.022


@pytest.mark.parametrize(
    ("right", "n", "limit"), [(97, 100, 0.9), (280, 300, 0.9), (46, 50, 0.99), (0, 20, 0.5)]
)
def test_p_values_are_binomial_tails(right: int, n: int, limit: float) -> None:
    check = check_of(first(right, n), {"min": limit})
    assert check.p_broken is not None
    assert check.p_holds is not None
    less, more = (binomtest(right, n, limit, alternative=side).pvalue for side in ("less", "greater"))
    assert check.p_broken == pytest.approx(less if less < 0.5 else 1, rel=1e-4)
    assert check.p_holds == pytest.approx(more if more < 0.5 else 1, rel=1e-4)


@pytest.mark.parametrize(
    ("limit", "n"), [(0.01, 100), (0.005, 200), (0.001, 300), (0.001, 50), (0.05, 100), (0.2, 50)]
)
@pytest.mark.parametrize("checks", [1, 10, 50])
def test_no_more_than_its_share_of_gates_is_broken_at_the_limit(limit: float, n: int, checks: int) -> None:
    """By all counts of a rare event, such as flips, that are possible if the limit is the truth."""
    level = 0.025 / checks

    def is_broken(count: int) -> bool:
        return exact_share(first(count, n), None, 1 - 2 * level).low > limit

    one = sum(binom.pmf(count, n, limit) for count in range(n + 1) if is_broken(count))
    assert 1 - (1 - one) ** checks <= 0.025


@pytest.mark.parametrize(("icc", "size"), [(0.3, 3), (0.5, 3), (0.3, 10)])
def test_clusters_keep_the_level(icc: float, size: int) -> None:
    """In 400 samples of 300 items whose clusters differ in their chances, by a beta distribution."""
    limit, random = 0.05, np.random.default_rng(4)
    codes = np.arange(300) // size
    a, b = limit * (1 - icc) / icc, (1 - limit) * (1 - icc) / icc
    chances = random.beta(a, b, (400, codes[-1] + 1))[:, codes]
    broken = [exact_share(row, codes).low > limit for row in random.random(chances.shape) < chances]
    assert np.mean(broken) <= 0.025 + 2 * np.sqrt(0.025 * 0.975 / 400)


@pytest.mark.parametrize(("limit", "n"), [(0.7, 300), (0.95, 300), (0.99, 1000), (0.6, 60)])
def test_what_is_detectable_is_detected_in_four_of_five_cases(limit: float, n: int) -> None:
    open_check = check_of(first(round(limit * n), n), {"min": limit})
    assert open_check.outcome == "open"
    assert open_check.detectable is not None
    found = [exact_share(first(k, n)).high < limit for k in range(n + 1)]
    power = float(binom.pmf(np.arange(n + 1), n, open_check.detectable) @ found)
    assert power == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize(("right", "limit"), [(280, 0.95), (288, 0.95), (200, 0.7), (3, 0.02)])
def test_so_many_items_settle_it(right: int, limit: float) -> None:
    """If the value stays as it is; a tenth fewer do not."""
    check = check_of(first(right, 300), {"min": limit})
    assert check.outcome == "open"
    assert check.items_needed is not None
    side = "less" if right / 300 < limit else "greater"
    for factor, settled in ((0.85, False), (1.1, True)):
        n = round(check.items_needed * factor)
        assert (binomtest(round(right / 300 * n), n, limit, alternative=side).pvalue <= 0.025) == settled


def test_a_p_value_that_is_as_small_as_can_be_computed_is_a_bound() -> None:
    check = check_of(first(0, 300), {"min": 0.9})
    assert check.outcome == "broken"
    assert p_text(check) == "<1.0e-12"
    assert p_text(check_of(first(97, 100), {"min": 0.99})) == "0.079"


def test_the_interval_that_is_shown_is_that_of_the_report() -> None:
    check = check_of(first(97, 100), {"min": 0.99})
    assert check.value == share_correct(first(97, 100))
    exact = one_sided_p(lambda c: exact_share(first(97, 100), None, c), 0.99, "below")
    assert check.p_broken == pytest.approx(exact)


def unpaired_run(right_on_base: Any, right: Any, clusters: Any = None) -> Run:
    """A run over a base and a test set, of *clusters* if given, whose items are not paired with it."""
    base = run_of(right_on_base)
    changed = run_of(right, clusters)
    name = "other.dev"
    items = tuple(replace(each, id=f"o{k}") for k, each in enumerate(changed.datasets[NAME]))
    facts = {"construction": "other", "part": "dev", "base_set": NAME, "paired": False}
    datasets = {**base.datasets, name: Dataset(name, items, facts)}
    return Run("mine", datasets, {NAME: base.answers(NAME), name: changed.answers(NAME)})


def test_the_p_value_of_an_unpaired_drop_is_from_exact_intervals() -> None:
    """Newcombe's bound, made of limits of Clopper and Pearson, touches the limit at 1 - 2p."""
    run = unpaired_run(first(99, 100), np.arange(100)[::-1] < 85)
    (check,) = judge(run, rules_from([{"set": "other.*", "measure": "drop", "max": 0.05}])).checks
    assert check.value == difference(first(99, 100), first(85, 100), range(100), range(99, -1, -1))
    assert check.p_broken is not None
    low_of_base, high_of_set = beta.ppf(check.p_broken, 99, 2), beta.isf(check.p_broken, 86, 15)
    distances = np.array([0.99 - low_of_base, high_of_set - 0.85])
    r = correlation()
    distance = np.sqrt(distances @ distances - 2 * r * distances.prod())
    assert 0.14 - distance == pytest.approx(0.05, abs=1e-4)


def test_no_unpaired_drop_is_detectable_that_is_not_shown_when_all_items_are_wrong() -> None:
    """A premise with most of the items is right: near 100 % the bound is near, further down it is not."""
    clusters = np.concatenate([np.full(60, 1000), 1001 + np.arange(40)])
    rules = rules_from([{"set": "other.*", "measure": "drop", "max": 0.25}])
    (check,) = judge(unpaired_run(first(83, 100), first(90, 100), clusters), rules).checks
    assert (check.outcome, check.detectable) == ("open", None)
    (all_wrong,) = judge(unpaired_run(first(83, 100), first(0, 100), clusters), rules).checks
    assert all_wrong.outcome == "open"
    (check,) = judge(unpaired_run(first(83, 100), first(55, 100)), rules).checks
    assert check.outcome == "open"
    assert check.detectable is not None
    right = round(100 * (0.83 - check.detectable))
    (worse,) = judge(unpaired_run(first(83, 100), first(right, 100)), rules).checks
    assert worse.outcome == "broken"


def correlation() -> float:
    """That of the two means, by the premises that they share; a quarter of a wrong item shrinks it."""
    one, other = first(99, 100) - 0.99, first(85, 100)[::-1] - 0.85
    spreads = (float(each @ each) + 0.25 for each in (one, other))
    return float(one @ other) / float(np.sqrt(np.prod(list(spreads))))
