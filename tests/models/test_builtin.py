"""Names of models, the built-in ones, and what every kind has in common."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import make_minilm
import numpy as np
import pytest

import crossexam as cx
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json
from crossexam.models import builtin
from crossexam.models.label_order import PAIRS
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.runs import dataset

FOLDER = Path(str(builtin.MINILM_FOLDER))
#: Those that answer pairs of sentences alone.
OF_PAIRS = [name for name in sorted(builtin.SUMMARIES) if name != "builtin/polarity"]


def test_every_builtin_answers_with_probabilities_one_by_one() -> None:
    models = [open_model(name) for name in builtin.SUMMARIES]
    assert len({model.key for model in models}) == len(models)
    pairs = [*PAIRS[::4], ("", ""), ("Paris", ""), ("", "3 dogs"), ("not a", "in Paris never")]
    for name in OF_PAIRS:
        model = open_model(name)
        answers = model.predict(pairs)
        assert np.allclose(answers.sum(axis=1), 1)
        assert (answers >= 0).all()
        one_by_one = [model.predict([pair])[0] for pair in pairs]
        assert np.allclose(answers, one_by_one, rtol=0, atol=1e-6), name


def test_builtin_models_need_no_torch() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('torch', 'transformers', 'onnx')))  # importing them fails\n"
        "from crossexam.models.table import open_model\n"
        f"for name in {OF_PAIRS}: open_model(name).predict([('a b', 'a')])\n"
        "others = ('pyarrow', 'pandas', 'polars', 'sklearn', 'nltk', 'huggingface_hub')\n"
        "print(*[name for name in others if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(cx.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == ""


def test_overlap(each_case: Any) -> None:
    def check(premise: str, hypothesis: str, label: str) -> None:
        assert builtin.overlap_label(premise, hypothesis) == label

    each_case(check)


@pytest.mark.slow
def test_overlap_has_the_accuracy_that_its_docstring_claims(shared_data: Path) -> None:
    with (shared_data / "multinli" / "multinli_train_subset_tokenised.tsv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    right = sum(builtin.overlap_label(row["sentence1"], row["sentence2"]) == row["label"] for row in rows)
    assert (builtin.ENTAILED_FROM, builtin.CONTRADICTED_BELOW) == (0.6, 0.2)
    assert round(100 * right / len(rows), 1) == 52.1


def test_polarity_answers_with_the_label_of_the_word_pair() -> None:
    """Of I_TA1, 11 % have another polarity than contradiction (section 6.1): 89 % of answers are right."""
    polarities = ["contradiction"] * 89 + ["neutral"] * 4 + ["neutral-contradiction"] * 3 + ["none"] * 4
    known = [{"polarity": each} for each in polarities]
    run = predict_suite("builtin/polarity", dataset("i_ta1.train", "C" * 100, info=known))
    expected = [[0, 0, 1]] * 89 + [[0, 1, 0]] * 4 + [[0, 0.5, 0.5]] * 3 + [[1 / 3] * 3] * 4
    np.testing.assert_allclose(run.probabilities["i_ta1.train"], expected)
    (accuracy,) = cx.accuracy(run).values()
    assert accuracy.value == 0.89
    said = refused(predict_suite, "builtin/polarity", dataset("i_ta1.train", "C"))
    assert "1 of 1 items do not say with which label their word pair" in said


def test_minilm_is_small_exact_on_all_processors_and_described_by_its_card() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 24_000_000
    facts = read_json(FOLDER / "manifest.json")
    largest = make_minilm.largest_weight(FOLDER / "model.onnx")
    assert largest == facts["largest_weight"]
    assert 2 * 255 * largest < 2**15  # no processor saturates
    assert make_minilm.CARD.read_text(encoding="utf-8") == make_minilm.card(facts)
    assert facts["bytes"]["model.onnx"] == (FOLDER / "model.onnx").stat().st_size


@pytest.mark.slow
def test_minilm_has_the_accuracy_of_its_card(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    (found,) = cx.accuracy(cx.run(builtin.MINILM_NAME, cx.load("snli:test"))).values()
    stated = Estimate(*read_json(FOLDER / "manifest.json")["accuracy"]["SNLI test"])
    assert found.value == pytest.approx(stated.value, abs=0.002)  # last bits differ between processors
    assert found.value >= 0.8
