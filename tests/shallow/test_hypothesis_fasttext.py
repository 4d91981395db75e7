"""fastText on hypotheses: n-grams by hand, the descent against its formula, folders, the command line."""

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from crossexam.core.example import Example
from crossexam.core.labels import LABEL_INDEX
from crossexam.core.sealed import MANIFEST
from crossexam.shallow.hypothesis_fasttext import (
    WEIGHTS,
    FastTextSettings,
    HypothesisFastText,
    NGrams,
    bucket_of,
    fit_hypothesis_fasttext,
    load_hypothesis_fasttext,
    save_hypothesis_fasttext,
    tokens_of,
)
from made.cases import refused

BUCKETS = 50_000
SMALL = FastTextSettings(width=4, buckets=BUCKETS, learning_rate=0.5, epochs=30, batch_size=4)


def _grams(met: list[tuple[str, ...]], most: int = 2) -> NGrams:
    buckets = np.array(sorted(bucket_of(gram, BUCKETS) for gram in met))
    return NGrams(("</s>", "dog", "runs"), buckets, BUCKETS, most)


def test_rows_are_those_of_known_words_and_of_buckets_that_were_met() -> None:
    grams = _grams([("dog", "runs"), ("runs", "</s>")])
    first, second = (grams.places[bucket_of(gram, BUCKETS)] for gram in (("dog", "runs"), ("runs", "</s>")))
    assert {first, second} == {3, 4}
    assert grams.rows(tokens_of("The dog runs")) == [1, 2, 0, first, second]  # "the", "the dog": unknown
    assert grams.rows(tokens_of("Dog dog")) == [1, 1, 0]
    three = _grams([("the", "dog", "runs")], most=3)
    assert three.rows(tokens_of("The dog runs")) == [1, 2, 0, 3]


def test_probabilities_are_softmax_of_the_mean_vector() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    output = np.array([[1.0, 0.0, -1.0], [0.5, 0.0, 0.0]])
    found = HypothesisFastText(_grams([]), vectors, output).probabilities([("the runs", "dog cat")])
    logits = [0.5 * 1 + 1.0 * 0.5, 0.0, -0.5]  # the mean of </s> (1, 0) and dog (0, 2) is (0.5, 1)
    assert np.allclose(found, [np.exp(logits) / np.exp(logits).sum()])


def test_the_descent_is_that_of_fasttext(taught: tuple[Example, ...]) -> None:
    """One example a step: dL/dz = p - y; the mean passes each row its share, and the rate falls to 0."""
    fitted = fit_hypothesis_fasttext(taught, replace(SMALL, epochs=2, batch_size=1), seed=3).model
    generator = torch.Generator().manual_seed(3)
    vectors = ((2 * torch.rand(len(fitted.grams), 4, generator=generator) - 1) / 4).double().numpy()
    output, step, total = np.zeros((4, 3)), 0, 2 * len(taught)
    for _ in range(2):
        for chosen in torch.randperm(len(taught), generator=generator).tolist():
            rate = 0.5 * (1 - step / total)
            rows = fitted.grams.rows(tokens_of(taught[chosen].hypothesis))
            mean = vectors[rows].mean(axis=0)
            shares = np.exp(mean @ output)
            error = shares / shares.sum() - np.eye(3)[LABEL_INDEX[str(taught[chosen].label)]]
            passed = output @ error
            output -= rate * np.outer(mean, error)
            for row in rows:
                vectors[row] -= rate * passed / len(rows)
            step += 1
    assert np.allclose(fitted.output, output, atol=1e-5)
    assert np.allclose(fitted.vectors, vectors, atol=1e-5)
    assert np.abs(fitted.output).max() > 0.01


def test_rare_words_are_left_out_and_losses_fall(taught: tuple[Example, ...]) -> None:
    rare = [*taught, Example("x", "It rains.", "Somebody sleeps.", "neutral")]
    fitted = fit_hypothesis_fasttext(rare, replace(SMALL, min_count=2))
    assert set(fitted.model.grams.words) & {"his", "somebody", "sleeps"} == {"his", "sleeps"}
    assert list(fitted.losses) == sorted(fitted.losses, reverse=True)


def test_weights_that_do_not_fit_are_refused(taught: tuple[Example, ...], tmp_path: Path) -> None:
    settings = replace(SMALL, buckets=1000, epochs=1)
    model = fit_hypothesis_fasttext(taught, settings).model
    save_hypothesis_fasttext(tmp_path, model, {"fasttext": asdict(settings)})
    (tmp_path / MANIFEST).write_text("{}")
    sound = load_file(tmp_path / WEIGHTS)
    for output in (np.zeros((4, 1), dtype=np.float32), np.full((4, 3), np.nan, dtype=np.float32)):
        save_file(sound | {"output": output}, tmp_path / WEIGHTS)
        assert "vectors of shape" in refused(load_hypothesis_fasttext, tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"cut off")
    assert "not the weights of a fastText model" in refused(load_hypothesis_fasttext, tmp_path)
