"""Names of models, the built-in ones, and what every kind has in common."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossexam
import crossexam as cx
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models import alignment
from crossexam.models.builtin import CONTRADICTED_BELOW, ENTAILED_FROM, SUMMARIES, overlap_label
from crossexam.models.label_order import ORDERS, agreements, parse_order, to_label_columns
from crossexam.models.model import Model
from crossexam.models.table import MODELS, open_model
from crossexam.runs.run import predict_suite

WORDS = st.sampled_from(
    "a the man Woman dog runs sleeps quickly not never in on park Paris 3 seven hot cold".split()
)
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
BUILTIN_NAMES = sorted(SUMMARIES)
#: Those that answer pairs of sentences alone.
OF_PAIRS = [name for name in BUILTIN_NAMES if name != "builtin/polarity"]


opened = cache(open_model)


@pytest.mark.parametrize("name", OF_PAIRS)
@settings(deadline=None, max_examples=30)
@given(pairs=st.lists(st.tuples(SENTENCES, SENTENCES), max_size=5))
def test_every_builtin_answers_with_probabilities(name: str, pairs: list[tuple[str, str]]) -> None:
    model = opened(name)
    answers = model.predict(pairs)
    assert answers.shape == (len(pairs), 3)
    assert np.allclose(answers.sum(axis=1), 1)
    assert (answers >= 0).all()
    one_by_one = [model.predict([pair])[0] for pair in pairs]
    assert all(np.array_equal(a, b) for a, b in zip(answers, one_by_one, strict=True))


def test_every_builtin_is_a_model_with_a_key_of_its_own() -> None:
    models = [open_model(name) for name in BUILTIN_NAMES]
    assert all(isinstance(model, Model) for model in models)
    assert len({model.key for model in models}) == len(models)
    assert [model.name for model in models] == BUILTIN_NAMES


def test_names_that_are_no_models_are_refused_with_the_way_out() -> None:
    with pytest.raises(
        UnknownNameError, match="no kind of model is called 'bultin'\n  hint: did you mean 'builtin/x'"
    ):
        open_model("bultin/x")
    with pytest.raises(UnknownNameError, match="a checkpoint is hf/roberta-large-mnli"):
        open_model("roberta-large-mnli")
    with pytest.raises(UnknownNameError, match=r"did you mean 'file/p12\.csv', a file of predictions"):
        open_model("p12.csv")
    with pytest.raises(
        UnknownNameError, match="no built-in model is called 'overlp'\n  hint: did you mean 'overlap'"
    ):
        open_model("builtin/overlp")
    with pytest.raises(CrossexamError, match="'hf/' is not the name of a model"):
        open_model("hf/")
    with pytest.raises(CrossexamError, match="3 is not a model"):
        open_model(3)  # type: ignore[arg-type]
    with pytest.raises(CrossexamError, match="leave out --label-order"):
        open_model("builtin/overlap", {"label_order": LABELS})


def test_every_kind_has_its_prefix() -> None:
    assert {name: kind.prefix for name, kind in MODELS.items()} == {name: f"{name}/" for name in MODELS}


def test_builtin_models_need_no_torch() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('torch', 'transformers', 'onnx')))  # importing them fails\n"
        "from crossexam.models.table import open_model\n"
        f"for name in {OF_PAIRS}: open_model(name).predict([('a b', 'a')])\n"
        "print(*[n for n in ('polars', 'sklearn', 'nltk', 'huggingface_hub') if n in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(crossexam.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("premise", "hypothesis", "label"),
    [
        ("A man plays a guitar.", "A man plays.", "entailment"),  # 3 of 3 words shared
        ("A man plays a guitar.", "A man eats some soup.", "neutral"),  # 2 of 5: between 0.2 and 0.6
        ("A man plays a guitar.", "Several dogs were sleeping outside.", "contradiction"),  # 0 of 5
        ("A man plays a guitar.", "A man doesn't play a guitar.", "contradiction"),  # negation
        ("A man doesn't play.", "A man doesn't play.", "entailment"),  # negated on both sides
        ("A man doesn't play.", "A man does play.", "entailment"),  # only the premise negates
        ("It rains.", "", "contradiction"),  # no words shared
    ],
)
def test_overlap(premise: str, hypothesis: str, label: str) -> None:
    assert overlap_label(premise, hypothesis) == label


def test_overlap_has_the_accuracy_that_its_docstring_claims(shared_data: Path) -> None:
    with (shared_data / "multinli" / "multinli_train_subset_tokenised.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    right = sum(overlap_label(row["sentence1"], row["sentence2"]) == row["label"] for row in rows)
    assert (ENTAILED_FROM, CONTRADICTED_BELOW) == (0.6, 0.2)
    assert round(100 * right / len(rows), 1) == 52.1


def test_alignment_features_by_hand() -> None:
    # Best premise words: bob "rob" 1 - 1/3; never "and" 1 - 4/5; eats 1; soup "rob" 1 - 3/4.
    row = alignment.unaligned_shares([("Ann and Rob eats.", "Bob never eats soup.")])[0]
    by_class = dict(zip(alignment.CLASSES, row, strict=True))
    assert by_class["negation"] == pytest.approx((1 - 1 / 5) / 4)
    assert by_class["open"] == pytest.approx((1 / 3 + 0 + 3 / 4) / 4)  # the first word may be no name
    assert by_class["name"] == by_class["number"] == 0
    row = alignment.unaligned_shares([("Ann and Rob eats.", "And Bob eats.")])[0]
    assert dict(zip(alignment.CLASSES, row, strict=True))["name"] == pytest.approx((1 / 3) / 3)


def test_alignment_never_says_contradiction() -> None:
    answers = alignment.predict([("It rains.", "It does not rain."), ("", "x"), ("x", "")])
    assert (answers[:, 2] == 0).all()


def test_alignment_has_the_accuracy_on_rte_that_its_file_claims(shared_data: Path) -> None:
    with zipfile.ZipFile(shared_data / "nltk_data" / "corpora" / "rte.zip") as opened:
        root = ElementTree.fromstring(opened.read("rte/rte3_test.xml"))
    items = list(root.iter("pair"))
    answers = alignment.predict([(p.findtext("t", "").strip(), p.findtext("h", "").strip()) for p in items])
    entailed = np.array([p.get("entailment") == "YES" for p in items])
    accuracy = float(((answers[:, 0] > 0.5) == entailed).mean())
    assert len(items) == 800
    assert accuracy == alignment.fitted_weights()["accuracy_rte3_test"]
    assert accuracy > alignment.fitted_weights()["published_accuracy_rte3_test"]  # 61.125 %


@pytest.mark.parametrize("order", ORDERS)
def test_columns_follow_the_order(order: tuple[str, ...]) -> None:
    shares = {"entailment": 0.5, "neutral": 0.3, "contradiction": 0.2}
    table = np.array([[shares[name] for name in order]])
    assert to_label_columns(table, order).tolist() == [[0.5, 0.3, 0.2]]  # type: ignore[arg-type]


def test_orders_are_checked() -> None:
    assert parse_order(["C", "e", "Neutral"], where="x") == ("contradiction", "entailment", "neutral")
    assert parse_order(["not_entailment", "entailment"], where="x") == ("not_entailment", "entailment")
    for wrong in (["entailment"], ["entailment", "entailment", "neutral"], ["neutral", "contradiction"]):
        with pytest.raises(FormatError, match="is not a class order"):
            parse_order(wrong, where="--label-order")
    with pytest.raises(FormatError, match="--label-order: 'LABEL_0' is not a class"):
        parse_order(["LABEL_0", "neutral", "entailment"], where="--label-order")


def test_the_order_that_gold_labels_support_comes_first() -> None:
    gold = ["neutral", "entailment", "contradiction", "neutral"]
    (best, order), (second, _) = agreements([2, 0, 1, 0], gold)[:2]
    assert (best, order) == (3 / 4, ("entailment", "contradiction", "neutral"))
    assert second < best


def test_the_shipped_weights_say_where_they_are_from() -> None:
    text = Path(alignment.__file__).with_name("alignment_rte3.json").read_text(encoding="utf-8")
    fitted = json.loads(text)
    assert list(fitted["weights"]) == list(alignment.CLASSES)
    assert fitted["script"] == "scripts/fit_alignment.py"


def swaps(*polarities: str | None) -> Dataset:
    items = [
        Example(f"i_ta1:{k}", f"Ann has {k} cats.", f"Ann has {k}.", "contradiction", info={"polarity": each})
        for k, each in enumerate(polarities)
    ]
    return Dataset("i_ta1.train", items, {"construction": "i_ta1.v1", "part": "train"})


def test_polarity_answers_with_the_label_of_the_word_pair() -> None:
    run = predict_suite(
        "builtin/polarity", swaps("contradiction", "neutral", "neutral-contradiction", "none")
    )
    assert run.probabilities["i_ta1.train"].tolist() == [
        [0, 0, 1],
        [0, 1, 0],
        [0, 0.5, 0.5],
        pytest.approx([1 / 3] * 3),
    ]


def test_polarity_alone_is_right_where_it_agrees_with_the_gold_label() -> None:
    """Of I_TA1, 11 % have another polarity than contradiction (section 6.1): 89 %."""
    run = predict_suite("builtin/polarity", swaps(*["contradiction"] * 89, *["neutral"] * 4, *["none"] * 7))
    (accuracy,) = cx.accuracy(run).values()
    assert accuracy.value == 0.89


def test_polarity_needs_items_with_word_pairs() -> None:
    with pytest.raises(CrossexamError, match="1 of 2 items do not say with which label their word pair"):
        predict_suite("builtin/polarity", swaps("none", None))
    with pytest.raises(CrossexamError, match="needs the word pair of an item"):
        open_model("builtin/polarity").predict([("It rains.", "It is wet.")])
