"""What to do next: each rule says something exactly where its condition holds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.reports.advice import MOST, RULES, advice
from crossexam.reports.results import ReportOptions, Results, results_of
from crossexam.stats.power import minimum_detectable_drop

GOLDS = [LABELS[k % 3] for k in range(90)]


def dataset(name: str, keys: int = 90, **facts: Any) -> Dataset:
    construction, _, part = name.partition(".")
    items = [
        Example(
            f"{name}:{k}",
            f"Ann has {k} cats.",
            f"Ann has {k}.",
            gold,
            base=f"base.x:{k}" if facts else None,
            info={"pair": f"old/new{min(k, keys - 1)}"},
        )
        for k, gold in enumerate(GOLDS)
    ]
    return Dataset(name, items, {"construction": construction, "part": part, **facts})


def results(model: str = "zoo/mine", keys: int = 90, **wrong: int) -> Results:
    """Return the results of a model with so many wrong answers on the test set of each construction."""
    sets, answers = {}, {}
    for construction, count in wrong.items():
        facts = {} if construction == "base" else {"base_set": "base.x", "paired": construction != "antonymy"}
        name = f"{construction}.x"
        sets[name] = dataset(name, keys, **facts)
        places = [(LABELS.index(gold) + (k < count)) % 3 for k, gold in enumerate(GOLDS)]
        answers[name] = 0.1 + 0.7 * np.eye(3)[places]
    return results_of([Run(model, sets, answers, {})])


def sentence(found: Results, words: str) -> list[str]:
    return [each for each in advice(found) if words in each]


def test_nothing_follows_from_nothing() -> None:
    assert advice(results(base=0)) == []


def test_a_model_below_the_majority_has_its_labels_checked() -> None:
    (said,) = sentence(results(base=85), "check in which order")
    assert said.startswith("zoo/mine is significantly worse on base (x) than always giving one label")
    assert not sentence(results(base=60), "check in which order")  # as good as one label


def test_a_word_pair_with_a_large_share_is_named() -> None:
    (said,) = sentence(results(base=9, antonymy=9, keys=2), "the same words")
    assert said.startswith("antonymy: 98.9 % of the items have the same words (new1/old)")
    assert not sentence(results(base=9, antonymy=9), "the same words")


def test_the_number_of_pairs_that_find_five_points() -> None:
    found = results(base=9, negation=15, tautology=14)
    needed = []
    for each in found.models[0].results[1:]:
        assert each.minimum_detectable_drop is not None
        assert each.minimum_detectable_drop > 0.05
        assert each.mcnemar is not None
        assert each.effective_pairs is not None
        changed = (each.mcnemar.b + each.mcnemar.c) / 90
        times = next(
            k for k in np.arange(1, 20, 0.01)
            if minimum_detectable_drop(k * each.effective_pairs, changed, 0.05 / 2) <= 0.05
        )  # fmt: skip
        needed.append(90 * times)
    (said,) = sentence(found, "could go unnoticed")
    assert said.startswith("On 2 test sets, a drop of 5 points could go unnoticed")
    number = re.search(r"about ([\d,]+) pairs", said)
    assert number is not None
    assert int(number[1].replace(",", "")) == pytest.approx(max(needed), abs=110)
    assert not sentence(results(base=0, negation=60), "could go unnoticed")  # significant
    assert not sentence(results(base=62, negation=63), "could go unnoticed")  # nothing to interpret


@pytest.mark.parametrize(("construction", "other"), [("negation", "tautology"), ("word_overlap", "negation")])
def test_training_on_such_items_helps_on_them_alone(construction: str, other: str) -> None:
    (said,) = sentence(results(base=9, **{construction: 60}), "If you train zoo/mine")
    assert f"train --augment {construction})" in said
    assert f"test it on {other} as well" in said
    assert not sentence(results(base=9, **{construction: 10}), "If you train")  # not significant
    assert not sentence(results("builtin/x", base=9, **{construction: 60}), "If you train")


def test_at_most_so_many_sentences_in_the_order_of_the_rules() -> None:
    models = [results(f"zoo/m{k}", base=85 - k).models[0] for k in range(MOST + 2)]
    found = Results(tuple(replace(model, name=model.run.model) for model in models))
    assert len(advice(found)) == MOST
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.source for rule in RULES)


def test_a_threshold_that_is_lower_than_the_scores_is_named() -> None:
    """All claims have a probability below 1/2, in the right order: ROC AUC 100 %, balanced accuracy 50 %."""
    place = {"benchmark": "summac", "title": "SummaC", "data_set": "frank", "split": "test"}
    facts = {"construction": "base", "part": "frank", "projection": "two labels", "fact_checking": place}
    golds = ["entailment" if k % 2 else "not_entailment" for k in range(40)]
    items = [Example(f"f:{k}", f"Document {k}.", "A claim.", gold) for k, gold in enumerate(golds)]
    shares = np.array([0.4 if gold == "entailment" else 0.1 for gold in golds])
    rows = np.stack([shares, (1 - shares) / 2, (1 - shares) / 2], axis=1)
    name = "base.frank"
    run = Run("zoo/mine", {name: Dataset(name, items, facts)}, {name: rows}, {})
    (said,) = sentence(results_of([run]), "--threshold dev:RUN")
    assert "ROC AUC 100.0 %" in said
    assert "balanced accuracy 50.0 %" in said
    chosen = ReportOptions(threshold=ThresholdChoice(0.2))
    assert not sentence(results_of([run], chosen), "--threshold dev:RUN")
