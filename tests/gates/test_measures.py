"""Rules of gates about the consistency of a model's answers: the rates of its report and of compare."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds
from crossexam.evaluation.consistency import compare_consistency, consistency_of
from crossexam.gates.result import GateResult
from made import gated
from made.cases import for_each
from made.gated import N
from made.runs import dataset, run_of


def random_run(seed: int, *, missing: int = 0, changed: float = 1.0, two_label: bool = False) -> Run:
    """Random answers without gold labels; only the share *changed* of them depends on the seed."""
    facts = {"keeps_label": False, "test_class": "consistency"}
    sets, said = [], {}
    common, own = np.random.default_rng(0), np.random.default_rng([1, seed])
    for name in ("base", "identity", "symmetry", "conjunction"):
        base, about = (None, {}) if name == "base" else ("base.x", facts)
        sets.append(dataset(f"{name}.x", "-" * N, base, sharing=3, **about))
        labels, other = common.integers(0, 3, N), own.integers(0, 3, N)
        answers = np.where(own.random(N) < changed, other, labels)[missing:]
        said[f"{name}.x"] = "?" * missing + "".join("ENC"[label] for label in answers)
    return run_of(said, *sets, model="mine", two_label=two_label)


def gate(run: Run, *rules: dict[str, Any], baseline: Run | None = None) -> GateResult:
    return gated.gate(run, *({"set": "*", **rule} for rule in rules), baseline=baseline)


def test_rates_are_those_of_the_report_and_of_compare() -> None:
    run = random_run(1)
    reported = {name.removesuffix(".x"): each for name, each in consistency_of(run).items()}
    checks = gate(run, *({"measure": f"violation.{name}", "max": 0.5} for name in reported)).checks
    assert [(each.test_set, each.value) for each in checks] == [
        (f"{name}.x", each.of_all) for name, each in reported.items()
    ]
    for name in ("symmetry", "conjunction"):
        (check,) = gate(run, {"measure": f"conditional_violation.{name}", "max": 0.5}).checks
        assert check.value == reported[name].of_condition
    old, new = random_run(1, changed=0.1), random_run(2, changed=0.1)
    rule = {"measure": "violation.symmetry", "against": "baseline", "margin": 0.3}
    (check,) = gate(new, rule, baseline=old).checks
    assert (check.value, check.outcome) == (compare_consistency(new, old)["symmetry.x"].difference, "holds")
    with pytest.raises(CrossexamError, match=r'(?s)its own items to which the rule .*"violation.symmetry"'):
        gate(new, {**rule, "measure": "conditional_violation.symmetry"}, baseline=old)


def test_a_pattern_leaves_out_test_sets_that_were_made_without_labels() -> None:
    run = random_run(1)
    identity = run.datasets["identity.x"]
    labelled = replace(identity, examples=tuple(replace(each, label="entailment") for each in identity))
    run = replace(run, datasets={**run.datasets, identity.name: labelled})
    run = run.restricted_to([name for name in run.datasets if name != "base.x"])
    (check,) = gate(run, {"measure": "accuracy", "max": 1.0}).checks
    assert check.test_set == "identity.x"
    assert len(gate(run, {"measure": "unanswered", "max": 0.0}).checks) == 3
    with pytest.raises(CrossexamError, match=r"'accuracy' is not defined for 'sym\*'"):
        gate(run, {"set": "sym*", "measure": "accuracy", "min": 0.1})


@pytest.mark.parametrize("missing", [6, 60])
def test_missing_answers_never_help(missing: int) -> None:
    run = random_run(1, missing=missing)
    reported = consistency_of(run)["conjunction.x"]
    # Near the rates of random answers: two of three violate, where the condition holds of one of three.
    of_all, of_condition = (reported.of_all, 2 / 9), (reported.of_condition, 2 / 3)
    for name, (expected, limit) in (("violation", of_all), ("conditional_violation", of_condition)):
        (check,) = gate(run, {"measure": f"{name}.conjunction", "max": limit}).checks
        assert check.value == expected
        assert check.missing == missing
        assert isinstance(check.value, Bounds) == (missing == 60)
        assert check.outcome == ("not judged" if missing == 60 else "open")


def test_rules_that_cannot_be_judged() -> None:
    def check(name: str, says: str, run: Run) -> None:
        with pytest.raises(CrossexamError, match=says):
            gate(run, {"measure": name, "max": 0.5})

    run = random_run(1)
    never = {**run.probabilities, "base.x": np.eye(3)[np.ones(N, dtype=int)]}
    of_two, without = random_run(1, two_label=True), replace(run, probabilities=never)
    rows = [
        ("violation.symmetry", "(?s)test set symmetry.x: .*'symmetry' needs three labels", of_two),
        ("violation.symetry", r"violation\.symmetry", run),
        ("conditional_violation.conjunction", "(?s)none of its items.*to which the rule applies", without),
        ("conditional_violation.identity", "always holds", run),  # has one rate
    ]
    for_each(check, rows)
