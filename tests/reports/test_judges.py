"""What reports say of judged items: the labels of judges, relabelled items, drops of few pairs."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.reports.accuracy import judged_table, relabelled_notes
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of

SHARES = {"entailment": np.eye(3)[0], "neutral": np.eye(3)[1], "contradiction": np.eye(3)[2]}


def items(name: str, golds: list[Gold], *judged: list[str], **facts: object) -> Dataset:
    examples = tuple(
        Example(
            f"{name}:{n}",
            f"Ann has {n} cats.",
            "Ann has cats.",
            gold,
            base=f"i_h.snli_dev:{n}",
            info={"judge_labels": judged[n]} if n < len(judged) and judged[n] else {},
        )
        for n, gold in enumerate(golds)
    )
    return Dataset(name, examples, {"construction": name.partition(".")[0], "part": "snli_dev", **facts})


def run_of(*datasets: Dataset, says: str) -> Run:
    rows = {each.name: np.array([SHARES[says]] * len(each)) for each in datasets}
    return Run("mine", {each.name: each for each in datasets}, rows, {"model_key": "k"})


def values(row: tuple[object, ...]) -> list[object]:
    return [cell.value if isinstance(cell, Estimate) else cell for cell in row]


def test_the_labels_of_judges_stand_beside_those_of_models() -> None:
    judged = (["contradiction", "contradiction", "neutral"], [], ["neutral", "contradiction"])
    dataset = items("so_swap.snli_dev", ["contradiction"] * 3, *judged)
    run = run_of(dataset, says="entailment")
    run.probabilities[dataset.name][1] = SHARES["neutral"]  # the item that was not judged
    table = judged_table(results_of([run]))
    assert [column.header for column in table.columns[3:]] == ["Entailment", "Neutral", "Contradiction"]
    assert [values(row) for row in table.rows] == [
        ["so swap", "judges", 2, 0 / 5, 2 / 5, 3 / 5],
        ["so swap", "mine", 2, 1.0, 0.0, 0.0],  # of the two items that were judged
        ["so swap", "Human (published)", None, 0.02, 0.14, 0.84],  # E 2, C 84, N 14 in Table 2
    ]
    unjudged = items("so_swap.snli_dev", ["contradiction"])
    assert not judged_table(results_of([run_of(unjudged, says="entailment")])).rows


def test_judges_of_two_labels() -> None:
    dataset = items("antonymy.snli_dev", ["not_entailment", "entailment"], ["not_entailment", "entailment"])
    table = judged_table(results_of([run_of(dataset, says="neutral")]))
    headers = [column.header for column in table.columns[3:]]
    assert headers == ["Entailment", "Neutral", "Contradiction", "Not entailment"]
    assert [values(row)[3:] for row in table.rows[:2]] == [[1 / 2, None, None, 1 / 2], [0.0, None, None, 1.0]]


@pytest.mark.parametrize("form", ["terminal", ".md", ".html"])
def test_a_drop_from_one_pair_says_so(form: str) -> None:
    control = items("i_h.snli_dev", ["entailment"])
    swap = items("i_th.snli_dev", ["neutral"] * 4, base_set="i_h.snli_dev", paired=True, keeps_label=False)
    report = make_report(run_of(control, swap, says="entailment"), published_rows=False)
    if form == "terminal":
        console = Console(width=200, file=io.StringIO(), record=True)
        console.print(report.terminal())
        text = console.export_text()
    else:
        text = report.text(form)
    assert "Pairs" in text
    assert "fewer than 30 items of each test set" in text  # in the sentence at the top
    (result,) = [each for each in results_of([run_of(control, swap, says="entailment")]).models[0].results
                 if each.construction == "i_th"]  # fmt: skip
    assert result.drop is not None
    assert (result.n, result.drop.n) == (4, 1)


def notes_of(run: Run) -> list[str]:
    results = results_of([run])
    return relabelled_notes(results.test_sets, results.short_names)


def test_reports_say_which_gold_labels_are_those_of_judges() -> None:
    plain = items("so_swap.snli_dev", ["contradiction"] * 2)
    changed = Example("x", "p", "h", "neutral", info={"generated_label": "contradiction"})
    dataset = Dataset(plain.name, (*plain.examples, changed), plain.manifest)
    (note,) = notes_of(run_of(dataset, says="neutral"))
    assert note == "Items whose gold label comes from judges, not from the construction: so swap 1."
    report = make_report(run_of(dataset, says="neutral"))
    assert note in report.text(".md")
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(report.terminal())
    assert note in console.export_text()
    first, second = (run_of(dataset, says=label) for label in ("neutral", "entailment"))
    assert note in comparison_tables(first, second)[0].notes
    assert notes_of(run_of(plain, says="neutral")) == []
