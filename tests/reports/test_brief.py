"""What a terminal shows of a report: a table per suite, the test sets that broke most first."""

from dataclasses import replace
from typing import Any

from crossexam.core.dataset import Run
from crossexam.reports.brief import brief_tables, drop_note, failures_first, without_drop_note
from crossexam.reports.broken import broken_table
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.reports.table import Table
from made.broken import GOLDS, SETS, run_of, set_of
from made.runs import dataset
from made.shown import headers


def brief(*runs: Run) -> Table:
    (table,) = (table for table in brief_tables(results_of(runs)) if table.rows)
    return table


def test_the_largest_drop_of_any_model_comes_first_and_proposed_labels_last() -> None:
    """Those whose interval contains 0 come after those that are known."""
    strong = run_of("strong", {"few.x": 6, "many.x": 5, "base.x": 3, "guessed.x (proposed)": 60, "none.x": 2})
    weak = run_of("weak", {"few.x": 6, "many.x": 50, "base.x": 3, "guessed.x (proposed)": 60, "none.x": 3})
    wanted = ["base.x", "many.x", "few.x", "none.x", "guessed.x (proposed)"]
    assert failures_first(results_of([strong, weak])) == wanted
    found = results_of([run_of("mine", {"base.x": 0, "few.x": 1, "many.x": 8}, few=set_of("few.x", 6))])
    drops: dict[str, Any] = {each.name: each.drop for each in found.models[0].results}
    assert drops["few.x"].value > drops["many.x"].value
    assert drops["few.x"].low < 0 < drops["many.x"].low
    assert failures_first(found) == ["base.x", "many.x", "few.x"]


def test_of_one_model_the_table_is_short_and_has_pairs_if_these_are_fewer_than_items() -> None:
    table = brief(run_of("mine", SETS, base=set_of("base.x", 50)))
    assert headers(table)[4:] == ["Pairs", "p (Holm)"]
    assert [row[4] for row in table.rows] == [None, None, 50, 50, 50]


def test_of_more_models_each_has_a_row_with_its_worst_set_and_the_significant_drops() -> None:
    table = brief(*(run_of(f"m{k}", SETS | {"many.x": 10 * k}) for k in range(2, 6)))
    assert table.title == "What breaks each model"
    rows: Any = table.rows
    assert [(row[0], row[2], row[4]) for row in rows] == [(f"m{k}", "many", "1 of 3") for k in range(2, 6)]
    assert round(rows[-1][3].value, 4) == round(47 / 60, 4)


def test_of_a_set_that_has_no_drop_the_reason_is_said_and_that_it_has_no_test() -> None:
    """Items without a base, a part of it, and items of which only accuracies are compared."""
    part = replace(set_of("base.x", 40), name="cs_0_5.x", manifest={"construction": "cs_0_5.v1", "part": "x"})
    unpaired = dataset("antonymy.x", GOLDS, "base.x", keeps_label=False)
    counts = SETS | {"cs_0_5.x": 3, "puzzles.y": 60, "antonymy.x": 9}
    other = {"cs_0_5": part, "puzzles": dataset("puzzles.y", GOLDS), "antonymy": unpaired}
    runs = [run_of(name, counts, **other) for name in ("mine", "yours")]
    results = results_of(runs[:1])
    assert drop_note(results).endswith("in points; not paired, so not tested: antonymy.")
    (said,) = without_drop_note(results)
    assert said == (
        "Not compared with the base: cs 0.5, a selection of its items; puzzles, whose items have no "
        "counterpart there."
    )
    assert said in broken_table(results).notes[0]
    assert "; not tested: cs 0.5, puzzles, antonymy." in brief(*runs).notes[0]
    assert "On puzzles, mine (0.0 %) is below the majority baseline there" in " ".join(warnings(results))
