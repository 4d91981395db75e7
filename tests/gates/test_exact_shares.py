"""Checks of shares: their p-values are binomial tails, so that they keep their level near 0 and 1, too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest

from crossexam.gates.checks import Check
from crossexam.gates.judge import judge
from crossexam.gates.rules import rules_from
from crossexam.stats.estimate import exact_share, share_correct
from crossexam.stats.unpaired import difference
from made.runs import dataset, run_of

NAME = "base.dev"


def check_of(right: Any, rule: dict[str, Any]) -> Check:
    """The check of a rule about the accuracy on entailments, of which some are right."""
    run = run_of({NAME: letters_of(right)}, dataset(NAME, "E" * len(right)))
    (check,) = judge(run, rules_from([{"set": NAME, "measure": "accuracy", **rule}])).checks
    return check


def letters_of(right: Any) -> str:
    return "".join("NE"[int(each)] for each in right)


def unpaired_drop(right_on_base: Any, right: Any, most: float, clusters: Any = None) -> Check:
    """The check of the drop on a test set, of *clusters* if given, whose items are not paired with a base."""
    base = dataset(NAME, "E" * len(right_on_base))
    other = dataset("other.dev", "E" * len(right), NAME, premises=clusters, paired=False)
    run = run_of({base.name: letters_of(right_on_base), other.name: letters_of(right)}, base, other)
    (check,) = judge(run, rules_from([{"set": "other.*", "measure": "drop", "max": most}])).checks
    return check


def first(right: int, n: int) -> Any:
    return np.arange(n) < right


@pytest.mark.parametrize(
    ("right", "n", "limit"), [(97, 100, 0.99), (97, 100, 0.9), (280, 300, 0.9), (46, 50, 0.99), (0, 20, 0.5)]
)
def test_p_values_are_binomial_tails(right: int, n: int, limit: float) -> None:
    check = check_of(first(right, n), {"min": limit})
    less, more = (binomtest(right, n, limit, alternative=side).pvalue for side in ("less", "greater"))
    assert check.p_broken == pytest.approx(less if less < 0.5 else 1, rel=1e-4)
    assert check.p_holds == pytest.approx(more if more < 0.5 else 1, rel=1e-4)
    assert check.value == share_correct(first(right, n))  # the interval that is shown is that of the report


def test_what_is_detectable_is_detected_in_four_of_five_cases(for_each: Callable[..., None]) -> None:
    def check(limit: float, n: int) -> None:
        open_check = check_of(first(round(limit * n), n), {"min": limit})
        assert open_check.outcome == "open"
        found = [exact_share(first(k, n)).high < limit for k in range(n + 1)]
        power = float(binom.pmf(np.arange(n + 1), n, open_check.detectable) @ found)
        assert power == pytest.approx(0.8, abs=0.005)

    for_each(check, [(0.7, 300), (0.95, 300), (0.99, 1000), (0.6, 60)])


def test_so_many_items_settle_it(for_each: Callable[..., None]) -> None:
    """If the value stays as it is; a tenth fewer do not."""

    def check(right: int, limit: float) -> None:
        found = check_of(first(right, 300), {"min": limit})
        assert found.outcome == "open"
        side = "less" if right / 300 < limit else "greater"
        for factor, settled in ((0.85, False), (1.1, True)):
            n = round(found.items_needed * factor)
            p = binomtest(round(right / 300 * n), n, limit, alternative=side).pvalue
            assert (p <= 0.025) == settled

    for_each(check, [(280, 0.95), (288, 0.95), (200, 0.7), (3, 0.02)])


def test_the_p_value_of_an_unpaired_drop_is_from_exact_intervals() -> None:
    """Newcombe's bound, made of limits of Clopper and Pearson, touches the limit at 1 - 2p."""
    check = unpaired_drop(first(99, 100), np.arange(100)[::-1] < 85, 0.05)
    assert check.value == difference(first(99, 100), first(85, 100), range(100), range(99, -1, -1))
    low_of_base, high_of_set = beta.ppf(check.p_broken, 99, 2), beta.isf(check.p_broken, 86, 15)
    distances = np.array([0.99 - low_of_base, high_of_set - 0.85])
    # the correlation by the premises that the two share; a quarter of a wrong item shrinks it
    one, other = first(99, 100) - 0.99, first(85, 100)[::-1] - 0.85
    r = one @ other / np.sqrt((one @ one + 0.25) * (other @ other + 0.25))
    distance = np.sqrt(distances @ distances - 2 * r * distances.prod())
    assert 0.14 - distance == pytest.approx(0.05, abs=1e-4)


def test_no_unpaired_drop_is_detectable_that_is_not_shown_when_all_items_are_wrong() -> None:
    """A premise with most of the items is right: near 100 % the bound is near, further down it is not."""
    clusters, base = np.concatenate([np.full(60, 1000), 1001 + np.arange(40)]), first(83, 100)
    check = unpaired_drop(base, first(90, 100), 0.25, clusters)
    assert (check.outcome, check.detectable) == ("open", None)
    assert unpaired_drop(base, first(0, 100), 0.25, clusters).outcome == "open"
    right = round(100 * (0.83 - unpaired_drop(base, first(55, 100), 0.25).detectable))
    assert unpaired_drop(base, first(right, 100), 0.25).outcome == "broken"
