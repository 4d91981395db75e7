"""Corpora of two and of three labels in training, development and test, for every kind of trained model."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.files import read_json
from crossexam.core.labels import ENTAILMENT_OR_NOT
from crossexam.core.test_sets import read_suite
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.training.data import load_data
from made.cases import refused
from made.commands import invoke
from made.corpora import write_lines, write_records

TRAIN = "builtin:demo"
CPU = {"device": "cpu"}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in corpus with two labels."""
    rows = (
        {"premise": each.premise, "hypothesis": each.hypothesis, "label": ENTAILMENT_OR_NOT.gold(each.label)}
        for each in read_corpus(TRAIN)
    )
    return write_records(tmp_path_factory.mktemp("corpora") / "two.jsonl", rows)


@pytest.fixture(scope="module")
def suite(two: Path) -> Path:
    """A suite of three corpora: of two labels, of SciTail's entailment and neutral, and of three."""
    names = {"entailment": "entails", "neutral": "neutral"}
    labelled = [each for each in read_corpus(TRAIN) if each.label in names][::3]
    lines = (f"{each.premise}\t{each.hypothesis}\t{names[str(each.label)]}" for each in labelled)
    scitail = write_lines(two.with_name("scitail_1.0_dev.tsv"), lines)
    bases = [f"--base={base}" for base in (two, f"scitail@{scitail}", f"{TRAIN}[200:290]")]
    invoke("build", "corpus", *bases, "-o", two.with_name("suite"))
    return two.with_name("suite")


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("kind", ["zoo", "bow", "hom", "rf", pytest.param("hf", marks=pytest.mark.slow)])
def test_the_scores_of_a_training_are_those_of_runs(
    kind: str, labels: int, two: Path, suite: Path, of_kind: Any, tmp_path: Path
) -> None:
    folder, train = tmp_path / "m", two if labels == 2 else TRAIN
    invoke("train", *of_kind[kind], "--train", train, "--dev", suite, "--test", two, "-o", folder)
    model, scores = open_model(f"{kind}/{folder}", CPU), read_json(folder / "manifest.json")["scores"]
    assert model.details.get("two_label", False) is (labels == 2)
    answered = model.predict([("It rains.", "It is wet."), ("A dog runs.", "A cat sleeps.")])
    assert (answered[:, 2] == 0).all() == (labels == 2)
    np.testing.assert_allclose(answered.sum(axis=1), 1)
    run = predict_suite(model.name, read_suite(suite), options=CPU)
    found = {name: 100 * accuracy.value for name, accuracy in accuracy_by_set(run).items()}
    assert len(found) == 3
    parts = {Path(spec).stem: accuracy for spec, accuracy in scores["dev"].items()}
    assert parts == pytest.approx(found, abs=1e-3)
    assert scores["dev_accuracy"] == pytest.approx(sum(found.values()) / 3, abs=1e-3)
    (test,) = read_json(folder / "manifest.json")["tests"].values()
    assert test["accuracy"] == pytest.approx(found["base.two"], abs=1e-3)


def test_a_limit_draws_the_same_for_all_seeds_and_models_and_is_in_manifest_and_fingerprint(
    suite: Path, tmp_path: Path
) -> None:
    data = ["--train", f"{TRAIN}[:200]", "--dev", suite, "--dev-limit", 7]
    words = ["train", "cbow", "--epochs", 1, "--set", "width=8", *data, "--seeds", 2, "-o", tmp_path / "two"]
    assert "--dev-limit 7: 21 of" in " ".join(invoke(*words).output.split())
    invoke("train", "bag-of-words", "--set", "min_count=1", *data, "-o", tmp_path / "bow")
    manifests = [read_json(tmp_path / "two" / f"seed-{n}" / "manifest.json") for n in (0, 1)]
    one, two = (each["fingerprint"]["data"]["dev"] for each in manifests)
    assert one == two == read_json(tmp_path / "bow" / "manifest.json")["fingerprint"]["dev"]
    assert (one["limit"], one["rows"]) == (7, 21)
    assert [part["rows"] for part in one["parts"]] == [7, 7, 7]
    assert [part.get("projection") for part in one["parts"]] == ["two labels", "no contradiction", None]


def test_corpora_of_both_kinds_need_a_declaration(two: Path, tmp_path: Path) -> None:
    both = f"{two}+{TRAIN}"
    assert "some training corpora have three labels, others two" in refused(load_data, both, TRAIN)
    assert load_data(both, TRAIN, two_labels=True).classes is ENTAILMENT_OR_NOT
    invoke("train", "bag-of-words", "--train", TRAIN, "--dev", TRAIN, "--two-labels", "-o", tmp_path / "m")
    assert open_model(f"bow/{tmp_path / 'm'}").details["two_label"] is True
