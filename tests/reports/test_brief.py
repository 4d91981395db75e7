"""What a terminal shows of a report: a table per suite, the test sets that broke most first."""

from dataclasses import replace
from typing import Any

from crossexam.core.dataset import Dataset, Run
from crossexam.reports.brief import brief_tables, drop_note, failures_first, without_drop_note
from crossexam.reports.broken import broken_sets, broken_table
from crossexam.reports.items import PageItems
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.reports.table import Table
from made.runs import dataset, wrong
from made.runs import run_of as run_over
from made.shown import headers

GOLDS = "ENC" * 20


def set_of(name: str, n: int = 60, **facts: Any) -> Dataset:
    base = None if name.startswith("base") else "base.x"
    return dataset(name, GOLDS[:n], base, **({"paired": True} if base else {}), **facts)


def run_of(model: str, count: dict[str, int], **other: Dataset) -> Run:
    """Return a run that has so many wrong answers on each test set, which *other* may replace."""
    sets = [other.get(name.partition(".")[0], set_of(name)) for name in count]
    said = {each.name: wrong(GOLDS, count[each.name])[: len(each)] for each in sets}
    return run_over(said, *sets, model=model, sure=0.8)


SETS = {"base.x": 3, "few.x": 6, "many.x": 50, "none.x": 3}


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


def broken(*runs: Run) -> dict[str, Any]:
    """What broke of each test set, by its short name."""
    return broken_sets(results := results_of(runs), PageItems(results))


def test_what_broke_is_drawn_from_the_items_whose_base_was_right() -> None:
    """Of the 50 wrong items of *many*, the first three have a base that was wrong too."""
    found = broken(run_of("mine", SETS))
    counts = {name: (each.count, each.model, each.from_right) for name, each in found.items()}
    assert counts == {"few": (3, "mine", True), "many": (47, "mine", True)}  # *none* was wrong before
    assert len(found["many"].items) == 5
    for item in found["many"].items:
        (answer,) = item.answers
        assert item.name in {f"many:{k}" for k in range(3, 50)}
        assert (answer.is_right, answer.was_right, answer.before) == (False, True, item.gold)
    found = broken(run_of("first", SETS | {"few.x": 0}), run_of("weak", SETS | {"few.x": 40, "many.x": 20}))
    broke = {name: (each.model, each.count) for name, each in found.items()}
    assert broke == {"few": ("weak", 37), "many": ("first", 47)}  # the first that broke, or the next
    assert all(len(item.answers) == 2 for each in found.values() for item in each.items)


def test_of_items_without_a_base_or_not_compared_with_it_any_error_is_shown() -> None:
    """But no item without an answer, and no answer to the base."""
    sets = set_of("few.x"), dataset("few.x", GOLDS, "base.x", paired=False)
    (alone,) = broken(run_over({"few.x": "??" + wrong(GOLDS, 6)[2:]}, sets[0])).values()
    assert (alone.count, alone.from_right) == (4, False)
    assert {item.name for item in alone.items} == {f"few:{k}" for k in range(2, 6)}
    found = broken(run_of("mine", SETS, few=sets[1]))
    assert (found["few"].count, found["few"].from_right, found["many"].from_right) == (6, False, True)
    assert {answer.before for item in found["few"].items for answer in item.answers} == {None}


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
