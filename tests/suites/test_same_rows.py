"""The same rows give the same items, whatever the files that they are in are called, and in which order."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from made_corpora import write_records

import crossexam as cx
from crossexam.core.dataset import Suite
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request

ROWS = [
    {"premise": example.premise, "hypothesis": example.hypothesis, "label": example.label}
    for example in cx.load("builtin:demo[:40]")
]
ROWS += ROWS[:3]  # repeated rows are different items


def _csv(rows: Sequence[Mapping[str, Any]], path: Path, separator: str = ",") -> Path:
    with path.open("w", newline="") as stream:
        # in tab-separated files, quotes are plain text
        quoting, mark = (csv.QUOTE_NONE, None) if separator == "\t" else (csv.QUOTE_MINIMAL, '"')
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=separator, quoting=quoting, quotechar=mark)
        writer.writeheader()
        writer.writerows(rows)
    return path


#: The rows in another form, under another name, in another folder.
FORMS: dict[str, Callable[[Path], Any]] = {
    "another name": lambda folder: _csv(ROWS, folder / "renamed.csv"),
    "semicolons": lambda folder: _csv(ROWS, folder / "claims.csv", ";"),
    "tabs": lambda folder: _csv(ROWS, folder / "claims.tsv", "\t"),
    "JSON lines": lambda folder: write_records(folder / "claims.jsonl", ROWS),
    "Parquet": lambda folder: pl.DataFrame(ROWS).write_parquet(folder / "x.parquet") or folder / "x.parquet",
    "DataFrame": lambda _: pl.DataFrame(ROWS),
    "list": lambda _: ROWS,
}


def _items(suite: Suite) -> dict[str, list[Any]]:
    """Return all that an item consists of, by test set without the name of its base."""
    return {
        each.name.partition(".")[0]: [
            (e.id, e.premise, e.hypothesis, e.label, e.base, e.change, dict(e.info)) for e in each
        ]
        for each in suite
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    path = _csv(ROWS, tmp_path_factory.mktemp("first") / "claims.csv")
    items = _items(cx.build("stress-tests", cx.load(str(path))))
    assert all(len(items[name]) > 5 for name in ("base", "negation", "spelling_error_keyboard_swap"))
    return items


def test_name_and_format_of_a_file_change_nothing(
    tmp_path: Path, expected: dict[str, list[Any]], for_each: Callable[..., None]
) -> None:
    def check(form: str) -> None:
        data = FORMS[form](tmp_path)
        base = cx.load(str(data) if isinstance(data, Path) else data)
        assert _items(cx.build("stress-tests", base)) == expected

    for_each(check, FORMS)


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    files = [
        str(_csv(ROWS[part], tmp_path / f"{part.start}.csv")) for part in (slice(0, 20), slice(20, None))
    ]
    one, other = (
        build_in_memory(suite_request("stress-tests", [base_from_spec(file) for file in order]))
        for order in (files, files[::-1])
    )
    assert {each.name: list(each) for each in one} == {each.name: list(each) for each in other}


def test_the_order_of_rows_does_not_change_what_is_drawn(expected: dict[str, list[Any]]) -> None:
    """Of two items with the same texts, the first row has one: which row that is, is not drawn."""
    items = _items(cx.build("stress-tests", cx.load(ROWS[::-1])))
    found, wanted = (
        {name: sorted(row[1:4] for row in rows) for name, rows in each.items()} for each in (items, expected)
    )
    assert found == wanted
