"""The decision about a run: outcomes, missing answers, and that nothing passes by accident."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds
from crossexam.evaluation.calibration import calibrations
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import measure
from crossexam.evaluation.probability_comparison import probability_comparisons
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.stats.p_values import holm

MakeRun = Callable[..., Run]
N = 300
DEV = "negation.dev"


def first(share: float) -> Any:
    """Which of the items are right: the clusters at the beginning."""
    return np.arange(N) < share * N


def spread_out(share: float, seed: int = 0) -> Any:
    return np.random.default_rng(seed).permutation(N) < share * N


def gate(run: Run, *rules: dict[str, Any], baseline: Run | None = None, **how: Any) -> GateResult:
    stored = None if baseline is None else Baseline.of(baseline)
    return judge(run, rules_from([{"set": DEV, **rule} for rule in rules]), stored, **how)


def outcome(run: Run, rule: dict[str, Any], baseline: Run | None = None, **how: Any) -> str:
    (check,) = gate(run, rule, baseline=baseline, **how).checks
    return check.outcome


@pytest.mark.parametrize(
    ("rule", "outcomes"),
    [
        ({"measure": "accuracy", "min": 0.6}, ("holds", "open", "broken")),
        ({"measure": "accuracy", "max": 0.6}, ("broken", "open", "holds")),
        ({"measure": "balanced_accuracy", "min": 0.6}, ("holds", "open", "broken")),
        ({"measure": "drop", "max": 0.4}, ("holds", "open", "broken")),
        ({"measure": "flip_rate", "max": 0.4}, ("holds", "open", "broken")),
        ({"measure": "ece", "max": 0.2}, ("holds", "open", "broken")),
    ],
)
def test_a_rule_holds_is_open_or_broken(
    make_run: MakeRun, rule: dict[str, Any], outcomes: tuple[str, ...]
) -> None:
    shares = (0.8, 0.6, 0.4)
    found = tuple(outcome(make_run({DEV: spread_out(share)}), rule) for share in shares)
    assert found == outcomes


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "drop", "flip_rate", "ece"])
def test_against_a_baseline(make_run: MakeRun, name: str) -> None:
    rule = {"measure": name, "against": "baseline", "margin": 0.1}
    baseline = make_run({DEV: spread_out(0.9)})
    shares = (0.8, 0.6, 0.3) if name == "ece" else (0.95, 0.8, 0.4)  # a confidence of 0.8 suits the first
    found = [outcome(make_run({DEV: spread_out(share)}), rule, baseline) for share in shares]
    assert found == ["holds", "open", "broken"]


def test_values_are_those_of_the_report(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.7), "base.dev": spread_out(0.9, 1)}, {DEV: [3, 4], "base.dev": [9]})
    (_, reported), (_, calibration) = measure(run), calibrations(run)
    checks = gate(
        run,
        {"measure": "accuracy", "min": 0.5},
        {"measure": "drop", "max": 0.5},
        {"measure": "flip_rate", "max": 0.5},
        {"measure": "ece", "max": 0.5},
        {"measure": "unanswered", "max": 0.5},
    ).checks
    assert [check.value for check in checks[:4]] == [
        reported.accuracy,
        reported.drop,
        reported.flip_rate,
        calibration.ece.error,
    ]
    assert reported.unanswered is not None
    assert checks[4].value.value == pytest.approx(reported.unanswered.share)


def test_differences_are_those_of_compare(make_run: MakeRun) -> None:
    new = make_run({DEV: spread_out(0.7)}, {DEV: [3]}, sure=0.7)
    old = make_run({DEV: spread_out(0.8, 1)}, {DEV: [5]})
    (_, compared), (_, probabilities) = compare_runs(new, old), probability_comparisons(new, old)
    against = {"against": "baseline", "margin": 0.1}
    checks = gate(new, {"measure": "accuracy", **against}, {"measure": "ece", **against}, baseline=old).checks
    assert checks[0].value == compared.difference
    assert checks[1].value == pytest.approx(probabilities.measured.ece.difference, abs=1e-6)


def test_balanced_accuracy_is_that_of_scikit_learn(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    run = make_run({DEV: spread_out(0.7)})
    (check,) = gate(run, {"measure": "balanced_accuracy", "min": 0.1}).checks
    expected = metrics.balanced_accuracy_score(datasets[DEV].labels(), run.scored(DEV).predicted)
    assert check.value.value == pytest.approx(expected)


def test_the_p_value_of_balanced_accuracy_is_that_of_a_share(make_run: MakeRun) -> None:
    """Of labels that are as frequent, it is that of the accuracy."""
    run = make_run({DEV: spread_out(0.97)})
    rules = ({"measure": each, "min": 0.99} for each in ("balanced_accuracy", "accuracy"))
    balanced, plain = (gate(run, rule).checks[0] for rule in rules)
    assert balanced.p_broken == pytest.approx(plain.p_broken, rel=0.01)


def test_the_recalls_of_a_model_of_two_labels_are_two(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    run = make_run({DEV: spread_out(0.7)}, details={"two_label": True})
    (check,) = gate(run, {"measure": "balanced_accuracy", "min": 0.1}).checks
    gold = datasets[DEV].labels() == 0
    entailed = run.answers(DEV)[:, 0] > 0.5
    recalls = (entailed[gold].mean(), (~entailed[~gold]).mean())
    assert check.value.value == pytest.approx(sum(recalls) / 2)


def test_min_and_max_are_two_checks(make_run: MakeRun) -> None:
    checks = gate(make_run({DEV: spread_out(0.4)}), {"measure": "accuracy", "min": 0.6, "max": 0.9}).checks
    assert [(check.limit.side, check.outcome) for check in checks] == [
        ("above", "broken"),
        ("below", "holds"),
    ]


def test_p_values_are_corrected_over_all_checks(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.66)})
    one = gate(run, {"measure": "accuracy", "min": 0.6}).checks[0]
    rules = [{"measure": "accuracy", "min": least} for least in (0.6, 0.61, 0.62)]
    three = gate(run, *rules).checks
    raw = [gate(run, rule).checks[0].p_holds for rule in rules]
    assert [check.p_holds for check in three] == pytest.approx(holm(raw).tolist())
    assert three[0].p_holds == pytest.approx(3 * one.p_holds)


def test_a_rule_that_is_open_for_one_check_may_be_so_after_correction(make_run: MakeRun) -> None:
    run = make_run({DEV: spread_out(0.66)})
    rule = {"measure": "accuracy", "min": 0.6}
    p = gate(run, rule).checks[0].p_holds
    assert p is not None
    assert outcome(run, rule, alpha=2 * p * 1.01) == "holds"
    assert {check.outcome for check in gate(run, *[rule] * 3, alpha=2 * p * 1.01).checks} == {"open"}


def test_unanswered_is_observed(make_run: MakeRun) -> None:
    run = make_run(None, {DEV: range(15)})
    rules = ({"measure": "unanswered", "max": 0.05}, {"measure": "unanswered", "max": 0.049})
    checks = gate(run, *rules).checks
    assert [(check.outcome, check.p_holds, check.value.value) for check in checks] == [
        ("holds", None, pytest.approx(0.05)),
        ("broken", None, pytest.approx(0.05)),
    ]
    against = {"measure": "unanswered", "against": "baseline", "margin": 0.02}
    assert outcome(run, against, make_run()) == "broken"
    assert outcome(run, against, make_run(None, {DEV: range(10)})) == "holds"


def test_missing_answers_do_not_show_that_a_rule_holds(make_run: MakeRun) -> None:
    """The model that leaves out what it would get wrong is not shown to be as good."""
    right, rule = first(0.66), {"measure": "accuracy", "min": 0.6, "require": "shown"}
    wrong = np.flatnonzero(~right)[:14]
    honest, shy = make_run({DEV: right}), make_run({DEV: right}, {DEV: wrong})
    clear = {**rule, "min": 0.5}
    assert outcome(honest, clear) == "holds"
    (check,) = gate(shy, {"measure": "accuracy", "min": 0.62}).checks
    assert check.value.value > 0.68
    (other,) = gate(honest, {"measure": "accuracy", "min": 0.62}).checks
    assert check.p_holds == pytest.approx(other.p_holds)  # as if the missing ones were wrong
    against = {"measure": "accuracy", "against": "baseline", "margin": 0.05}
    shy = make_run({DEV: right}, {DEV: np.flatnonzero(right)[:14]})
    (check,) = gate(shy, against, baseline=honest).checks
    assert check.value.value == 0.0  # on the items that both answered
    assert check.outcome == "open"
    assert outcome(honest, against, honest) == "holds"


def test_bounds_that_decide_do_and_others_cannot_be_judged(make_run: MakeRun) -> None:
    run = make_run({DEV: first(0.8)}, {DEV: range(60)})  # one fifth is missing: 60 % to 80 %
    (check,) = gate(run, {"measure": "accuracy", "min": 0.7}).checks
    assert isinstance(check.value, Bounds)
    assert (check.outcome, check.p_value) == ("not judged", None)
    assert gate(run, {"measure": "accuracy", "min": 0.7}).exit_code == 2
    assert outcome(run, {"measure": "accuracy", "min": 0.4}) == "holds"
    assert outcome(run, {"measure": "accuracy", "min": 0.95}) == "broken"
    assert outcome(run, {"measure": "accuracy", "min": 0.7}, max_unanswered=0.2) in {"open", "holds"}


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "drop", "flip_rate", "ece"])
def test_a_run_that_answered_nothing_is_not_green(make_run: MakeRun, name: str) -> None:
    """As if every request had met the limit of a rate."""
    run, good = make_run(None, {DEV: range(N)}), make_run()
    against = {"measure": name, "against": "baseline", "margin": 0.5}
    bound = {"max": 0.5} if name in {"drop", "flip_rate", "ece"} else {"min": 0.5}
    for rule in ({"measure": name, **bound}, against):
        try:
            result = gate(run, rule, baseline=good)
        except CrossexamError:
            assert name == "ece"  # nothing that could be calibrated
            continue
        assert result.checks[0].outcome == "not judged"
        assert result.exit_code == 2


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "drop", "flip_rate", "ece"])
def test_the_worst_answers_that_are_missing_are_within_the_bounds(make_run: MakeRun, name: str) -> None:
    """Whatever the missing answers of both runs are, the difference is between least and most."""
    from crossexam.gates.items import ScoredRun
    from crossexam.gates.measures import MEASURES

    rng = np.random.default_rng(0)
    missing = ({DEV: [1, 2, 50], "base.dev": [7]}, {DEV: [3, 2]})
    rights = [{DEV: spread_out(0.7, seed), "base.dev": spread_out(0.8, seed + 5)} for seed in range(2)]
    runs = [make_run(right, gone) for right, gone in zip(rights, missing, strict=True)]
    new, old = (ScoredRun(run, False, 0.05, run) for run in runs)
    alone, against = MEASURES[name].alone(new, DEV), MEASURES[name].against(new, old, DEV)
    assert alone is not None
    assert against is not None
    for _ in range(20):
        filled = []
        for right, gone in zip(rights, missing, strict=True):
            flags = {key: values.copy() for key, values in right.items()}
            for key, rows in gone.items():
                flags[key][rows] = rng.random(len(rows)) < 0.5
            run = make_run(flags)
            filled.append(ScoredRun(run, False, 0.05, run))
        one = MEASURES[name].alone(filled[0], DEV)
        two = MEASURES[name].against(filled[0], filled[1], DEV)
        assert one is not None
        assert two is not None
        for found, bound in ((one, alone), (two, against)):
            least, most = bound.least(0.95).value, bound.most(0.95).value
            assert least - 1e-9 <= found.value().value <= most + 1e-9


def test_a_glob_matches_several_and_a_name_one(make_run: MakeRun) -> None:
    rule = {"set": "*", "measure": "accuracy", "min": 0.6}
    checks = judge(make_run(), rules_from([rule])).checks
    assert [check.test_set for check in checks] == ["base.dev", DEV]
    drops = judge(make_run(), rules_from([{**rule, "measure": "drop"}])).checks
    assert [check.test_set for check in drops] == [DEV]  # a base has none


def test_names_with_brackets_are_names(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    name = "builtin:demo[:5]"
    run = make_run(of={name: replace(datasets["base.dev"], name=name)})
    assert [check.test_set for check in judge(run, rules_from([{
        "set": name, "measure": "accuracy", "min": 0.6}])).checks] == [name]  # fmt: skip


def test_a_model_against_itself_is_noted(make_run: MakeRun) -> None:
    rule = {"measure": "accuracy", "against": "baseline", "margin": 0.1}
    one, other = make_run(model_key="abc"), make_run(model_key="abd")
    assert not gate(one, rule, baseline=other).notes
    (note,) = gate(one, rule, baseline=one).notes
    assert note.startswith("Run and baseline come from the same model (key abc)")
    assert note in gate(one, rule, baseline=one).table.notes
    assert not gate(one, {"measure": "accuracy", "min": 0.1}).notes


@pytest.mark.parametrize("name", ["negation", "negation."])
def test_the_pattern_that_was_meant_is_named(make_run: MakeRun, name: str) -> None:
    with pytest.raises(CrossexamError, match=r"did you mean 'negation\.\*'\?"):
        gate(make_run(), {"set": name, "measure": "accuracy", "min": 0.1})


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a set that is not there": ({"set": "antonymy.*"}, r"no test set is called 'antonymy\.\*'"),
    "no drop": ({"set": "base.dev", "measure": "drop", "min": None, "max": 0.1}, "'drop' is not defined"),
    "no baseline": ({"min": None, "against": "baseline", "margin": 0.1}, "none is given"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_judged_is_an_error(make_run: MakeRun, name: str) -> None:
    changed, says = REFUSED[name]
    rule = {"set": DEV, "measure": "accuracy", "min": 0.6, **changed}
    rules = rules_from([{key: value for key, value in rule.items() if value is not None}])
    with pytest.raises(CrossexamError, match=says) as caught:
        judge(make_run(), rules)
    assert str(caught.value).startswith("rule 1")


def test_a_test_set_that_the_baseline_lacks(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    old = make_run(of={"base.dev": datasets["base.dev"]})
    rule = {"measure": "accuracy", "against": "baseline", "margin": 0.1}
    with pytest.raises(CrossexamError, match="the baseline lacks a test set that the rule is about"):
        gate(make_run(), rule, baseline=old)


def test_a_run_without_the_base_has_no_drop(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    run = make_run(of={DEV: datasets[DEV]})
    for name in ("drop", "flip_rate"):
        with pytest.raises(CrossexamError, match=r"the run lacks 'base\.dev'"):
            gate(run, {"measure": name, "max": 0.1})


def test_items_without_a_label(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    bare = replace(datasets[DEV], examples=tuple(replace(e, label=None) for e in datasets[DEV].examples))
    run = make_run(of={"base.dev": datasets["base.dev"], DEV: bare})
    for name in ("accuracy", "balanced_accuracy"):
        with pytest.raises(CrossexamError, match="none of its items can be used"):
            gate(run, {"measure": name, "min": 0.1})
    assert outcome(run, {"measure": "unanswered", "max": 0.1}) == "holds"


def test_a_baseline_without_probabilities(make_run: MakeRun) -> None:
    old = Baseline.of(make_run(), probabilities=False)
    rules = rules_from([{"set": DEV, "measure": "ece", "against": "baseline", "margin": 0.1}])
    with pytest.raises(CrossexamError, match="the baseline has no probabilities") as caught:
        judge(make_run(), rules, old)
    assert "--probabilities" in str(caught.value.hint)


def test_a_model_that_gives_labels_only_has_no_calibration(make_run: MakeRun) -> None:
    with pytest.raises(CrossexamError, match="gives labels without probabilities"):
        gate(make_run(sure=1.0), {"measure": "ece", "max": 0.1})
    with pytest.raises(CrossexamError, match="gives labels without probabilities"):
        gate(
            make_run(sure=1.0), {"measure": "ece", "against": "baseline", "margin": 0.1}, baseline=make_run()
        )


@pytest.mark.parametrize("nested", [False, True])
def test_a_failed_probe_of_the_labels(make_run: MakeRun, nested: bool) -> None:
    details: dict[str, Any] = {"probe": {"right": 0.1, "items": 30, "warning": "the order is wrong"}}
    run = make_run(details={"members": {"hf/a": {}, "hf/b": details}} if nested else details)
    with pytest.raises(CrossexamError, match="failed the probe of its labels: the order is wrong") as caught:
        gate(run, {"measure": "accuracy", "min": 0.1})
    assert caught.value.hint == (  # of a language model, which has no order of classes
        "read some answers of the model; then give --accept-unverified (in Python, accept_unverified=True)"
    )
    accepted = gate(run, {"measure": "accuracy", "min": 0.1}, accept_unverified=True)
    assert accepted.passed
    assert accepted.notes[0].endswith("accepted with --accept-unverified; the order is wrong.")
    of_classes = {**details, "label_order_from": "config.json"}
    with pytest.raises(CrossexamError) as caught:
        gate(make_run(details=of_classes), {"measure": "accuracy", "min": 0.1})
    assert "run it with --label-order, which declares it, or give --accept-unverified" in str(
        caught.value.hint
    )
    passed = make_run(details={"probe": {"right": 0.9, "items": 30}})
    assert gate(passed, {"measure": "accuracy", "min": 0.1}).passed
    details["label_order_from"] = "declared"
    accepted = gate(make_run(details=details), {"measure": "accuracy", "min": 0.1})
    assert accepted.passed
    (note,) = accepted.notes
    assert note.endswith("the class order was declared with --label-order; the order is wrong.")


def test_drops_of_items_that_are_not_paired(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    other = replace(datasets[DEV], manifest={**datasets[DEV].manifest, "keeps_label": False})
    of = {"base.dev": datasets["base.dev"], DEV: other}
    run = make_run({DEV: spread_out(0.7)}, of=of)
    (_, reported) = measure(run)
    (check,) = gate(run, {"measure": "drop", "max": 0.1}).checks
    assert check.value == reported.difference
    assert check.outcome == "broken"
    rule = {"measure": "drop", "against": "baseline", "margin": 0.1}
    (check,) = gate(run, rule, baseline=run).checks
    assert (check.value.value, check.outcome) == (0.0, "holds")
    worse = make_run({DEV: spread_out(0.4, 1)}, of=of)
    (_, then) = measure(worse)
    (check,) = gate(worse, rule, baseline=run).checks
    assert then.difference is not None
    assert reported.difference is not None
    assert check.value.value == pytest.approx(then.difference.value - reported.difference.value)
    assert check.outcome == "broken"
    assert check.n == 2 * N


def test_missing_answers_to_unpaired_items_are_taken_against_the_model(
    make_run: MakeRun, datasets: dict[str, Dataset]
) -> None:
    other = replace(datasets[DEV], manifest={**datasets[DEV].manifest, "keeps_label": False})
    of = {"base.dev": datasets["base.dev"], DEV: other}
    right = {DEV: spread_out(0.7)}
    rule = {"measure": "drop", "against": "baseline", "margin": 0.1}
    unanswered = {DEV: list(range(60)), "base.dev": list(range(250, 270))}
    new, old = make_run(right, unanswered, of=of), make_run(right, of=of)
    (check,) = gate(new, rule, baseline=old).checks
    assert (check.missing, check.outcome) == (80, "not judged")
    assert isinstance(check.value, Bounds)
    flags = right[DEV].copy()
    flags[:60] = False  # the least accuracy here, and the most on the base, are the largest drop
    (_, most) = measure(make_run({DEV: flags}, of=of))
    (_, known) = measure(old)
    assert most.difference is not None
    assert known.difference is not None
    assert check.value.most.value == pytest.approx(most.difference.value - known.difference.value)
    (check,) = gate(old, rule, baseline=new).checks  # the same drops, with the sign of the baseline's
    assert isinstance(check.value, Bounds)
    assert check.value.least.value == pytest.approx(known.difference.value - most.difference.value)


def test_proposed_labels_are_test_sets_of_their_own(make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    marked = tuple(
        replace(e, info={**e.info, "status": "proposed"}) if k % 2 else e
        for k, e in enumerate(datasets[DEV].examples)
    )
    run = make_run(of={**datasets, DEV: replace(datasets[DEV], examples=marked)})
    rule = {"set": "negation.*", "measure": "accuracy", "against": "baseline", "margin": 0.1}
    checks = judge(run, rules_from([rule]), Baseline.of(run)).checks
    assert [check.test_set for check in checks] == [DEV, f"{DEV} (proposed)"]


def test_two_labels_on_either_side(make_run: MakeRun) -> None:
    new = make_run({DEV: spread_out(0.7)}, details={"two_label": True})
    old = make_run({DEV: spread_out(0.8, 1)})
    rule = {"measure": "accuracy", "against": "baseline", "margin": 0.1}
    (check,) = gate(new, rule, baseline=old).checks
    assert check.value == compare_runs(new, old)[1].difference


def test_what_an_open_check_would_show(make_run: MakeRun) -> None:
    (check,) = gate(make_run({DEV: spread_out(0.6)}), {"measure": "accuracy", "min": 0.6}).checks
    assert check.detectable == pytest.approx(0.6 - 2.8 * np.sqrt(0.24 / 300), abs=0.02)
    assert "300 items would show in 80 % of cases that the rule is broken" in check.remark
    few = {"measure": "accuracy", "min": 0.01}
    (check,) = gate(make_run({DEV: first(0.01)}), few).checks
    assert check.detectable is None
    assert "too few to show" in check.remark


def test_as_many_items_as_it_says_settle_an_open_check(make_run: MakeRun) -> None:
    """More clusters that are like these: the answers are repeated."""
    from functools import partial

    from crossexam.stats.estimate import share_correct
    from crossexam.stats.p_values import one_sided_p

    right, codes = spread_out(0.64), np.arange(N) // 3
    (check,) = gate(make_run({DEV: right}), {"measure": "accuracy", "min": 0.6}).checks
    assert check.items_needed is not None
    assert check.items_needed > N
    for factor, settled in ((0.7, False), (1.3, True)):
        times = round(factor * check.items_needed / N)
        repeated = np.tile(right, times), np.concatenate([codes + N * k for k in range(times)])
        p = one_sided_p(partial(share_correct, *repeated), 0.6, "above")
        assert (p <= 0.025) == settled
