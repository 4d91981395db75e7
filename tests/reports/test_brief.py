"""What a terminal shows of a report: a table per suite, the test sets that broke most first."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from made_runs import tables_of
from rich.console import Console

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.brief import brief_tables, drop_note, failures_first
from crossexam.reports.broken import broken_sets, broken_table
from crossexam.reports.items import PageItems
from crossexam.reports.report import Report
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings

GOLDS = [LABELS[k % 3] for k in range(60)]


def dataset(name: str, **facts: Any) -> Dataset:
    construction, _, part = name.partition(".")
    items = [
        Example(
            f"{name}:{k}", f"Ann has {k} cats.", f"Ann has {k}.", gold, base=f"base.x:{k}" if facts else None
        )
        for k, gold in enumerate(GOLDS)
    ]
    return Dataset(name, items, {"construction": construction, "part": part, **facts})


def run_of(model: str, wrong: dict[str, int], **more: dict[str, Any]) -> Run:
    """Return a run that has so many wrong answers on each test set; *more* are the facts of a set."""
    datasets, probabilities = {}, {}
    for name, count in wrong.items():
        facts = {} if name.startswith("base") else {"base_set": "base.x", "paired": True}
        datasets[name] = dataset(name, **{**facts, **more.get(name.partition(".")[0], {})})
        places = [(LABELS.index(gold) + (k < count)) % 3 for k, gold in enumerate(GOLDS)]
        probabilities[name] = 0.1 + 0.7 * np.eye(3)[places]
    return Run(model, datasets, probabilities, {})


SETS = {"base.x": 3, "few.x": 6, "many.x": 50, "none.x": 3}


def brief(*runs: Run) -> list[Any]:
    return [table for table in brief_tables(results_of(runs)) if table.rows]


def names(rows: Sequence[Sequence[Any]]) -> list[str]:
    return [str(row[0]) for row in rows]


def test_the_largest_drop_of_any_model_comes_first_and_proposed_labels_last() -> None:
    strong = run_of("strong", {"few.x": 6, "many.x": 5, "base.x": 3, "guessed.x (proposed)": 60, "none.x": 2})
    weak = run_of("weak", {"few.x": 6, "many.x": 50, "base.x": 3, "guessed.x (proposed)": 60, "none.x": 3})
    wanted = ["base.x", "many.x", "few.x", "none.x", "guessed.x (proposed)"]
    assert failures_first(results_of([strong, weak])) == wanted
    (table,) = brief(strong, weak)
    assert names(table.rows)[:3] == ["base (x)", "majority baseline", "many"]


def test_of_one_model_the_table_has_drops_and_pairs_if_these_are_fewer_than_items() -> None:
    (table,) = brief(run_of("mine", SETS))
    assert [column.header for column in table.columns] == [
        "Test set",
        "Items",
        "Accuracy",
        "Drop",
        "p (Holm)",
    ]
    assert names(table.rows) == ["base (x)", "majority baseline", "many", "few", "none"]
    whole = run_of("mine", SETS)
    base = whole.datasets["base.x"]
    part = Run(
        "mine",
        whole.datasets | {"base.x": replace(base, examples=base.examples[:50])},
        {**whole.probabilities, "base.x": whole.probabilities["base.x"][:50]},
        {},
    )
    (table,) = brief(part)
    assert [column.header for column in table.columns][4:] == ["Pairs", "p (Holm)"]
    assert [row[4] for row in table.rows] == [None, None, 50, 50, 50]


def test_where_a_drop_is_not_the_difference_of_the_accuracies_shown_it_is_said() -> None:
    run = run_of("mine", SETS)
    assert drop_note(results_of([run])) == "Drop: accuracy lost from the base, in points."
    few = run.datasets["few.x"]
    sets = run.datasets | {"few.x": replace(few, examples=few.examples[:40])}
    rows = run.probabilities | {"few.x": run.probabilities["few.x"][:40]}
    results = results_of([replace(run, datasets=sets, probabilities=rows)])
    assert "for few, only from base examples that have an item" in drop_note(results)
    assert all(
        drop_note(results) in table.notes[0] for table in (brief_tables(results)[0], broken_table(results))
    )


def test_of_more_models_each_has_a_row_with_its_worst_set_and_the_significant_drops() -> None:
    runs = [run_of(f"m{k}", SETS | {"many.x": 10 * k}) for k in range(2, 6)]
    (table,) = brief(*runs)
    assert table.title == "What breaks each model"
    assert [(row[0], row[2], row[4]) for row in table.rows] == [
        (f"m{k}", "many", "1 of 3") for k in range(2, 6)
    ]
    assert round(table.rows[-1][3].value, 4) == round(47 / 60, 4)


def test_a_model_at_chance_on_many_bases_is_told_in_one_sentence() -> None:
    bases = {f"base.{name}": 45 for name in ("one", "two", "three")}
    told = warnings(results_of([run_of("mine", bases)]))
    (sentence,) = (each for each in told if "majority baseline" in each)
    assert "3 of 3 bases" in sentence
    assert all(f"base ({name}) 25.0 % (33.3 %)" in sentence for name in ("one", "two", "three"))
    two = warnings(results_of([run_of("mine", dict.fromkeys(list(bases)[:2], 45))]))
    assert sum("majority baseline" in each for each in two) == 2


def test_all_tables_are_shown_if_asked_for() -> None:
    report = Report((run_of("mine", SETS),))
    texts = []
    for details in (False, True):
        console = Console(width=100, file=io.StringIO(), record=True)
        console.print(report.terminal(details=details))
        texts.append(console.export_text())
    assert "Drop from the base" not in texts[0]
    assert "Drop from the base" in texts[1]
    assert len(texts[0].splitlines()) < 20


# The sentences that broke, on the page


def test_what_broke_is_drawn_from_the_items_whose_base_was_right() -> None:
    """Of the 50 wrong items of *many*, the first three have a base that was wrong too."""
    run = run_of("mine", SETS)
    found = broken_sets(results := results_of([run]), PageItems(results))
    assert set(found) == {"few", "many"}  # of *none*, what is wrong was wrong before
    assert (found["few"].count, found["many"].count, found["many"].model) == (3, 47, "mine")
    assert all(each.from_right for each in found.values())
    wrong = {f"many.x:{k}" for k in range(3, 50)}
    assert len(found["many"].items) == 5
    for item in found["many"].items:
        (answer,) = item.answers
        assert item.name in wrong
        assert (answer.is_right, answer.was_right, answer.before) == (False, True, item.gold)
        assert answer.label != item.gold
        assert round(answer.share, 9) == 0.8


def test_of_several_models_the_one_that_lost_most_breaks_a_set() -> None:
    runs = [run_of("strong", SETS), run_of("weak", SETS | {"few.x": 40, "many.x": 20})]
    found = broken_sets(results := results_of(runs), PageItems(results))
    assert {name: (each.model, each.count) for name, each in found.items()} == {
        "few": ("weak", 37),
        "many": ("strong", 47),
    }
    assert all(len(item.answers) == 2 for each in found.values() for item in each.items)


def test_without_a_base_any_error_is_shown_and_unanswered_items_are_not() -> None:
    run = run_of("mine", {"few.x": 6})
    run.probabilities["few.x"][:2] = np.nan
    answered = replace(run, outcomes={"few.x": Outcomes.of([Outcome("refused")] * 2 + [Outcome()] * 58, 60)})
    (few,) = broken_sets(results := results_of([answered]), PageItems(results)).values()
    assert (few.count, few.from_right) == (4, False)
    assert {item.name for item in few.items} == {f"few.x:{k}" for k in range(2, 6)}


# Suites with tables of their own


def test_of_consistency_only_the_violations_are_shown_a_column_per_model() -> None:
    suite = cx.build("consistency", "builtin:demo[:12]")
    runs = [cx.run(f"builtin/{name}", suite) for name in ("overlap", "bag-of-words")]
    (table,) = brief(*runs)
    (whole,) = tables_of(results_of(runs), "consistency")
    shown = {(row[1], model): row[place] for row in table.rows for place, model in ((3, 0), (4, 1))}
    models = [run.model for run in runs]
    assert shown == {(row[1], models.index(str(row[2]))): row[5] for row in whole.rows}
    assert [column.header for column in table.columns] == [
        "Test set",
        "Rule",
        "Items",
        "overlap",
        "bag-of-words",
    ]


def test_a_set_with_a_table_of_its_own_is_in_no_row_of_the_accuracies() -> None:
    """Whether it comes first or between others."""
    corpus = {"base.sick": {"cross_dataset": {"key": "sick"}}}
    for sets in ({"base.sick": 9, **SETS}, {"base.x": 3, "base.sick": 9, "few.x": 6}):
        run = run_of("mine", sets)
        made = {
            name: replace(each, manifest=each.manifest | corpus.get(name, {}))
            for name, each in run.datasets.items()
        }
        found = replace(run, datasets=made)
        for runs in ([found], [found, replace(found, model="other")]):
            (table,) = brief(*runs)
            assert names(table.rows)[:2] == ["base (x)", "majority baseline"]
            assert not any("sick" in name for name in names(table.rows))
            assert names(table.rows).count("majority baseline") == 1


def test_of_many_models_over_bases_alone_each_has_a_row_per_base() -> None:
    runs = [run_of(f"m{k}", {"base.x": k, "base.y": 9}) for k in range(4)]
    (table,) = brief(*runs)
    assert [column.header for column in table.columns] == ["Test set", "Model", "Items", "Accuracy"]
    assert {str(row[1]) for row in table.rows} == {"m0", "m1", "m2", "m3"}
