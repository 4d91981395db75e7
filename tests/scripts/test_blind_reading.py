"""Blind reading: what is drawn, what readers see, and what is counted of their answers."""

import csv
from pathlib import Path

import blind_reading

from crossexam.core.dataset import Dataset
from crossexam.core.example import Change, Edit, Example
from crossexam.validation.study import open_study
from made.suites import write_suite

#: Answers of readers, by example and question, that are not those of the generated labels.
OTHERS = {
    ("reader-1", "a", "label"): "neutral",
    ("reader-1", "b", "label"): "entailment",
    ("reader-2", "b", "label"): "entailment",
    ("reader-2", "c", "sensible"): "cannot_say",
    ("reader-2", "c", "grammar_kept"): "no",
}


def fill(sheet: Path, names: dict[str, str]) -> None:
    header, *rows = csv.reader(sheet.open(encoding="utf-8-sig"))
    for row in rows:
        for place, column in enumerate(header):
            _, is_answer, rest = column.partition(": ")
            if is_answer:
                question = rest.partition(" ")[0]
                agreed = "contradiction" if question == "label" else "yes"
                row[place] = OTHERS.get((sheet.parent.name, names[row[0]], question), agreed)
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def test_readers_see_no_label_and_counts_are_those_of_the_readings(tmp_path: Path) -> None:
    change = Change("antonymy.v1", "premise", "hypothesis", (Edit("hypothesis", 0, 1, "A", "One"),))
    texts = [(name, f"A dog sees {name}.", f"One dog is by {name}.") for name in "abcd"]
    items = [Example(*text, "contradiction", "b", change) for text in texts]
    facts = {"construction": "antonymy.v1", "part": "dev"}
    suite, out = write_suite(tmp_path / "s", Dataset("antonymy.dev", items, facts)), tmp_path / "out"
    assert blind_reading.main(["draw", str(suite), "-o", str(out)]) == 0
    names = {each.name: each.example for each in open_study(out / "study").items.values()}
    sheets = sorted(out.glob("reader-*/*.csv"))
    assert len(sheets) == 4
    for sheet in sheets:
        assert "antonymy" not in sheet.read_text(encoding="utf-8-sig")
        fill(sheet, names)
    (line,) = (each for each in blind_reading.count(out).splitlines() if each.startswith("| antonymy.dev"))
    row = [cell.split()[0] for cell in line.strip("|").split("|")[1:]]
    # 5 of 8 readings; c and d; a; p_o = 3/4, p_e = 1/4 * 1/4 (entailment) + 2/4 * 3/4 (contradiction) = 7/16
    assert row == ["4", "62.5", "50.0", "1", "0.56", "87.5", "87.5", "1"]
    failed = {each["id"]: each for each in csv.DictReader((out / "failed.csv").open(encoding="utf-8-sig"))}
    assert sorted(failed) == ["a", "b", "c"]
    assert (failed["a"]["reader-1: label"], failed["a"]["reader-2: label"]) == ("neutral", "contradiction")
