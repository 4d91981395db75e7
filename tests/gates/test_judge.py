"""The decision about a run: outcomes, missing answers, and that nothing passes by accident."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds
from crossexam.evaluation.calibration import calibration_of
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import measure
from crossexam.evaluation.probability_comparison import probability_comparisons
from crossexam.evaluation.shares import shares_of
from crossexam.gates.baseline import Baseline
from crossexam.gates.items import JudgedRun
from crossexam.gates.judge import judge
from crossexam.gates.measures import MEASURES
from crossexam.gates.rules import rules_from
from crossexam.stats.p_values import holm
from made.gated import DEV, MakeRun, N, check_of, first, gate, half_proposed, spread_out, suite, unpaired
from made.runs import dataset

ESTIMATED = ["accuracy", "balanced_accuracy", "drop", "flip_rate", "ece"]
AGAINST = {"against": "baseline", "margin": 0.1}


def test_a_rule_holds_is_open_or_broken(make_run: MakeRun, for_each: Callable[..., None]) -> None:
    runs = [make_run({DEV: spread_out(share)}) for share in (0.8, 0.6, 0.4)]

    def check(name: str, side: str, limit: float) -> None:
        outcomes = [check_of(run, {"measure": name, side: limit}).outcome for run in runs]
        expected = ["holds", "open", "broken"]
        assert outcomes == (expected[::-1] if (name, side) == ("accuracy", "max") else expected)

    limits = [("accuracy", "min", 0.6), ("accuracy", "max", 0.6), ("balanced_accuracy", "min", 0.6)]
    for_each(check, [*limits, ("drop", "max", 0.4), ("flip_rate", "max", 0.4), ("ece", "max", 0.2)])


def test_against_a_baseline(make_run: MakeRun, for_each: Callable[..., None]) -> None:
    baseline = make_run({DEV: spread_out(0.9)})

    def check(name: str) -> None:
        shares = (0.8, 0.6, 0.3) if name == "ece" else (0.95, 0.8, 0.4)  # a confidence of 0.8 suits the first
        runs = (make_run({DEV: spread_out(share)}) for share in shares)
        found = [check_of(run, {"measure": name, **AGAINST}, baseline).outcome for run in runs]
        assert found == ["holds", "open", "broken"]

    for_each(check, ESTIMATED)


def test_items_that_share_word_pairs_have_a_balanced_accuracy(make_run: MakeRun) -> None:
    """Over two clusterings at once, as their accuracy."""
    items = dataset("i_th.dev", "ENC" * 40, sharing=3, info=lambda k: {"pair": f"hot/cold{k % 8}"})
    flags = spread_out(0.7)[: len(items)]
    new, old = (make_run({"i_th.dev": each}, of={"i_th.dev": items}) for each in (flags, ~flags))
    for rule in ({"min": 0.5}, AGAINST):
        (plain, balanced) = (
            check_of(new, {"set": "*", "measure": name, **rule}, old).value
            for name in ("accuracy", "balanced_accuracy")
        )
        assert balanced.value == pytest.approx(plain.value)  # the labels are as frequent
        assert balanced.clusters == plain.clusters == 8


def test_values_are_those_of_the_report_and_of_compare(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.7), "base.dev": spread_out(0.9, 1)}, {DEV: [3, 4], "base.dev": [9]})
    (_, reported), (_, shares) = measure(run), shares_of(run)
    calibration = calibration_of(run, shares)
    rules = [{"measure": name, "max": 0.5} for name in ("accuracy", "drop", "flip_rate", "ece", "unanswered")]
    *values, unanswered = (check.value for check in gate(run, *rules).checks)
    assert values == [reported.accuracy, reported.drop, reported.flip_rate, calibration.ece.error]
    assert unanswered.value == pytest.approx(reported.unanswered.share)
    new = make_run({DEV: spread_out(0.7)}, {DEV: [3]}, sure=0.7)
    old = make_run({DEV: spread_out(0.8, 1)}, {DEV: [5]})
    (_, compared), (_, probabilities) = compare_runs(new, old), probability_comparisons(new, old)
    assert check_of(new, {"measure": "accuracy", **AGAINST}, old).value == compared.difference
    ece = check_of(new, {"measure": "ece", **AGAINST}, old).value
    assert ece == pytest.approx(probabilities.measured.ece.difference, abs=1e-6)
    of_two = make_run({DEV: spread_out(0.7)}, details={"two_label": True})
    found = check_of(of_two, {"measure": "accuracy", **AGAINST}, old).value
    assert found == compare_runs(of_two, old)[1].difference


def test_balanced_accuracy(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rule = {"measure": "balanced_accuracy", "min": 0.1}
    run, of_two = (make_run({DEV: spread_out(0.7)}, details={"two_label": two}) for two in (False, True))
    expected = metrics.balanced_accuracy_score(datasets[DEV].labels(), run.scored(DEV).predicted)
    assert check_of(run, rule).value.value == pytest.approx(expected)
    gold, entailed = datasets[DEV].labels() == 0, of_two.answers(DEV)[:, 0] > 0.5
    recalls = (entailed[gold].mean(), (~entailed[~gold]).mean())  # of two labels there are two
    assert check_of(of_two, rule).value.value == pytest.approx(sum(recalls) / 2)
    # the p-value is that of a share: of labels that are as frequent, that of the accuracy
    good = make_run({DEV: spread_out(0.97)})
    balanced, plain = (
        check_of(good, {"measure": each, "min": 0.99}) for each in ("balanced_accuracy", "accuracy")
    )
    assert balanced.p_broken == pytest.approx(plain.p_broken, rel=0.01)


def test_p_values_are_corrected_over_all_checks(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.66)})
    rules = [{"measure": "accuracy", "min": least} for least in (0.6, 0.61, 0.62)]
    three = gate(run, *rules).checks
    raw = [check_of(run, rule).p_holds for rule in rules]
    assert [check.p_holds for check in three] == pytest.approx(holm(raw).tolist())
    assert three[0].p_holds == pytest.approx(3 * raw[0])
    alpha = 2 * raw[0] * 1.01  # one check holds, which is open among three
    assert check_of(run, rules[0], alpha=alpha).outcome == "holds"
    assert check_of(run, rules[0], alpha=0.98 * alpha).outcome == "open"  # each side has half of the level
    assert {check.outcome for check in gate(run, *rules[:1] * 3, alpha=alpha).checks} == {"open"}


def test_unanswered_is_observed(make_run: MakeRun) -> None:
    run = make_run(None, {DEV: range(15)})
    for most, outcome in ((0.05, "holds"), (0.049, "broken")):
        check = check_of(run, {"measure": "unanswered", "max": most})
        assert (check.outcome, check.p_holds, check.value.value) == (outcome, None, pytest.approx(0.05))
    against = {"measure": "unanswered", "against": "baseline", "margin": 0.02}
    assert check_of(run, against, make_run()).outcome == "broken"
    assert check_of(run, against, make_run(None, {DEV: range(10)})).outcome == "holds"


def test_missing_answers_do_not_show_that_a_rule_holds(make_run: MakeRun) -> None:
    """The model that leaves out what it would get wrong is not shown to be as good."""
    right = first(0.66)
    honest, shy = make_run({DEV: right}), make_run({DEV: right}, {DEV: np.flatnonzero(~right)[:14]})
    assert check_of(honest, {"measure": "accuracy", "min": 0.5, "require": "shown"}).outcome == "holds"
    check, other = (check_of(run, {"measure": "accuracy", "min": 0.62}) for run in (shy, honest))
    assert check.value.value > 0.68
    assert check.p_holds == pytest.approx(other.p_holds)  # as if the missing ones were wrong
    against = {"measure": "accuracy", "against": "baseline", "margin": 0.05}
    shy = make_run({DEV: right}, {DEV: np.flatnonzero(right)[:14]})
    check = check_of(shy, against, honest)
    assert (check.value.value, check.outcome) == (0.0, "open")  # the value is of the items that both answered
    assert check_of(honest, against, honest).outcome == "holds"


def test_bounds_that_decide_do_and_others_cannot_be_judged(make_run: MakeRun) -> None:
    run = make_run({DEV: first(0.8)}, {DEV: range(60)})  # one fifth is missing: 60 % to 80 %
    result = gate(run, {"measure": "accuracy", "min": 0.7})
    (check,) = result.checks
    assert isinstance(check.value, Bounds)
    assert (check.outcome, check.p_value, result.exit_code) == ("not judged", None, 2)
    assert check_of(run, {"measure": "accuracy", "min": 0.4}).outcome == "holds"
    assert check_of(run, {"measure": "accuracy", "min": 0.95}).outcome == "broken"
    assert check_of(run, {"measure": "accuracy", "min": 0.7}, max_unanswered=0.2).outcome in {"open", "holds"}


def test_a_run_that_answered_nothing_is_not_green(make_run: MakeRun) -> None:
    """As if every request had met the limit of a rate."""
    run, good = make_run(None, {DEV: range(N)}), make_run()
    for name in ESTIMATED[:-1]:
        side = "min" if name.endswith("accuracy") else "max"
        for rule in ({side: 0.5}, {"against": "baseline", "margin": 0.5}):
            result = gate(run, {"measure": name, **rule}, baseline=good)
            assert (result.checks[0].outcome, result.exit_code) == ("not judged", 2), name
            with pytest.raises(CrossexamError):  # nothing that could be calibrated
                gate(run, {"measure": "ece", **rule}, baseline=good)


@pytest.mark.parametrize("name", ESTIMATED)
def test_the_worst_answers_that_are_missing_are_within_the_bounds(make_run: MakeRun, name: str) -> None:
    """Whatever the missing answers of both runs are, the difference is between least and most."""
    rng = np.random.default_rng(0)
    missing = ({DEV: [1, 2, 50], "base.dev": [7]}, {DEV: [3, 2]})
    rights = [{DEV: spread_out(0.7, seed), "base.dev": spread_out(0.8, seed + 5)} for seed in range(2)]
    runs = [make_run(right, gone) for right, gone in zip(rights, missing, strict=True)]
    new, old = (JudgedRun(run, False, 0.05, run) for run in runs)
    alone, against = MEASURES[name].alone(new, DEV), MEASURES[name].against(new, old, DEV)
    for _ in range(20):
        filled = []
        for right, gone in zip(rights, missing, strict=True):
            flags = {key: values.copy() for key, values in right.items()}
            for key, rows in gone.items():
                flags[key][rows] = rng.random(len(rows)) < 0.5
            run = make_run(flags)
            filled.append(JudgedRun(run, False, 0.05, run))
        for found, bound in (
            (MEASURES[name].alone(filled[0], DEV), alone),
            (MEASURES[name].against(filled[0], filled[1], DEV), against),
        ):
            least, most = bound.least(0.95).value, bound.most(0.95).value
            assert least - 1e-9 <= found.value().value <= most + 1e-9


def sets(pattern: str, run: Run, baseline: Run | None = None, **rule: Any) -> list[str]:
    """The test sets that a rule with this pattern is about."""
    rule = {"measure": "accuracy", "min": 0.6} | rule
    return [each.test_set for each in gate(run, {"set": pattern, **rule}, baseline=baseline).checks]


def test_which_test_sets_a_rule_is_about(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    assert sets("*", make_run()) == ["base.dev", DEV]
    assert sets("*", make_run(), measure="drop") == [DEV]  # a base has none
    name = "builtin:demo[:5]"  # a name, although it has brackets
    assert sets(name, make_run(of={name: replace(datasets["base.dev"], name=name)})) == [name]
    assert sets("negation.*", make_run(of=half_proposed(datasets))) == [DEV, f"{DEV} (proposed)"]
    empty = {**datasets, DEV: replace(datasets[DEV], examples=())}
    assert sets("*", make_run(of=empty)) == ["base.dev"]
    with pytest.raises(CrossexamError, match="none of its items can be used"):
        sets(DEV, make_run(of=empty))  # whoever names it expects items


def test_a_rule_may_name_a_test_set_as_tables_do(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    """If it is the name of one: of several bases, there is no "negation" in tables."""
    one, more = make_run(), make_run(of={**datasets, **suite(part="other")})
    assert sets("negation", one) == [DEV]
    assert sets("base (dev)", one) == ["base.dev"]
    assert sets("negation (other)", more) == ["negation.other"]
    assert sets("negation", make_run(of=half_proposed(datasets))) == [DEV]
    whole = make_run(of={**datasets, "negation": replace(datasets[DEV], name="negation")})
    assert sets("negation", whole) == ["negation"]  # a full name comes first
    for name, run, baseline in (("negation", more, None), ("negation.", one, None), ("negation", one, more)):
        with pytest.raises(CrossexamError, match=re.escape("did you mean 'negation.*'?")):
            sets(name, run, baseline)


def test_test_sets_of_the_baseline_that_no_rule_is_about_are_not_needed(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    rule = {"measure": "accuracy", **AGAINST}
    whole, run = make_run(of={**datasets, **suite(part="other")}), make_run()
    result = gate(run, rule, baseline=whole)
    assert [each.test_set for each in result.checks] == [DEV]
    assert "that no rule is about: base.other, negation.other." in result.notes[0]
    only = make_run(of={DEV: datasets[DEV]})
    for pattern, of, lacks in (
        ("*", run, "base.other, negation.other"),
        ("neg*", run, "negation.other"),
        ("neg*proposed)", run, "negation.other"),
        (DEV, only, "base.dev"),  # from which drops are measured
    ):
        with pytest.raises(CrossexamError, match=f"lacks {re.escape(lacks)}, which the baseline has"):
            gate(of, {**rule, "set": pattern}, baseline=whole if of is run else run)


def test_a_model_against_itself_is_noted(make_run: MakeRun) -> None:
    rule = {"measure": "accuracy", **AGAINST}
    one, other = make_run(model_key="abc"), make_run(model_key="abd")
    assert not gate(one, rule, baseline=other).notes
    (note,) = gate(one, rule, baseline=one).notes
    assert note.startswith("Run and baseline come from the same model (key abc)")
    assert note in gate(one, rule, baseline=one).table.notes
    assert not gate(one, {"measure": "accuracy", "min": 0.1}).notes


def test_what_cannot_be_judged_is_an_error(
    make_run: MakeRun, datasets: dict[str, Dataset], for_each: Callable[..., None]
) -> None:
    accuracy, good = {"measure": "accuracy", "min": 0.6}, make_run()
    bare = replace(datasets[DEV], examples=tuple(replace(each, label=None) for each in datasets[DEV]))
    unlabelled = make_run(of={**datasets, DEV: bare})
    only = {name: make_run(of={name: datasets[name]}) for name in ("base.dev", DEV)}
    labels = make_run(sure=1.0)
    ece = {"measure": "ece", **AGAINST}

    def check(run: Any, rule: dict[str, Any], baseline: Baseline | None, says: str) -> None:
        with pytest.raises(CrossexamError, match=says) as caught:
            judge(run, rules_from([{"set": DEV, **rule}]), baseline)
        assert str(caught.value).startswith("rule 1")

    rows = [
        (good, {"set": "base.dev", "measure": "drop", "max": 0.1}, None, "'drop' is not defined"),
        (
            good, {"measure": "accuracy", **AGAINST}, Baseline.of(only["base.dev"]),
            "the baseline lacks a test set that the rule is about",
        ),
        (only[DEV], {"measure": "drop", "max": 0.1}, None, r"the run lacks 'base\.dev'"),
        (unlabelled, accuracy, None, "none of its items can be used"),
        (labels, {"measure": "ece", "max": 0.1}, None, "gives labels without probabilities"),
        (labels, ece, Baseline.of(good), "gives labels without probabilities"),
        (
            good, ece, Baseline.of(good, probabilities=False),
            r"(?s)the baseline has no probabilities.*--probabilities",
        ),
    ]  # fmt: skip
    for_each(check, rows)
    assert check_of(unlabelled, {"measure": "unanswered", "max": 0.1}).outcome == "holds"


def test_a_failed_probe_of_the_labels(make_run: MakeRun) -> None:
    rule = {"measure": "accuracy", "min": 0.1}
    details: dict[str, Any] = {"probe": {"right": 0.1, "items": 30, "warning": "the order is wrong"}}
    for of in (details, {"members": {"hf/a": {}, "hf/b": details}}):
        run = make_run(details=of)
        with pytest.raises(CrossexamError, match="failed the probe of its labels: the order is w") as caught:
            gate(run, rule)
        assert "--label-order" not in caught.value.hint  # a language model has no order of classes
        accepted = gate(run, rule, accept_unverified=True)
        assert accepted.passed
        assert accepted.notes[0].endswith("accepted with --accept-unverified; the order is wrong.")
    with pytest.raises(CrossexamError) as caught:
        gate(make_run(details={**details, "label_order_from": "config.json"}), rule)
    assert "--label-order, which declares it, or give --accept-unverified" in str(caught.value.hint)
    assert gate(make_run(details={"probe": {"right": 0.9, "items": 30}}), rule).passed
    declared = gate(make_run(details={**details, "label_order_from": "declared"}), rule)
    assert declared.passed
    assert "the class order was declared with --label-order" in declared.notes[0]


def test_drops_of_items_that_are_not_paired(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    of, rule = unpaired(datasets), {"measure": "drop", **AGAINST}
    run, worse = make_run({DEV: spread_out(0.7)}, of=of), make_run({DEV: spread_out(0.4, 1)}, of=of)
    ((_, reported), (_, then)) = measure(run), measure(worse)
    check = check_of(run, {"measure": "drop", "max": 0.1})
    assert (check.value, check.outcome) == (reported.difference, "broken")
    check = check_of(run, rule, run)
    assert (check.value.value, check.outcome) == (0.0, "holds")
    check = check_of(worse, rule, run)
    assert check.value.value == pytest.approx(then.difference.value - reported.difference.value)
    assert (check.outcome, check.n) == ("broken", 2 * N)


def test_missing_answers_to_unpaired_items_are_taken_against_the_model(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    of, right, rule = unpaired(datasets), spread_out(0.7), {"measure": "drop", **AGAINST}
    new = make_run({DEV: right}, {DEV: list(range(60)), "base.dev": list(range(250, 270))}, of=of)
    old = make_run({DEV: right}, of=of)
    check = check_of(new, rule, old)
    assert (check.missing, check.outcome) == (80, "not judged")
    # the least accuracy here, and the most on the base, are the largest drop
    (_, most) = measure(make_run({DEV: right & (np.arange(N) >= 60)}, of=of))
    largest = most.difference.value - measure(old)[1].difference.value
    assert check.value.most.value == pytest.approx(largest)
    check = check_of(old, rule, new)  # the same drops, with the sign of the baseline's
    assert check.value.least.value == pytest.approx(-largest)


def test_as_many_items_as_it_says_settle_a_check(make_run: MakeRun, for_each: Callable[..., None]) -> None:
    """More clusters that are like these: the answers are repeated."""

    def check(share: float, name: str, side: str, limit: float, within: float) -> None:
        rule = {"measure": name, side: limit}
        needed = check_of(make_run({DEV: spread_out(share)}), rule).items_needed
        assert needed > N
        for factor, settled in ((1 - within, False), (1 + within, True)):
            times = round(factor * needed / N)
            repeated = make_run({DEV: np.tile(spread_out(share), times)}, of=suite(N * times))
            assert (check_of(repeated, rule).outcome != "open") == settled

    cases = [(0.64, "accuracy", "min", 0.6, 0.3), (0.77, "ece", "max", 0.05, 0.15)]
    for_each(check, [*cases, (0.77, "ece", "max", 0.01, 0.15)])
