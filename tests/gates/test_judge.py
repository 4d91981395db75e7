"""The decision about a run: outcomes, missing answers, and that nothing passes by accident."""

import re
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
from made.cases import for_each
from made.gated import DEV, MakeRun, N, check_of, first, gate, half_proposed, spread_out, suite, unpaired

ESTIMATED = ["accuracy", "balanced_accuracy", "drop", "flip_rate", "ece"]
AGAINST = {"against": "baseline", "margin": 0.1}


def test_a_rule_holds_is_open_or_broken(make_run: MakeRun) -> None:
    runs = [make_run({DEV: spread_out(share)}) for share in (0.8, 0.6, 0.4)]
    baseline = make_run({DEV: spread_out(0.9)})

    def check(name: str, side: str, limit: float) -> None:
        outcomes = [check_of(run, {"measure": name, side: limit}).outcome for run in runs]
        assert outcomes == ["holds", "open", "broken"]

    def check_against(name: str) -> None:
        shares = (0.8, 0.6, 0.3) if name == "ece" else (0.95, 0.8, 0.4)  # a confidence of 0.8 suits the first
        against = (make_run({DEV: spread_out(share)}) for share in shares)
        found = [check_of(run, {"measure": name, **AGAINST}, baseline).outcome for run in against]
        assert found == ["holds", "open", "broken"]

    limits = [("accuracy", "min", 0.6), ("balanced_accuracy", "min", 0.6)]
    for_each(check, [*limits, ("drop", "max", 0.4), ("flip_rate", "max", 0.4), ("ece", "max", 0.2)])
    assert check_of(runs[0], {"measure": "accuracy", "max": 0.6}).outcome == "broken"
    for_each(check_against, ESTIMATED)


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


def test_a_balanced_accuracy_is_of_the_labels_of_the_model(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    of_two = make_run({DEV: spread_out(0.7)}, details={"two_label": True})
    gold, entailed = datasets[DEV].labels() == 0, of_two.answers(DEV)[:, 0] > 0.5
    recalls = (entailed[gold].mean(), (~entailed[~gold]).mean())  # of two labels there are two
    found = check_of(of_two, {"measure": "balanced_accuracy", "min": 0.1}).value.value
    assert found == pytest.approx(sum(recalls) / 2)


def test_p_values_are_corrected_over_all_checks(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.66)})
    rules = [{"measure": "accuracy", "min": least} for least in (0.6, 0.61, 0.62)]
    three = gate(run, *rules).checks
    raw = [check_of(run, rule).p_holds for rule in rules]
    assert [check.p_holds for check in three] == pytest.approx(holm(raw).tolist())
    alpha = 2 * raw[0] * 1.01
    assert check_of(run, rules[0], alpha=alpha).outcome == "holds"
    assert check_of(run, rules[0], alpha=0.98 * alpha).outcome == "open"  # each side has half of the level


def test_unanswered_is_observed(make_run: MakeRun) -> None:
    run = make_run(None, {DEV: range(15)})
    for most, outcome in ((0.05, "holds"), (0.049, "broken")):
        check = check_of(run, {"measure": "unanswered", "max": most})
        assert (check.outcome, check.p_holds, check.value.value) == (outcome, None, pytest.approx(0.05))
    against = {"measure": "unanswered", "against": "baseline", "margin": 0.02}
    assert check_of(run, against, make_run(None, {DEV: range(10)})).outcome == "holds"
    nothing = make_run(None, {DEV: range(N)})  # as if every request had met the limit of a rate
    for name in ESTIMATED[:-1]:
        result = gate(nothing, {"measure": name, **AGAINST}, baseline=make_run())
        assert (result.checks[0].outcome, result.exit_code) == ("not judged", 2), name


def test_missing_answers_do_not_show_that_a_rule_holds(make_run: MakeRun) -> None:
    """The model that leaves out what it would get wrong is not shown to be as good."""
    right = first(0.66)
    honest, shy = make_run({DEV: right}), make_run({DEV: right}, {DEV: np.flatnonzero(~right)[:14]})
    check, other = (check_of(run, {"measure": "accuracy", "min": 0.62}) for run in (shy, honest))
    assert check.value.value > 0.68
    assert check.p_holds == pytest.approx(other.p_holds)  # as if the missing ones were wrong


def test_bounds_that_decide_do_and_others_cannot_be_judged(make_run: MakeRun) -> None:
    run = make_run({DEV: first(0.8)}, {DEV: range(60)})  # one fifth is missing: 60 % to 80 %
    result = gate(run, {"measure": "accuracy", "min": 0.7})
    (check,) = result.checks
    assert isinstance(check.value, Bounds)
    assert (check.outcome, check.p_value, result.exit_code) == ("not judged", None, 2)
    assert check_of(run, {"measure": "accuracy", "min": 0.4}).outcome == "holds"
    assert check_of(run, {"measure": "accuracy", "min": 0.95}).outcome == "broken"


@pytest.mark.parametrize("name", ESTIMATED)
def test_the_worst_answers_that_are_missing_are_within_the_bounds(make_run: MakeRun, name: str) -> None:
    """Whatever the missing answers of both runs are, the difference is between least and most."""

    def measured(*given: Any) -> Any:
        runs = [make_run(*each) for each in zip(rights, *given, strict=True)]
        new, old = (JudgedRun(run, False, 0.05, run) for run in runs)
        return MEASURES[name].alone(new, DEV), MEASURES[name].against(new, old, DEV)

    rng = np.random.default_rng(0)
    missing = ({DEV: [1, 2, 50], "base.dev": [7]}, {DEV: [3, 2]})
    rights = [{DEV: spread_out(0.7, seed), "base.dev": spread_out(0.8, seed + 5)} for seed in range(2)]
    bounds = measured(missing)
    for _ in range(20):
        for right, gone in zip(rights, missing, strict=True):
            for key, rows in gone.items():
                right[key][rows] = rng.random(len(rows)) < 0.5
        for found, bound in zip(measured(), bounds, strict=True):
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
    # names as in tables, if they are those of one: of several bases, there is no "negation"
    one, more = make_run(), make_run(of={**datasets, **suite(part="other")})
    assert sets("negation", one) == [DEV]
    assert sets("base (dev)", one) == ["base.dev"]
    assert sets("negation (other)", more) == ["negation.other"]
    whole = make_run(of={**datasets, "negation": replace(datasets[DEV], name="negation")})
    assert sets("negation", whole) == ["negation"]  # a full name comes first
    for run, baseline in ((more, None), (one, more)):
        with pytest.raises(CrossexamError, match=re.escape("did you mean 'negation.*'?")):
            sets("negation", run, baseline)


def test_test_sets_and_models_of_the_baseline_are_told_apart(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    """What no rule is about is not needed, and a model against itself is noted."""
    rule = {"measure": "accuracy", **AGAINST}
    whole = make_run(of={**datasets, **suite(part="other")}, model_key="abc")
    run, other = make_run(model_key="abc"), make_run(model_key="abd")
    result = gate(run, rule, baseline=whole)
    assert [each.test_set for each in result.checks] == [DEV]
    assert result.notes[0].startswith("Run and baseline come from the same model (key abc)")
    assert "that no rule is about: base.other, negation.other." in result.notes[1]
    assert not gate(other, rule, baseline=run).notes
    only = make_run(of={DEV: datasets[DEV]})
    for pattern, of, baseline, lacks in (
        ("*", run, whole, "base.other, negation.other"),
        (DEV, only, run, "base.dev"),  # from which drops are measured
    ):
        with pytest.raises(CrossexamError, match=f"lacks {re.escape(lacks)}, which the baseline has"):
            gate(of, {**rule, "set": pattern}, baseline=baseline)


def test_what_cannot_be_judged_is_an_error(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    accuracy, good = {"measure": "accuracy", "min": 0.6}, make_run()
    bare = replace(datasets[DEV], examples=tuple(replace(each, label=None) for each in datasets[DEV]))
    unlabelled = make_run(of={**datasets, DEV: bare})
    only = {name: make_run(of={name: datasets[name]}) for name in ("base.dev", DEV)}
    labels = make_run(sure=1.0)

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
        (
            good, {"measure": "ece", **AGAINST}, Baseline.of(good, probabilities=False),
            r"(?s)the baseline has no probabilities.*--probabilities",
        ),
    ]  # fmt: skip
    for_each(check, rows)
    assert check_of(unlabelled, {"measure": "unanswered", "max": 0.1}).outcome == "holds"


def test_a_failed_probe_of_the_labels_is_refused_unless_it_is_accepted_or_declared(make_run: MakeRun) -> None:
    rule = {"measure": "accuracy", "min": 0.1}
    details: dict[str, Any] = {"probe": {"right": 0.1, "items": 30, "warning": "the order is wrong"}}
    for of in (details, {"members": {"hf/a": {}, "hf/b": details}}):
        run = make_run(details=of)
        with pytest.raises(CrossexamError, match="failed the probe of its labels: the order is w"):
            gate(run, rule)
        accepted = gate(run, rule, accept_unverified=True)
        assert accepted.passed
        assert accepted.notes[0].endswith("accepted with --accept-unverified; the order is wrong.")
    declared = gate(make_run(details={**details, "label_order_from": "declared"}), rule)
    assert declared.passed
    assert "the class order was declared with --label-order" in declared.notes[0]


def test_drops_of_items_that_are_not_paired(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    of, rule = unpaired(datasets), {"measure": "drop", **AGAINST}
    run, worse = make_run({DEV: spread_out(0.7)}, of=of), make_run({DEV: spread_out(0.4, 1)}, of=of)
    ((_, reported), (_, then)) = measure(run), measure(worse)
    check = check_of(run, {"measure": "drop", "max": 0.1})
    assert (check.value, check.outcome) == (reported.difference, "broken")
    check = check_of(worse, rule, run)
    assert check.value.value == pytest.approx(then.difference.value - reported.difference.value)
    assert (check.outcome, check.n) == ("broken", 2 * N)
