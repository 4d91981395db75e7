"""The noise of asking again beside drops and differences, in every format."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import FormatError
from crossexam.evaluation.repeat import ask_again
from crossexam.reports.data import comparison_csv
from crossexam.reports.report import Report
from crossexam.reports.results import results_of
from crossexam.reports.sections import compared_tables, warnings
from made.cases import refused
from made.runs import dataset, run_of, wrong
from made.shown import csv_rows, terminal

GOLD = "ENC" * 200
SETS = (dataset("base.dev", GOLD), *(dataset(f"{name}.dev", GOLD, "base.dev") for name in ("few", "many")))
FLOOR = {"pairs": 100, "times": 2, "flips": 9, "value": 0.045, "low": 0.02, "high": 0.1}


def run(sets: tuple[Dataset, ...] = SETS, repeat: Any = FLOOR, **count: int) -> Run:
    """A run that is wrong on so many items of each test set, and right on the others."""
    said = {
        each.name: wrong(GOLD[: len(each)], count.get(each.name.removesuffix(".dev"), 0)) for each in sets
    }
    return run_of(said, *sets, model="api/toy", **({} if repeat is None else {"repeat": repeat}))


#: The drops are 2 and 30 points, both significant; the floor is 1.96 sqrt(2 * 0.055 / 600): 2.7 points.
NOISY = run(few=12, many=180)


def notes(*runs: Run) -> list[str]:
    """The notes of a comparison about asking again."""
    return [each for each in compared_tables(results_of(runs))[0].notes if "asked again" in each]


def test_the_floor_and_what_is_not_above_it_are_said() -> None:
    """Of a model that changed no answer, nothing is."""
    floor, unchanged = "(2.7 points over 600 items)", {**FLOOR, "flips": 0, "value": 0.0, "low": 0.0}
    better, still = (
        terminal(Report((each,)), details=True)
        for each in (run(base=12, few=24), run(few=12, many=180, repeat=unchanged))
    )
    assert all(words in better for words in ("Answers when asked again", "[2.0, 10.0]"))
    # few: 2 points lost, many: 2 gained
    assert f"not above the noise floor: the drop on few {floor}; the gain on many {floor}." in better
    assert "above the noise floor" not in still
    found = [row for row in csv_rows(Report((NOISY,)).text(".csv")) if "noise_floor" in row["statistic"]]
    figures = {(row["statistic"], row["test_set"]): float(row["value"]) for row in found if row["value"]}
    assert figures["within_noise_floor", "few.dev"] > figures["within_noise_floor", "many.dev"]
    assert figures["noise_floor", "few.dev"] == pytest.approx(0.0265380, rel=1e-4)
    (said,) = warnings(results_of([NOISY]))
    assert said.startswith("api/toy: the drop on few is within the noise of asking again (2.7 points")
    assert warnings(results_of([run(few=1, many=180)])) == []  # not significant


def test_pairs_without_an_answer_are_not_asked_again() -> None:
    """Two failures to answer are not an answer that stayed the same."""
    silent: Any = SimpleNamespace(predict=lambda pairs: np.full((len(pairs), 3), np.nan))
    some, none = (run_of({"base.dev": "E" * n + "?" * (600 - n)}, SETS[0]) for n in (40, 0))
    found = ask_again(some, silent, 2)
    assert (found["pairs"], found["flips"]) == (40, 80)
    assert "answered no pair, so --repeat has nothing to compare with" in refused(ask_again, none, silent, 2)


def test_the_number_of_items_and_the_observed_rate_decide() -> None:
    """The interval of the rate does not; the rate is as if one more of the pairs had changed."""
    for value, within in ((0.0, []), (0.019, []), (0.022, ["few.dev"])):
        floor = {**FLOOR, "value": value, "low": 0.0, "high": 1.0}
        (model,) = results_of([run(few=12, many=180, repeat=floor)]).models
        assert [each.name for each in model.results if model.is_within_noise(each)] == within
    short = dataset("unpaired.dev", GOLD[:150], "base.dev", keeps_label=False)
    (model,) = results_of([run(unpaired=60, sets=(SETS[0], short))]).models
    # Of items that are not paired, those of either side count.
    floor_of_both = 1.959964 * (0.055 / 600 + 0.055 / 150) ** 0.5
    assert model.noise_floor(model.results[1]) == pytest.approx(floor_of_both, rel=1e-6)


def test_a_comparison_names_differences_that_asking_both_again_may_change() -> None:
    one = run(base=2, few=10, many=180)
    other = run(repeat={**FLOOR, "flips": 1, "value": 0.005, "low": 0.0, "high": 0.03})
    (note,) = notes(one, other)
    assert "A 4.5 % [2.0, 10.0], B 0.5 % [0.0, 3.0]" in note
    assert "base (dev) (2.1 points over 600 items), few (2.1 points over 600 items)." in note
    rows = csv_rows(comparison_csv(results_of((one, other))))
    within = [row["value"] for row in rows if row["statistic"] == "within_noise_floor"]
    assert within == ["1", "1", "0"]
    (note,) = notes(run(repeat=None), NOISY)
    assert "A not measured, B 4.5 % [2.0, 10.0]." in note


def test_a_damaged_floor_is_refused() -> None:
    for damaged in (7, {**FLOOR, "value": "high"}, {**FLOOR, "flips": 900}):
        said = refused(FormatError, Report((run(repeat=damaged),)).text, ".md")
        assert "the share of changed answers in the manifest" in said
