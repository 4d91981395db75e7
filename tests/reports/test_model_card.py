"""The card of a model: what huggingface_hub reads back, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from golden_runs import FIGURES, SETS, runs
from huggingface_hub import ModelCard, ModelCardData, metadata_load

from crossexam.core.dataset import Dataset, Run
from crossexam.reports.model_card import render_card
from crossexam.reports.report import Report
from crossexam.reports.results import results_of
from made.runs import dataset, run_of, wrong

BASE, NEGATION = dataset("base.x", "ENC" * 20), dataset("negation.x", "ENC" * 20, "base.x")


def run_over(*datasets: Dataset, model: str = "hf/me/my-model") -> Run:
    """A run that gets the first ten items of each test set wrong, five of the base."""
    said = {each.name: wrong("ENC" * 20, 5 if each is BASE else 10) for each in datasets}
    return run_of(said, *datasets, model=model)


def metrics(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    (index,) = yaml.safe_load(text)["model-index"]
    return {
        (result["dataset"]["config"], metric["type"]): metric | {"model": index["name"]}
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
    assert results[0].dataset_revision == BASE.stated_hash


def test_what_is_no_card_of_one_model_is_refused(refused: Callable[..., str]) -> None:
    found = metrics(Report((run_over(BASE), run_over(NEGATION))).text(".yaml"))
    assert set(found) == {("base.x", "accuracy"), ("negation.x", "accuracy")}  # of one model, one card
    said = refused(Report((run_over(BASE), run_over(BASE, model="hf/other"))).text, ".yaml")
    assert "a card describes one model, and these runs are of 2: " in said
    said = refused(Report((run_over(BASE), run_over(BASE))).text, ".yaml")
    assert "the test set base.x is in several runs" in said
    unlabelled = run_of({"base.x": "E" * 60}, dataset("base.x", "-" * 60), model="hf/me/my-model")
    assert "nothing was measured of 'hf/me/my-model'" in refused(Report((unlabelled,)).text, ".yaml")


def test_it_has_the_golden_figures() -> None:
    """Accuracy and drop with their intervals, or both of their bounds, to six decimals."""
    wrong = []
    for run in runs():
        found = metrics(render_card(results_of([run])))
        right = {(name, kind): figure for name in SETS for kind, figure in card_figures(run.model, name)}
        assert found.keys() == right.keys()
        for key, metric in found.items():
            assert metric["model"] == run.model
            figure, args = right[key], metric["args"]
            parts = {"value": metric["value"], "low": args["low"], "high": args["high"], "n": args["items"]}
            near = all(abs(each - figure[part]) <= 1e-6 for part, each in parts.items())
            shown = [float(each) for each in re.findall(r"-?\d\.\d{3}\b", metric["name"])]
            ends = zip(shown, (figure["low"], figure["high"]), strict=True)
            near = near and all(abs(one - other) <= 0.000501 for one, other in ends)
            if key[1] == "accuracy":
                near = near and args["clusters"] == FIGURES[f"{run.model}|{key[0]}|clusters|"]["value"]
            wrong += [] if near else [f"{run.model}, {key}: {metric} for {figure}"]
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
