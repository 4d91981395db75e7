"""crossexam build and subset, over bases of any name and with a limit."""

from pathlib import Path

import pytest

from crossexam.core.test_sets import read_suite
from made.commands import Crossexam
from made.corpora import write_pairs

pytestmark = pytest.mark.usefixtures("folder")


def test_a_suite_over_a_corpus_with_a_long_name(crossexam: Crossexam) -> None:
    files = [write_pairs(Path(), 245 * "x" + number, ("entailment", "neutral")) for number in "12"]
    bases = " ".join(f"--base {path}" for path in files)
    run, export = "run builtin/overlap suite -o run", "export lm-eval suite -o tasks"
    for line in (f"build negation {bases} -o suite", run, "report run", export, "validate sample suite -o v"):
        crossexam(line)
    assert len(list(Path("suite").glob("*.parquet"))) == 4  # two bases and their items
    assert len(list(Path("tasks").glob("*_chat.yaml"))) == 4


def test_the_limit_of_a_subset_is_recorded(crossexam: Crossexam) -> None:
    crossexam("subset hard --model builtin/overlap --base builtin:demo --limit 30 -o subset")
    assert read_suite(Path("subset")).manifest.request["limit"] == 30
