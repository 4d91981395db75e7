"""What to do next: each rule says something exactly where its condition holds."""

import re
from typing import Any

import numpy as np
import pytest

from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.reports.report import Report, make_report
from crossexam.reports.results import ReportOptions, Results, results_of
from crossexam.reports.sections import warnings
from crossexam.reports.sentences.advice import advice
from crossexam.reports.sentences.headline import headlines
from crossexam.stats.power import minimum_detectable_drop
from made.claims import claims
from made.runs import dataset, run_of, wrong

GOLDS = "ENC" * 30


def results(model: str = "zoo/mine", keys: int = 90, **count: int) -> Results:
    """Return the results of a model with so many wrong answers per construction."""
    sets = [
        dataset(
            f"{name}.x",
            GOLDS,
            None if name == "base" else "base.x",
            info=lambda k: {"pair": f"old/new{min(k, keys - 1)}"},
            paired=name != "antonymy",
        )
        for name in count
    ]
    said = {f"{name}.x": wrong(GOLDS, number) for name, number in count.items()}
    return results_of([run_of(said, *sets, model=model, sure=0.8)])


def sentence(found: Results, words: str) -> list[str]:
    return [each for each in advice(found) if words in each]


def scorer(base: str, negation: str, golds: str = "E" * 40 + "C" * 60, **facts: Any) -> Report:
    sets = [dataset("base.x", golds), dataset("negation.x", golds, "base.x", **facts)]
    return make_report(run_of({"base.x": base, "negation.x": negation}, *sets, model="scorer"))


def test_opposite_changes_for_two_gold_labels_that_a_drop_hides() -> None:
    """28 of 40 entailments become 1, and 27 of 60 contradictions 50: a drop of 4 points.

    p is 2 * 2**-27 and 2 * 2**-23, twice as much for the two tests.
    """

    def of_labels(report: Report) -> list[str]:
        return [each for each in warnings(report.results) if "items right" in each]

    before, after = "E" * 28 + "C" * 12 + "C" * 27 + "E" * 33, "E" + "C" * 39 + "C" * 50 + "E" * 10
    report = scorer(before, after)
    (found,) = of_labels(report)
    assert found == (
        "On negation, scorer gets 1 of 40 entailment items right, down from 28 on the base (corrected p "
        "3.0e-8), and 50 of 60 contradiction items, up from 27 (p 4.8e-7)."
    )
    assert sentence(report.results, "Read some items of negation whose gold label is entailment (Items)")
    spread = scorer("E" * 40 + "C" * 60, "C" * 20 + "E" * 20 + "E" * 30 + "C" * 30)  # all lose as much
    one_cluster = scorer(before, after, info={"cluster": "one"})
    assert of_labels(spread) == of_labels(one_cluster) == sentence(spread.results, "Read some items") == []
    dropped = scorer("E" * 39 + "C" * 61, "C" * 100)  # where the drop is significant, too
    assert (
        "scorer gets 0 of 40 entailment items right, down from 39 on the base (corrected p"
        in of_labels(dropped)[0]
    )


def test_a_headline_without_a_drop_begins_with_a_change_for_one_gold_label() -> None:
    """32 of 40 entailments become 5, and 45 of 60 contradictions 60: p of the drop is about 0.09."""
    report = scorer("E" * 32 + "C" * 8 + "C" * 45 + "E" * 15, "E" * 5 + "C" * 95)
    (said,) = headlines(report.results)
    begins = "On negation, scorer gets 5 of 40 entailment items right, down from 32 on the base (corrected p "
    assert said.startswith(begins)
    assert (
        ". Over all labels, the accuracy of scorer, 77.0 % on the base, does not drop significantly" in said
    )
    assert not [each for each in warnings(report.results) if "items right" in each]


def test_the_number_of_pairs_that_find_five_points() -> None:
    """Of two test sets that are too small, the one that needs more pairs: found by trying numbers."""
    found = results(base=9, negation=15, tautology=14)
    needed: dict[str, float] = {}
    sets: Any = found.models[0].results[1:]
    for each in sets:
        assert each.minimum_detectable_drop > 0.05
        changed, tried = (each.mcnemar.b + each.mcnemar.c) / 90, np.arange(1, 20, 0.01)
        drops = (minimum_detectable_drop(k * each.effective_pairs, changed, 0.05 / 2) for k in tried)
        name = each.name.partition(".")[0]
        needed[name] = 90 * next(k for k, drop in zip(tried, drops, strict=True) if drop <= 0.05)
    (said,) = sentence(found, "could go unnoticed")
    names = sorted(needed, key=lambda name: -needed[name])
    assert said.startswith(f"On {', '.join(names)}, a drop of 5 points ")
    (number,) = re.findall(r"about ([\d,]+) pairs", said)
    assert int(number.replace(",", "")) == pytest.approx(max(needed.values()), abs=110)


def test_a_threshold_that_is_lower_than_the_scores_is_named() -> None:
    """All claims have a probability below 1/2, in the right order: ROC AUC 100 %, balanced accuracy 50 %."""
    run = claims(frank=[(str(k), k % 2, (0.1, 0.4)[k % 2]) for k in range(40)])
    (said,) = sentence(results_of([run]), "--threshold dev:RUN")
    assert "ROC AUC 100.0 %" in said
    assert "balanced accuracy 50.0 %" in said
    chosen = ReportOptions(threshold=ThresholdChoice(0.2))
    assert not sentence(results_of([run], chosen), "--threshold dev:RUN")
