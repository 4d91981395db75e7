"""Statistics against published worked examples and a second opinion (statsmodels, scipy)."""

from __future__ import annotations

from itertools import product
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from crossexam.stats.agreement import agreement
from crossexam.stats.clusters import cluster_codes, effective_size, normal_quantile
from crossexam.stats.confusion import confusion, error_types, false_share
from crossexam.stats.estimate import OTHER, accuracy, by_slice, wilson
from crossexam.stats.human import human_accuracy, vote_counts
from crossexam.stats.multiple_testing import bonferroni, holm
from crossexam.stats.paired import clustered_mcnemar, discordant, flip_rate, mcnemar, paired_difference, tango
from crossexam.stats.power import minimum_detectable_drop
from crossexam.stats.unpaired import difference

p_values = st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=12)
clusters = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=16)


def answers(right: int, n: int) -> list[bool]:
    return [True] * right + [False] * (n - right)


def pairs(a: int, b: int, c: int, d: int) -> tuple[list[bool], list[bool]]:
    """Both right, only the first, only the second, neither."""
    return answers(a + b, a + b + c + d), [True] * a + [False] * b + [True] * c + [False] * d


# -- accuracy --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:857, Table I, method 3 (score without continuity correction)
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_newcombes_published_interval(right: int, n: int, low: float, high: float) -> None:
    found = accuracy(answers(right, n))
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.8, 0.95, 0.99]))
def test_without_clusters_accuracy_is_statsmodels_wilson(n: int, share: float, confidence: float) -> None:
    right = round(share * n)
    found = accuracy(answers(right, n), confidence=confidence)
    low, high = proportion_confint(right, n, alpha=1 - confidence, method="wilson")
    assert found.value == right / n
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    assert (found.n, found.clusters) == (n, n)


def test_named_clusters_of_one_item_change_nothing() -> None:
    right = answers(15, 20)
    assert accuracy(right, [f"premise {i}" for i in range(20)]) == accuracy(right)


def test_items_copied_three_times_have_nearly_the_interval_of_the_originals() -> None:
    once = accuracy(answers(300, 400))
    thrice = accuracy(np.repeat(answers(300, 400), 3), np.repeat(np.arange(400), 3))
    assert thrice.value == once.value
    assert (thrice.n, thrice.clusters) == (1200, 400)
    assert thrice.low == pytest.approx(once.low, abs=5e-4)
    assert thrice.high == pytest.approx(once.high, abs=5e-4)
    naive = accuracy(np.repeat(answers(300, 400), 3))
    assert naive.high - naive.low < 0.6 * (thrice.high - thrice.low)  # 1 / sqrt(3) = 0.577


def test_design_effect_of_equal_clusters_is_kishs_one_plus_icc() -> None:
    # Kish 1965: deff = 1 + (size - 1) ICC.  Of 3000 clusters of 4, 2000 agree (their pairs correlate by 1)
    # and 1000 are halved (by -1/3): ICC = (2 x 1 - 1/3) / 3 = 5/9, and deff = 1 + 3 x 5/9 = 8/3.
    agree = np.repeat([1.0, 0.0] * 1000, 4)
    halves = np.tile([1.0, 1.0, 0.0, 0.0], 1000)
    right = np.concatenate([agree, halves])
    codes = np.repeat(np.arange(3000), 4)
    assert effective_size(right - 0.5, codes).deff == pytest.approx(1 + 3 * 5 / 9, rel=2e-3)


def test_the_design_effect_of_three_pairs_by_hand() -> None:
    right = np.array([1, 1, 0, 0, 1, 1])
    size = effective_size(right - 4 / 6, np.array([0, 0, 1, 1, 2, 2]))
    between = 3 / 2 * (4 / 9 + 16 / 9 + 4 / 9)
    within = 6 / 5 * (4 * 1 / 9 + 2 * 4 / 9)
    assert size.deff == pytest.approx((between + 0.25 * 2**2) / (within + 0.25 * 2))  # Kish's worst case: 2
    few = (stats.t.ppf(0.975, 5) / stats.t.ppf(0.975, 2)) ** 2
    assert size.n_eff == max(1.0, 6 / size.deff * few) == 1.0
    assert size.clusters == 3


def test_clusters_that_answer_alike_never_narrow_below_independence() -> None:
    # one entailed, one neutral, one contradicted item a premise; a constant answer has exactly 1/3
    right, codes = np.tile([True, False, False], 200), np.repeat(np.arange(200), 3)
    clustered, independent = accuracy(right, codes), accuracy(right)
    assert effective_size(right - 1 / 3, codes).deff == 1.0
    assert clustered.high - clustered.low >= independent.high - independent.low


@pytest.mark.parametrize("right", [0, 60])
def test_all_right_or_all_wrong_counts_clusters_not_items(right: int) -> None:
    found = accuracy(answers(right, 60), np.repeat(np.arange(20), 3))
    few = (stats.t.ppf(0.975, 59) / stats.t.ppf(0.975, 19)) ** 2  # Korn & Graubard 1998
    low, high = wilson(right / 60, 20 * few)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.low == 0.0 or found.high == 1.0


def test_a_single_cluster_counts_as_one_item() -> None:
    found = accuracy(answers(9, 10), ["one"] * 10)
    assert (found.low, found.high) == wilson(0.9, 1)
    assert found.clusters == 1


def test_no_items_give_the_whole_range() -> None:
    found = accuracy([])
    assert isnan(found.value)
    assert found[1:] == (0.0, 1.0, 0, 0)
    assert paired_difference([], [])[1:] == (-1.0, 1.0, 0, 0)
    assert difference([], [True])[1:] == (-1.0, 1.0, 1, 0)


def test_confidence_and_clusters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"confidence is 95, wanted a share"):
        normal_quantile(95)
    with pytest.raises(ValueError, match="2 clusters for 3 items"):
        accuracy([True] * 3, ["a", "b"])


@given(clusters)
def test_codes_say_the_same_as_the_names(names: list[str]) -> None:
    codes = cluster_codes(names, len(names))
    assert sorted(set(codes.tolist())) == list(range(len(set(names))))
    assert len({*zip(names, codes.tolist(), strict=True)}) == len(set(names))
    numbers = np.array([ord(name) for name in names])
    for same in (numbers, numbers * 10**9, -numbers, np.array(names)):
        again = cluster_codes(same, len(names))
        assert len({*zip(codes.tolist(), again.tolist(), strict=True)}) == len(set(names)) == again.max() + 1


# -- slices ----------------------------------------------------------------------------------------------


def test_slices_are_ordered_pooled_and_clustered() -> None:
    values = ["b"] * 4 + ["a"] * 6 + ["c", "d"] + [None]
    right = [True] * 4 + [False] * 6 + [True, False] + [True]
    found = by_slice(right, values, ["x"] * 4 + ["y"] * 9, minimum=2)
    assert list(found) == ["a", "b", OTHER]
    assert [found[key].value for key in found] == [0.0, 1.0, 0.5]
    assert [found[key].n for key in found] == [6, 4, 2]
    assert found["b"] == accuracy([True] * 4, ["x"] * 4)
    assert list(by_slice(right, values, most=1)) == ["a", OTHER]
    assert by_slice(right, values, most=1)[OTHER].n == 6
    assert by_slice([], []) == {}


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["fiction", "travel", "slate"])), min_size=1))
def test_every_slice_is_the_accuracy_of_its_items(rows: list[tuple[bool, str]]) -> None:
    found = by_slice([right for right, _ in rows], [genre for _, genre in rows])
    for genre in {genre for _, genre in rows}:
        assert found[genre] == accuracy([right for right, each in rows if each == genre])


# -- paired ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "interval"),
    # Fagerland, Lydersen & Laake 2014, Statistics in Medicine 33:2850: Tango's interval for airway
    # hyper-responsiveness (Bentur et al. 2009) and complete response (Cavo et al. 2012)
    [((1, 1, 7, 12), (-0.517, -0.026)), ((59, 6, 16, 80), (-0.1240, -0.0054))],
)
def test_tango_is_the_published_interval(
    table: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    found = paired_difference(*pairs(*table))
    assert found.value == (table[1] - table[2]) / sum(table)
    assert (found.low, found.high) == (
        pytest.approx(interval[0], abs=6e-4),
        pytest.approx(interval[1], abs=6e-4),
    )


def test_tango_on_agrestis_approval_ratings_is_near_walds_interval() -> None:
    # Agresti, Categorical Data Analysis, matched pairs: 794 approve twice, 150 the first time only, 86 the
    # second time only, 570 never; 0.04, standard error 0.0095, interval 0.021 to 0.059
    found = paired_difference(*pairs(794, 150, 86, 570))
    assert found.value == 0.04
    assert (found.low, found.high) == (pytest.approx(0.021, abs=5e-4), pytest.approx(0.059, abs=5e-4))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 200))
def test_tango_agrees_with_mcnemars_score_test(b: int, c: int, same: int) -> None:
    n = max(1, b + c + same)
    low, high = tango(b, c, n)
    assert -1 <= low <= (b - c) / n <= high <= 1
    z = abs(b - c) / (b + c) ** 0.5 if b + c else 0.0
    if abs(z - normal_quantile(0.95)) > 1e-6:
        assert (low > 0 or high < 0) == (z > normal_quantile(0.95))
    swapped = tango(c, b, n)
    assert swapped == (pytest.approx(-high, abs=1e-12), pytest.approx(-low, abs=1e-12))


@given(st.integers(1, 40), st.integers(0, 40), st.integers(0, 60), st.booleans())
def test_tangos_bounds_are_where_the_constrained_likelihood_is_rejected(
    b: int, c: int, same: int, lower: bool
) -> None:
    """The score statistic with its nuisance parameter found by numerical maximisation, not by formula."""
    from scipy.optimize import minimize_scalar

    n = b + c + same
    bound = tango(b, c, n)[0 if lower else 1]
    if abs(bound) > 0.999:
        return

    def loss(q: float) -> float:  # q: probability of "only second"; q + bound of "only first"
        rest = 1 - 2 * q - bound
        return -(b * np.log(q + bound) + c * np.log(q) + same * np.log(rest))

    tiny = 1e-12
    with np.errstate(all="ignore"):
        q = minimize_scalar(
            loss,
            bounds=(max(0.0, -bound) + tiny, (1 - bound) / 2 - tiny),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
    score = (b - c - n * bound) / (n * (2 * q + bound * (1 - bound))) ** 0.5
    assert abs(score) == pytest.approx(normal_quantile(0.95), abs=2e-3)


def test_nobody_disagrees() -> None:
    found = paired_difference([True, False] * 20, [True, False] * 20)
    z = normal_quantile(0.95)
    assert found.value == 0.0
    assert found.high == pytest.approx(z**2 / (40 + z**2))  # |n d| = z sqrt(n d(1-d)), solved for d
    assert found.low == pytest.approx(-found.high)
    assert paired_difference([True] * 5, [False] * 5).high == 1.0


def test_pairs_that_fail_together_widen_the_drop() -> None:
    before, after = np.ones(300, bool), np.repeat([False] * 20 + [True] * 80, 3)
    clustered = paired_difference(before, after, np.repeat(np.arange(100), 3))
    assert clustered.low < paired_difference(before, after).low
    once = paired_difference(before[::3], after[::3])
    assert clustered.low == pytest.approx(once.low, abs=5e-3)


def test_flip_rate_counts_changed_predictions_right_or_wrong() -> None:
    assert flip_rate([0, 1, 2, 2], [1, 1, 2, 0], ["a", "a", "b", "b"]) == accuracy(
        [True, False, False, True], ["a", "a", "b", "b"]
    )


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 base items for 3 stressed ones"):
        discordant([True, True], [True, True, False])


# -- unpaired --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:873, Table II, method 10
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_difference_is_newcombes_published_interval(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    found = difference(answers(*first), answers(*second))
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))
    ours = confint_proportions_2indep(*first, *second, method="newcomb")
    assert (found.low, found.high) == pytest.approx(ours, abs=1e-9)


def test_sets_made_from_the_same_premises_are_not_independent() -> None:
    right = np.repeat([True, False], 60)
    codes = np.repeat(np.arange(60), 2)
    together = difference(right, right, codes, codes)
    apart = difference(right, right, codes, codes + 60)
    assert together.value == apart.value == 0.0
    assert together.high < 0.02 < apart.high  # the same answers to the same premises cannot differ
    assert (together.clusters, apart.clusters) == (60, 120)
    assert apart == difference(right, right, [f"a{i}" for i in codes], [f"b{i}" for i in codes])
    with pytest.raises(ValueError, match="give both or neither"):
        difference(right, right, codes)


# -- significance ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid"),
    # Fagerland et al. 2013: the two examples above, with their p-values
    [(1, 7, 0.0703, 0.0391), (6, 16, 0.052479, 0.034690)],
)
def test_mcnemar_is_the_published_one(b: int, c: int, exact: float, mid: float) -> None:
    found = mcnemar(b, c)
    assert (found.p_exact, found.p_mid) == (pytest.approx(exact, abs=6e-5), pytest.approx(mid, abs=6e-5))


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_agrees_with_statsmodels_and_scipy(b: int, c: int) -> None:
    found = mcnemar(b, c)
    if b + c == 0:
        assert found == (0, 0, 1.0, 1.0)
        return
    table = np.array([[5, b], [c, 5]])
    assert found.p_exact == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, rel=1e-9)
    assert found.p_exact == pytest.approx(stats.binomtest(b, b + c).pvalue, rel=1e-9)
    # Fagerland et al. 2013: less the point probability; half of it where b = c
    point = stats.binom.pmf(b, b + c, 0.5)
    assert found.p_mid == pytest.approx(
        found.p_exact - (point if b != c else point / 2), rel=1e-9, abs=1e-300
    )


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="b = -1, c = 2"):
        mcnemar(-1, 2)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=9))
def test_clustered_mcnemar_is_the_sum_over_all_sign_flips(sums: list[tuple[int, int]]) -> None:
    before, after, names = [], [], []
    for number, (lost, both) in enumerate(sums):
        before += [lost > 0] * abs(lost) + [True] * both
        after += [lost < 0] * abs(lost) + [True] * both
        names += [f"premise {number}"] * (abs(lost) + both)
    found = clustered_mcnemar(before, after, names)
    lost = [each for each, _ in sums]
    if not any(lost):
        assert (found.p_exact, found.p_mid) == (1.0, 1.0)
        return
    flips = [
        abs(sum(s * d for s, d in zip(signs, lost, strict=True)))
        for signs in product((1, -1), repeat=len(lost))
    ]
    beyond = sum(flip > abs(sum(lost)) for flip in flips)
    equal = sum(flip == abs(sum(lost)) for flip in flips)
    assert found.p_exact == pytest.approx((beyond + equal) / len(flips))
    assert found.p_mid == pytest.approx((beyond + equal / 2) / len(flips))


@given(st.integers(0, 40), st.integers(0, 40))
def test_clusters_of_one_item_give_mcnemars_test(b: int, c: int) -> None:
    found = clustered_mcnemar(*pairs(3, b, c, 2))
    assert found[:2] == (b, c)
    assert found[2:] == pytest.approx(mcnemar(b, c)[2:], rel=1e-9)


def test_discordant_items_within_one_cluster_are_one_observation() -> None:
    found = clustered_mcnemar([True] * 30, [False] * 30, np.repeat(np.arange(3), 10))
    assert found.p_exact == 2 / 2**3
    assert mcnemar(found.b, found.c).p_exact < 1e-8


def test_sign_flips_of_many_and_unequal_clusters_stay_a_distribution() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9000, 30_000)
    before, after = rng.random(30_000) < 0.8, rng.random(30_000) < 0.8
    found = clustered_mcnemar(before, after, codes)
    sums = np.bincount(codes, weights=before.astype(float) - after)
    z = sums.sum() / np.sqrt((sums**2).sum())  # the large-sample form
    assert found.p_mid == pytest.approx(2 * stats.norm.sf(abs(z)), abs=2e-3)


# -- several tests at once -------------------------------------------------------------------------------


@settings(max_examples=20)
@given(p_values)
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert bonferroni(p) == pytest.approx(multipletests(p, method="bonferroni")[1], abs=1e-12)


def test_holms_steps() -> None:
    # (4 x .005, 3 x .01, 2 x .03, and .03 again, since it may not fall below)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match="p-values are wanted"):
        holm([0.5, float("nan")])


# -- power -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "share"), [(1000, 0.2), (300, 0.1), (9842, 0.05), (150, 0.4)])
def test_the_detectable_drop_solves_connors_formula(n: int, share: float) -> None:
    drop = minimum_detectable_drop(n, share)
    u, v = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    assert (u * share**0.5 + v * (share - drop**2) ** 0.5) ** 2 / drop**2 == pytest.approx(n)


@pytest.mark.parametrize(("n", "share"), [(1000, 0.2), (400, 0.1), (2000, 0.05)])
def test_mcnemars_score_test_has_the_promised_power(n: int, share: float) -> None:
    drop = minimum_detectable_drop(n, share)
    b, c = (
        np.random.default_rng(5)
        .multinomial(n, [(share + drop) / 2, (share - drop) / 2, 1 - share], size=20_000)
        .T[:2]
    )
    found = (b - c) ** 2 > stats.chi2.ppf(0.95, 1) * (b + c)
    assert found.mean() == pytest.approx(0.8, abs=0.015)


def test_where_nothing_disagrees_a_drop_must_make_its_own_discordance() -> None:
    drop = minimum_detectable_drop(1000, 0.0)
    u, v = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    assert 1000 * drop == pytest.approx((u + v * (1 - drop) ** 0.5) ** 2)
    assert isnan(minimum_detectable_drop(3, 0.5))
    with pytest.raises(ValueError, match=r"discordant share is 1\.5"):
        minimum_detectable_drop(10, 1.5)
    assert minimum_detectable_drop(1000, 0.2, power=0.5) < minimum_detectable_drop(1000, 0.2)


# -- confusion -------------------------------------------------------------------------------------------


def test_confusion_counts_gold_by_prediction() -> None:
    gold, predicted = [0, 0, 0, 1, 2, 2], [0, 2, 2, 0, 1, 2]
    table = confusion(gold, predicted)
    assert table.tolist() == [[1, 0, 2], [1, 0, 0], [0, 1, 1]]
    assert error_types(table) == {"E-N": 0, "E-C": 2, "N-E": 1, "N-C": 0, "C-E": 0, "C-N": 1}
    assert [false_share(table, label) for label in range(3)] == [1 / 4, 1 / 4, 2 / 4]
    assert false_share(np.eye(3, dtype=int), 0) is None
    assert confusion([], []).tolist() == [[0] * 3] * 3


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [([0, 3], [0, 0], "from 0 to 2"), ([0], [-1], "from 0 to 2"), ([0], [0, 1], "1 gold labels for 2")],
)
def test_labels_that_are_none_are_refused(gold: list[int], predicted: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        confusion(gold, predicted)


# -- people ----------------------------------------------------------------------------------------------


def test_votes_are_counted_by_label() -> None:
    names = [["entailment", "neutral", "neutral"], ["contradiction", "-"], []]
    assert vote_counts(names).tolist() == [[1, 2, 0], [0, 0, 1], [0, 0, 0]]
    assert vote_counts([]).shape == (0, 3)


votes = st.lists(
    st.tuples(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), st.integers(0, 2)),
    min_size=2,
    max_size=8,
)


@given(votes)
def test_expected_human_accuracy_is_the_mean_over_all_draws(items: list[tuple[list[int], int]]) -> None:
    counts, gold = [row for row, _ in items], [label for _, label in items]
    found = human_accuracy(counts, gold)
    every_tagger = [[k == label for k, n in enumerate(row) for _ in range(n)] for row, label in items]
    shares = [np.mean(row) for row in every_tagger]
    assert found.expected.value == pytest.approx(np.mean(shares))
    assert found.drawn.value in {right / len(items) for right in range(len(items) + 1)}
    if np.std(shares) > 0:
        low, high = stats.t.interval(0.95, len(items) - 1, np.mean(shares), stats.sem(shares))
        assert (found.expected.low, found.expected.high) == pytest.approx((max(0, low), min(1, high)))


def test_a_draw_is_one_annotator_of_each_item() -> None:
    sure = human_accuracy([[5, 0, 0], [0, 0, 5], [0, 5, 0]], [0, 2, 0])
    assert (sure.drawn.value, sure.expected.value) == (2 / 3, 2 / 3)
    counts, gold = [[3, 1, 1]] * 4000, [0] * 4000
    first = human_accuracy(counts, gold, seed=1)
    assert first == human_accuracy(counts, gold, seed=1)
    assert first.drawn != human_accuracy(counts, gold, seed=2).drawn
    assert first.drawn.value == pytest.approx(
        3 / 5, abs=4 * (0.6 * 0.4 / 4000) ** 0.5
    )  # four standard errors
    assert human_accuracy(counts, [1] * 4000).drawn.value == pytest.approx(1 / 5, abs=0.03)


def test_human_accuracy_counts_by_cluster() -> None:
    counts, gold = [[5, 0, 0], [3, 2, 0], [4, 1, 0], [1, 2, 2], [4, 0, 1]], [0] * 5
    once = human_accuracy(counts, gold).expected
    twice = human_accuracy(counts * 2, gold * 2, [*range(5), *range(5)]).expected  # says nothing new
    assert (twice.value, twice.low, twice.high) == pytest.approx((once.value, once.low, once.high))
    assert (twice.n, twice.clusters) == (10, 5)
    assert human_accuracy(counts * 2, gold * 2).expected.low > once.low
    assert human_accuracy(counts, gold, ["x"] * 5).expected == (once.value, 0.0, 1.0, 5, 1)


def test_human_accuracy_of_nothing_and_of_what_does_not_fit() -> None:
    nothing = human_accuracy(np.zeros((0, 3)), [])
    assert isnan(nothing.expected.value)
    assert nothing.drawn[1:] == (0.0, 1.0, 0, 0)
    with pytest.raises(ValueError, match="item 1 has no votes"):
        human_accuracy([[1, 0, 0], [0, 0, 0]], [0, 0])
    with pytest.raises(ValueError, match="votes on 1 items for 2 gold labels"):
        human_accuracy([[1, 0, 0]], [0, 0])


def test_human_accuracy_on_snli_dev_is_the_papers(shared_data: Path) -> None:
    """Nie et al. 2019, Table 5: 88.32 on SNLI dev whole, by one draw; half a point is allowed."""
    from crossexam.core.example import cluster_of
    from crossexam.core.labels import LABEL_INDEX
    from crossexam.corpora.spec import read_corpus

    examples = read_corpus(shared_data / "snli" / "snli_1.0_dev.jsonl").examples
    counts = vote_counts([example.info["annotator_labels"] for example in examples])
    gold = [LABEL_INDEX[example.label] for example in examples if example.label]
    found = human_accuracy(counts, gold, [cluster_of(example) for example in examples])
    assert abs(100 * found.expected.value - 88.32) < 0.5
    assert abs(100 * found.drawn.value - 88.32) < 0.5


# -- agreement of choices --------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_kappa_is_statsmodels_kappa(choices: list[tuple[bool, bool]]) -> None:
    found = agreement([a for a, _ in choices], [b for _, b in choices])
    table = np.zeros((2, 2))
    for a, b in choices:
        table[int(a), int(b)] += 1
    assert (found.found, found.wanted, found.both, found.n) == (
        table[1].sum(),
        table[:, 1].sum(),
        table[1, 1],
        len(choices),
    )
    margins = table.sum(axis=0), table.sum(axis=1)
    if any((margin == len(choices)).any() for margin in margins) and np.array_equal(*margins):
        assert isnan(found.kappa)  # both chose all, or both nothing
    else:
        assert found.kappa == pytest.approx(cohens_kappa(table).kappa)
    for value, size in ((found.precision, found.found), (found.recall, found.wanted)):
        assert isnan(value) if size == 0 else value == found.both / size


def test_agreement_of_nothing_and_of_what_does_not_fit() -> None:
    assert agreement([], []).n == 0
    assert isnan(agreement([], []).kappa)
    with pytest.raises(ValueError, match="2 choices against 1"):
        agreement([True, False], [True])
