"""Pairs in a file for programs of the user's own: what is in it, and that its predictions are read back."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import Gold
from crossexam.interop.export import export
from crossexam.models.prompts.table import template

#: Texts that spreadsheets, editors and careless readers change.
AWKWARD = (
    '=HYPERLINK("http://x.example")',
    "@SUM(1+1), a \"quoted\" word, and 'another'",
    "two\nlines, \r\none with a carriage return, \rand one alone",
    " white space around it\t ",
    "Naïve café – 東京 🎸 \u2028 \u00a0 \ufeff",
    "NA",
    "\x1b[31m and \x00 and '=1",
)
LABELS: tuple[Gold, ...] = ("entailment", "neutral", "contradiction")
ITEMS = tuple(
    Example(f"i{n}", premise, f"{hypothesis} {n % 2}", LABELS[n % 3] if n % 4 else None)
    for n, (premise, hypothesis) in enumerate((p, h) for p in AWKWARD for h in AWKWARD)
)
#: The same pairs again in another test set, and one of its own; the items without a gold label are included.
AGAIN = Dataset("negation.x", (*ITEMS[:9], Example("own", "Only", "here.", "neutral")))
SUITE = Suite("s", {"base.x": Dataset("base.x", ITEMS), "negation.x": AGAIN})
DISTINCT = len(ITEMS) + 1
READERS: dict[str, Callable[[Path], list[dict[str, str]]]] = {
    "csv": lambda path: list(csv.DictReader(path.open(encoding="utf-8", newline=""))),
    "jsonl": lambda path: [json.loads(line) for line in path.read_bytes().split(b"\n") if line],
}


def judge(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Answer by the lengths of the texts, so that a changed text changes answers."""
    return [LABELS[(len(p) + 2 * len(h)) % 3] for p, h in pairs]


def answer(rows: list[dict[str, str]], path: Path, columns: Sequence[str]) -> Path:
    """Write the answers of *judge* to *rows* with these *columns* of theirs, in reverse order."""
    answers = judge([(row["premise"], row["hypothesis"]) for row in rows])
    done = [{name: row[name] for name in columns} for row in rows]
    for row, prediction in zip(done, answers, strict=True):
        row["prediction"] = prediction
        if "id" in row and "premise" in row:
            row["premise"] = row["premise"].strip().lower()  # as a pipeline does: the id counts
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(done[0]))
        writer.writeheader()
        writer.writerows(reversed(done))
    return path


@pytest.mark.parametrize("form", READERS)
def test_each_distinct_pair_is_there_once_and_exactly(form: str, tmp_path: Path) -> None:
    done = export(SUITE, form, tmp_path / "pairs")
    rows = READERS[form](tmp_path / "pairs" / f"pairs.{form}")
    wanted = list(dict.fromkeys((e.premise, e.hypothesis) for data in SUITE for e in data))
    assert [(row["premise"], row["hypothesis"]) for row in rows] == wanted
    assert all(list(row) == ["id", "premise", "hypothesis"] for row in rows)  # no gold label
    assert len({row["id"] for row in rows}) == len(rows) == DISTINCT
    assert (done.pairs, done.items) == (DISTINCT, len(ITEMS) + 10)
    with pytest.raises(CrossexamError, match="/pairs: "):
        export(SUITE, form, tmp_path / "pairs", only=("base.x",))


@pytest.mark.parametrize("columns", [["id", "premise", "hypothesis"], ["premise", "hypothesis"]])
def test_answers_to_the_pairs_are_those_of_the_function(columns: Sequence[str], tmp_path: Path) -> None:
    export(SUITE, "csv", tmp_path / "pairs")
    path = answer(READERS["csv"](tmp_path / "pairs" / "pairs.csv"), tmp_path / "answers.csv", columns)
    by_file, by_function = cx.run(f"file/{path}", SUITE), cx.run(judge, SUITE)
    for name in SUITE.datasets:
        assert by_file.predictions(name).tolist() == by_function.predictions(name).tolist()
    assert cx.accuracy(by_file) == cx.accuracy(by_function)
    assert by_file.details["matched_by"] == ("pair" if "id" in columns else "text")


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="csv has the pairs as they are, without a prompt"):
        export(SUITE, "csv", tmp_path / "a", template("gpt3"))
    half = Suite("s", {"x": Dataset("x", (Example("a", "\ud800", "h", None),))})
    with pytest.raises(CrossexamError, match=r"\\ud800: a text has half of a character"):
        export(half, "csv", tmp_path / "a")
    assert not (tmp_path / "a").exists()
