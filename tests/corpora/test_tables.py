"""Tables in memory: read like files, by the same rules, without importing the libraries that made them."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example, content_id
from crossexam.corpora.reading import Reading
from crossexam.corpora.spec import read_corpus
from crossexam.corpora.tables import TABLES, dataset_of
from made.cases import refused

FIELDS = ("pairID", "sentence1", "sentence2", "gold_label", "genre")
VALUES = [
    ("a", "It rains.", "It is wet.", "neutral", "sky"),
    ("b", "A dog runs.", "It moves.", "entailment", "pets"),
    ("b", "A dog runs.", "It sleeps.", None, "pets"),
    (None, "A dog runs.", "It sits.", "c", None),
]
ROWS: list[dict[str, Any]] = [dict(zip(FIELDS, values, strict=True)) for values in VALUES]
NAMES = ["not_entailment", "entailment"]  # 1 is entailment, unlike the 0 of three labels

MAKERS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "polars DataFrame": pl.DataFrame,
    "polars LazyFrame": pl.LazyFrame,
    "pandas DataFrame": pd.DataFrame,
    "pyarrow Table": pa.Table.from_pylist,
    "datasets Dataset": datasets.Dataset.from_list,
    "datasets IterableDataset": lambda rows: datasets.Dataset.from_list(rows).to_iterable_dataset(),
    "list": list,
    "generator": iter,
}


def test_tables_are_read_like_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.parquet"
    pl.DataFrame(ROWS).write_parquet(path)
    of_file = read_corpus(path)
    ids = ["a", "b", content_id("A dog runs.", "It sits.", "contradiction")]
    assert [example.id for example in of_file] == ids
    assert (of_file.manifest["counts"]["no_gold"], of_file.examples[0].info["genre"]) == (1, "sky")
    malformed = [ROWS[0], ROWS[1], {**ROWS[0], "gold_label": "perhaps"}]
    pl.DataFrame(malformed).write_parquet(path)
    problem = refused(read_corpus, path).split(", row 3,")[1]
    for make in MAKERS.values():
        of_table = dataset_of(make(ROWS), name="pairs")
        assert of_table.examples == of_file.examples
        assert of_table.manifest["counts"] == of_file.manifest["counts"]
        assert refused(dataset_of, make(malformed)).split(", row 3,")[1] == problem
    for library in ("pandas", "datasets", "pyarrow"):  # what is None in sys.modules cannot be imported
        monkeypatch.setitem(sys.modules, library, None)
    assert len(dataset_of(ROWS)) == len(dataset_of(pl.DataFrame(ROWS))) == 3
    assert {f"{each.package} {each.name}" for each in TABLES if not each.name.endswith("Dict")} <= set(MAKERS)


def test_a_dataset_that_names_its_classes_is_read_by_the_names() -> None:
    rows = [{"premise": f"Dog {n} runs.", "hypothesis": "It moves.", "label": n} for n in (1, 0, -1)]
    text, label = datasets.Value("string"), datasets.ClassLabel(names=NAMES)
    features = datasets.Features({"premise": text, "hypothesis": text, "label": label})
    data = datasets.Dataset.from_list(rows, features=features)
    for each in (data, data.with_format("numpy"), data.to_iterable_dataset(), data.data.table):
        read = dataset_of(each)
        assert [example.label for example in read] == ["entailment", "not_entailment"]
        assert read.manifest["counts"]["no_gold"] == 1
    unnamed = refused(dataset_of, datasets.Dataset.from_list(rows))
    assert "row 1, field 'label': the labels are numbers" in unnamed


def test_scalars_of_numpy_and_missing_values_of_pandas() -> None:
    how = Reading(labels={"1": "entailment", "0": "contradiction"})
    columns = {"premise": ["A dog runs."] * 3, "hypothesis": ["It moves.", "It sits.", "It is old."]}
    for labels in (
        [np.int64(1), np.int64(0), None],
        [np.float32(1), np.float32(0), np.float32("nan")],
        pd.Series([1, 0, None], dtype="Int64"),
        pd.Series(["1", "0", None], dtype="category"),
        [np.str_("1"), "0", float("nan")],
    ):
        read = dataset_of(pd.DataFrame({**columns, "label": labels}), how)
        assert [example.label for example in read] == ["entailment", "contradiction"]
        assert read.manifest["counts"]["no_gold"] == 1
        cells = zip(*columns.values(), labels, strict=True)
        rows = [dict(zip((*columns, "label"), row, strict=True)) for row in cells]
        assert dataset_of(rows, how).examples == read.examples
    row = {**ROWS[0], "weights": np.array([1, 2]), "seen": np.bool_(True)}
    (example,) = dataset_of([row], Reading(columns={"weights": "weights", "seen": "seen"}))
    assert (example.info["weights"], example.info["seen"]) == ([1, 2], True)


def test_what_is_wrong_with_a_table_is_said() -> None:
    twice = pd.DataFrame([["A.", "B.", "C."]], columns=["premise", "premise", "hypothesis"])
    splits = datasets.DatasetDict(train=datasets.Dataset.from_list(ROWS))
    nothing = pd.DataFrame({"premise": ["A."], "hypothesis": [None]})
    wrong: list[tuple[Any, str]] = [
        (nothing, "row 1, field 'hypothesis': null instead of a string"),
        (twice, "repeats column 'premise'"),
        (pl.DataFrame({"premise": [], "hypothesis": []}), "the polars DataFrame: the table has no records"),
        (splits, "the DatasetDict has several splits: train"),
        ([ROWS[0], 3], "the list, row 2: 3 instead of a dict"),
        ([ROWS[0], {"sentence1": "A."}], "the list, row 2: the field 'sentence2' is missing"),
        (iter([*ROWS, {**ROWS[0], "gold_label": "x"}]), "values in the column: neutral (1), entailment (1)"),
        ([Example("a", "P.", "H.", None), ROWS[0]], "examples, item 2: a dict instead of an Example"),
    ]
    for data, says in wrong:
        assert says in refused(dataset_of, data)
    said = refused(dataset_of, pl.DataFrame({"a": ["A."], "hypothesis": ["B."]}), Reading(skip_bad=True))
    assert "header: no column for the premise" in said  # a header that fits nothing is not skipped


def test_examples_become_a_dataset_as_they_are_or_are_refused() -> None:
    good = Example("a", "P.", "H.", None)
    examples = [good, replace(good, id="b", label="not_entailment")]
    assert dataset_of(iter(examples)).examples == tuple(examples)
    wrong = [
        (replace(good, id=3), "item 2: id is 3\n  wanted: a string"),  # type: ignore[arg-type]
        (replace(good, label="Entailment"), "label is 'Entailment'\n  wanted: entailment, neutral"),
        (good, "item 2: the id 'a' is not unique"),
    ]
    for second, says in wrong:
        assert says in refused(dataset_of, [good, second])
        assert says in refused(dataset_of, Dataset("mine", [good, second]))
