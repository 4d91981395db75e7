"""Rules of gates about the consistency of a model's answers: the rates of its report and of compare."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.example import Example
from crossexam.core.outcome import CODES, Outcomes
from crossexam.evaluation.consistency import RULES, compare_consistency, consistency_of
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from crossexam.stats.p_values import one_sided_p

N = 300


def run_of(seed: int, *, missing: int = 0, changed: float = 1.0, two_label: bool = False) -> Run:
    """Random answers without gold labels; only the share *changed* of them depends on the seed."""
    facts = {"part": "x", "keeps_label": False, "base_set": "base.x", "test_class": "consistency"}
    datasets = {"base.x": Dataset("base.x", _items("base"), {"construction": "base", "part": "x"})}
    for name in ("identity", "symmetry", "conjunction"):
        datasets[f"{name}.x"] = Dataset(f"{name}.x", _items(name), {**facts, "construction": name})
    common, own = np.random.default_rng(0), np.random.default_rng([1, seed])
    rows, outcomes = {}, {}
    for name in datasets:
        labels = common.integers(0, 3, N)
        other = own.integers(0, 3, N)
        rows[name] = np.eye(3)[np.where(own.random(N) < changed, other, labels)]
        codes = np.zeros(N, dtype=np.int8)
        codes[:missing] = CODES["refused"]
        rows[name][:missing] = np.nan
        outcomes[name] = Outcomes(codes, np.full(N, np.nan))
    return Run("mine", datasets, rows, {"details": {"two_label": two_label}}, {}, outcomes)


def _items(name: str) -> tuple[Example, ...]:
    return tuple(
        Example(
            f"{name}{k}",
            f"Premise {k // 3}.",
            f"{name} {k}.",
            None,
            base=None if name == "base" else f"base{k}",
            info={"cluster": f"c{k // 3}"},
        )
        for k in range(N)
    )


def gate(run: Run, *rules: dict[str, Any], baseline: Run | None = None) -> GateResult:
    stored = None if baseline is None else Baseline.of(baseline)
    return judge(run, rules_from([{"set": "*", **rule} for rule in rules]), stored)


def test_rates_are_those_of_the_report() -> None:
    run = run_of(1)
    reported = consistency_of(run)
    names = ("identity", "symmetry", "conjunction")
    checks = gate(run, *({"measure": f"violation.{name}", "max": 0.5} for name in names)).checks
    assert [(each.test_set, each.value) for each in checks] == [
        (f"{name}.x", reported[f"{name}.x"].of_all) for name in names
    ]
    conditional = gate(run, *({"measure": f"conditional_violation.{name}", "max": 0.5} for name in names[1:]))
    assert [each.value for each in conditional.checks] == [
        reported[f"{name}.x"].of_condition for name in names[1:]
    ]
    outcomes = [each.outcome for each in gate(run, {"measure": "violation.identity", "max": 0.1}).checks]
    assert outcomes == ["broken"]  # two of three random answers violate it


def test_a_rate_is_compared_with_the_baseline_as_in_compare() -> None:
    old, new = run_of(1, changed=0.1), run_of(2, changed=0.1)
    rule = {"measure": "violation.symmetry", "against": "baseline", "margin": 0.3}
    (check,) = gate(new, rule, baseline=old).checks
    compared = compare_consistency(new, old)["symmetry.x"]
    assert check.value == compared.difference
    assert check.outcome == "holds"
    with pytest.raises(
        CrossexamError, match=r'(?s)its own items to which the rule applies.*"violation.symmetry"'
    ):
        gate(new, {**rule, "measure": "conditional_violation.symmetry"}, baseline=old)


def test_a_pattern_leaves_out_test_sets_that_were_made_without_labels() -> None:
    run = run_of(1)
    labelled = replace(
        run.datasets["identity.x"],
        examples=tuple(replace(each, label="entailment") for each in run.datasets["identity.x"].examples),
    )
    of = {**run.datasets, "identity.x": labelled}
    of.pop("base.x")
    run = Run(run.model, of, {name: run.probabilities[name] for name in of}, run.manifest, {}, {})
    (check,) = gate(run, {"measure": "accuracy", "max": 1.0}).checks
    assert check.test_set == "identity.x"
    with pytest.raises(CrossexamError, match="rule 1: 'mine' gives labels without probabilities"):
        gate(run, {"measure": "ece", "max": 1.0})
    assert len(gate(run, {"measure": "unanswered", "max": 0.0}).checks) == 3
    with pytest.raises(CrossexamError, match=r"rule 1, test set symmetry.x(.|\n)*items with a gold label"):
        gate(run, {"set": "symmetry.x", "measure": "accuracy", "min": 0.1})
    with pytest.raises(CrossexamError, match=r"'accuracy' is not defined for 'sym\*'") as caught:
        gate(run, {"set": "sym*", "measure": "accuracy", "min": 0.1})
    assert caught.value.wanted == "a name or pattern of test sets of the run: identity.x"


#: Near the rates of random answers: two of three violate, where the condition holds of one of three.
LIMITS = {"violation": 2 / 9, "conditional_violation": 2 / 3}


@pytest.mark.parametrize("missing", [6, 60])
def test_missing_answers_never_help(missing: int) -> None:
    run = run_of(1, missing=missing)
    reported = consistency_of(run)["conjunction.x"]
    for name, expected in (("violation", reported.of_all), ("conditional_violation", reported.of_condition)):
        (check,) = gate(run, {"measure": f"{name}.conjunction", "max": LIMITS[name]}).checks
        assert check.value == expected
        assert check.missing == missing
        assert isinstance(check.value, Bounds) == (missing == 60)
        assert check.outcome == ("not judged" if missing == 60 else "open")


def test_p_is_of_the_value_that_is_shown() -> None:
    """2 % of the items are missing, and 6 % of those to which the rule may apply: no bounds are shown."""
    run = run_of(1, missing=6)
    (check,) = gate(run, {"measure": "conditional_violation.conjunction", "max": 0.5}).checks
    found = consistency_of(run)["conjunction.x"].where_it_applies
    assert isinstance(check.value, Estimate)
    assert check.p_broken == one_sided_p(found.tested.known, 0.5, "above")


def test_rules_that_cannot_be_judged() -> None:
    with pytest.raises(
        CrossexamError,
        match=r"test set symmetry.x: (.|\n)*'symmetry' needs three labels",
    ):
        gate(run_of(1, two_label=True), {"measure": "violation.symmetry", "max": 0.5})
    with pytest.raises(UnknownNameError, match=r"violation\.symmetry"):
        gate(run_of(1), {"measure": "violation.symetry", "max": 0.5})
    with pytest.raises(CrossexamError, match=r"'violation.negation' is not defined for '\*'"):
        gate(run_of(1), {"measure": "violation.negation", "max": 0.5})
    run = run_of(1)
    never = {**run.probabilities, "base.x": np.eye(3)[np.ones(N, dtype=int)]}
    neutral = Run(run.model, run.datasets, never, run.manifest, {}, {})
    with pytest.raises(CrossexamError, match=r"none of its items(.|\n)*to which the rule applies"):
        gate(neutral, {"measure": "conditional_violation.conjunction", "max": 0.5})


def test_rules_that_always_apply_have_one_rate() -> None:
    always = {name for name, rule in RULES.items() if rule.always_applies}
    assert always == {"identity", "negation", "double_negation"}
    for name in always:
        with pytest.raises(FormatError, match="always holds") as caught:
            rules_from([{"set": "*", "measure": f"conditional_violation.{name}", "max": 0.5}])
        assert caught.value.wanted == f"'violation.{name}'"
