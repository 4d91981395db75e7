"""CSV and JSON of all kinds of reports: the schema of JSON, and the statistics that are described."""

import json
import re
from pathlib import Path

import jsonschema_rs
from file_figures import in_csv, in_json
from golden_runs import HELD

import made.reports as reports
from crossexam.core.estimate import Bounds, Estimate
from crossexam.reports.data import FORMAT, comparison_json, render_json
from crossexam.reports.sections import compared_figures, figures_of
from made.cases import for_each
from made.shown import SECTIONS

DOCS = Path(__file__).resolve().parents[2] / "docs"
CASES = {reports.case_of(section) for section in SECTIONS}
#: What no run of these tests has: ties, answers of language models, left-out sets and rules.
ELSEWHERE = {
    *("difference", "answers_parse", "answers_logprobs", "left_out", "violations_left_out"),
    *("published_accuracy", "published_accuracy_of_other_items", "published_accuracy_not_checked"),
    *("changed_answers_a", "changed_answers_b", "ties_a"),
}


def test_the_json_is_as_its_schema_says() -> None:
    schema = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema_rs.validator_for(schema)
    assert schema["properties"]["format"]["const"] == FORMAT
    for case in CASES:
        found = reports.results(case)
        for text in (render_json(found), *([comparison_json(found)] if len(found.models) == 2 else [])):
            document = json.loads(text)
            assert [f"{case}: {each}" for each in validator.iter_errors(document)] == []
    document = json.loads(render_json(found))
    figures = document["models"][0]["test_sets"][0]["figures"]
    figures["accuracy"] = {"value": 0.5, "low": 0.1}  # without the other end
    assert not validator.is_valid(document)


def test_every_statistic_is_described_and_there() -> None:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \| ", text.partition("## Statistics")[2], re.MULTILINE)
    stated = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    there = {figure.statistic for case in CASES for figure in figures_of(reports.results(case))}
    there |= {key.split("|")[2] for key in HELD} | ELSEWHERE
    plain = {name.removeprefix("tempered_") for name in there}
    assert plain - stated == set()
    assert stated - plain == set()


def test_csv_and_json_say_the_same() -> None:
    def check(case: reports.Case) -> None:
        found = reports.results(case)
        in_both = [
            {key: each for key, each in numbers.items() if each["value"] is not None}
            for numbers in (in_csv(found), in_json(found))
        ]
        assert in_both[0] == in_both[1]

    for_each(check, [(case,) for case in CASES])


def test_every_estimate_of_a_table_is_a_figure() -> None:
    def check(key: str) -> None:
        section = reports.BY_KEY[key]
        found = reports.results(reports.case_of(section))
        of_all = (*figures_of(found), *(compared_figures(found) if len(found.models) == 2 else ()))
        figures = {figure.value for figure in of_all if isinstance(figure.value, Estimate)}
        shown = {
            each
            for table in section.tables_of(found)
            for row in table.rows
            for cell in row
            for each in ((cell.least, cell.most) if isinstance(cell, Bounds) else (cell,))
            if isinstance(each, Estimate)
        }
        assert shown <= figures

    for_each(check, reports.BY_KEY)
