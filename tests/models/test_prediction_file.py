"""Predictions in files as models."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.prediction_columns import pair_id
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite

ITEMS = (
    Example("a1", "A man sleeps.", "Nobody is awake, ever.", "neutral"),
    Example("a2", "A dog barks.", "A dog makes a noise.", "entailment"),
    Example("a3", "It snows.", "It is hot.", "contradiction"),
)
DATA = Dataset("tiny", ITEMS)
EXPECTED = [1, 0, 2]  # in LABELS order: the gold labels of ITEMS
NAMES = ("neutral", "entailment", "contradiction")
SHARES = ((0.1, 0.8, 0.1), (0.7, 0.2, 0.1), (0.0, 0.1, 0.9))  # in LABELS order
ORDER = ("contradiction", "entailment", "neutral")


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(list(rows)), encoding="utf-8")
    elif path.suffix == ".parquet":
        pl.DataFrame(list(rows)).write_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), delimiter="," if path.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    return path


def answers(path: Path, *, order: tuple[str, ...] | None = None, data: Dataset | Suite = DATA) -> list[int]:
    answered = predict_suite(f"file/{path}", data, options={"label_order": order})
    return answered.scored("tiny").predicted.tolist()


def rows_of(form: str, by: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for example, name, shares in zip(ITEMS, NAMES, SHARES, strict=True):
        named = dict(zip(LABELS, shares, strict=True))
        key = {
            "id": {"id": example.id},
            "pairID": {"pairID": example.id},
            "uid": {"uid": example.id},
            "text": {"premise": example.premise, "hypothesis": example.hypothesis},
            "sentences": {"sentence1": example.premise, "sentence2": example.hypothesis},
        }[by]
        answer = {
            "shares": {f"p_{label}": share for label, share in named.items()},
            "list": {"probs": [named[label] for label in ORDER]},
            "logits": {"logits": [float(np.log(named[label] + 1e-9)) for label in ORDER]},
            "label": {"label": name.upper()},
            "number": {"pred": ORDER.index(name), "label": "neutral"},  # label: some gold, not the answer
        }[form]
        rows.append({**key, **answer})
    return rows[::-1]  # the order of rows is of no account


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("form", ["shares", "list", "logits", "label", "number"])
@pytest.mark.parametrize("by", ["id", "text"])
def test_every_form_in_every_format(tmp_path: Path, suffix: str, form: str, by: str) -> None:
    path = write(tmp_path / f"p{suffix}", rows_of(form, by))
    assert answers(path, order=ORDER) == EXPECTED


@pytest.mark.parametrize("names", [("p_entailment", "p_not_entailment"), ("entailment", "not_entailment")])
def test_two_named_columns_are_a_model_of_two_labels(tmp_path: Path, names: tuple[str, str]) -> None:
    shares = (0.2, 0.7, 0.4)
    rows = [{"id": e.id, names[0]: p, names[1]: 1 - p} for e, p in zip(ITEMS, shares, strict=True)]
    answered = predict_suite(f"file/{write(tmp_path / 'p.csv', rows)}", DATA)
    np.testing.assert_allclose(
        answered.probabilities["tiny"], [[0.2, 0.8, 0.0], [0.7, 0.3, 0.0], [0.4, 0.6, 0.0]], atol=1e-12
    )
    assert answered.manifest["details"]["two_label"] is True
    rows[1][names[1]] = 0.9
    with pytest.raises(FormatError, match="1 of 3 answers are not probabilities"):
        predict_suite(f"file/{write(tmp_path / 'q.csv', rows)}", DATA)


@pytest.mark.parametrize("by", ["pairID", "uid", "sentences"])
def test_other_names_of_the_same_columns(tmp_path: Path, by: str) -> None:
    assert answers(write(tmp_path / "p.jsonl", rows_of("label", by))) == EXPECTED


@pytest.mark.parametrize("form", ["list", "logits", "number"])
def test_an_undeclared_order_is_asked_for_with_the_one_that_fits(tmp_path: Path, form: str) -> None:
    path = write(tmp_path / "p.jsonl", rows_of(form, "id"))
    with pytest.raises(FormatError, match="have no names, and their order is not declared") as caught:
        answers(path)
    assert (
        "--label-order contradiction,entailment,neutral would agree with the gold label of 100.0 % of 3"
        in str(caught.value)
    )


def test_an_order_of_the_wrong_size(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", rows_of("list", "id"))
    with pytest.raises(FormatError, match="declared order entailment,not_entailment does not have 3 classes"):
        answers(path, order=("entailment", "not_entailment"))


def test_a_wrong_order_is_warned_of(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", rows_of("list", "id"))
    answered = predict_suite(
        f"file/{path}", DATA, options={"label_order": ("neutral", "contradiction", "entailment")}
    )
    assert "contradiction,entailment,neutral agrees with 100.0 %" in answered.manifest["details"]["warning"]
    answered = predict_suite(f"file/{path}", DATA, options={"label_order": ORDER})
    assert "warning" not in answered.manifest["details"]


def test_missing_items_are_listed_and_not_counted_as_wrong(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", [row for row in rows_of("label", "id") if row["id"] == "a2"])
    with pytest.raises(
        FormatError, match="2 of 3 items have no prediction: 'a1', 'a3'\n  wanted: a prediction"
    ):
        answers(path)


def test_extra_predictions_are_listed(tmp_path: Path) -> None:
    extra = [{"id": f"b{k}", "label": "neutral"} for k in range(7)]
    path = write(tmp_path / "p.jsonl", [*rows_of("label", "id"), *extra])
    with pytest.raises(
        FormatError,
        match="7 of 10 predictions are for items that are in none of the test sets: "
        "'b0', 'b1', 'b2', 'b3', 'b4' and 2 more",
    ):
        answers(path)


def test_one_file_for_several_test_sets(tmp_path: Path) -> None:
    suite = Suite("s", {"tiny": DATA, "more": Dataset("more", (Example("b0", "x", "y", "neutral"),))})
    path = write(tmp_path / "p.jsonl", [*rows_of("label", "id"), {"id": "b0", "label": "contradiction"}])
    answered = predict_suite(f"file/{path}", suite)
    assert answered.scored("tiny").predicted.tolist() == EXPECTED
    assert answered.scored("more").predicted.tolist() == [2]


def test_a_limit_does_not_make_the_others_extra(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", rows_of("label", "id"))
    assert predict_suite(f"file/{path}", DATA, limit=2).scored("tiny").predicted.tolist() == EXPECTED[:2]


def test_two_predictions_for_one_item(tmp_path: Path) -> None:
    rows = rows_of("label", "id")
    assert answers(write(tmp_path / "same.jsonl", [*rows, rows[0]])) == EXPECTED
    path = write(tmp_path / "other.jsonl", [*rows, {**rows[0], "label": "neutral"}])
    with pytest.raises(FormatError, match="two different predictions for 'a3'"):
        answers(path)


def test_two_labels_are_recorded(tmp_path: Path) -> None:
    rows = [
        {"id": e.id, "prediction": "entailment" if e.label == "entailment" else "not_entailment"}
        for e in ITEMS
    ]
    answered = predict_suite(f"file/{write(tmp_path / 'p.csv', rows)}", DATA)
    assert answered.manifest["details"]["two_label"] is True
    assert answered.predictions("tiny").tolist() == ["not_entailment", "entailment", "not_entailment"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.jsonl", '{"id": "a1", "label": "neutral"}\n{oops\n', "p.jsonl, line 2: not JSON"),
        ("p.jsonl", "3\n", "line 1: a prediction is a int\n  wanted: a JSON object"),
        ("p.jsonl", "", "the file holds no predictions"),
        ("p.jsonl", '{"name": "a1", "label": "neutral"}\n', "no column identifies the item of a prediction"),
        ("p.jsonl", '{"id": "a1", "answer": "neutral"}\n', "no column holds predictions"),
        ("p.jsonl", '{"id": "a1", "label": "neutral"}\n{"id": "a2"}\n', "row 2: no value for 'label'"),
        ("p.jsonl", '{"id": "a1", "label": "perhaps"}\n', "no prediction"),
        (
            "p.csv",
            "id,label\na1,neutral\na2\n",
            "p.csv, line 3: the line and the header have different numbers",
        ),
        ("p.parquet", "no parquet", "not a Parquet file"),
        ("p.xlsx", "x", "'.xlsx' is not a supported format for prediction files"),
    ],
)
def test_malformed_files_are_told(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        answers(tmp_path / name)


def test_unknown_labels_name_the_item(tmp_path: Path) -> None:
    rows = [
        {**row, "label": "perhaps" if row["id"] == "a2" else row["label"]} for row in rows_of("label", "id")
    ]
    with pytest.raises(
        FormatError,
        match=r"id 'a2': column 'label' is 'perhaps', which is not a label(.|\n)*--labels perhaps=LABEL dec",
    ):
        answers(write(tmp_path / "p.jsonl", rows))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FormatError, match=r"nowhere\.jsonl: no such file"):
        open_model("file/nowhere.jsonl")


def test_the_key_changes_with_content_and_order(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", rows_of("label", "id"))
    second = write(tmp_path / "b.jsonl", rows_of("number", "id"))
    keys = [open_model(f"file/{path}").key for path in (first, first, second)]
    assert keys[0] == keys[1] != keys[2]
    assert open_model(f"file/{second}", {"label_order": ORDER}).key != keys[2]


def test_real_predictions(shared_data: Path) -> None:
    path = shared_data / "predictions" / "SNLI_dev_roberta-base_0.json"
    known = {json.loads(line)["uid"]: json.loads(line)["true"] for line in path.read_text().splitlines()}
    corpus = [
        json.loads(line) for line in (shared_data / "snli" / "snli_1.0_dev.jsonl").read_text().splitlines()
    ]
    data = Dataset(
        "tiny",
        tuple(
            Example(row["pairID"], row["sentence1"], row["sentence2"], row["gold_label"])
            for row in corpus
            if row["pairID"] in known
        ),
    )
    with pytest.raises(
        FormatError, match=r"--label-order entailment,contradiction,neutral would agree .* 91\.6 % of 4921"
    ):
        answers(path, data=data)
    predicted = answers(path, order=("entailment", "contradiction", "neutral"), data=data)
    right = sum(LABELS[k] == e.label for k, e in zip(predicted, data, strict=True))
    assert right == 4508  # of 4921: the file's own `pred` agrees with its `true` as often


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "id,logits\n1,1.0 2.0 3.0\n", "'1.0 2.0 3.0' in column 'logits' is not a list of numbers"),
        ("a.csv", f"id,probs\n1,{'[' * 100_000}\n", "is not a list of numbers"),
        ("a.csv", "id,prediction\n1,\u00b2\n", "column 'prediction' is '\u00b2', which is not a label"),
        (
            "a.csv",
            f"id,prediction\n1,{'9' * 5_000}\n",
            "column 'prediction' is '9+\\.\\.\\., which is not a label",
        ),
        ("a.csv", 'id,probs\n1,"[]"\n', "not every row has the same number of finite numbers in 'probs'"),
        (
            "a.csv",
            f'id,probs\n1,"[{"9" * 400}, 0, 0]"\n',
            "not every row has the same number of finite numbers",
        ),
        ("a.jsonl", '{"premise": ["p"], "hypothesis": "h", "label": "neutral"}', "'premise' is a list"),
        ("a.jsonl", '{"premise": "p", "hypothesis": {"a": 1}, "label": "neutral"}', "'hypothesis' is a dict"),
        ("a.jsonl", '{"id": [1], "label": "neutral"}', "'id' is a list\n  wanted: text"),
        ("a.json", '[{"id": "1", "label": "neutral"}, 3]', "row 2: a prediction is a int"),
        (
            "a.csv",
            "id,p_entailment,p_not_entailment\n1,2,0\n",
            r"the prediction for '1' is \[2.0, 0.0\]; 1 of 1 answers",
        ),
        ("a.jsonl", "[" * 100_000, "not JSON"),
        ("a.jsonl", '{"id": ' + "9" * 5_000 + "}", "not JSON"),
        ("a.json", "[" * 100_000, "not JSON"),
        ("a.csv", f'id,prediction\n1,"{"x" * (16 * 2**20 + 1)}"\n', "a field is longer than 16,777,216 char"),
    ],
)
def test_strange_answers_are_the_users_mistake(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    data = Dataset("d", (Example("1", "p", "h", "neutral"),))
    with pytest.raises(FormatError, match=message):
        predict_suite(f"file/{tmp_path / name}", data)


WITH_STATUS: tuple[dict[str, Any], ...] = (
    {"id": "a1", "status": "refused", "p_entailment": None, "p_neutral": None, "p_contradiction": None},
    {"id": "a2", "status": "answered", "p_entailment": 0.7, "p_neutral": 0.2, "p_contradiction": 0.1},
    {"id": "a3", "status": None, "p_entailment": 0.0, "p_neutral": 0.1, "p_contradiction": 0.9},
)


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("column", ["status", "outcome"])
@pytest.mark.parametrize("form", ["shares", "label"])
def test_items_without_an_answer_have_a_status(tmp_path: Path, suffix: str, column: str, form: str) -> None:
    rows = [{column if key == "status" else key: row[key] for key in row} for row in WITH_STATUS]
    if form == "label":
        names = zip(rows, (None, "entailment", "contradiction"), strict=True)
        rows = [{"id": row["id"], column: row[column], "predicted": name} for row, name in names]
    path = write(tmp_path / f"p{suffix}", rows)
    run = predict_suite(f"file/{path}", DATA)
    assert run.scored("tiny").predicted.tolist() == [-1, 0, 2]
    assert run.outcomes["tiny"].unanswered() == {"refused": 1}
    if suffix == ".jsonl" and form == "shares":
        texts = [row | text for row, text in zip(rows, rows_of("shares", "text"), strict=True)]
        texts[0] |= {"p_entailment": None, "p_neutral": None, "p_contradiction": None}
        both = predict_suite(f"mean/file/{write(path, texts)},builtin/majority", DATA)
        assert both.outcomes["tiny"].unanswered() == {"refused": 1}


def test_a_run_that_was_exported_can_be_read_as_predictions(tmp_path: Path) -> None:
    first = predict_suite(f"file/{write(tmp_path / 'p.jsonl', WITH_STATUS)}", DATA)
    first.to_frame().write_parquet(tmp_path / "frame.parquet")
    again = predict_suite(f"file/{tmp_path / 'frame.parquet'}", DATA)
    shares = [f"{start}_{label}" for start in ("p", "model_p") for label in LABELS]
    assert again.to_frame().drop(shares).equals(first.to_frame().drop(shares))
    assert np.allclose(again.probabilities["tiny"], first.probabilities["tiny"], equal_nan=True)


@pytest.mark.parametrize(
    ("number", "change", "message"),
    [
        (0, {"status": None}, "no value for 'p_entailment'"),
        (0, {"status": "answered"}, "no value for 'p_entailment'"),
        (
            0,
            {"status": "verified"},
            "p.jsonl, row 1: 'verified' in column 'status' is no status\n  wanted: answ",
        ),
        (1, {"status": "ok"}, "p.jsonl, row 2: 'ok' in column 'status' is no status"),
        (1, {"status": "cut"}, "row 2: 'status' is 'cut', but 'p_entailment' is 0.7"),
    ],
)
def test_a_status_must_agree_with_the_predictions(
    tmp_path: Path, number: int, change: dict[str, Any], message: str
) -> None:
    rows = [dict(row) for row in WITH_STATUS]
    rows[number] |= change
    with pytest.raises(FormatError, match=message):
        predict_suite(f"file/{write(tmp_path / 'p.jsonl', rows)}", DATA)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
@pytest.mark.parametrize("column", [{}, {"status": ""}, {"status": "verified"}])
def test_an_empty_prediction_needs_a_status(tmp_path: Path, suffix: str, column: dict[str, str]) -> None:
    rows = [{**row, **column} for row in rows_of("label", "id")]
    rows[1]["label"] = ""
    message = (
        r"row 2: no value for 'label'\n  wanted: .*\n  hint: .* 'status', are unparsed, ambiguous, refused"
    )
    with pytest.raises(FormatError, match=message):
        answers(write(tmp_path / f"p{suffix}", rows))


def test_two_statuses_for_one_item_are_an_error(tmp_path: Path) -> None:
    rows = [*WITH_STATUS, {**WITH_STATUS[0], "status": "cut"}]
    with pytest.raises(FormatError, match="two different predictions for 'a1'"):
        predict_suite(f"file/{write(tmp_path / 'p.jsonl', rows)}", DATA)


def test_statuses_of_items_are_not_those_of_answers(tmp_path: Path) -> None:
    rows = [{"status": "proposed", **row} for row in rows_of("shares", "id")]
    assert answers(write(tmp_path / "p.csv", rows)) == EXPECTED


TWO = Dataset(
    "tiny",
    (
        Example("c1", "Ann slept.", "Ann was awake.", "not_entailment"),
        Example("c2", "A dog barks.", "A dog makes a noise.", "entailment"),
        Example("c3", "It snows.", "Bob is tall.", "not_entailment"),
    ),
    {"labels": "two labels"},
)


def verdicts(path: Path, values: Sequence[Any], column: str = "prediction") -> Path:
    return write(path, [{"id": e.id, column: v} for e, v in zip(TWO, values, strict=True)])


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["unsupported", "Supported", "unsupported"], "supported=entailment,unsupported=not_entailment"),
        (["not entailment", "entailment", "no"], {"no": "not_entailment"}),
        ([0, 1, 0], {1: "entailment", 0: "not_entailment"}),
        ([False, True, False], "true=entailment,false=not_entailment"),
    ],
)
def test_words_of_the_file_are_read_as_they_are_declared(
    tmp_path: Path, suffix: str, values: list[Any], labels: Any
) -> None:
    path = verdicts(tmp_path / f"p{suffix}", values)
    run = predict_suite(f"file/{path}", TWO, options={"labels": labels})
    assert run.predictions("tiny").tolist() == ["not_entailment", "entailment", "not_entailment"]
    assert run.manifest["details"]["two_label"] is True
    assert run.manifest["details"]["declared_labels"]
    assert run.manifest["model_key"] != open_model(f"file/{path}").key


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_true_and_false_are_not_guessed_in_a_file(tmp_path: Path, suffix: str) -> None:
    path = verdicts(tmp_path / f"p{suffix}", [False, True, False])
    with pytest.raises(FormatError, match="--labels false=not_entailment,true=entailment declares") as caught:
        predict_suite(f"file/{path}", TWO)
    assert "id 'c1': column 'prediction' is" in str(caught.value)


def test_a_declared_word_without_a_label_is_no_answer(tmp_path: Path) -> None:
    path = verdicts(tmp_path / "p.csv", ["no", "yes", "unclear"])
    labels = "yes=entailment,no=not_entailment,unclear=-"
    with pytest.raises(FormatError, match=r"id 'c3': column 'prediction' is 'unclear', which --labels decl"):
        predict_suite(f"file/{path}", TWO, options={"labels": labels})
    path = verdicts(tmp_path / "q.csv", ["no", "entailment", "neutral"])
    with pytest.raises(FormatError, match="some answers are not_entailment, others are neutral"):
        predict_suite(f"file/{path}", TWO, options={"labels": labels})


@pytest.mark.parametrize(("values", "order"), [([1, 0, 1], "entailment,not_entailment")])
def test_an_undeclared_order_of_two_labels_is_proposed_for_two_labels(
    tmp_path: Path, values: list[int], order: str
) -> None:
    path = verdicts(tmp_path / "p.csv", values)
    with pytest.raises(FormatError, match=f"--label-order {order} would agree with .* 100.0 % of 3") as told:
        predict_suite(f"file/{path}", TWO)
    assert "the next best order with 0.0 %" in str(told.value)
    assert "contradiction" not in str(told.value)
    unlabelled = Dataset("tiny", [Example(e.id, e.premise, e.hypothesis, None) for e in TWO])
    with pytest.raises(
        FormatError, match="--label-order entailment,not_entailment or --label-order entailment,neutral,"
    ):
        predict_suite(f"file/{path}", unlabelled)
    run = predict_suite(f"file/{path}", TWO, options={"label_order": order})
    assert run.predictions("tiny").tolist() == ["not_entailment", "entailment", "not_entailment"]


OWN = [
    {
        "key": e.id,
        "doc": e.premise,
        "claim": e.hypothesis,
        "verdict": v,
        "label": "neutral",
        "p_entailment": 9,
    }
    for e, v in zip(TWO, ["no", "yes", "no"], strict=True)
]


@pytest.mark.parametrize(
    ("columns", "by"),
    [
        ("id=key,prediction=verdict", "key"),
        ("premise=doc,hypothesis=claim,prediction=verdict", "text"),
        ({"id": "key", "prediction": "verdict", "premise": "doc", "hypothesis": "claim"}, "key"),
    ],
)
def test_columns_are_what_is_said_of_them(tmp_path: Path, columns: Any, by: str) -> None:
    """Whatever else the file has: a probability above 1, and gold labels in a column label."""
    path = write(tmp_path / "p.csv", OWN)
    options = {"columns": columns, "labels": "yes=entailment,no=not_entailment"}
    run = predict_suite(f"file/{path}", TWO, options=options)
    assert run.predictions("tiny").tolist() == ["not_entailment", "entailment", "not_entailment"]
    assert (run.manifest["details"]["matched_by"], run.manifest["details"]["column"]) == (by, "verdict")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "no column identifies the item(.|\n)*--columns id=A .*--set file.columns=id=A, says which"),
        ("id=key,prediction=verdct", "no column 'verdct' for 'prediction'(.|\n)*did you mean 'verdict'"),
        ("id=key,predicton=verdict", "no role of a column .* 'predicton'\n  hint: did you mean 'prediction'"),
        ("id=key,label=verdict", "no role of a column of predictions is called 'label'"),
        ("premise=doc,prediction=verdict", "no column identifies the item"),
        ("id=key,status=verdict,prediction=label", "'no' in column 'verdict' is no status"),
        ("id=key,p_entailment=p_entailment", "is 'p_entailment', and nothing says above which value"),
    ],
)
def test_columns_that_are_not_there_are_told(tmp_path: Path, columns: str | None, message: str) -> None:
    path = write(tmp_path / "p.csv", OWN)
    with pytest.raises(CrossexamError, match=message):
        predict_suite(f"file/{path}", TWO, options={"columns": columns})


def test_labels_beside_one_probability_are_not_dropped_in_silence(tmp_path: Path) -> None:
    rows = [{"uid": e.id, "p_entailment": 0.9, "prediction": "neutral", "label": e.label} for e in ITEMS]
    path = write(tmp_path / "p.csv", rows)
    message = (
        r"is 'p_entailment', and(.|\n)*--threshold 0\.5 .*; --columns id=uid,prediction=prediction of run, "
        r"or --set file\.columns=id=uid,prediction=prediction, reads the labels in 'prediction' instead"
    )
    with pytest.raises(CrossexamError, match=message):
        predict_suite(f"file/{path}", DATA, options={"columns": "id=uid"})
    run = predict_suite(f"file/{path}", DATA, options={"columns": "id=uid,prediction=prediction"})
    assert run.predictions("tiny").tolist() == ["neutral"] * 3
    for row in rows:
        del row["prediction"]
    with pytest.raises(CrossexamError, match=r"not_entailment$"):  # a column label may hold gold labels
        predict_suite(f"file/{write(path, rows)}", DATA)


LONG = "The report of the committee goes on and on. " * 60


def test_missing_documents_are_not_printed_whole(tmp_path: Path) -> None:
    items = [Example(f"{LONG}{k}", f"{LONG}{k}", f"Claim {k}.", "neutral") for k in range(9)]
    data = Dataset("tiny", items)
    rows = [{"premise": "p", "hypothesis": "h", "prediction": "neutral"}]
    extra = Example("z", "p", "h", "neutral")
    path = write(tmp_path / "p.csv", rows)
    with pytest.raises(FormatError, match=r"9 of 10 pairs have no prediction: \('The report") as caught:
        predict_suite(f"file/{path}", Dataset("tiny", [*items, extra]))
    assert "and 7 more\n" in str(caught.value)
    assert "crossexam export csv SUITE -o FOLDER (or jsonl) writes the pairs to predict" in str(caught.value)
    assert len(str(caught.value)) < 650
    rows = [{"id": f"{LONG}0", "prediction": "neutral"}, {"id": f"{LONG}x", "prediction": "neutral"}]
    with pytest.raises(FormatError, match="1 of 2 predictions are for items that are in none") as caught:
        predict_suite(f"file/{write(tmp_path / 'q.csv', rows)}", data)
    assert len(str(caught.value)) < 500
    with pytest.raises(FormatError, match="8 of 9 items have no prediction") as caught:
        predict_suite(f"file/{write(tmp_path / 'r.csv', rows[:1])}", data)
    assert "crossexam export csv SUITE" in str(caught.value)
    assert len(str(caught.value)) < 900
    rows = [{**rows[0], "id": "own", "premise": "p", "hypothesis": "h"}]
    with pytest.raises(
        FormatError, match="--columns premise=premise,hypothesis=hypothesis compares the texts inst"
    ):
        predict_suite(f"file/{write(tmp_path / 's.csv', rows)}", Dataset("tiny", [extra]))


def test_rows_with_ids_of_pairs_stand_for_all_items_with_their_pair(tmp_path: Path) -> None:
    items = [Example(f"i{k}", f"P {k // 2}.", "H.", "neutral") for k in range(4)]
    data = Dataset("tiny", items)
    labels = ["neutral", "contradiction"]
    rows = [{"id": pair_id((f"P {k}.", "H.")), "prediction": label} for k, label in enumerate(labels)]
    path = write(tmp_path / "p.csv", rows)
    run = predict_suite(f"file/{path}", data)
    assert run.predictions("tiny").tolist() == ["neutral", "neutral", "contradiction", "contradiction"]
    assert run.manifest["details"]["matched_by"] == "pair"
    assert open_model(f"file/{path}").predict([("P 1.", "H.")]).tolist() == [[0, 0, 1]]
    with pytest.raises(FormatError, match=r"1 of 2 pairs have no prediction: \('P 1\.', 'H\.'\)"):
        predict_suite(f"file/{write(tmp_path / 'q.csv', rows[:1])}", data)
    with pytest.raises(FormatError, match="1 of 2 predictions are for items that are in none"):
        predict_suite(f"file/{path}", Dataset("tiny", items[:2]))
    stray = [*rows, {"id": "pair-xyz", "prediction": "neutral"}]
    with pytest.raises(FormatError, match=r"1 of 3 predictions are for items .* test sets: 'pair-xyz'\n"):
        predict_suite(f"file/{write(tmp_path / 's.csv', stray)}", data)
    twice = [*rows, {**rows[0], "prediction": "entailment"}]
    with pytest.raises(FormatError, match="two different predictions for 'pair-"):
        predict_suite(f"file/{write(tmp_path / 'r.csv', twice)}", data)
