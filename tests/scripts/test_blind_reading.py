"""Blind reading: what is drawn, what readers see, what is counted, and what cannot be counted."""

import csv
from collections.abc import Callable
from pathlib import Path

import blind_reading

from crossexam.core.dataset import Dataset
from crossexam.core.example import Change, Edit, Example
from crossexam.core.labels import Gold
from crossexam.validation.study import open_study
from made.suites import write_suite

Answer = Callable[[str, str, str, Gold | None], str]  # of reader, example, question and gold label


def draw(folder: Path, *suites: Path) -> Path:
    """Draw from these suites, and return the folder for the readers."""
    assert blind_reading.main(["draw", *map(str, suites), "-o", str(folder / "out")]) == 0
    return folder / "out"


def item(name: str, label: Gold, **info: object) -> Example:
    edit = Edit("hypothesis", 0, 1, "A", "One")
    change = Change("antonymy.v1", "premise", "hypothesis", (edit,))
    return Example(name, f"A dog sees {name}.", f"One dog is by {name}.", label, "b", change, info)


def suite_in(folder: Path, **sets: list[Example]) -> Path:
    made = []
    for name, examples in sets.items():
        facts = {"construction": name if name == "base" else f"{name}.v1", "part": "dev"}
        made.append(Dataset(f"{name}.dev", examples, facts))
    return write_suite(folder, *made)


def fill(folder: Path, answer: Answer) -> None:
    items = {each.name: each for each in open_study(folder / "study").items.values()}
    for sheet in folder.glob("reader-*/*.csv"):
        header, *rows = csv.reader(sheet.open(encoding="utf-8-sig"))
        for row in rows:
            about = items[row[0]]
            for place, column in enumerate(header):
                _, is_answer, rest = column.partition(": ")
                if is_answer:
                    row[place] = answer(sheet.parent.name, about.example, rest.partition(" ")[0], about.gold)
        with sheet.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])


def right(_reader: str, _example: str, question: str, gold: Gold | None) -> str:
    return str(gold) if question == "label" else "yes"


def cells(table: str) -> dict[str, list[str]]:
    lines = [line for line in table.splitlines()[2:] if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows}


def test_readers_see_neither_label_nor_test_set(tmp_path: Path) -> None:
    base = [Example("x", "p", "h", "neutral")]
    one = suite_in(tmp_path / "one", base=base, antonymy=[item("a", "neutral")])
    two = suite_in(tmp_path / "two", antonymy=[item("b", "contradiction")])
    out = draw(tmp_path, one, two)
    for reader in ("reader-1", "reader-2"):
        files = sorted(path.name for path in (out / reader).iterdir())
        assert files == ["1-pairs.csv", "2-changes.csv", "README.md"]
        pairs = (out / reader / "1-pairs.csv").read_text(encoding="utf-8-sig")
        rows = list(csv.reader(pairs.splitlines()))
        assert {row[2] for row in rows[1:]} == {"One dog is by a.", "One dog is by b."}  # not of the base
        for telling in ("antonymy", "one", "before", "A dog is by"):
            assert telling not in pairs.replace("contradiction/", "").replace("One", "")
        changes = (out / reader / "2-changes.csv").read_text(encoding="utf-8-sig")
        assert "A dog is by a." in changes
        assert "label" not in changes


def test_counts_are_those_of_the_readings(tmp_path: Path) -> None:
    suite = suite_in(tmp_path / "s", antonymy=[item(name, "contradiction") for name in "abcd"])
    out = draw(tmp_path, suite)
    others = {
        ("reader-1", "a", "label"): "neutral",
        ("reader-1", "b", "label"): "entailment",
        ("reader-2", "b", "label"): "entailment",
        ("reader-2", "c", "sensible"): "cannot_say",
        ("reader-2", "c", "grammar_kept"): "no",
    }
    fill(out, lambda *asked: others.get(asked[:3]) or right(*asked))
    row = cells(blind_reading.count(out))["antonymy.dev"]
    assert row[0] == "4"
    assert row[1].startswith("62.5 ")  # 5 of 8 readings
    assert row[2].startswith("50.0 ")  # c and d
    assert row[3] == "1"  # a
    # p_o = 3/4; p_e = 1/4 * 1/4 (entailment) + 2/4 * 3/4 (contradiction) = 7/16; (12 - 7) / (16 - 7) = 5/9
    assert row[4].startswith("0.56 ")
    assert row[5].startswith("87.5 ")
    assert row[6].startswith("87.5 ")
    assert row[7] == "1"
    failed = {each["id"]: each for each in csv.DictReader((out / "failed.csv").open(encoding="utf-8-sig"))}
    assert sorted(failed) == ["a", "b", "c"]
    given = (failed["a"]["reader-1: label"], failed["a"]["reader-2: label"])
    assert given == ("neutral", "contradiction")


def test_two_labels_and_proposed_labels(tmp_path: Path) -> None:
    swaps = [item("p", "contradiction", status="proposed"), item("q", "neutral")]
    two_labels = [item("a", "not_entailment"), item("b", "entailment")]
    out = draw(tmp_path, suite_in(tmp_path / "s", antonymy=two_labels, so_swap=swaps))
    said = {"reader-1": "neutral", "reader-2": "contradiction"}  # both are not_entailment
    two = {(reader, "a", "label"): label for reader, label in said.items()}
    fill(out, lambda *asked: two.get(asked[:3]) or right(*asked))
    rows = cells(blind_reading.count(out))
    assert list(rows) == ["antonymy.dev", "so_swap.dev", "so_swap.dev (proposed)", "all"]
    assert rows["antonymy.dev"][1].startswith("100.0 ")
    assert rows["antonymy.dev"][3] == "0"
    assert rows["so_swap.dev (proposed)"][0] == "1"
