"""fastText on hypotheses: n-grams by hand, the descent against its formula, folders, the command line."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, FormatError, how_to_install
from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX, LABELS
from crossexam.core.sealed import read_manifest
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.shallow.fitting import CONFIG, MANIFEST, FitRequest, fit_once
from crossexam.shallow.hypothesis_fasttext import (
    HYPOTHESIS_FASTTEXT,
    WEIGHTS,
    FastTextSettings,
    HypothesisFastText,
    NGrams,
    bucket_of,
    fit_hypothesis_fasttext,
    load_hypothesis_fasttext,
)

SENTENCES = st.lists(st.sampled_from("dog cat man sleeps runs not red".split()), max_size=6).map(" ".join)
BUCKETS = 50_000
SMALL = FastTextSettings(width=4, buckets=BUCKETS, learning_rate=0.5, epochs=30, batch_size=4)
TRAINED_ON = [
    Example(f"{number}{label}", premise, hypothesis, label, info={})
    for number in range(4)
    for premise, hypothesis, label in (
        ("A dog runs outside.", "An animal moves.", "entailment"),
        ("A man sits.", "A tall man waits for friends.", "neutral"),
        ("A woman cooks.", "Nobody cooks.", "contradiction"),
    )
]


def _grams(met: list[tuple[str, ...]], most: int = 2) -> NGrams:
    buckets = np.array(sorted(bucket_of(gram, BUCKETS) for gram in met))
    return NGrams(("</s>", "dog", "runs"), buckets, BUCKETS, most)


def test_rows_are_those_of_known_words_and_of_buckets_that_were_met() -> None:
    grams = _grams([("dog", "runs"), ("runs", "</s>")])
    first, second = (grams.places[bucket_of(gram, BUCKETS)] for gram in (("dog", "runs"), ("runs", "</s>")))
    assert {first, second} == {3, 4}
    assert grams.rows("The dog runs") == [1, 2, 0, first, second]  # "the", "the dog": unknown
    assert grams.rows("Dog dog") == [1, 1, 0]
    assert grams.rows("") == [0]
    three = _grams([("the", "dog", "runs")], most=3)
    assert three.rows("The dog runs") == [1, 2, 0, 3]


@given(sentences=st.lists(SENTENCES, min_size=3, max_size=8))
def test_what_was_read_in_training_is_known_afterwards(sentences: list[str]) -> None:
    examples = [Example(str(n), "", text, LABELS[n % 3]) for n, text in enumerate(sentences)]
    grams = fit_hypothesis_fasttext(examples, replace(SMALL, epochs=1)).model.grams
    for text in sentences:
        spoken = [*text.split(), "</s>"]
        assert len(grams.rows(text)) == len(spoken) + len(spoken) - 1  # all words, all neighbours
    read = [[*text.split(), "</s>"] for text in sentences]
    pairs = {pair for spoken in read for pair in pairwise(spoken)}
    assert len(grams.met) == len({bucket_of(pair, BUCKETS) for pair in pairs})
    assert set(grams.words) == {"</s>"} | {word for text in sentences for word in text.split()}


def test_probabilities_are_softmax_of_the_mean_vector() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    output = np.array([[1.0, 0.0, -1.0], [0.5, 0.0, 0.0]])
    model = HypothesisFastText(_grams([]), vectors, output)
    found = model.probabilities([("the runs", "dog cat"), ("", "cow")])
    logits = [0.5 * 1 + 1.0 * 0.5, 0.0, -0.5]  # the mean of </s> (1, 0) and dog (0, 2) is (0.5, 1)
    total = sum(map(math.exp, logits))
    assert np.allclose(found[0], [math.exp(each) / total for each in logits])
    alone = [math.exp(1), 1.0, math.exp(-1)]
    assert np.allclose(found[1], np.array(alone) / sum(alone))
    assert model.probabilities([]).shape == (0, 3)


def test_the_descent_is_that_of_fasttext() -> None:
    """One example a step: dL/dz = p - y; the mean passes each row its share, and the rate falls to 0."""
    import torch

    fitted = fit_hypothesis_fasttext(TRAINED_ON, replace(SMALL, epochs=2, batch_size=1), seed=3).model
    generator = torch.Generator().manual_seed(3)
    vectors = ((2 * torch.rand(len(fitted.grams), 4, generator=generator) - 1) / 4).double().numpy()
    output, step, total = np.zeros((4, 3)), 0, 2 * len(TRAINED_ON)
    for _ in range(2):
        for chosen in torch.randperm(len(TRAINED_ON), generator=generator).tolist():
            rate = 0.5 * (1 - step / total)
            rows = fitted.grams.rows(TRAINED_ON[chosen].hypothesis)
            mean = vectors[rows].mean(axis=0)
            shares = np.exp(mean @ output)
            error = shares / shares.sum() - np.eye(3)[LABEL_INDEX[str(TRAINED_ON[chosen].label)]]
            passed = output @ error
            output -= rate * np.outer(mean, error)
            for row in rows:
                vectors[row] -= rate * passed / len(rows)
            step += 1
    assert np.allclose(fitted.output, output, atol=1e-5)
    assert np.allclose(fitted.vectors, vectors, atol=1e-5)
    assert np.abs(fitted.output).max() > 0.01


def test_it_learns_and_does_not_read_the_premise() -> None:
    model = fit_hypothesis_fasttext(TRAINED_ON, SMALL).model
    answers = model.probabilities([(example.premise, example.hypothesis) for example in TRAINED_ON])
    assert [LABELS[k] for k in answers.argmax(axis=1)] == [example.label for example in TRAINED_ON]
    others = model.probabilities([("Something else.", example.hypothesis) for example in TRAINED_ON])
    assert np.array_equal(answers, others)


def test_rare_words_are_left_out() -> None:
    assert "tall" in fit_hypothesis_fasttext(TRAINED_ON, SMALL).model.grams.words
    rare = [*TRAINED_ON, Example("x", "It rains.", "Somebody waits.", "neutral")]
    words = fit_hypothesis_fasttext(rare, replace(SMALL, min_count=2)).model.grams.words
    assert "somebody" not in words
    assert "waits" in words


def test_what_cannot_be_fitted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CrossexamError, match="none of the 8 training examples is labelled contradiction"):
        fit_hypothesis_fasttext([e for e in TRAINED_ON if e.label != "contradiction"], SMALL)
    unlabelled = [replace(example, label=None) for example in TRAINED_ON]
    assert fit_hypothesis_fasttext([*TRAINED_ON, *unlabelled], SMALL).examples == len(TRAINED_ON)
    two = Example("rte-1", "It rains.", "It pours.", "not_entailment")
    with pytest.raises(CrossexamError, match="there are both not_entailment and neutral"):
        fit_hypothesis_fasttext([*TRAINED_ON, two], SMALL)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CrossexamError, match=re.escape(how_to_install("torch"))):
        fit_hypothesis_fasttext(TRAINED_ON, SMALL)


def _written(path: Path, examples: list[Example]) -> Path:
    lines = [
        {"gold_label": e.label, "pairID": e.id, "sentence1": e.premise, "sentence2": e.hypothesis}
        for e in examples
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("corpus") / "tiny.jsonl", TRAINED_ON)


VALUES = {"width": "4", "buckets": "1000", "epochs": "30", "lr": "0.5", "batch_size": "4"}


def test_training_writes_a_folder_that_is_a_model(corpus: Path, tmp_path: Path) -> None:
    request = FitRequest(str(corpus), str(corpus), tmp_path / "m", values=VALUES, seed=1)
    manifest = fit_once(HYPOTHESIS_FASTTEXT, request).manifest
    assert manifest == read_manifest(tmp_path / "m" / MANIFEST)
    assert (manifest["examples"], manifest["scores"]["dev_accuracy"]) == (12, 100.0)
    assert manifest["fingerprint"]["seed"] == 1
    assert manifest["fingerprint"]["fasttext"]["learning_rate"] == 0.5
    assert manifest["losses"] == sorted(manifest["losses"], reverse=True)
    assert {"torch", "safetensors"} <= set(manifest["versions"])
    model = open_model(f"hom/{tmp_path / 'm'}")
    assert isinstance(model, Model)
    assert model.name == f"hom/{tmp_path / 'm'}"
    assert model.details["train"] == [str(corpus)]
    pairs = [(example.premise, example.hypothesis) for example in TRAINED_ON]
    assert np.array_equal(model.predict(pairs), load_hypothesis_fasttext(tmp_path / "m").probabilities(pairs))


def test_a_seed_fixes_the_bytes_and_what_is_done_is_not_done_again(corpus: Path, tmp_path: Path) -> None:
    request = FitRequest(str(corpus), str(corpus), tmp_path / "m", values=VALUES)
    first = fit_once(HYPOTHESIS_FASTTEXT, request)
    for seed, same in ((0, True), (1, False)):
        other = fit_once(HYPOTHESIS_FASTTEXT, replace(request, folder=tmp_path / f"n{seed}", seed=seed))
        weights = [(folder / WEIGHTS).read_bytes() for folder in (first.folder, other.folder)]
        assert (weights[0] == weights[1]) is same
        keys = {open_model(f"hom/{folder}").key for folder in (first.folder, other.folder)}
        assert len(keys) == 2 - same
    touched = (first.folder / WEIGHTS).stat().st_mtime_ns
    again = fit_once(HYPOTHESIS_FASTTEXT, replace(request, tests=(str(corpus),)))
    assert (first.folder / WEIGHTS).stat().st_mtime_ns == touched
    assert again.manifest == {**first.manifest, "tests": again.manifest["tests"]}
    assert again.manifest["tests"][str(corpus)]["rows"] == 12
    with pytest.raises(CrossexamError, match="choose another folder with -o"):
        fit_once(HYPOTHESIS_FASTTEXT, replace(request, seed=5))


def test_requests_that_make_no_sense(corpus: Path, tmp_path: Path) -> None:
    request = FitRequest(str(corpus), str(corpus), tmp_path / "m")
    for values, message in (
        ({"width": "0"}, "'width' is 0"),
        ({"widht": "1"}, "did you mean 'width'"),
        ({"epochs": "many"}, "'epochs' cannot be 'many'"),
    ):
        with pytest.raises(CrossexamError, match=message):
            fit_once(HYPOTHESIS_FASTTEXT, replace(request, values=values))
    with pytest.raises(CrossexamError, match="no epochs to draw a share for"):
        fit_once(HYPOTHESIS_FASTTEXT, replace(request, train="snli:train@0.1"))
    two = _written(tmp_path / "two.jsonl", [replace(TRAINED_ON[2], label="not_entailment"), *TRAINED_ON])
    for change in ({"train": str(two)}, {"dev": str(two)}, {"tests": (str(two),)}):
        with pytest.raises(CrossexamError, match=r"two.jsonl: there are both not_entailment and"):
            fit_once(HYPOTHESIS_FASTTEXT, replace(request, **change))
    assert not (tmp_path / "m").exists()


@pytest.fixture(scope="module")
def folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "m"
    return fit_once(HYPOTHESIS_FASTTEXT, FitRequest(str(corpus), str(corpus), folder, values=VALUES)).folder


def test_answers_need_no_torch(folder: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = sys.modules['sklearn'] = None; "
        "from crossexam.models.table import open_model; "
        f"print(open_model({f'hom/{folder}'!r}).predict([('', 'Nobody cooks.')]).argmax())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"


def test_folders_that_are_no_models(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="no such folder"):
        open_model(f"hom/{tmp_path / 'none'}")
    with pytest.raises(CrossexamError, match="this folder does not contain a fastText model of hypotheses"):
        open_model(f"hom/{tmp_path}")
    for name in (CONFIG, MANIFEST, WEIGHTS):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / WEIGHTS).write_bytes(b"cut off")
    with pytest.raises(FormatError, match="not the weights of a fastText model"):
        open_model(f"hom/{tmp_path}").predict([("", "")])
    (tmp_path / CONFIG).write_text('{"kind": "crossexam-zoo", "format": 1}')
    with pytest.raises(FormatError, match="this is 'crossexam-zoo', format 1"):
        open_model(f"hom/{tmp_path}")
    with pytest.raises(CrossexamError, match="leave out --label-order"):
        open_model(f"hom/{folder}", {"label_order": LABELS})


@pytest.mark.parametrize(
    "change",
    [
        {"output": np.zeros((4, 1), dtype=np.float32)},
        {"met": np.zeros(1, dtype=np.int64)},
        {"output": np.full((4, 3), np.nan, dtype=np.float32)},
        {"vectors": np.zeros(4, dtype=np.float32)},
    ],
)
def test_weights_that_do_not_fit_are_refused(folder: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    from safetensors.numpy import load_file, save_file

    for name in (CONFIG, MANIFEST):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    save_file(load_file(folder / WEIGHTS) | change, tmp_path / WEIGHTS)
    with pytest.raises(FormatError, match="vectors of shape"):
        open_model(f"hom/{tmp_path}").predict([("", "")])


@pytest.mark.parametrize("name", ["hypothesis-fasttext", "hom"])
def test_the_command_line_trains(name: str, corpus: Path, tmp_path: Path) -> None:
    line = ["train", name, "--train", str(corpus), "--dev", str(corpus), "-o", str(tmp_path / "m")]
    done = CliRunner().invoke(app, [*line, "--epochs", "30", "--set", "lr=0.5", "--seed", "2"])
    assert done.exit_code == 0, done.output
    assert "100.0 %" in done.output
    manifest = json.loads((tmp_path / "m" / MANIFEST).read_text())
    assert (manifest["fingerprint"]["seed"], manifest["fingerprint"]["fasttext"]["epochs"]) == (2, 30)
    with pytest.raises(CrossexamError, match="--seeds has no effect on hypothesis-fasttext"):
        CliRunner().invoke(app, [*line, "--seeds", "2"], catch_exceptions=False)
    with pytest.raises(CrossexamError, match="has no named features"):
        CliRunner().invoke(app, ["features", f"hom/{tmp_path / 'm'}"], catch_exceptions=False)
