"""What is measured of probabilities: labels only, two labels, no answers, temperatures, people."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.manifest import RunManifest
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.calibration import Calibration, calibration_of, temperature_from
from crossexam.evaluation.distributions import people_results
from crossexam.evaluation.shares import shares_of
from made.runs import dataset


def run_of(golds: str, rows: Any, first: int = 0, info: Any = (), **manifest: Any) -> Run:
    data = dataset("base.own", golds, premises=range(first, first + len(golds)), info=info)
    return Run("m", {data.name: data}, {data.name: np.array(rows)}, RunManifest(**manifest))


def calibrations(run: Run) -> list[Calibration]:
    return [calibration_of(run, shares) for shares in shares_of(run)]


def test_which_labels_and_items_count() -> None:
    """Of labels alone nothing is measured; not_entailment is right for contradiction."""
    run = run_of("NN", [[0, 1, 0], [1, 0, 0]])
    assert (calibrations(run), people_results(run)) == ([], ())
    model = run_of("CE", [[0.3, 0.7, 0.0], [0.9, 0.1, 0.0]], details={"two_label": True})
    (found,) = calibrations(model)
    assert (found.confidence, found.accuracy.value) == (pytest.approx(0.8), 1.0)
    assert [each.gold.tolist() for each in shares_of(model)] == [[1, 0]]
    (found,) = calibrations(run_of("NN-", [[0.9, 0.0, 0.1], [0.1, 0.8, 0.1], [0.9, 0.05, 0.05]]))
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
    with pytest.raises(FormatError, match="label_distribution"):
        people_results(run_of("NN", [[0.2, 0.7, 0.1]] * 2, info={"label_distribution": [0.5, 0.4, 0.0]}))


def test_roberta_on_chaosnli_is_near_the_published_one(shared_data: Path) -> None:
    """RoBERTa-base on ChaosNLI-S in the authors' README: JSD 0.2294, KL 0.5045; ours is another training.

    Predictions of the published models are not at hand.
    """
    corpus = read_corpus(f"chaosnli@{shared_data / 'chaosnli' / 'chaosNLI_snli.jsonl'}")
    path = shared_data / "predictions" / "SNLI_dev_roberta-base_0.json"
    stated = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    by_id = {row["uid"]: row["probs"] for row in stated}  # entailment, contradiction, neutral
    known = [item for item in corpus if item.id in by_id]
    rows = np.array([by_id[item.id] for item in known])[:, [0, 2, 1]]
    chaos = Dataset("base.chaos", tuple(known))
    whole, *by_entropy = people_results(Run("roberta", {chaos.name: chaos}, {chaos.name: rows}))
    assert whole.n == sum(each.n for each in by_entropy) == len(known)
    assert whole.distances.js_distance.value == pytest.approx(0.2294, abs=0.03)
    accuracies = [each.accuracy.value for each in by_entropy]
    assert accuracies == sorted(accuracies, reverse=True)  # the less people agree, the less it is right
    assert whole.references["people"].js_distance.high < whole.distances.js_distance.low
