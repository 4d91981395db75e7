"""The card of a model: what huggingface_hub reads back, and what is refused."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from golden_runs import FIGURES, SETS, measured, runs
from huggingface_hub import ModelCard

from crossexam.core.dataset import Dataset, Run
from crossexam.reports.model_card import render_card
from crossexam.reports.report import Report
from crossexam.reports.results import results_of
from made.cases import refused
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
    results = ModelCard.load(readme).data.eval_results
    assert [(each.dataset_config, each.metric_type, each.metric_value) for each in results] == [
        ("base.x", "accuracy", round(55 / 60, 6)),
        ("negation.x", "accuracy", round(50 / 60, 6)),
        ("negation.x", "accuracy_drop", round(5 / 60, 6)),
    ]
    assert {each.dataset_split for each in results} == {"test"}
    assert results[0].dataset_revision == BASE.stated_hash


def test_what_is_no_card_of_one_model_is_refused() -> None:
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
    for run in runs():
        found, right = metrics(render_card(results_of([run]))), card_figures(run.model)
        assert found.keys() == right.keys()
        for key, metric in found.items():
            where, figure, args = f"{run.model}, {key}", right[key], metric["args"]
            assert metric["model"] == run.model
            parts = {"value": metric["value"], "low": args["low"], "high": args["high"], "n": args["items"]}
            assert parts == pytest.approx({part: figure[part] for part in parts}, abs=1e-6), where
            shown = [float(each) for each in re.findall(r"-?\d\.\d{3}\b", metric["name"])]
            assert shown == pytest.approx([figure["low"], figure["high"]], abs=0.000501), where
            if key[1] == "accuracy":
                assert args["clusters"] == FIGURES[f"{run.model}|{key[0]}|clusters|"]["value"], where


def card_figures(model: str) -> dict[tuple[str, str], Any]:
    """The figures that a card has, by the test set and the type of the metric."""
    found: dict[tuple[str, str], Any] = {}
    for name in SETS:
        for what, figure, bounds in measured(model, name):
            kind = "accuracy" if what == "accuracy" else "accuracy_drop"
            if not bounds:
                found[name, kind] = figure
            for end, bound in zip(("lower", "upper"), bounds.values(), strict=False):
                found[name, f"{kind}_{end}_bound"] = bound
    return found
