"""The card of a model: what huggingface_hub reads back, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from golden_runs import FIGURES, SETS, runs
from huggingface_hub import ModelCard, ModelCardData, metadata_load

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.model_card import render_card
from crossexam.reports.report import Report
from crossexam.reports.results import results_of


def dataset(name: str, **facts: Any) -> Dataset:
    items = tuple(
        Example(f"{name}:{k}", f"Ann has {k} cats.", f"Ann has {k}.", LABELS[k % 3], base=f"base.x:{k}")
        for k in range(60)
    )
    return Dataset(name, items, {"construction": name.partition(".")[0], "part": "x", **facts})


BASE, NEGATION = dataset("base.x"), dataset("negation.x", base_set="base.x", keeps_label=True)


def run_over(*datasets: Dataset, wrong: int = 10, model: str = "hf/me/my-model") -> Run:
    """A run that gets the first *wrong* items of each test set wrong, half as many of the base."""
    answers = {}
    for each in datasets:
        count = wrong // 2 if each is BASE else wrong
        answers[each.name] = np.eye(3)[[(k + (k < count)) % 3 for k in range(len(each))]]
    return Run(model, {each.name: each for each in datasets}, answers, {"model_key": model})


def metrics(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    (index,) = yaml.safe_load(text)["model-index"]
    return {
        (result["dataset"]["config"], metric["type"]): {**result["dataset"], **metric}
        for result in index["results"]
        for metric in result["metrics"]
    }


def test_the_hub_reads_it(tmp_path: Path) -> None:
    report = Report((run_over(BASE, NEGATION),))
    card = report.save(tmp_path / "card.yaml").read_text()
    readme = tmp_path / "README.md"
    readme.write_text(f"---\n{card}---\n\n# My model\n")
    (index,) = metadata_load(readme)["model-index"]  # type: ignore[index]
    assert index["name"] == "my-model"
    data = ModelCardData(**ModelCard.load(readme).data.to_dict())
    assert data.to_yaml() == ModelCardData(**yaml.safe_load(card)).to_yaml()
    results = ModelCard.load(readme).data.eval_results
    assert [(each.dataset_config, each.metric_type, each.metric_value) for each in results] == [
        ("base.x", "accuracy", round(55 / 60, 6)),
        ("negation.x", "accuracy", round(50 / 60, 6)),
        ("negation.x", "accuracy_drop", round(5 / 60, 6)),
    ]
    assert {each.dataset_split for each in results} == {"test"}
    assert results[0].dataset_revision == content_hash_of(BASE)
    measured = report.results.models[0].results[0].accuracy
    assert results[0].metric_args == {
        "low": round(measured.low, 6),
        "high": round(measured.high, 6),
        "items": 60,
        "clusters": measured.clusters,
    }
    assert f"{measured.low:.3f} to {measured.high:.3f}" in results[0].metric_name


def test_bounds_are_never_one_number() -> None:
    run = run_over(BASE)
    answers = run.probabilities["base.x"].copy()
    answers[::2] = np.nan
    told = [Outcome("refused" if k % 2 == 0 else "answered") for k in range(60)]
    silent = replace(run, probabilities={"base.x": answers}, outcomes={"base.x": Outcomes.of(told, 60)})
    found = metrics(Report((silent,)).text(".yaml"))
    assert {kind for _, kind in found} == {"accuracy_lower_bound", "accuracy_upper_bound"}
    assert found["base.x", "accuracy_lower_bound"]["value"] < 0.5
    assert found["base.x", "accuracy_upper_bound"]["value"] > 0.9


def test_runs_of_one_model_over_different_test_sets_are_one_card() -> None:
    found = metrics(Report((run_over(BASE), run_over(NEGATION))).text(".yaml"))
    assert set(found) == {("base.x", "accuracy"), ("negation.x", "accuracy")}


def test_runs_of_several_models_are_refused() -> None:
    report = Report((run_over(BASE), run_over(BASE, model="hf/other")))
    with pytest.raises(CrossexamError, match="a card describes one model, and these runs are of 2: ") as told:
        report.text(".yaml")
    assert "crossexam report RUN -o card.yaml" in str(told.value)


def test_a_test_set_twice_is_refused() -> None:
    with pytest.raises(CrossexamError, match=r"the test set base\.x is in several runs"):
        Report((run_over(BASE), run_over(BASE))).text(".yaml")


def test_nothing_measured_is_refused() -> None:
    unlabelled = Dataset("plain", tuple(replace(item, label=None) for item in BASE.examples))
    with pytest.raises(CrossexamError, match="nothing was measured of 'hf/me/my-model'"):
        Report((run_over(unlabelled),)).text(".yaml")


def test_it_has_the_golden_figures() -> None:
    """Accuracy and drop with their intervals, or both of their bounds, to six decimals."""
    wrong = []
    for run in runs():
        (model,) = yaml.safe_load(render_card(results_of([run])))["model-index"]
        assert model["name"] == run.model
        found = {
            (each["dataset"]["config"], metric["type"]): (metric["value"], metric["args"], metric["name"])
            for each in model["results"]
            for metric in each["metrics"]
        }
        right = {(name, kind): figure for name in SETS for kind, figure in card_figures(run.model, name)}
        assert found.keys() == right.keys()
        for key, (value, args, text) in found.items():
            name, kind = key
            figure = right[key]
            parts = [(value, "value"), *((args[end], end) for end in ("low", "high")), (args["items"], "n")]
            wrong += [f"{run.model}, {key}, {part}: {each} for {figure}" for each, part in parts
                      if abs(each - figure[part]) > 1e-6]  # fmt: skip
            shown = [float(each) for each in re.findall(r"-?\d\.\d{3}\b", text)]
            if not all(
                abs(a - figure[end]) <= 0.000501 for a, end in zip(shown, ("low", "high"), strict=True)
            ):
                wrong.append(f"{run.model}, {key}: {text} for {figure}")
            if kind == "accuracy" and args["clusters"] != FIGURES[f"{run.model}|{name}|clusters|"]["value"]:
                wrong.append(f"{run.model}, {key}: {args['clusters']} clusters")
    assert not wrong, "\n".join(wrong)


def card_figures(model: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the figures that a card has of a test set, by the type of the metric."""
    start = f"{model}|{name}"
    drop = "drop" if f"{start}|drop|" in FIGURES else "difference"
    for kind, statistic in (("accuracy", "accuracy"), ("accuracy_drop", drop)):
        figure = FIGURES.get(f"{start}|{statistic}|")
        if figure is not None and figure["value"] is None:
            yield f"{kind}_lower_bound", FIGURES[f"{start}|{statistic}_least|"]
            yield f"{kind}_upper_bound", FIGURES[f"{start}|{statistic}_most|"]
        elif figure is not None:
            yield kind, figure
