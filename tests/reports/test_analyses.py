"""Analyses in reports: consistency, items that were truncated, slices, and fact checking as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_runs import csv_rows, dataset, json_figures, page_of, run_of, tables_of, terminal
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.dataset import Reading, Run
from crossexam.core.example import Example
from crossexam.core.output.escapes import escape_latex, escape_markdown
from crossexam.core.test_sets import write_test_set
from crossexam.evaluation.consistency import consistency_of
from crossexam.evaluation.fact_checking import ThresholdChoice
from crossexam.evaluation.measures import measure
from crossexam.evaluation.truncation import truncations
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.analyses.slices import published_slice_tables, slice_tables
from crossexam.reports.analyses.truncation import truncation_warnings
from crossexam.reports.data import comparison_csv, comparison_json, render_csv, render_json
from crossexam.reports.headline import headlines
from crossexam.reports.report import make_report
from crossexam.reports.results import ReportOptions, Results, results_of
from crossexam.reports.sections import compared_tables, warnings
from crossexam.reports.table import Table

# Consistency


@pytest.fixture(scope="module")
def ruled() -> Run:
    return cx.run("builtin/overlap", cx.build("consistency", "builtin:demo"))


@pytest.fixture(scope="module")
def other(ruled: Run) -> Run:
    """A model that exchanges the labels of every other answer of *ruled*."""
    answers = {name: rows.copy() for name, rows in ruled.probabilities.items()}
    for rows in answers.values():
        rows[::2] = rows[::2][:, [1, 2, 0]]
    return replace(ruled, model="other", probabilities=answers)


def test_the_table_has_both_rates_of_every_rule(ruled: Run) -> None:
    found = consistency_of(ruled)
    results = results_of([ruled], ReportOptions(published_rows=False))
    (table,) = tables_of(results, "consistency")
    assert [(row[1], *row[3:8]) for row in table.rows] == [
        (each.rule.says, each.n, each.count, each.of_all, each.conditions, each.of_condition)
        for each in found.values()
    ]
    assert not any("eft out" in note for note in table.notes)
    (by_label,) = tables_of(results, "by_label")
    assert len(by_label.rows) == sum(len(each.by_base) for each in found.values())
    # These test sets have no accuracy.
    assert [row[0] for row in accuracy_table(results).rows] == ["base (builtin demo)", "majority baseline"]
    plain = results_of([ruled.restricted_to(["base.builtin_demo"])])
    assert tables_of(plain, "consistency") == []
    assert "violations" not in render_json(plain)
    assert "consistency" not in headlines(plain)[0]


def test_the_page_says_which_rules_are_left_out(ruled: Run) -> None:
    of_two = replace(ruled, manifest={**ruled.manifest, "details": {"two_label": True}})
    notes = tables_of(results_of([of_two]), "consistency")[0].notes
    said = "needs three labels, so left out: symmetry, negation, transitivity ec, transitivity ne"
    assert sum(said in note for note in notes) == 1
    without = ruled.restricted_to([name for name in ruled.datasets if not name.startswith("base")])
    (table,) = tables_of(results_of([without]), "consistency")
    assert [row[1] for row in table.rows] == ["E(p, p)"]
    assert any("the run lacks the base, so left out: symmetry" in note for note in table.notes)
    said = "was not asked about the base, without which symmetry, negation"
    told = [sum(said in warning for warning in warnings(results_of([each]))) for each in (without, ruled)]
    assert told == [1, 0]


def test_two_models_are_compared_by_the_violations_of_both(ruled: Run, other: Run) -> None:
    tables = {each.title: each for each in compared_tables(results_of((ruled, other)))}
    rates = {row[1]: row[3:6] for row in tables["A minus B in violations"].rows}
    second = consistency_of(other)
    for name, each in consistency_of(ruled).items():
        a, b, difference = rates[each.rule.says]
        assert (a.value, b.value) == (each.of_all.value, second[name].of_all.value)  # type: ignore[union-attr]
        assert difference.value == pytest.approx(a.value - b.value)  # type: ignore[union-attr]


def test_every_number_is_in_the_data(ruled: Run, other: Run) -> None:
    results = results_of([ruled])
    rows = csv_rows(render_csv(results))
    rates = {row["test_set"] + row["of"]: row for row in rows if row["statistic"] == "violations_of_all"}
    text, compared = render_json(results), comparison_json(results_of((ruled, other)))
    assert "violations_left_out" not in text
    for each in consistency_of(ruled).values():
        name = each.rule.name
        assert float(rates[each.test_set + name]["value"]) == each.of_all.value
        stated = json_figures(text, each.test_set)
        count = stated["violations_count"]["of"][name]
        assert (count["n"], count["value"]) == (each.n, each.count)
        assert stated["violations_of_all"]["of"][name]["low"] == each.of_all.low
        assert (name in stated["violations_of_condition"]["of"]) == (each.of_condition is not None)
        assert name in json_figures(compared, each.test_set)["violations_difference"]["of"]


def test_the_headline_names_the_rule_that_is_violated_most_often(ruled: Run) -> None:
    found = consistency_of(ruled)
    most = max(found.values(), key=lambda each: each.of_all.value)
    (said,) = headlines(results_of([ruled]))
    rule, rate = most.rule.name.replace("_", " "), most.of_all_at(1 - 0.05 / len(found))
    assert rate.low < most.of_all.low < most.of_all.high < rate.high
    bounds = f"{100 * rate.low:.1f} to {100 * rate.high:.1f}"
    assert said.endswith(
        f"Of the consistency rules, it violates {rule} most often: on {100 * rate.value:.1f} % of "
        f"{most.n} items (95 % interval {bounds}, adjusted for the choice among {len(found)} rates)."
    )
    rows = {name: np.tile([1.0, 0.0, 0.0], (len(each), 1)) for name, each in ruled.probabilities.items()}
    names = [name for name in ruled.datasets if name.startswith(("base", "identity"))]
    (said,) = headlines(results_of([replace(ruled, probabilities=rows).restricted_to(names)]))
    assert said.endswith("It violates none of the consistency rules.")
    bare = {
        name: replace(dataset, examples=tuple(replace(item, label=None) for item in dataset))
        for name, dataset in ruled.datasets.items()
    }
    (said,) = headlines(results_of([replace(ruled, datasets=bare)]))
    assert said.startswith("builtin/overlap: no item has a gold label. Of the consistency rules, it violates")


# Items that were truncated

MENDED = "To have every item read to the end, run the model with --chunk, as in --chunk words:300."


def read_of(truncated: str, unseen: str, said: str, golds: str = "", *names: str) -> Run:
    """A run over items, neutral unless *golds* say otherwise; x marks what is truncated or unseen."""
    sets = [dataset(name, golds or "N" * len(said)) for name in names or ["made.x"]]
    reading = Reading(*(np.array([mark == "x" for mark in marks]) for marks in (truncated, unseen)))
    made = run_of({each.name: said for each in sets}, *sets, model="mine")
    return replace(made, reading=dict.fromkeys(made.datasets, reading))


# Right: 5 of 8; of the 6 whose edit was seen 5, of the 4 that were read to the end 4.
MARKS = "....xxxx", "......xx", "NNNNNEEE"
LONG, WHOLE = read_of(*MARKS), read_of("...", "...", "NNN")
SAID = (
    "mine did not read 4 of 8 items to the end (50.0 %): made.x 50.0 %. "
    f"For 2 of them it read none of the changed text. {MENDED}"
)


def test_accuracy_with_and_without_what_was_not_read() -> None:
    (found,) = truncations(LONG)
    assert (found.items, found.truncated, found.edit_unseen, found.share) == (8, 4, 2, 0.5)
    accuracies = (found.accuracy, found.accuracy_seen, found.accuracy_read)
    assert [(each.value, each.n) for each in accuracies if each] == [(5 / 8, 8), (5 / 6, 6), (4 / 4, 4)]
    (none,) = truncations(read_of("xxx", "xxx", "NNN"))
    assert (none.accuracy_read, none.accuracy_seen) == (None, None)
    (fewer,) = truncations(read_of(*MARKS, golds="-NNNNNNN"))  # an item without a gold label shifts nothing
    assert fewer.truncated == 4
    assert fewer.accuracy_read is not None
    assert (fewer.accuracy_read.value, fewer.accuracy_read.n) == (1.0, 3)


def test_truncated_and_unseen_are_slices() -> None:
    (result,) = measure(LONG)
    assert {name: each.value for name, each in result.slices["truncated"].items()} == {"no": 1, "yes": 1 / 4}
    assert {name: each.n for name, each in result.slices["edit unseen"].items()} == {"no": 6, "yes": 2}
    (whole,) = measure(WHOLE)
    assert whole.slices == {}


def test_the_warning_is_at_the_head_of_every_report() -> None:
    report = make_report(LONG)
    assert f'<p class="warning">{escape(SAID)}</p>' in page_of(report).partition("</section>")[0]
    first, second, *_ = report.text(".md").split("\n\n")
    assert (first[:2], second) == ("# ", f"**{escape_markdown(SAID)}**")
    assert f"% {SAID}" in report.text(".tex").splitlines()
    assert escape_latex(SAID) in report.text(".tex")
    assert SAID in terminal(report, 400).splitlines()[1]
    for each in (WHOLE, replace(WHOLE, reading={})):
        assert "did not read" not in make_report(each).text(".md")
        assert 'class="warning"' not in make_report(each).text(".html")


def test_the_warning_says_what_is_known_and_what_helps(for_each: Callable[..., None]) -> None:
    """Few truncated items need no chunks; of many test sets those that were read least are named."""

    def check(of: Run, said: str, unsaid: str = "nothing") -> None:
        text = " ".join(truncation_warnings(make_report(of).results))
        assert said in text
        assert unsaid not in text

    few = "x" + "." * 99, "." * 100, "N" * 100
    many = read_of(*MARKS, "", *"abcde")
    cut = {name: np.arange(8) < k for k, name in enumerate(many.datasets, 1)}
    partly = {name: Reading(each, np.zeros(8, dtype=bool)) for name, each in cut.items()}
    too_long = "The chunks are too long for the model: choose smaller ones than words:500."
    least = ": e 62.5 %, d 50.0 %, c 37.5 %, and less of 2 other test sets."
    rows = [
        (read_of(*few), "mine did not read 1 of 100 items to the end (1.0 %): made.x 1.0 %.", "chunk"),
        (replace(LONG, manifest={"details": {"max_length": 128}}), "as in --chunk words:70."),
        (replace(LONG, manifest={"chunk": "words:500"}), too_long),
        (replace(LONG, reading={}), "", "did not read"),
        (replace(many, reading=partly), f"15 of 40 items to the end (37.5 %){least}"),
    ]
    for_each(check, rows)


@pytest.mark.parametrize("length", [16, 128])
def test_run_ends_with_the_warning(length: int, tiny_checkpoint: Path, tmp_path: Path) -> None:
    premise = "A man is playing a guitar on the stage in the rain. " * 2
    items = tuple(Example(str(k), premise, f"A man is {k}.", "neutral") for k in range(3))
    write_test_set(tmp_path / "long.parquet", items)
    line = ["run", f"hf/{tiny_checkpoint}", str(tmp_path / "long.parquet"), "-o", str(tmp_path / "run")]
    done = CliRunner().invoke(app, [*line, "--max-length", str(length), "--device", "cpu"])
    assert done.exit_code == 0, done.stderr
    last = done.stderr.splitlines()[-1]
    said = f"warning: hf/{tiny_checkpoint} did not read 3 of 3 items to the end (100.0 %): long 100.0 %."
    assert (last == f"{said} {MENDED.replace('300', '10')}") == (length == 16)
    assert last.startswith("written: ") == (length == 128)


# Slices, and the published figures beside them

TAGS = (["ANTO"], ["ANTO", "MODAL"], [], ["MODAL"], ["ANTO"], [])


def run_over(part: str) -> Run:
    """A run that is right on half of the pairs with MODAL, and on two of three with ANTO."""

    def info(k: int) -> dict[str, Any]:
        return {"annotations": TAGS[k]} if TAGS[k] else {}

    data = dataset(f"base.{part}", "ENCENC", None, info)
    return run_of({data.name: "ECEENC"}, data)


def by_annotation(results: Results) -> Table:
    (table,) = (each for each in slice_tables(results) if each.title.startswith("Accuracy by annotation"))
    return table


def test_a_pair_without_a_tag_counts_under_none_and_other_corpora_have_no_published_slice() -> None:
    results = results_of([run_over("mine")])
    table = by_annotation(results)
    assert [row[:2] for row in table.rows] == [("ANTO", 3), ("MODAL", 2)]
    assert [round(row[2].value, 3) for row in table.rows] == [0.667, 0.5]  # type: ignore[union-attr]
    assert len(table.columns) == 3
    assert not published_slice_tables(results)


def test_the_published_accuracy_on_antonyms_stands_beside_that_of_the_model(
    for_each: Callable[..., None],
) -> None:
    def check(part: str) -> None:
        results = results_of([run_over(part)])
        table = by_annotation(results)
        column = table.columns[3]
        assert (column.header, column.group) == ("baselines", "Published, Naik et al. 2018")
        assert [row[3] for row in table.rows] == [0.67, None]
        assert "neither which models nor of which split" in table.notes[0]
        (written,) = published_slice_tables(results)
        assert written.rows == table.rows
        assert not published_slice_tables(results_of([run_over(part)], ReportOptions(published_rows=False)))

    for_each(check, ["multinli_annotated_matched", "multinli_1_0_mismatched_annotations"])


def test_every_written_format_has_the_figure() -> None:
    run = run_over("multinli_annotated_matched")
    report = make_report(run)
    assert "## Accuracy by annotation: base (multinli annotated matched)" in report.text(".md")
    assert "| ANTO | 3 | 66.7 [" in report.text(".md")
    assert "Accuracy by annotation: base" in report.text(".tex")
    assert 'class="percent published">baselines<' in report.text(".html")
    found = json.loads(report.text(".json"))["references"]
    (baselines,) = (each for each in found if each["name"] == "baselines (published)")
    of = baselines["test_sets"][0]["figures"]["published_accuracy"]["of"]
    assert of == {"naik2018: annotation=ANTO": {"value": 0.67}}
    assert "published_accuracy" in report.text(".csv")
    (data,) = run.datasets.values()
    plain = replace(data, examples=tuple(replace(each, info={}) for each in data))
    assert "published_accuracy" not in make_report(replace(run, datasets={data.name: plain})).text(".csv")


# Fact checking

SCORES = [0.2, 0.3, 0.1, 0.4, 0.2, 0.9, 0.95, 0.05]


def claims_of(split: str, scores: list[float] = SCORES) -> Run:
    """Two data sets of eight claims, of which the first six have scores in the order of their labels."""
    sets = {}
    for name in ("frank", "polytope"):
        place = {"benchmark": "summac", "title": "SummaC", "data_set": name, "split": split}
        made = dataset(f"base.{name}", "nE" * 4, projection="two labels", fact_checking=place)
        items = [
            replace(item, premise=f"{name} {k // 2}.", hypothesis=f"{split} {k}.")
            for k, item in enumerate(made)
        ]
        sets[made.name] = replace(made, examples=items)
    answers = np.array([[score, 1 - score, 0.0] for score in scores])
    return Run("mine", sets, dict.fromkeys(sets, answers), {"model_key": "k"})


def test_the_data_have_each_figure_the_threshold_and_the_mean() -> None:
    options = ReportOptions(threshold=ThresholdChoice(chosen_on=(claims_of("dev"),)))
    found = csv_rows(render_csv(results_of([claims_of("test")], options)))
    rows = {(row["test_set"], row["statistic"]): row for row in found}
    # at 0.25, three of four supported claims are above, and one of four others
    for statistic, value in (("balanced_accuracy", 0.75), ("false_support", 0.25), ("missed_support", 0.25)):
        row = rows["base.frank", statistic]
        assert float(row["value"]) == value
        assert float(row["low"]) < value < float(row["high"])
        assert row["signature"].endswith("|threshold:0.25")
        assert float(rows["(mean of SummaC)", statistic]["value"]) == value
    threshold = rows["base.frank", "threshold"]
    assert float(threshold["value"]) == pytest.approx(0.25)
    assert (threshold["of"], threshold["n"]) == ("base.frank+base.polytope", "16")
    # 0.3, 0.4 and 0.9 are above three of the four others, 0.05 above none
    assert float(rows["base.frank", "roc_auc"]["value"]) == 9 / 16
    assert rows["(mean of SummaC)", "roc_auc"]["of"] == "frank+polytope"
    document = json.loads(render_json(results_of([claims_of("test")])))["models"][0]
    sets = {each["name"]: each for each in document["test_sets"]}
    facts, figures = sets["base.frank"]["facts"]["fact_checking"], sets["base.frank"]["figures"]
    assert figures["threshold"]["of"]["fixed"]["value"] == 0.5
    assert (facts["data_set"], facts["split"]) == ("frank", "test")
    assert (figures["documents"]["value"], figures["documents"]["n"]) == (4, 8)
    assert figures["missed_support"]["value"] == 0.75
    mean = sets["(mean of SummaC)"]["figures"]
    assert mean["false_support"]["of"]["frank+polytope"]["value"] == 0.25


def test_a_comparison_has_the_difference() -> None:
    better = replace(claims_of("test", [0.2, 0.7, *SCORES[2:]]), model="better")
    rows = csv_rows(comparison_csv(results_of((better, claims_of("test")))))
    first, _ = (row for row in rows if row["statistic"] == "difference_balanced_accuracy")
    assert float(first["value"]) == pytest.approx(1 / 8)
