"""docs/rules.md has the rules of each construction, and counts what each rule keeps out alone."""

import json
from pathlib import Path

import pytest
from rules_page import BASES, COUNTS, count, on_page_markdown

from crossexam.constructions.rules.table import TABLES, rules_of
from made.scripts import ROOT


def test_the_site_has_every_rule_with_its_counts() -> None:
    page = on_page_markdown((ROOT / "docs" / "rules.md").read_text(encoding="utf-8"))
    for name in TABLES:
        lines = [line for line in page.splitlines() if line.startswith("| ")]
        found = [tuple(line.strip("| ").split(" | ")[1:4]) for line in lines]
        rules = [(rule.reason, rule.rejects, rule.keeps) for rule in rules_of(name)]
        assert [row for row in found if row in rules] == rules, name
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    sizes = {(name, base): len(numbers) for name in counts for base, numbers in counts[name].items()}
    assert sizes == {(name, base): len(rules_of(name)) for name in TABLES for base in BASES[name]}


@pytest.mark.slow
def test_the_counts_are_those_of_the_corpora(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    assert count() == json.loads(COUNTS.read_text(encoding="utf-8"))
