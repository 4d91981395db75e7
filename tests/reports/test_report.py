"""Reports without a page: tables, Markdown, LaTeX, CSV, JSON and terminal."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.manifest import RunManifest, package_version
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.text import latex_table
from made.cases import for_each, refused
from made.runs import dataset, negated, run_of
from made.shown import csv_rows

TAIL = " and false is not true"


def base_set(labels: str = "ENCENC") -> Dataset:
    facts = {"rows": 6, "signature": "corpus:tiny|seed:0"}
    return dataset("base.dev_matched", labels, info={"genre": "tiny"}, **facts)


BASE = base_set()
FACTS: dict[str, Any] = {
    "rows": 6,
    "signature": "corpus:tiny|construction:negation.v1|seed:0",
    "yield": {"examples": 6, "items": 6, "rejected": {"no <full> stop": 2, "empty": 9}},
}
NEGATED = negated(BASE, TAIL, **FACTS)


@pytest.fixture
def two_runs() -> list[Run]:
    first = {BASE.name: "ENCENC", NEGATED.name: "NNCNNN"}  # 6 right, then 3: E-N twice, C-N once
    second = {BASE.name: "ENCEEE", NEGATED.name: "ENCEEE"}  # 4 right twice
    manifests = RunManifest(model_key="f1"), RunManifest(model_key="s1", truncated_pairs=0)
    one = run_of(first, BASE, NEGATED, model="builtin/first", sure=0.8)
    other = run_of(second, BASE, NEGATED, model="hf/second_model", sure=0.8)
    return [replace(run, manifest=each) for run, each in zip((one, other), manifests, strict=True)]


def test_golden_documents(two_runs: list[Run], golden: Callable[[str, str], None]) -> None:
    golden("report.md", make_report(*two_runs).text(".md").replace(package_version(), "VERSION"))
    golden("report.tex", latex_table(accuracy_table(results_of(two_runs[:1])), "tab:accuracy") + "\n")


def test_data_say_what_the_numbers_are_of(two_runs: list[Run]) -> None:
    """The numbers themselves: test_figures.py."""
    report = make_report(*two_runs)
    rows = [each["signature"] for each in csv_rows(report.text(".csv")) if each["test_set"] == NEGATED.name]
    assert re.match(r"test_set:negation\.dev_matched\|content:.*\|model:f1\|", rows[0])
    document = json.loads(report.text(".json"), parse_constant=pytest.fail)
    yields = document["models"][0]["test_sets"][1]["yield"]
    assert yields["rejected"] == {"no <full> stop": 2, "empty": 9}


def test_nothing_to_measure_is_no_crash() -> None:
    unlabelled = base_set("------")
    facts = {"construction": "antonymy.v1", "base_set": unlabelled.name, "keeps_label": False}
    sets = unlabelled, negated(unlabelled, TAIL), Dataset("antonymy.dev_matched", (), facts)
    report = make_report(run_of({each.name: "ENCENC"[: len(each)] for each in sets}, *sets, sure=0.8))

    def check(suffix: str) -> None:
        text = report.text(suffix)
        assert "nan" not in text.lower().replace("sans", "").replace("unanswered", "")

    for_each(check, [".md", ".tex", ".csv", ".json", ".html"])
    assert report.text(".md").startswith("# No item has a gold label, so accuracy cannot be computed.")


def test_what_cannot_be_reported_is_refused(two_runs: list[Run], tmp_path: Path) -> None:
    other = base_set("CCCCCC")
    over_others = make_report(two_runs[0], run_of({other.name: "CCCCCC"}, other, model="x"))
    said = "test set base.dev_matched: 'builtin/first' and 'x' were run on different items\n"
    assert refused(over_others.text, ".md").startswith(said)
    page = refused(make_report(*two_runs).save_comparison, tmp_path / "c.html")
    assert "'.html' is not a supported report format" in page
    assert not list(tmp_path.iterdir())
