"""Reports and comparisons of runs with missing answers, in every format."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.outcome import Outcome, Outcomes
from crossexam.reports.charts import accuracy_charts, confusion_charts, error_charts
from crossexam.reports.headline import headline, warnings, worst_of
from crossexam.reports.items import PageItems
from crossexam.reports.probabilities.charts import reliability_charts, risk_charts
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


#: A fifth of one test set is refused, over all gold labels; the base and the other are answered.
SOME: Final = "".join("?" if k % 5 == 0 or k == 1 else letter for k, letter in enumerate(GOLD))
#: What the data say of a test set of which there are only bounds; other statistics have no value.
OF_BOUNDS: Final = {
    "unanswered", "unanswered_share", "only_bounds", "unlabelled",
    "accuracy_least", "accuracy_most", "drop_least", "drop_most",
}  # fmt: skip


def soft(answers: Mapping[str, str], model: str = "py/soft", *, people: bool = False) -> Run:
    """A run that is sure at 80 %; with *people*, the examples of the base have the labels of many people."""
    run = run_of(answers, model)
    rows = {name: 0.7 * table + 0.1 for name, table in run.probabilities.items()}
    if not people:
        return replace(run, probabilities=rows)
    shares = [{"label_distribution": [0.6, 0.3, 0.1] if k % 2 else [1.0, 0.0, 0.0]} for k in range(60)]
    told = tuple(replace(each, info=info) for each, info in zip(BASE, shares, strict=True))
    base = Dataset(BASE.name, told, BASE.manifest)
    return replace(run, probabilities=rows, datasets={**run.datasets, base.name: base})


def elsewhere(model: str) -> Run:
    """A run of the same model over items with other premises, on which a temperature is fitted."""
    run = soft({"one": "EEC", "two": "E"}, model)
    sets = {
        name: Dataset(name, tuple(replace(each, premise=f"Q {each.premise}") for each in data), data.manifest)
        for name, data in run.datasets.items()
    }
    return replace(run, datasets=sets)


def test_nothing_but_bounds_is_in_the_data_of_a_test_set_with_only_bounds() -> None:
    run = soft({"one": SOME, "two": "E"})
    report = cx.report(run, temperature_from=elsewhere("py/soft"))
    rows = list(csv.DictReader(io.StringIO(report.text(".csv"))))
    said = {row["statistic"] for row in rows if row["test_set"] == "one.dev" and row["value"]}
    assert said == OF_BOUNDS
    others = {row["statistic"] for row in rows if row["test_set"] == "two.dev" and row["value"]}
    assert others >= {"ece", "brier", "selective_risk", "confusion", "errors", "tempered_ece", "temperature"}
    _, one, two = json.loads(report.text(".json"))["models"][0]["test_sets"]
    assert two.keys() - one.keys() == {"calibration", "calibration_tempered", "selective", "temperature"}
    filled = {name for name, value in one.items() if value not in (None, {}, [])}
    estimates = {name for name in filled if isinstance(one[name], dict) and "value" in one[name]}
    assert filled - estimates == {
        "name", "construction", "rules", "part", "base_set", "n", "unlabelled", "unanswered", "slices",
        "signature", "test_set_signature", "published_not_checked",
    } & filled  # fmt: skip
    assert all(one[name]["value"] is None for name in estimates)
    assert all(each["value"] is None for of in one["slices"].values() for each in of.values())


def test_no_table_and_no_chart_shows_a_test_set_with_only_bounds_but_those_of_bounds() -> None:
    run = soft({"one": SOME, "two": "E"})
    results = results_of([run], calibration=True, temperature_from=[elsewhere("py/soft")])
    note = "Left out, because only bounds of their accuracy are known: one."
    shown, noted = set(), set()
    for section in SECTIONS:
        tables = section.tables_of(results)
        shown |= {section.key for table in tables for row in table.rows if row[0] == "one"}
        noted |= {section.key for table in tables if note in table.notes}
    of_bounds = {"brief", "broken", "accuracy", "accuracies", "unanswered", "drop"}
    assert shown - {"yield", "signatures"} == of_bounds
    assert noted == {"calibration", "temperature", "selective", "errors"}
    for charts in (reliability_charts, risk_charts, confusion_charts):
        assert [name for name, _ in charts(results).figures] == ["base (dev)", "two"]
    assert confusion_charts(results).note == note
    assert "one" not in "".join(error_charts(results).figures[0][1].values()).replace("none", "")
    for suffix in (".md", ".tex", ".html"):
        assert "Left out, because only bounds" in cx.report(run, calibration=True).text(suffix)


def test_a_model_of_which_nothing_but_bounds_is_known_has_no_calibration() -> None:
    run = soft({"base": SOME, "one": SOME, "two": SOME})
    (model,) = results_of([run], calibration=True, temperature_from=[elsewhere("py/soft")]).models
    assert [*model.calibrations, *model.selective, *model.tempered, *model.people] == []
    assert "only bounds" in cx.report(run, calibration=True).text(".md")


def test_notes_name_the_model_of_which_only_bounds_are_known() -> None:
    results = results_of([soft({"one": SOME}), soft({"two": "E"}, "py/other")], calibration=True)
    (section,) = (section for section in SECTIONS if section.key == "calibration")
    (table,) = section.tables_of(results)
    assert "Left out, because only bounds of their accuracy are known: one of py/soft." in table.notes
    assert [row[1] for row in table.rows if row[0] == "one"] == ["py/other"]


def test_people_are_not_compared_with_what_was_answered_of_a_set_with_only_bounds() -> None:
    whole, some = soft({}, people=True), soft({"base": SOME}, people=True)
    assert {each.test_set for each in results_of([whole]).models[0].people} == {"base.dev"}
    agreed = soft({"base": "".join("?" if k % 4 == 0 else each for k, each in enumerate(GOLD))}, people=True)
    for run in (some, agreed):
        assert results_of([run]).models[0].people == ()
    (section,) = (section for section in SECTIONS if section.key == "people")
    (table,) = section.tables_of(results_of([whole, replace(some, model="py/other")]))
    assert "Left out, because only bounds of their accuracy are known: base (dev) of py/other." in table.notes


def test_entropies_of_which_too_much_is_unanswered_have_no_result() -> None:
    """Three of the thirty items on which people disagree are missing: 5 % of all, 10 % of these."""
    few = "".join("?" if k in (1, 3, 5) else letter for k, letter in enumerate(GOLD))
    (model,) = results_of([soft({"base": few}, people=True)]).models
    assert [(each.whole, each.unanswered) for each in model.people] == [(True, 3), (False, 0)]


def test_only_a_and_only_b_have_no_numbers_for_bounds(tmp_path: Path) -> None:
    pairs = cx.compare(soft({"one": SOME}), soft({"one": "E"}, "py/other"))
    assert [(pair.b is None, pair.c is None) for pair in pairs] == [(False,) * 2, (True,) * 2, (False,) * 2]
    path = write_comparison(soft({"one": SOME}), soft({"one": "E"}, "py/other"), tmp_path / "c.csv")
    _, one, two = csv.DictReader(path.open(encoding="utf-8"))
    counts = {"n", "alpha", "unanswered", "unanswered_a", "unanswered_b", "labelled", "only_bounds"}
    bounds = {
        f"{name}_{end}" for name in ("accuracy_a", "accuracy_b", "difference") for end in ("low", "high")
    }
    bounds |= {"difference_least", "difference_most"}
    assert {name for name, value in one.items() if value} == {"a", "b", "name", *counts, *bounds}
    assert two["only_a_right"]


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
