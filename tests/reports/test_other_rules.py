"""Published figures beside test sets: marked if the authors' items were made by other rules."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.names import short_names
from crossexam.reports.report import make_report
from crossexam.reports.results import Results, results_of
from crossexam.reports.table import MARK, Cell, Marked


def run_over(*names: str) -> Run:
    items = tuple(Example(f"i{k}", f"Pip sees {k}.", "Pip.", "contradiction") for k in range(4))
    sets = {name: Dataset(name, items, {}) for name in names}
    return Run("mine", sets, {name: np.eye(3)[[2] * 4] for name in names}, {})


def nb(results: Results) -> dict[str, Cell]:
    """The figure of NB in each row of the table of accuracies."""
    table = accuracy_table(results)
    place = [column.header for column in table.columns].index("NB")
    return {str(row[0]): row[place] for row in table.rows}


def test_figures_are_marked_unless_the_rules_are_the_authors() -> None:
    names = [f"antonymy{rules}.dev_matched" for rules in ("", "_paper", "_released", "_authors")]
    results = results_of([run_over("base.dev_matched", *names)])
    found = nb(results)
    assert found["antonymy"] == found["antonymy (released)"] == 0.151
    marked = {name for name, figure in found.items() if isinstance(figure, Marked)}
    assert marked == {"antonymy", "antonymy (paper)"}
    (note,) = [note for note in accuracy_table(results).notes if note.startswith(MARK)]
    assert "For antonymy, our rules replace adjectives and nouns" in note
    assert "For antonymy (paper), the paper's text replaces adjectives and nouns" in note
    assert "released" not in note


def test_without_a_mark_there_is_no_note() -> None:
    results = results_of([run_over("base.dev_matched", "negation_released.dev_matched")])
    assert nb(results)["negation (released)"] == 0.395
    assert not any(MARK in note for note in accuracy_table(results).notes)


def test_the_keyboard_error_in_a_content_word_is_not_that_of_table_3() -> None:
    run = run_over(
        "base.dev_matched",
        "spelling_error_content_word.dev_matched",
        "spelling_error_mixed_content_word_released.dev_matched",
    )
    found = nb(results_of([run]))
    assert found["spelling error content word"] is None
    assert found["spelling error mixed content word (released)"] == 0.511  # Table 3, and Table 8 (CN swap)


@pytest.mark.parametrize(
    ("suffix", "figure"),
    [(".md", "39.5†"), (".tex", r"39.5$^\dagger$"), (".html", "39.5†")],
)
def test_every_format_shows_the_mark_and_its_note(suffix: str, figure: str) -> None:
    text = make_report(run_over("base.dev_matched", "negation.dev_matched")).text(suffix)
    assert figure in text
    assert "Published for items made by other rules" in text
    plain = make_report(run_over("base.dev_matched", "negation_released.dev_matched")).text(suffix)
    assert "39.5" in plain
    assert figure not in plain
    assert "other rules" not in plain


def test_csv_and_json_have_the_rules_and_the_difference() -> None:
    report = make_report(run_over("negation.dev_matched", "negation_paper.dev_matched"))
    sets = {each["name"]: each for each in json.loads(report.text(".json"))["models"][0]["test_sets"]}
    assert {name: (each["construction"], each["rules"]) for name, each in sets.items()} == {
        "negation.dev_matched": ("negation", "ours"),
        "negation_paper.dev_matched": ("negation", "paper"),
    }
    differences = [each["published_of_other_items"]["naik2018"] for each in sets.values()]
    assert [each.split()[0] for each in differences] == ["our", "the"]
    lines = report.text(".csv").splitlines()
    column = lines[0].split(",").index("rules")
    assert {line.split(",")[column] for line in lines[1:]} == {"ours", "paper"}


def test_short_names_say_the_rules() -> None:
    names = ("antonymy.dev", "antonymy_released.dev", "antonymy_paper.dev")
    assert list(short_names({name: Dataset(name, ()) for name in names}).values()) == [
        "antonymy",
        "antonymy (released)",
        "antonymy (paper)",
    ]
