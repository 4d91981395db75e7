"""What is measured of probabilities: labels only, two labels, temperatures, people, two runs."""

from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.manifest import RunManifest
from crossexam.evaluation.calibration import calibration_of, temperature_from
from crossexam.evaluation.distributions import people_results
from crossexam.evaluation.probability_comparison import probability_comparisons
from crossexam.evaluation.shares import shares_of
from made.runs import dataset


def run_of(golds: str, rows: Any, first: int = 0, info: Any = (), **manifest: Any) -> Run:
    data = dataset("base.own", golds, premises=range(first, first + len(golds)), info=info)
    return Run("m", {data.name: data}, {data.name: np.array(rows)}, RunManifest(**manifest))


def test_which_labels_and_items_count() -> None:
    """Of labels alone nothing is measured; not_entailment is right for contradiction."""
    run = run_of("NN", [[0, 1, 0], [1, 0, 0]])
    assert ([*shares_of(run)], people_results(run)) == ([], ())
    model = run_of("CE", [[0.3, 0.7, 0.0], [0.9, 0.1, 0.0]], details={"two_label": True})
    (shares,) = shares_of(model)
    assert shares.gold.tolist() == [1, 0]
    found = calibration_of(model, shares)
    assert (found.confidence, found.accuracy.value) == (pytest.approx(0.8), 1.0)
    three = run_of("NN-", [[0.9, 0.0, 0.1], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05]])
    found = calibration_of(three, *shares_of(three))
    assert (found.n, found.impossible) == (2, 1)  # one without a gold label, one of probability 0
    assert (found.log_loss.value, found.log_loss.high) == (inf, inf)


def over(first: int, count: int, sharp: float = 3.0, **manifest: Any) -> Run:
    """A run whose probabilities are those of being right to the power of *sharp*."""
    rng = np.random.default_rng(first)
    true = rng.dirichlet([2, 1, 1], count)
    gold = (rng.random((count, 1)) > np.cumsum(true, axis=1)).sum(axis=1)
    rows = true**sharp / (true**sharp).sum(axis=1, keepdims=True)
    return run_of("".join("ENC"[k] for k in gold), rows, first, **manifest)


def test_a_temperature_is_fitted_on_other_premises_only() -> None:
    run = over(0, 500)
    found = temperature_from(over(450, 2000), run)  # 50 premises are those of the run
    assert (found.n, found.left_out, found.test_sets) == (1950, 50, ("base.own",))
    assert found.temperature == pytest.approx(3.0, rel=0.15)
    with pytest.raises(CrossexamError, match="of 500 items, 500 share a premise"):
        temperature_from(run, run)
    with pytest.raises(CrossexamError, match="another model"):
        temperature_from(over(1000, 200, model_key="x"), run)


VOTES = {"label_distribution": [0.2, 0.8, 0.0], "votes": [20, 80, 0], "old_label": "entailment"}


def test_people_are_compared_with_the_model_and_with_each_other() -> None:
    (found,) = people_results(run_of("NNN", [[0.3, 0.6, 0.1]] * 3, info=VOTES))
    assert found.distances.js_distance.value == pytest.approx(jensenshannon([0.2, 0.8, 0], [0.3, 0.6, 0.1]))
    assert found.distances.total_variation.value == pytest.approx(0.2)
    assert found.accuracy.value == 1.0
    assert found.old_accuracy.value == 0.0
    assert found.references["majority"].total_variation.value == pytest.approx(0.2)
    assert found.references["majority"].kl.value == inf
    assert 0 < found.references["people"].total_variation.value < 0.1
    of_two = run_of("NN", [[0.2, 0.8, 0.0]] * 2, info=VOTES, details={"two_label": True})
    assert people_results(of_two)[0].distances.js_distance.value == pytest.approx(0.0, abs=1e-8)
    (data,) = of_two.datasets.values()  # items that were made from an example do not inherit its people
    made = replace(data, manifest={"construction": "negation.v1", "base_set": "base.other"})
    assert people_results(replace(of_two, datasets={data.name: made})) == ()
    for stated in ([0.5, 0.4, 0.0], "uniform"):
        with pytest.raises(FormatError, match="label_distribution"):
            people_results(run_of("NN", [[0.2, 0.7, 0.1]] * 2, info={"label_distribution": stated}))


def test_both_are_compared_on_two_labels_if_one_has_two() -> None:
    rows, others = np.random.default_rng(1).dirichlet([1, 1, 1], (2, 90))
    fewer = others @ [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    both = run_of("ENC" * 30, rows), run_of("ENC" * 30, fewer, details={"two_label": True})
    expected = 2 * ((rows[:, 0] - (np.arange(90) % 3 == 0)) ** 2).mean()
    for place, pair in enumerate((both, both[::-1])):
        (found,) = probability_comparisons(*pair)
        assert found.measured.brier[place] == pytest.approx(expected)
