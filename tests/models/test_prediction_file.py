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


FORMATS = (".jsonl", ".json", ".csv", ".tsv", ".parquet")


def test_every_form_in_every_format(tmp_path: Path, case: Any) -> None:
    """And the other names of columns that identify items."""
    for suffix in FORMATS:
        for form in ("shares", "list", "logits", "label", "number"):
            for by in ("id", "text"):
                with case(suffix, form, by):
                    path = write(tmp_path / f"{form}-{by}{suffix}", rows_of(form, by))
                    assert answers(path, order=ORDER) == EXPECTED
    for by in ("pairID", "uid", "sentences"):
        with case(by):
            assert answers(write(tmp_path / f"{by}.jsonl", rows_of("label", by))) == EXPECTED


def test_two_labels_are_recorded(tmp_path: Path, case: Any) -> None:
    """Those of two columns of probabilities, and those that are named."""
    for names in (("p_entailment", "p_not_entailment"), ("entailment", "not_entailment")):
        shares = (0.2, 0.7, 0.4)
        rows = [{"id": e.id, names[0]: p, names[1]: 1 - p} for e, p in zip(ITEMS, shares, strict=True)]
        with case(names):
            answered = predict_suite(f"file/{write(tmp_path / f'{names[0]}.csv', rows)}", DATA)
            expected = [[0.2, 0.8, 0.0], [0.7, 0.3, 0.0], [0.4, 0.6, 0.0]]
            np.testing.assert_allclose(answered.probabilities["tiny"], expected, atol=1e-12)
            assert answered.manifest["details"]["two_label"] is True
        rows[1][names[1]] = 0.9
        with case.refused("1 of 3 answers are not probabilities", kind=FormatError):
            predict_suite(f"file/{write(tmp_path / f'{names[0]}-wrong.csv', rows)}", DATA)
    named = ["not_entailment", "entailment", "not_entailment"]
    rows = [{"id": e.id, "prediction": name} for e, name in zip(ITEMS, named, strict=True)]
    answered = predict_suite(f"file/{write(tmp_path / 'named.csv', rows)}", DATA)
    assert answered.manifest["details"]["two_label"] is True
    assert answered.predictions("tiny").tolist() == named


# Orders of classes


def test_orders_that_nobody_declared_or_that_are_wrong(tmp_path: Path, case: Any) -> None:
    fits = "--label-order contradiction,entailment,neutral would agree with the gold label of 100.0 % of 3"
    for form in ("list", "logits", "number"):
        path = write(tmp_path / f"{form}.jsonl", rows_of(form, "id"))
        with case.refused("have no names, and their order is not declared", fits, kind=FormatError):
            answers(path)
    path = tmp_path / "list.jsonl"
    with case.refused("declared order entailment,not_entailment does not have 3 classes", kind=FormatError):
        answers(path, order=("entailment", "not_entailment"))
    wrong = {"label_order": ("neutral", "contradiction", "entailment")}
    details = predict_suite(f"file/{path}", DATA, options=wrong).manifest["details"]
    assert "contradiction,entailment,neutral agrees with 100.0 %" in details["warning"]
    details = predict_suite(f"file/{path}", DATA, options={"label_order": ORDER}).manifest["details"]
    assert "warning" not in details


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


# Which items


def test_predictions_and_items_must_be_the_same(tmp_path: Path, case: Any) -> None:
    rows = rows_of("label", "id")
    only = [row for row in rows if row["id"] == "a2"]
    extra = [{"id": f"b{k}", "label": "neutral"} for k in range(7)]
    for number, (given, named) in enumerate(
        (
            (only, ("2 of 3 items have no prediction: 'a1', 'a3'\n  wanted: a prediction",)),
            (
                [*rows, *extra],
                (
                    "7 of 10 predictions are for items that are in none",
                    "'b0', 'b1', 'b2', 'b3', 'b4' and 2 more",
                ),
            ),
            ([*rows, {**rows[0], "label": "neutral"}], ("two different predictions for 'a3'",)),
            ([*WITH_STATUS, {**WITH_STATUS[0], "status": "cut"}], ("two different predictions for 'a1'",)),
        )
    ):
        with case.refused(*named, kind=FormatError):
            answers(write(tmp_path / f"{number}.jsonl", given))
    assert answers(write(tmp_path / "same.jsonl", [*rows, rows[0]])) == EXPECTED
    path = write(tmp_path / "p.jsonl", [*rows, {"id": "b0", "label": "contradiction"}])
    suite = Suite("s", {"tiny": DATA, "more": Dataset("more", (Example("b0", "x", "y", "neutral"),))})
    answered = predict_suite(f"file/{path}", suite)
    assert answered.scored("tiny").predicted.tolist() == EXPECTED
    assert answered.scored("more").predicted.tolist() == [2]
    limited = predict_suite(f"file/{tmp_path / 'same.jsonl'}", DATA, limit=2)  # the others are not extra
    assert limited.scored("tiny").predicted.tolist() == EXPECTED[:2]


def test_missing_documents_are_not_printed_whole(tmp_path: Path, case: Any) -> None:
    long = "The report of the committee goes on and on. " * 60
    items = [Example(f"{long}{k}", f"{long}{k}", f"Claim {k}.", "neutral") for k in range(9)]
    data, extra = Dataset("tiny", items), Example("z", "p", "h", "neutral")
    texts = {"premise": "p", "hypothesis": "h", "prediction": "neutral"}
    ids = [{"id": f"{long}{k}", "prediction": "neutral"} for k in (0, "x")]
    way_out, by_text = (
        "crossexam export csv SUITE",
        "--columns premise=premise,hypothesis=hypothesis compares",
    )
    for number, (rows, tests, most, named) in enumerate(
        (
            (
                [texts],
                Dataset("tiny", [*items, extra]),
                650,
                ("9 of 10 pairs have no prediction: ('The report", "and 7 more\n", way_out),
            ),
            (ids, data, 500, ("1 of 2 predictions are for items that are in none",)),
            (ids[:1], data, 900, ("8 of 9 items have no prediction", way_out)),
            ([{"id": "own", **texts}], Dataset("tiny", [extra]), 900, (by_text,)),
        )
    ):
        path = write(tmp_path / f"{number}.csv", rows)
        with case(number):
            with pytest.raises(FormatError) as caught:
                predict_suite(f"file/{path}", tests)
            assert all(text in str(caught.value) for text in named), str(caught.value)
            assert len(str(caught.value)) < most


def test_rows_with_ids_of_pairs_stand_for_all_items_with_their_pair(tmp_path: Path, case: Any) -> None:
    items = [Example(f"i{k}", f"P {k // 2}.", "H.", "neutral") for k in range(4)]
    data = Dataset("tiny", items)
    labels = ["neutral", "contradiction"]
    rows = [{"id": pair_id((f"P {k}.", "H.")), "prediction": label} for k, label in enumerate(labels)]
    path = write(tmp_path / "p.csv", rows)
    run = predict_suite(f"file/{path}", data)
    assert run.predictions("tiny").tolist() == ["neutral", "neutral", "contradiction", "contradiction"]
    assert run.manifest["details"]["matched_by"] == "pair"
    assert open_model(f"file/{path}").predict([("P 1.", "H.")]).tolist() == [[0, 0, 1]]
    stray = {"id": "pair-xyz", "prediction": "neutral"}
    twice = {**rows[0], "prediction": "entailment"}
    for number, (given, tests, named) in enumerate(
        (
            (rows[:1], data, ("1 of 2 pairs have no prediction: ('P 1.', 'H.')",)),
            (rows, Dataset("tiny", items[:2]), ("1 of 2 predictions are for items that are in none",)),
            ([*rows, stray], data, ("1 of 3 predictions are for items", "test sets: 'pair-xyz'\n")),
            ([*rows, twice], data, ("two different predictions for 'pair-",)),
        )
    ):
        with case.refused(*named, kind=FormatError):
            predict_suite(f"file/{write(tmp_path / f'{number}.csv', given)}", tests)


# What cannot be read


ONE = Dataset("d", (Example("1", "p", "h", "neutral"),))
BROKEN: tuple[tuple[str, str, str], ...] = (
    ("jsonl", '{"id": "a1", "label": "neutral"}\n{oops\n', "broken.jsonl, line 2: not JSON"),
    ("jsonl", "3\n", "line 1: a prediction is a int"),
    ("jsonl", "", "the file holds no predictions"),
    ("jsonl", '{"name": "a1", "label": "neutral"}\n', "no column identifies the item of a prediction"),
    ("jsonl", '{"id": "a1", "answer": "neutral"}\n', "no column holds predictions"),
    ("jsonl", '{"id": "a1", "label": "neutral"}\n{"id": "a2"}\n', "row 2: no value for 'label'"),
    ("csv", "id,label\na1,neutral\na2\n", "line 3: the line and the header have different numbers"),
    ("parquet", "no parquet", "not a Parquet file"),
    ("xlsx", "x", "'.xlsx' is not a supported format for prediction files"),
    ("csv", "id,logits\n1,1.0 2.0 3.0\n", "'1.0 2.0 3.0' in column 'logits' is not a list of numbers"),
    ("csv", f"id,probs\n1,{'[' * 100_000}\n", "is not a list of numbers"),
    ("csv", "id,prediction\n1,\u00b2\n", "column 'prediction' is '\u00b2', which is not a label"),
    ("csv", f"id,prediction\n1,{'9' * 5_000}\n", "999..., which is not a label"),
    ("csv", 'id,probs\n1,"[]"\n', "not every row has the same number of finite numbers in 'probs'"),
    ("csv", f'id,probs\n1,"[{"9" * 400}, 0, 0]"\n', "not every row has the same number of finite numbers"),
    ("jsonl", '{"premise": ["p"], "hypothesis": "h", "label": "neutral"}', "'premise' is a list"),
    ("jsonl", '{"premise": "p", "hypothesis": {"a": 1}, "label": "neutral"}', "'hypothesis' is a dict"),
    ("jsonl", '{"id": [1], "label": "neutral"}', "'id' is a list"),
    ("jsonl", '{"id": "1", "label": "perhaps"}', "id '1': column 'label' is 'perhaps', which is not a label"),
    ("jsonl", '{"id": "1", "label": "perhaps"}', "--labels perhaps=LABEL"),
    ("json", '[{"id": "1", "label": "neutral"}, 3]', "row 2: a prediction is a int"),
    ("csv", "id,p_entailment,p_not_entailment\n1,2,0\n", "for '1' is [2.0, 0.0]; 1 of 1 answers"),
    ("jsonl", "[" * 100_000, "not JSON"),
    ("jsonl", '{"id": ' + "9" * 5_000 + "}", "not JSON"),
    ("json", "[" * 100_000, "not JSON"),
    ("csv", f'id,prediction\n1,"{"x" * (16 * 2**20 + 1)}"\n', "a field is longer than 16,777,216 char"),
)


def test_files_that_cannot_be_read(tmp_path: Path, case: Any) -> None:
    for suffix, text, said in BROKEN:
        path = tmp_path / f"broken.{suffix}"
        path.write_text(text, encoding="utf-8")
        with case.refused(said, kind=FormatError):
            predict_suite(f"file/{path}", ONE)
    with case.refused("nowhere.jsonl: no such file", kind=FormatError):
        open_model("file/nowhere.jsonl")


def test_the_key_changes_with_content_and_order(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", rows_of("label", "id"))
    second = write(tmp_path / "b.jsonl", rows_of("number", "id"))
    keys = [open_model(f"file/{path}").key for path in (first, first, second)]
    assert keys[0] == keys[1] != keys[2]
    assert open_model(f"file/{second}", {"label_order": ORDER}).key != keys[2]


# Items without an answer


WITH_STATUS: tuple[dict[str, Any], ...] = (
    {"id": "a1", "status": "refused", "p_entailment": None, "p_neutral": None, "p_contradiction": None},
    {"id": "a2", "status": "answered", "p_entailment": 0.7, "p_neutral": 0.2, "p_contradiction": 0.1},
    {"id": "a3", "status": None, "p_entailment": 0.0, "p_neutral": 0.1, "p_contradiction": 0.9},
)


def test_items_without_an_answer_have_a_status(tmp_path: Path, case: Any) -> None:
    named = [
        {"id": row["id"], "status": row["status"], "predicted": name}
        for row, name in zip(WITH_STATUS, (None, "entailment", "contradiction"), strict=True)
    ]
    for suffix in FORMATS:
        for column in ("status", "outcome"):
            for form, given in (("shares", WITH_STATUS), ("label", named)):
                rows = [{column if key == "status" else key: row[key] for key in row} for row in given]
                path = write(tmp_path / f"{column}-{form}{suffix}", rows)
                with case(suffix, column, form):
                    run = predict_suite(f"file/{path}", DATA)
                    assert run.scored("tiny").predicted.tolist() == [-1, 0, 2]
                    assert run.outcomes["tiny"].unanswered() == {"refused": 1}
    texts = [row | text for row, text in zip(WITH_STATUS, rows_of("shares", "text"), strict=True)]
    texts[0] |= {"p_entailment": None, "p_neutral": None, "p_contradiction": None}
    both = predict_suite(f"mean/file/{write(tmp_path / 'texts.jsonl', texts)},builtin/majority", DATA)
    assert both.outcomes["tiny"].unanswered() == {"refused": 1}
    of_items = [{"status": "proposed", **row} for row in rows_of("shares", "id")]  # not of answers
    assert answers(write(tmp_path / "items.csv", of_items)) == EXPECTED


def test_a_run_that_was_exported_can_be_read_as_predictions(tmp_path: Path) -> None:
    first = predict_suite(f"file/{write(tmp_path / 'p.jsonl', WITH_STATUS)}", DATA)
    first.to_frame().write_parquet(tmp_path / "frame.parquet")
    again = predict_suite(f"file/{tmp_path / 'frame.parquet'}", DATA)
    shares = [f"{start}_{label}" for start in ("p", "model_p") for label in LABELS]
    assert again.to_frame().drop(shares).equals(first.to_frame().drop(shares))
    assert np.allclose(again.probabilities["tiny"], first.probabilities["tiny"], equal_nan=True)


def test_a_status_must_agree_with_the_predictions(tmp_path: Path, case: Any) -> None:
    for number, change, said in (
        (0, {"status": None}, "no value for 'p_entailment'"),
        (0, {"status": "answered"}, "no value for 'p_entailment'"),
        (0, {"status": "verified"}, "p.jsonl, row 1: 'verified' in column 'status' is no status"),
        (1, {"status": "ok"}, "p.jsonl, row 2: 'ok' in column 'status' is no status"),
        (1, {"status": "cut"}, "row 2: 'status' is 'cut', but 'p_entailment' is 0.7"),
    ):
        rows = [dict(row) for row in WITH_STATUS]
        rows[number] |= change
        with case.refused(said, kind=FormatError):
            predict_suite(f"file/{write(tmp_path / 'p.jsonl', rows)}", DATA)
    for suffix in (".jsonl", ".csv"):
        for column in ({}, {"status": ""}, {"status": "verified"}):
            rows = [{**row, **column} for row in rows_of("label", "id")]
            rows[1]["label"] = ""
            with case.refused("row 2: no value for 'label'", "'status', are unparsed", kind=FormatError):
                answers(write(tmp_path / f"empty{suffix}", rows))


# Words of the file


TWO = Dataset(
    "tiny",
    (
        Example("c1", "Ann slept.", "Ann was awake.", "not_entailment"),
        Example("c2", "A dog barks.", "A dog makes a noise.", "entailment"),
        Example("c3", "It snows.", "Bob is tall.", "not_entailment"),
    ),
    {"labels": "two labels"},
)
GOLDS = [example.label for example in TWO]


def verdicts(path: Path, values: Sequence[Any]) -> Path:
    return write(path, [{"id": e.id, "prediction": v} for e, v in zip(TWO, values, strict=True)])


def test_words_of_the_file_are_read_as_they_are_declared(tmp_path: Path, case: Any) -> None:
    """And true and false are not guessed."""
    for suffix in (".jsonl", ".csv", ".parquet"):
        for number, (values, labels) in enumerate(
            (
                (
                    ("unsupported", "Supported", "unsupported"),
                    "supported=entailment,unsupported=not_entailment",
                ),
                (("not entailment", "entailment", "no"), {"no": "not_entailment"}),
                ((0, 1, 0), {1: "entailment", 0: "not_entailment"}),
                ((False, True, False), "true=entailment,false=not_entailment"),
            )
        ):
            path = verdicts(tmp_path / f"{number}{suffix}", values)
            with case(suffix, values):
                run = predict_suite(f"file/{path}", TWO, options={"labels": labels})
                assert run.predictions("tiny").tolist() == GOLDS
                assert run.manifest["details"]["two_label"] is True
                assert run.manifest["details"]["declared_labels"]
                assert run.manifest["model_key"] != open_model(f"file/{path}").key
        named = ("--labels false=not_entailment,true=entailment declares", "id 'c1': column 'prediction' is")
        with case.refused(*named, kind=FormatError):
            predict_suite(f"file/{path}", TWO)
    options = {"labels": "yes=entailment,no=not_entailment,unclear=-"}
    for values, said in (
        (("no", "yes", "unclear"), "id 'c3': column 'prediction' is 'unclear', which --labels decl"),
        (("no", "entailment", "neutral"), "some answers are not_entailment, others are neutral"),
    ):
        with case.refused(said, kind=FormatError):
            predict_suite(f"file/{verdicts(tmp_path / 'wrong.csv', values)}", TWO, options=options)


def test_an_undeclared_order_of_two_labels_is_proposed_for_two_labels(tmp_path: Path, case: Any) -> None:
    order, path = "entailment,not_entailment", verdicts(tmp_path / "p.csv", [1, 0, 1])
    fits, next_best = (
        f"--label-order {order} would agree with",
        "100.0 % of 3; the next best order with 0.0 %",
    )
    with case.refused(fits, *next_best.split("; "), kind=FormatError, without="contradiction"):
        predict_suite(f"file/{path}", TWO)
    unlabelled = Dataset("tiny", [Example(e.id, e.premise, e.hypothesis, None) for e in TWO])
    with case.refused(f"--label-order {order} or --label-order entailment,neutral,", kind=FormatError):
        predict_suite(f"file/{path}", unlabelled)
    run = predict_suite(f"file/{path}", TWO, options={"label_order": order})
    assert run.predictions("tiny").tolist() == GOLDS


# Columns


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


def test_columns_are_what_is_said_of_them(tmp_path: Path, case: Any) -> None:
    """Whatever else the file has: a probability above 1, and gold labels in a column label."""
    path = write(tmp_path / "p.csv", OWN)
    for columns, by in (
        ("id=key,prediction=verdict", "key"),
        ("premise=doc,hypothesis=claim,prediction=verdict", "text"),
        ({"id": "key", "prediction": "verdict", "premise": "doc", "hypothesis": "claim"}, "key"),
    ):
        with case(columns):
            options = {"columns": columns, "labels": "yes=entailment,no=not_entailment"}
            run = predict_suite(f"file/{path}", TWO, options=options)
            assert run.predictions("tiny").tolist() == GOLDS
            details = run.manifest["details"]
            assert (details["matched_by"], details["column"]) == (by, "verdict")
    for wrong, *named in (
        (None, "no column identifies the item", "--columns id=A", "--set file.columns=id=A"),
        ("id=key,prediction=verdct", "no column 'verdct' for 'prediction'", "did you mean 'verdict'"),
        ("id=key,predicton=verdict", "'predicton'", "did you mean 'prediction'"),
        ("id=key,label=verdict", "no role of a column of predictions is called 'label'"),
        ("premise=doc,prediction=verdict", "no column identifies the item"),
        ("id=key,status=verdict,prediction=label", "'no' in column 'verdict' is no status"),
        ("id=key,p_entailment=p_entailment", "is 'p_entailment', and nothing says above which value"),
    ):
        with case.refused(*named):
            predict_suite(f"file/{path}", TWO, options={"columns": wrong})


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
