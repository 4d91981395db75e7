"""Predictions in files as models."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import count, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.prediction_columns import pair_id
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.runs import dataset

ITEMS = (
    Example("a1", "A man sleeps.", "Nobody is awake, ever.", "neutral"),
    Example("a2", "A dog barks.", "A dog makes a noise.", "entailment"),
    Example("a3", "It snows.", "It is hot.", "contradiction"),
)
DATA = Dataset("tiny", ITEMS)
NAMES = ["neutral", "entailment", "contradiction"]  # the gold labels of ITEMS
SHARES = ((0.1, 0.8, 0.1), (0.7, 0.2, 0.1), (0.0, 0.1, 0.9))  # in LABELS order
ORDER = ("contradiction", "entailment", "neutral")
FORMATS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
TWO = dataset("tiny", "nEn", labels="two labels")
GOLDS = [example.label for example in TWO]


def write(path: Path, rows: Sequence[Mapping[str, Any]] | str) -> Path:
    if isinstance(rows, str):
        path.write_text(rows, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(list(rows)), encoding="utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Return a function that writes a file of these rows, or this text, and runs it on *tests*."""
    numbers = count()

    def predicted(rows: Any, tests: Any = DATA, suffix: str = ".csv", **options: Any) -> Any:
        path, limit = write(tmp_path / f"{next(numbers)}{suffix}", rows), options.pop("limit", None)
        return predict_suite(f"file/{path}", tests, limit=limit, options=options)

    return predicted


def labelled(values: Sequence[Any], data: Sequence[Example] | Dataset = ITEMS) -> list[dict[str, Any]]:
    return [{"id": example.id, "prediction": value} for example, value in zip(data, values, strict=True)]


def rows_of(form: str, by: str) -> list[dict[str, Any]]:
    """Return the right answers in a form, for items that are identified in some way."""
    rows = list[dict[str, Any]]()
    for example, name, shares in zip(ITEMS, NAMES, SHARES, strict=True):
        named = dict(zip(LABELS, shares, strict=True))
        answer = {
            "shares": {f"p_{label}": share for label, share in named.items()},
            "list": {"probs": [named[label] for label in ORDER]},
            "logits": {"logits": [float(np.log(named[label] + 1e-9)) for label in ORDER]},
            "label": {"label": name.upper()},
            "number": {"pred": ORDER.index(name), "label": "neutral"},  # label: some gold, not the answer
        }[form]
        texts = {"sentence1": example.premise, "sentence2": example.hypothesis}
        rows.append((texts if by == "text" else {by: example.id}) | answer)
    return rows[::-1]  # the order of rows is of no account


def test_every_form_in_every_format(run: Any) -> None:
    """And the other names of columns that identify items."""
    forms = ("shares", "list", "logits", "label", "number")
    for suffix, form, by in product(FORMATS, forms, ("id", "pairID", "text")):
        found = run(rows_of(form, by), suffix=suffix, label_order=ORDER).predictions("tiny").tolist()
        assert found == NAMES, (suffix, form, by)


def test_orders_that_nobody_declared_or_that_are_wrong(run: Any) -> None:
    fits = "--label-order contradiction,entailment,neutral would agree with the gold label of 100.0 % of 3"
    for form in ("logits", "number", "list"):
        rows = rows_of(form, "id")
        assert fits in refused(FormatError, run, rows, suffix=".jsonl")
    wrong = ("neutral", "contradiction", "entailment")
    details = run(rows, suffix=".jsonl", label_order=wrong).details
    assert "contradiction,entailment,neutral agrees with 100.0 %" in details["warning"]
    order, rows = "entailment,not_entailment", labelled([1, 0, 1], TWO)
    assert f"--label-order {order} would agree" in refused(FormatError, run, rows, TWO)
    assert run(rows, TWO, label_order=order).predictions("tiny").tolist() == GOLDS


def test_real_predictions(shared_data: Path) -> None:
    path = shared_data / "predictions" / "SNLI_dev_roberta-base_0.json"
    known = {json.loads(line)["uid"] for line in path.read_text().splitlines()}
    lines = (shared_data / "snli" / "snli_1.0_dev.jsonl").read_text().splitlines()
    corpus = [row for row in map(json.loads, lines) if row["pairID"] in known]
    names = ("pairID", "sentence1", "sentence2", "gold_label")
    data = Dataset("tiny", [Example(*(row[name] for name in names)) for row in corpus])
    options = {"label_order": ("entailment", "contradiction", "neutral")}
    predicted = predict_suite(f"file/{path}", data, options=options).predictions("tiny")
    right = sum(label == example.label for label, example in zip(predicted, data, strict=True))
    assert right == 4508  # of 4921: the file's own `pred` agrees with its `true` as often


def test_rows_with_ids_of_pairs_stand_for_all_items_with_their_pair(run: Any) -> None:
    data = Dataset("tiny", [Example(f"i{k}", f"P {k // 2}.", "H.", "neutral") for k in range(4)])
    rows = [{"id": pair_id((f"P {k}.", "H.")), "prediction": NAMES[2 * k]} for k in range(2)]
    found = run(rows, data)
    assert found.predictions("tiny").tolist() == ["neutral", "neutral", "contradiction", "contradiction"]
    assert found.details["matched_by"] == "pair"
    assert run(rows, data, limit=2).predictions("tiny").tolist() == ["neutral"] * 2  # no row is extra
    for given, tests, said in (
        (rows[:1], data, "1 of 2 pairs have no prediction: ('P 1.', 'H.')"),
        (rows, Dataset("tiny", data.examples[:2]), "1 of 2 predictions are for items that are in none"),
        ([*rows, {**rows[0], "prediction": "entailment"}], data, "two different predictions for 'pair-"),
    ):
        assert said in refused(FormatError, run, given, tests)


def test_files_that_cannot_be_read(each_case: Any, run: Any) -> None:
    one = Dataset("d", (Example("1", "p", "h", "neutral"),))

    def check(file: str, *named: str) -> None:
        suffix, _, text = file.partition(" ")
        assert refused(FormatError, run, text, one, f".{suffix}").has(*named)

    each_case(check)
    check(f"csv id,probs\n1,{'[' * 100_000}\n", "is not a list of numbers")
    check(f'csv id,prediction\n1,"{"x" * (16 * 2**20 + 1)}"\n', "a field is longer than 16,777,216 char")
    check(f"json {'[' * 100_000}", "not JSON")


WITH_STATUS: tuple[dict[str, Any], ...] = (
    {"id": "a1", "status": "refused", "p_entailment": None, "p_neutral": None, "p_contradiction": None},
    {"id": "a2", "status": "answered", "p_entailment": 0.7, "p_neutral": 0.2, "p_contradiction": 0.1},
    {"id": "a3", "status": None, "p_entailment": 0.0, "p_neutral": 0.1, "p_contradiction": 0.9},
)


def test_items_without_an_answer_have_a_status(run: Any) -> None:
    for suffix, column in product(FORMATS, ("status", "outcome")):
        rows = [{column if key == "status" else key: row[key] for key in row} for row in WITH_STATUS]
        found = run(rows, suffix=suffix)
        assert found.predictions("tiny").tolist() == ["", "entailment", "contradiction"], (suffix, column)
        assert found.outcomes["tiny"].unanswered() == {"refused": 1}


def test_a_status_must_agree_with_the_predictions(run: Any) -> None:
    first, second, _ = WITH_STATUS
    for row, said in (
        ({**first, "status": None}, "no value for 'p_entailment'"),
        ({**first, "status": "verified"}, "line 2: 'verified' in column 'status' is not a status"),
        ({**first, **second, "status": "cut"}, "line 2: 'status' is 'cut', but 'p_entailment' is 0.7"),
    ):
        assert said in refused(FormatError, run, [{**first, "id": "a2"}, row], suffix=".jsonl")


def test_words_of_the_file_are_read_as_they_are_declared(run: Any) -> None:
    """And true and false are not guessed."""
    for suffix in (".jsonl", ".csv", ".parquet"):
        for values, labels in (
            (("unsupported", "Supported", "unsupported"), "supported=entailment,unsupported=not_entailment"),
            ((0, 1, 0), {1: "entailment", 0: "not_entailment"}),
            ((False, True, False), "true=entailment,false=not_entailment"),
        ):
            rows = labelled(values, TWO)
            assert run(rows, TWO, suffix, labels=labels).predictions("tiny").tolist() == GOLDS
        declares = "--labels false=not_entailment,true=entailment declares"
        assert declares in refused(FormatError, run, rows, TWO, suffix)


ABOVE = {"p_entailment": 9}
#: A probability above 1, and gold labels in a column label.
OWN = [
    {"key": e.id, "doc": e.premise, "claim": e.hypothesis, "verdict": "no", "label": "neutral", **ABOVE}
    for e in TWO
]


def test_columns_that_are_refused(each_case: Any, run: Any) -> None:
    def check(columns: str | None, *named: str) -> None:
        assert refused(run, OWN, TWO, columns=columns).has(*named)

    each_case(check)


def test_labels_beside_one_probability_are_not_dropped_in_silence(run: Any) -> None:
    rows = [{"uid": e.id, "p_entailment": 0.9, "prediction": "neutral", "label": e.label} for e in ITEMS]
    reads = "--columns id=uid,prediction=prediction of run"
    assert refused(run, rows, columns="id=uid").has("is 'p_entailment', but", "--threshold 0.5 ", reads)
    found = run(rows, columns="id=uid,prediction=prediction")
    assert found.predictions("tiny").tolist() == ["neutral"] * 3
