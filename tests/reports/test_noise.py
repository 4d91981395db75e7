"""The noise of asking again beside drops and differences, in every format."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.outcome import ANSWERED, Outcome, Outcomes
from crossexam.evaluation.repeat import noise_floor
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.headline import warnings
from crossexam.reports.report import Report, terminal_comparison, write_comparison
from crossexam.reports.results import results_of

GOLD = "ENC" * 200
NAMES = {"E": "entailment", "N": "neutral", "C": "contradiction"}


def dataset(name: str, **manifest: Any) -> Dataset:
    items = tuple(
        Example(f"{name}:{k}", f"P {k}.", f"{name} {k}.", NAMES[letter], base=f"base:{k}")  # type: ignore[arg-type]
        for k, letter in enumerate(GOLD)
    )
    return Dataset(f"{name}.dev", items, {"construction": f"{name}.v1", "part": "dev", **manifest})


DERIVED = {"base_set": "base.dev", "keeps_label": True}
SETS = (
    dataset("base", base_set=None, construction="base"),
    dataset("few", **DERIVED),
    dataset("many", **DERIVED),
)
FLOOR = {"pairs": 100, "times": 2, "flips": 9, "value": 0.045, "low": 0.02, "high": 0.1}


def run_of(wrong: dict[str, int], model: str = "api/toy", **details: Any) -> Run:
    """A run that is wrong on so many items of each test set, and right on the others."""
    rows = {}
    for each in SETS:
        table = np.array([[float(letter == label) for label in "ENC"] for letter in GOLD])
        count = wrong.get(each.name.partition(".")[0], 0)
        table[:count] = np.roll(table[:count], 1, axis=1)
        rows[each.name] = table
    manifest = {"model_key": model, "details": details}
    return Run(model, {each.name: each for each in SETS}, rows, manifest)


#: The drops are 5 and 30 points, both significant; the noise floor is 4.5 points, and at most 10.
NOISY = run_of({"few": 30, "many": 180}, repeat=FLOOR)
STEADY = run_of({"few": 30, "many": 180})


def texts(run: Run) -> dict[str, str]:
    report = Report((run,))
    console = Console(width=300, file=io.StringIO(), record=True)
    console.print(report.terminal())
    found = {suffix: report.text(suffix) for suffix in (".html", ".md", ".tex")}
    return {**found, "terminal": console.export_text()}


def test_the_floor_and_what_is_not_above_it_are_in_every_format() -> None:
    for form, text in texts(NOISY).items():
        plain = text.replace("\\%", "%").replace("\\", "").replace("\u2060", "")
        assert "Answers when asked again" in plain, form
        assert "[2.0, 10.0]" in plain, form
        assert "not above the noise floor: the drop on few" in plain, form
    for form, text in texts(STEADY).items():
        assert "noise floor" not in text, form
        assert "asked again" not in text.lower(), form


class _Silent:
    """A model that answers nothing."""

    def predict(self, pairs: list[tuple[str, str]]) -> np.ndarray[Any, Any]:
        return np.full((len(pairs), 3), np.nan)


def test_pairs_without_an_answer_are_not_asked_again() -> None:
    """Two failures to answer are not an answer that stayed the same."""

    def run_with(answers: int) -> Run:
        rows = np.full((len(GOLD), 3), np.nan)
        rows[:answers] = [1.0, 0.0, 0.0]
        told = [Outcome(ANSWERED)] * answers + [Outcome("refused")] * (len(GOLD) - answers)
        outcomes = {"base.dev": Outcomes.of(told, len(GOLD))}
        sets = {"base.dev": SETS[0]}
        return replace(STEADY, datasets=sets, probabilities={"base.dev": rows}, outcomes=outcomes)

    run = run_with(40)
    found = noise_floor(run, _Silent(), 2)  # type: ignore[arg-type]
    assert (found["pairs"], found["flips"]) == (40, 80)
    none = run_with(0)
    with pytest.raises(CrossexamError, match="answered no pair, so --repeat has nothing to compare with"):
        noise_floor(none, _Silent(), 2)  # type: ignore[arg-type]


def test_a_significant_drop_within_the_noise_is_warned_of_at_the_head() -> None:
    (warning,) = [each for each in warnings(results_of([NOISY])) if "noise" in each]
    assert warning == (
        "api/toy: the drop on few is not clearly more than noise: asked again, the model changed 4.5 % "
        "[2.0, 10.0] of its answers."
    )
    insignificant = run_of({"few": 1, "many": 180}, repeat=FLOOR)
    assert [each for each in warnings(results_of([insignificant])) if "noise" in each] == []


def test_the_upper_end_of_the_interval_decides() -> None:
    drops = {"few": 30, "many": 180}
    for high, within in ((0.04, []), (0.06, ["few"]), (0.31, ["few", "many"])):
        floor = {**FLOOR, "value": 0.03, "high": high}
        (model,) = results_of([run_of(drops, repeat=floor)]).models
        found = [each.name.partition(".")[0] for each in model.results if model.is_within_noise(each)]
        assert found == within


def test_data_have_the_floor_and_a_verdict_per_drop() -> None:
    report = Report((NOISY,))
    rows = list(csv.DictReader(io.StringIO(report.text(".csv"))))
    (floor,) = [row for row in rows if row["statistic"] == "noise_floor"]
    assert [float(floor[key]) for key in ("value", "low", "high")] == [0.045, 0.02, 0.1]
    assert (floor["n"], floor["clusters"]) == ("200", "100")
    verdicts = {row["test_set"]: row["value"] for row in rows if row["statistic"] == "within_noise_floor"}
    assert verdicts == {"few.dev": "1", "many.dev": "0"}
    (model,) = json.loads(report.text(".json"))["models"]
    assert model["noise_floor"]["flips"] == 9
    assert model["noise_floor"]["rate"]["high"] == 0.1
    assert [each["within_noise_floor"] for each in model["test_sets"]] == [None, True, False]
    (steady,) = json.loads(Report((STEADY,)).text(".json"))["models"]
    assert steady["noise_floor"] is None
    assert "noise" not in Report((STEADY,)).text(".csv")


def test_a_comparison_names_differences_that_are_not_above_the_larger_floor(tmp_path: Path) -> None:
    other = run_of({}, "api/other", repeat={**FLOOR, "flips": 1, "value": 0.005, "low": 0.0, "high": 0.03})
    note = (
        "Noise floor, the share of answers that changed when pairs were asked again: A 4.5 % [2.0, 10.0], "
        "B 0.5 % [0.0, 3.0]. Differences not above the upper end of its interval: base (dev), few."
    )
    assert note in comparison_tables(NOISY, other)[0].notes
    assert note in Report((NOISY, other)).text(".md").replace("\\", "")
    rows = list(csv.DictReader(write_comparison(NOISY, other, tmp_path / "x.csv").open()))
    assert [row["within_noise_floor"] for row in rows] == ["True", "True", "False"]
    assert {(row["noise_floor_a_high"], row["noise_floor_b"]) for row in rows} == {("0.1", "0.005")}
    found = json.loads(write_comparison(NOISY, other, tmp_path / "x.json").read_text())["test_sets"]
    assert [row["within_noise_floor"] for row in found] == [True, True, False]
    console = Console(width=300, file=io.StringIO(), record=True)
    console.print(terminal_comparison(NOISY, other))
    assert "Differences not above the upper end" in console.export_text()


def test_a_comparison_says_whose_floor_is_not_known(tmp_path: Path) -> None:
    (note,) = [each for each in comparison_tables(STEADY, NOISY)[0].notes if "Noise" in each]
    assert "A not measured, B 4.5 % [2.0, 10.0]." in note
    assert not any("Noise" in each for each in comparison_tables(STEADY, run_of({}, "b"))[0].notes)
    assert "noise" not in write_comparison(STEADY, run_of({}, "b"), tmp_path / "x.csv").read_text()


@pytest.mark.parametrize(
    "damaged", [7, {}, {**FLOOR, "value": "high"}, {**FLOOR, "low": 0.5}, {**FLOOR, "flips": 900}]
)
def test_a_damaged_floor_is_refused(damaged: Any) -> None:
    run = replace(STEADY, manifest={**STEADY.manifest, "details": {"repeat": damaged}})
    with pytest.raises(FormatError, match="the noise floor in the manifest of the run is damaged"):
        Report((run,)).text(".md")


def test_a_gain_is_not_called_a_drop() -> None:
    better = run_of({"base": 24, "few": 60}, repeat=FLOOR)  # few: 6 points lost, many: 4 points gained
    plain = Report((better,)).text(".md")
    assert "not above the noise floor: the drop on few; the gain on many." in plain
