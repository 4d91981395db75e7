"""The data of ``figures_data.json`` as runs of the package, and the figures that are held of them."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.manifest import RunManifest
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.report import Report
from crossexam.reports.results import ReportOptions

GOLDEN = Path(__file__).resolve().parent
DATA = json.loads((GOLDEN / "figures_data.json").read_text(encoding="utf-8"))
#: Begins the key of a figure that is neither in CSV nor in JSON.
SHOWN = "shown: "
ALL_HELD = json.loads((GOLDEN / "figures.json").read_text(encoding="utf-8"))
#: The figures of CSV and JSON: "model|test set|statistic|of" and the parts of an estimate.
HELD = {key: value for key, value in ALL_HELD.items() if not key.startswith(SHOWN)}
#: The figures of all formats by the same keys.
FIGURES = {key.removeprefix(SHOWN): value for key, value in ALL_HELD.items()}
MODELS: tuple[str, ...] = tuple(DATA["models"])
SETS: tuple[str, ...] = tuple(DATA["test_sets"])
#: The names under which reports show the test sets.
_SHOWN_AS = (
    "base (golden)",
    "negation (golden)",
    "antonymy (golden)",
    "base (two)",
    "word overlap (golden)",
    "numerical reasoning (golden, proposed)",
)
SHORT = dict(zip(SETS, _SHOWN_AS, strict=True))
#: Figures that the package computes by another formula than the documented one: 0.59/(0.59 + 0.32 + 0.09) is
#: another number than 0.59, so equal confidences are told apart by rounding.
DIFFERENT = (
    "overconfident|base.two|ece_equal_mass*|",
    "overconfident|base.two|selective_aurc|",
    "overconfident|base.two|selective_risk|coverage=0.70",
    "*overconfident*|base.two|aurc_[abd]*",
    "* against tied|numerical_reasoning.golden (proposed)|aurc_[bd]*",
    "tied|numerical_reasoning.golden (proposed)|ece_equal_mass*|",
    "tied|numerical_reasoning.golden (proposed)|selective_aurc|",
    "tied|numerical_reasoning.golden (proposed)|selective_risk|coverage=0.[67]?",
)


@cache
def runs() -> tuple[Run, ...]:
    sets = {name: dataset(name, entry) for name, entry in DATA["test_sets"].items()}
    return tuple(run_of(model, sets) for model in MODELS)


@cache
def report() -> Report:
    """A report of the three models with all that it can have, for the tests of what its formats show."""
    return Report(runs(), ReportOptions(calibration=True))


def measured(model: str, test_set: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield "accuracy" and "drop" if there are such, with the figure and, without a value, both bounds."""
    start = f"{model}|{test_set}"
    drop = "drop" if f"{start}|drop|" in FIGURES else "difference"
    for name, statistic in (("accuracy", "accuracy"), ("drop", drop)):
        figure = FIGURES.get(f"{start}|{statistic}|")
        if figure is not None:
            ends = ("least", "most") if figure["value"] is None else ()
            yield name, figure, {end: FIGURES[f"{start}|{statistic}_{end}|"] for end in ends}


def dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    items = [
        Example(
            each["id"],
            f"The premise of {each['id']}.",
            "A hypothesis.",
            each["gold"],
            base=each.get("base"),
            info={key: each[key] for key in ("cluster", "genre", "pair", "how") if key in each},
        )
        for each in entry["items"]
    ]
    return Dataset(name, items, entry["manifest"])


def run_of(model: str, sets: Mapping[str, Dataset]) -> Run:
    rows, outcomes = {}, {}
    for name, entry in DATA["test_sets"].items():
        answers = {each["id"]: each["answers"][model] for each in entry["items"]}
        mass = DATA["label_mass"].get(model, {}).get(name, {})
        rows[name] = np.array([[np.nan] * 3 if isinstance(each, str) else each for each in answers.values()])
        told = [
            Outcome(each) if isinstance(each, str) else Outcome(label_mass=mass.get(item))
            for item, each in answers.items()
        ]
        outcomes[name] = Outcomes.of(told, len(told))
    return Run(model, sets, rows, RunManifest(model_key=model), {}, outcomes)
