"""Fact checking: figures by hand, and thresholds chosen on another split."""

from dataclasses import replace

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Bounds
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.fact_checking import (
    FactChecking,
    ThresholdChoice,
    chosen_thresholds,
    fact_checking,
    thresholds_for,
)
from crossexam.reports.results import ReportOptions, results_of
from made.cases import refused
from made.claims import Rows, claims

FRANK = [("a", 1, 0.9), ("a", 1, 0.6), ("a", 0, 0.7), ("b", 1, 0.3), ("b", 0, 0.2), ("c", 0, 0.1)]
PAWS = [("d", 1, 0.8), ("d", 0, 0.4), ("e", 1, 0.45), ("e", 0, 0.6), ("f", 0, 0.3)]


def run_of(split: str = "test", model: str = "mine", *, benchmark: str = "summac", **sets: Rows) -> Run:
    return claims(split, model, benchmark=benchmark, **(sets or {"frank": FRANK, "paws": PAWS}))


def checked(run: Run, choice: ThresholdChoice | None = None, **limit: float) -> FactChecking:
    return fact_checking(run, thresholds_for([run], choice or ThresholdChoice())[0], **limit)


def test_the_mean_is_unweighted_and_of_one_benchmark() -> None:
    run, other = run_of(), run_of(benchmark="aggrefact", reveal=PAWS)
    shares = run.probabilities | other.probabilities
    found = checked(replace(run, datasets={**run.datasets, **other.datasets}, probabilities=shares))
    (mean,) = found.means  # the other benchmark has one data set
    assert (mean.benchmark, mean.name, mean.n, mean.supported) == ("summac", "mean of 2", 11, 5)
    assert mean.figures.balanced_accuracy.value == pytest.approx((2 / 3 + 7 / 12) / 2)
    # claims of one kind have no balanced accuracy
    one_kind = checked(run_of(frank=FRANK, paws=PAWS, fever=[("g", 1, 0.9), ("h", 1, 0.2)]))
    fever = one_kind.sets[2].figures
    assert np.isnan([fever.balanced_accuracy.value, fever.roc_auc.value]).all()
    assert fever.missed_support.value == 0.5
    assert (one_kind.means[0].left_out, len(one_kind.means[0].sets)) == (("fever",), 2)


def test_a_mean_allows_for_documents_that_are_in_several_data_sets() -> None:
    """A data set twice says no more than once."""
    rows = [(f"doc {k // 3}", k % 2, (k * 37 % 100) / 100) for k in range(90)]
    run = run_of(frank=rows, paws=rows)
    frank, paws = run.datasets.values()
    pairs = zip(paws.examples, frank.examples, strict=True)
    shared = replace(paws, examples=tuple(replace(one, premise=same.premise) for one, same in pairs))
    same = checked(replace(run, datasets={frank.name: frank, paws.name: shared}))
    (mean,), figures = same.means, same.sets[0].figures
    assert mean.shared == 30
    for name, alone in figures._asdict().items():
        assert getattr(mean.figures, name)[:3] == pytest.approx(alone[:3])


def test_few_missing_answers_are_left_out_and_many_give_bounds() -> None:
    run, told = run_of(), [Outcome("refused" if k == 2 else "answered") for k in range(6)]
    run.probabilities["base.frank"][2] = np.nan
    run = replace(run, outcomes={"base.frank": Outcomes.of(told, 6)})
    frank = checked(run, max_unanswered=0.5).sets[0]
    assert (frank.n, frank.unanswered) == (5, 1)
    assert frank.figures.false_support.value == 0  # 0.7 was the only one above 1/2
    bounded = checked(run, max_unanswered=0.1)
    figures = bounded.sets[0].figures
    for found, least, most in (
        (figures.false_support, 0, 1 / 3),
        (figures.balanced_accuracy, (2 / 3 + 2 / 3) / 2, (2 / 3 + 1) / 2),
        (figures.roc_auc, 6 / 9, 9 / 9),  # the missing one above all supported claims, and below them
    ):
        assert isinstance(found, Bounds)
        assert (found.least.value, found.most.value) == pytest.approx((least, most))
    assert bounded.means == ()


def test_the_threshold_is_chosen_on_the_other_split() -> None:
    run, choice = run_of(), ThresholdChoice(chosen_on=(run_of("dev"),))
    chosen = chosen_thresholds(run, run_of("dev"))
    (threshold,) = set(chosen.values())
    # by hand: at 0.425, of frank 2/3 and 2/3 are right, of paws 1 and 2/3; nothing else is better
    assert threshold.value == pytest.approx(0.425)
    assert (threshold.n, threshold.same_documents) == (11, 11)
    assert cx.report(run, threshold=run_of("dev")).results.models[0].thresholds == chosen
    found = checked(run, choice)
    assert found.sets[1].figures.balanced_accuracy.value == pytest.approx((1 + 2 / 3) / 2)
    usual, low = (results_of([run], ReportOptions(threshold=ThresholdChoice(p))) for p in (0.5, 0.05))
    assert usual.models[0].results == low.models[0].results  # "the rest of the report has 0.5"
    each_its_own = checked(run, replace(choice, per_set=True))
    assert [each.threshold.value for each in each_its_own.sets] == pytest.approx([0.25, 0.425])


def test_labels_alone_have_no_area() -> None:
    run = run_of()
    labels = {name: np.eye(3)[rows.argmax(axis=1)] for name, rows in run.probabilities.items()}
    found = checked(replace(run, probabilities=labels))
    assert [each.figures.roc_auc for each in (*found.sets, *found.means)] == [None] * 3
    with pytest.raises(CrossexamError, match="labels without probabilities, from which a threshold"):
        chosen_thresholds(run, replace(run_of("dev"), probabilities=labels))


def test_what_a_threshold_cannot_be_chosen_on() -> None:
    dev = run_of("dev")
    first, frank = run_of().datasets["base.frank"].examples[0], dev.datasets["base.frank"]
    # whatever the case and the white space of a claim
    same = replace(first, premise=first.premise.upper() + " ", hypothesis="HYPOTHESIS 0.\ntest")
    leaking = replace(frank, examples=(*frank.examples[:-1], same))
    leaking = replace(dev, datasets={**dev.datasets, "base.frank": leaking})
    for other, message in (
        (run_of("test"), "it was run over the split 'test'"),
        (run_of("dev", "another"), "a threshold was chosen for another model"),
        (run_of("dev", frank=[("a", 1, 0.4)]), "no data set has both supported and unsupported claims"),
        (leaking, "1 of its claims are measured in the report too"),
    ):
        choice = ThresholdChoice(chosen_on=(other,))
        assert message in refused(results_of, [run_of()], ReportOptions(threshold=choice))
    assert "threshold is 1.5" in refused(cx.report, run_of(), threshold=1.5)
    with pytest.raises(CrossexamError, match="the data set paws does not have both supported and unsupp"):
        chosen_thresholds(run_of(), run_of("dev", frank=FRANK), per_set=True)
    of_one = ReportOptions(threshold=ThresholdChoice(chosen_on=(dev,)))
    said = refused(results_of, [run_of(), run_of(model="other")], of_one)
    assert "no run over the development split is given for 'other'" in said
