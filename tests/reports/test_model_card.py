"""The card of a model: what huggingface_hub reads back, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from golden_runs import FIGURES, SETS, runs
from huggingface_hub import ModelCard, ModelCardData, metadata_load
from made_runs import dataset, run_of, wrong

from crossexam.core.dataset import Dataset, Run
from crossexam.evaluation.comparison import content_hash_of
from crossexam.reports.model_card import render_card
from crossexam.reports.report import Report
from crossexam.reports.results import results_of

BASE, NEGATION = dataset("base.x", "ENC" * 20), dataset("negation.x", "ENC" * 20, "base.x")


def run_over(*datasets: Dataset, model: str = "hf/me/my-model") -> Run:
    """A run that gets the first ten items of each test set wrong, five of the base."""
    said = {each.name: wrong("ENC" * 20, 5 if each is BASE else 10) for each in datasets}
    return run_of(said, *datasets, model=model)


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
    silent = run_of({"base.x": "?N?E?C" * 9 + "?N?E?N"}, BASE)
    found = metrics(Report((silent,)).text(".yaml"))
    assert {kind for _, kind in found} == {"accuracy_lower_bound", "accuracy_upper_bound"}
    least, most = (found["base.x", f"accuracy_{side}_bound"]["value"] for side in ("lower", "upper"))
    assert least < 0.5
    assert most > 0.9


def test_runs_of_one_model_over_different_test_sets_are_one_card() -> None:
    found = metrics(Report((run_over(BASE), run_over(NEGATION))).text(".yaml"))
    assert set(found) == {("base.x", "accuracy"), ("negation.x", "accuracy")}


def test_what_is_no_card_of_one_model_is_refused(refused: Callable[..., str]) -> None:
    said = refused(Report((run_over(BASE), run_over(BASE, model="hf/other"))).text, ".yaml")
    assert "a card describes one model, and these runs are of 2: " in said
    assert "crossexam report RUN -o card.yaml" in said
    said = refused(Report((run_over(BASE), run_over(BASE))).text, ".yaml")
    assert "the test set base.x is in several runs" in said
    unlabelled = run_of({"base.x": "E" * 60}, dataset("base.x", "-" * 60), model="hf/me/my-model")
    assert "nothing was measured of 'hf/me/my-model'" in refused(Report((unlabelled,)).text, ".yaml")


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
