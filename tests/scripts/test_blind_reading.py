"""Blind reading: what is drawn, what readers see, what is counted, and what cannot be counted."""

from __future__ import annotations

import csv
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from crossexam.core.example import Change, Edit, Example
from crossexam.core.files import sha256_of
from crossexam.core.labels import Gold
from crossexam.core.sealed import write_manifest
from crossexam.core.test_sets import write_test_set
from crossexam.validation.study import open_study

SCRIPT = Path(__file__).parents[2] / "scripts" / "blind_reading.py"
Answer = Callable[[str, str, str, Gold | None], str]  # of reader, example, question and gold label


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("blind_reading", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["blind_reading"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def item(name: str, label: Gold, **info: object) -> Example:
    edit = Edit("hypothesis", 0, 1, "A", "One")
    change = Change("antonymy.v1", "premise", "hypothesis", (edit,))
    return Example(name, f"A dog sees {name}.", f"One dog is by {name}.", label, "b", change, info)


def write_suite(folder: Path, **sets: list[Example]) -> Path:
    entries = {}
    for name, examples in sets.items():
        write_test_set(folder / f"{name}.dev.parquet", examples)
        facts = {"construction": name if name == "base" else f"{name}.v1", "part": "dev"}
        known = {"rows": len(examples), "sha256": sha256_of(folder / f"{name}.dev.parquet")}
        entries[f"{name}.dev"] = {"file": f"{name}.dev.parquet", **known, **facts}
    write_manifest(folder / "manifest.json", {"name": folder.name, "test_sets": entries})
    return folder


def fill(folder: Path, answer: Answer) -> None:
    study = open_study(folder / "study")
    items = {each.name: each for each in study.items.values()}
    for sheet in folder.glob("reader-*/*.csv"):
        rows = list(csv.reader(sheet.open(encoding="utf-8-sig")))
        for row in rows[1:]:
            for place, column in enumerate(rows[0]):
                _, is_answer, rest = column.partition(": ")
                if is_answer:
                    about = items[row[0]]
                    row[place] = answer(sheet.parent.name, about.example, rest.partition(" ")[0], about.gold)
        with sheet.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)


def right(_reader: str, _example: str, question: str, gold: Gold | None) -> str:
    return str(gold) if question == "label" else "yes"


def cells(table: str) -> dict[str, list[str]]:
    lines = [line for line in table.splitlines()[2:] if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows}


def test_readers_see_neither_label_nor_test_set(script: ModuleType, tmp_path: Path) -> None:
    one = write_suite(
        tmp_path / "one", base=[Example("x", "p", "h", "neutral")], antonymy=[item("a", "neutral")]
    )
    two = write_suite(tmp_path / "two", antonymy=[item("b", "contradiction")])
    assert script.main(["draw", str(one), str(two), "-o", str(tmp_path / "out")]) == 0
    for reader in ("reader-1", "reader-2"):
        files = sorted(path.name for path in (tmp_path / "out" / reader).iterdir())
        assert files == ["1-pairs.csv", "2-changes.csv", "README.md"]
        pairs = (tmp_path / "out" / reader / "1-pairs.csv").read_text(encoding="utf-8-sig")
        rows = list(csv.reader(pairs.splitlines()))
        assert {row[2] for row in rows[1:]} == {"One dog is by a.", "One dog is by b."}  # not of the base
        assert {cell for row in rows[1:] for cell in row[3:]} == {""}
        for telling in ("antonymy", "one", "before", "A dog is by"):
            assert telling not in pairs.replace("contradiction/", "").replace("One", "")
        changes = (tmp_path / "out" / reader / "2-changes.csv").read_text(encoding="utf-8-sig")
        assert "A dog is by a." in changes
        assert "label" not in changes
    study = open_study(tmp_path / "out" / "study")
    assert {each.test_set for each in study.items.values()} == {"one/antonymy.dev", "two/antonymy.dev"}


def test_counts_are_those_of_the_readings(script: ModuleType, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", antonymy=[item(name, "contradiction") for name in "abcd"])
    script.main(["draw", str(suite), "-o", str(tmp_path / "out")])

    def answer(reader: str, example: str, question: str, gold: Gold | None) -> str:
        if (reader, example, question) == ("reader-1", "a", "label"):
            return "neutral"
        if (example, question) == ("b", "label"):
            return "entailment"
        if (reader, example, question) == ("reader-2", "c", "sensible"):
            return "cannot_say"
        if (reader, example, question) == ("reader-2", "c", "grammar_kept"):
            return "no"
        return right(reader, example, question, gold)

    fill(tmp_path / "out", answer)
    row = cells(script.count(tmp_path / "out"))["antonymy.dev"]
    assert row[0] == "4"
    assert row[1].startswith("62.5 ")  # 5 of 8 readings
    assert row[2].startswith("50.0 ")  # c and d
    assert row[3] == "1"  # a
    # p_o = 3/4; p_e = 1/4 * 1/4 (entailment) + 2/4 * 3/4 (contradiction) = 7/16; (12 - 7) / (16 - 7) = 5/9
    assert row[4].startswith("0.56 ")
    assert row[5].startswith("87.5 ")
    assert row[6].startswith("87.5 ")
    assert row[7] == "1"
    failed = list(csv.DictReader((tmp_path / "out" / "failed.csv").open(encoding="utf-8-sig")))
    assert [each["id"] for each in sorted(failed, key=lambda each: each["id"])] == ["a", "b", "c"]
    of_a = next(each for each in failed if each["id"] == "a")
    assert (of_a["reader-1: label"], of_a["reader-2: label"]) == ("neutral", "contradiction")
    assert of_a["hypothesis before the change"] == "A dog is by a."


def test_two_labels_and_proposed_labels(script: ModuleType, tmp_path: Path) -> None:
    proposed = item("p", "contradiction", status="proposed")
    suite = write_suite(
        tmp_path / "s",
        antonymy=[item("a", "not_entailment"), item("b", "entailment")],
        so_swap=[proposed, item("q", "neutral")],
    )
    script.main(["draw", str(suite), "-o", str(tmp_path / "out")])

    def answer(reader: str, example: str, question: str, gold: Gold | None) -> str:
        if gold == "not_entailment" and question == "label":
            return "neutral" if reader == "reader-1" else "contradiction"
        return right(reader, example, question, gold)

    fill(tmp_path / "out", answer)
    rows = cells(script.count(tmp_path / "out"))
    assert list(rows) == ["antonymy.dev", "so_swap.dev", "so_swap.dev (proposed)", "all"]
    assert rows["antonymy.dev"][1].startswith("100.0 ")
    assert rows["antonymy.dev"][3] == "0"  # neutral and contradiction are both not_entailment
    assert rows["so_swap.dev (proposed)"][0] == "1"


def test_a_missing_answer_is_an_error(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "s", antonymy=[item("a", "neutral")])
    script.main(["draw", str(suite), "-o", str(tmp_path / "out")])
    fill(
        tmp_path / "out",
        lambda reader, e, q, g: "" if (reader, q) == ("reader-2", "label") else right(reader, e, q, g),
    )
    assert script.main(["count", str(tmp_path / "out")]) == 2
    assert "answers are missing: 1 of judge-2 to label" in capsys.readouterr().err


def test_an_unknown_test_set_is_an_error(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "s", antonymy=[item("a", "neutral")])
    assert script.main(["draw", str(suite), "-o", str(tmp_path / "out"), "--set", "antonimy"]) == 2
    assert "no test set is called 'antonimy'" in capsys.readouterr().err
