"""Reports and comparisons of runs with missing answers, in every format."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.charts import accuracy_charts
from crossexam.reports.headline import headline, warnings, worst_of
from crossexam.reports.items import PageItems
from crossexam.reports.report import RENDERERS, Report, write_comparison
from crossexam.reports.results import Results, results_of
from crossexam.reports.sections import SECTIONS
from crossexam.reports.table import cell_text
from crossexam.reports.unanswered import BOUNDS_NOTE

NAMES = {"E": "entailment", "N": "neutral", "C": "contradiction"}
GOLD = "ENC" * 20


def dataset(name: str, **manifest: Any) -> Dataset:
    kind = name.partition(".")[0]
    items = tuple(
        Example(f"{kind}:{k}", f"P {k}.", f"{kind} {k}.", NAMES[letter], base=f"base:{k}")  # type: ignore[arg-type]
        for k, letter in enumerate(GOLD)
    )
    return Dataset(name, items, {"construction": f"{kind}.v1", "part": "dev", **manifest})


BASE = dataset("base.dev", base_set=None, keeps_label=True, construction="base")
SETS = (BASE, *(dataset(f"{kind}.dev", base_set="base.dev", keeps_label=True) for kind in ("one", "two")))


def run_of(answers: Mapping[str, str], model: str = "py/toy") -> Run:
    """A run that answers *answers* over and over; ? is a refusal, and the base is answered rightly."""
    rows, outcomes = {}, {}
    for each in SETS:
        pattern = answers.get(each.name.partition(".")[0], GOLD)
        letters = (pattern * len(GOLD))[: len(GOLD)]
        table = [[float(a == label) for label in "ENC"] if a != "?" else [np.nan] * 3 for a in letters]
        rows[each.name] = np.array(table)
        if "?" in letters:
            told = [Outcome("refused" if a == "?" else "answered") for a in letters]
            outcomes[each.name] = Outcomes.of(told, len(told))
    return Run(model, {each.name: each for each in SETS}, rows, {"model_key": model}, {}, outcomes)


WHOLE = run_of({"two": "E"})
FEW = run_of({"one": GOLD[:-1] + "?", "two": "E"}, "py/few")
HOLES = "".join("?" if k % 10 == 9 else letter for k, letter in enumerate(GOLD))
MANY = run_of({"one": HOLES, "two": "E"}, "py/many")
NONE = run_of({"base": "?", "one": "?", "two": "?"}, "py/mute")
ABOVE = "only bounds on these results are known"


def table_of(results: Results, key: str) -> list[dict[str, str]]:
    (section,) = (section for section in SECTIONS if section.key == key)
    return [
        {column.header: cell_text(cell, column.kind) for column, cell in zip(table.columns, row, strict=True)}
        for table in section.tables_of(results)
        for row in table.rows
    ]


def test_nothing_is_said_if_all_was_answered() -> None:
    report = Report((WHOLE,))
    assert table_of(report.results, "unanswered") == []
    for suffix in RENDERERS:
        if suffix != ".html":
            assert "nanswered" not in report.text(suffix)


def test_few_missing_answers_are_counted_and_bounded() -> None:
    results = results_of([FEW])
    (row,) = table_of(results, "unanswered")
    assert (row["Items"], row["Unanswered"], row["Share, %"], row["Reasons"]) == (
        "60",
        "1",
        "1.7",
        "1 refused",
    )
    assert row["Accuracy"].startswith("100.0 [")
    assert row["Bounds"].startswith("98.3 to 100.0 [")
    assert row["Bounds of drop"].startswith("0.0 to 1.7 [")
    assert not any(ABOVE in warning for warning in warnings(results))


def test_above_the_limit_no_number_stands_alone() -> None:
    results = results_of([MANY])
    (warned,) = (warning for warning in warnings(results) if ABOVE in warning)
    told = "py/many left more than 5 % of the items unanswered on one (10.0 %: 6 refused)"
    assert warned == f"{told}: {ABOVE}."
    accuracy = {row["Test set"]: row for row in table_of(results, "accuracy")}
    assert accuracy["one"]["py/many"].startswith("90.0 to 100.0 [")
    assert accuracy["one"]["Items"] == "60"
    drops = {row["Test set"]: row for row in table_of(results, "drop")}
    assert drops["one"]["Drop"].startswith("0.0 to 10.0 [")
    assert (drops["one"]["p (Holm)"], drops["one"]["Flipped"]) == ("–", "–")
    assert drops["two"]["p (Holm)"] != "–"
    relaxed = results_of([MANY], max_unanswered=0.1)
    assert not any(ABOVE in warning for warning in warnings(relaxed))
    assert table_of(relaxed, "accuracy")[2]["py/many"].startswith("100.0 [")


def test_the_headline_is_never_of_bounds() -> None:
    silent = run_of({"one": "E?", "two": GOLD}, "py/silent")
    (model,) = results_of([silent]).models
    found = worst_of(model)
    assert found is not None
    assert found.name != "one.dev"
    assert "does not drop on any test set with enough answers. Drops of" in headline(results_of([silent]))
    assert headline(results_of([NONE])) == (
        "py/mute answered no item with a gold label: nothing is known of its accuracy."
    )
    assert "no item has a gold label" not in headline(results_of([NONE, WHOLE]))


@pytest.mark.parametrize("suffix", [suffix for suffix in RENDERERS if suffix != ".yaml"])  # a card is of one
@pytest.mark.parametrize("runs", [(FEW,), (MANY,), (NONE,), (MANY, FEW), (NONE, WHOLE)], ids=len)
def test_every_format_shows_missing_answers(runs: tuple[Run, ...], suffix: str) -> None:
    text = Report(runs).text(suffix)
    assert "refused" in text
    if suffix != ".html":
        assert not re.search(r"\bnan\b", text, re.IGNORECASE)


def test_csv_and_json_have_the_bounds() -> None:
    report = cx.report(MANY)
    rows = list(csv.DictReader(io.StringIO(report.text(".csv"))))
    of_set = {(row["statistic"], row["of"]): row for row in rows if row["test_set"] == "one.dev"}
    assert of_set["unanswered", "refused"]["value"] == "6"
    assert of_set["only_bounds", ""]["value"] == "1"
    assert of_set["accuracy", ""]["value"] == ""
    assert [float(of_set[f"accuracy_{end}", ""]["value"]) for end in ("least", "most")] == [0.9, 1]
    assert not any(key[0] == "p_value" for key in of_set)
    document = json.loads(report.text(".json"))
    _, one, two = document["models"][0]["test_sets"]
    assert one["accuracy"]["value"] is None
    assert one["unanswered"]["by_status"] == {"refused": 6}
    assert math.isclose(one["unanswered"]["drop"]["most"]["value"], 0.1)
    assert "unanswered" not in two


def test_comparisons_show_who_did_not_answer(tmp_path: Path) -> None:
    for suffix in (".md", ".tex", ".csv", ".json"):
        path = write_comparison(MANY, FEW, tmp_path / f"c{suffix}")
        assert not re.search(r"\bnan\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    rows = {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))["test_sets"]}
    assert (rows["one.dev"]["unanswered_a"], rows["one.dev"]["unanswered_b"]) == (6, 1)
    assert (rows["one.dev"]["difference"], rows["one.dev"]["significant"]) == (None, None)
    assert "both_right" not in rows["one.dev"]
    assert rows["two.dev"]["both_right"] == 20
    assert "unanswered" not in rows["two.dev"]
    (row,) = table_of(results_of([MANY, FEW]), "lacking")
    assert (row["Not by A"], row["Not by B"], row["Left out"]) == ("6", "1", "6")
    assert row["Bounds"].startswith("-10.0 to 1.7 [")


def test_two_models_that_share_no_answered_set_can_be_compared(tmp_path: Path) -> None:
    path = write_comparison(NONE, WHOLE, tmp_path / "c.md")
    assert "Right and wrong together" not in path.read_text(encoding="utf-8")
    assert "Unanswered items of A and B" in path.read_text(encoding="utf-8")


def test_the_limit_is_checked() -> None:
    with pytest.raises(CrossexamError, match="largest share of unanswered items"):
        cx.report(FEW, max_unanswered=2)
    with pytest.raises(CrossexamError, match="largest share of unanswered items"):
        cx.compare(FEW, WHOLE, max_unanswered=-1)


def test_errors_do_not_contain_what_was_not_answered() -> None:
    items = PageItems(results_of([MANY], items="errors"))
    rows = {shown.dataset.name: shown.rows for shown in items.shown}
    assert rows["one.dev"] == []
    assert len(rows["two.dev"]) == 40


def test_the_page_shows_the_reason_instead_of_a_label(tmp_path: Path, open_page: Callable[..., Any]) -> None:
    path = cx.report(MANY, FEW).save(tmp_path / "page.html")
    page = open_page(path)
    page.select_option("#set", label="one")
    page.select_option("#answer", label="refused")
    page.wait_for_function("document.getElementById('count').textContent === '6 items'")
    assert (
        page.locator("#list .item")
        .first.locator(".brief")
        .inner_text()
        .startswith("py/many no answer: refused")
    )
    page.select_option("#outcome", "wrong")
    page.wait_for_function("document.getElementById('count').textContent === '0 items'")
    with page.expect_download() as found:
        page.click("#filters [type=reset]")
        page.select_option("#set", label="one")
        page.wait_for_function("document.getElementById('count').textContent === '60 items'")
        page.click("#export-csv")
    lines = list(csv.DictReader(found.value.path().open(encoding="utf-8")))
    assert [line["py/many: outcome"] for line in lines].count("refused") == 6
    unanswered = [line["py/many: outcome"] == "refused" for line in lines]
    assert [line["py/many: predicted"] == "" for line in lines] == unanswered
    assert [line["py/many: correct"] == "" for line in lines] == unanswered


def test_the_page_is_as_before_if_all_was_answered(tmp_path: Path, open_page: Callable[..., Any]) -> None:
    page = open_page(cx.report(WHOLE).save(tmp_path / "page.html"))
    options = page.locator("#answer option").all_inner_texts()
    assert options == ["any", "entailment", "neutral", "contradiction"]


def test_the_rows_of_a_comparison_say_of_how_many_items_they_are() -> None:
    """Bounds are over all 60 items, of which the models answered 54 together."""
    one, two = cx.compare(MANY, FEW)[1:]
    assert (one.n, one.items, one.only_bounds, two.items) == (54, 60, True, 60)
    (row,) = (row for row in table_of(results_of([MANY, FEW]), "against") if row["Test set"] == "one")
    assert (row["Items"], row["Only A"], row["Only B"]) == ("60", "–", "–")
    assert "<td>54</td>" not in cx.compare(MANY, FEW)._repr_html_()


def test_notes_do_not_say_that_bounds_are_of_the_answered_items() -> None:
    (section,) = (section for section in SECTIONS if section.key == "accuracy")
    notes = {
        run.model: " ".join(note for table in section.tables_of(results_of([run])) for note in table.notes)
        for run in (WHOLE, FEW, NONE)
    }
    assert "answered" not in notes["py/toy"]
    assert "Of the answered items" in notes["py/few"]
    assert "Of the answered items" not in notes["py/mute"]
    assert BOUNDS_NOTE in notes["py/mute"]
    assert BOUNDS_NOTE not in notes["py/few"]


def test_the_chart_explains_only_what_it_shows() -> None:
    assert "Grey line" in accuracy_charts(results_of([WHOLE])).note
    assert "Grey line" not in accuracy_charts(results_of([NONE])).note


def test_a_headline_of_what_little_was_answered_says_of_how_much() -> None:
    results = results_of([run_of({"base": "?", "one": "?"}, "py/part")])
    assert re.search(r"on two \(95 % interval .*, 60 items\); for 2 other test sets, only", headline(results))


def test_many_test_sets_with_only_bounds_are_counted_in_the_warning() -> None:
    sets = {f"s{k}.dev": dataset(f"s{k}.dev") for k in range(4)}
    rows = {name: np.full((60, 3), np.nan) for name in sets}
    missing = {name: Outcomes.of([Outcome("cut")] * 60, 60) for name in sets}
    (warning,) = warnings(results_of([Run("m", sets, rows, {}, {}, missing)]))
    assert "on 4 of 4 test sets (table 'Unanswered items')" in warning
