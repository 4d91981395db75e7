"""docs/rules.md is what the tables of rules say, and counts what each rule keeps out alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from rules_page import BASES, COUNTS, PAGE, count, page  # noqa: E402

from crossexam.constructions.rules.table import TABLES, rules_of  # noqa: E402


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python scripts/rules_page.py"
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    sizes = {(name, base): len(numbers) for name in counts for base, numbers in counts[name].items()}
    assert sizes == {(name, base): len(rules_of(name)) for name in TABLES for base in BASES[name]}


@pytest.mark.slow
def test_the_counts_are_those_of_the_corpora(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    assert count() == json.loads(COUNTS.read_text(encoding="utf-8"))
