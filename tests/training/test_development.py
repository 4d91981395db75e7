"""Training that stops and chooses by the mean over several development sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.test_sets import read_suite
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.measures import accuracy_by_set
from crossexam.runs.run import predict_suite
from made.commands import invoke

TRAIN = "builtin:demo"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of three corpora: of three labels, of two, and SciTail's entailment and neutral."""
    folder = tmp_path_factory.mktemp("dev")
    examples = [e for e in read_corpus(TRAIN) if e.label]
    with (folder / "two.jsonl").open("w") as file:
        for example in examples[::2]:
            label = "entailment" if example.label == "entailment" else "not_entailment"
            row = {"premise": example.premise, "hypothesis": example.hypothesis, "label": label}
            file.write(json.dumps(row) + "\n")
    with (folder / "scitail_1.0_dev.tsv").open("w") as file:
        for example in [e for e in examples if e.label != "contradiction"][::3]:
            label = "entails" if example.label == "entailment" else "neutral"
            file.write(f"{example.premise}\t{example.hypothesis}\t{label}\n")
    bases = [str(folder / "two.jsonl"), f"scitail@{folder / 'scitail_1.0_dev.tsv'}", f"{TRAIN}[200:290]"]
    words = [word for base in bases for word in ("--base", base)]
    invoke("build", "corpus", *words, "-o", folder / "suite")
    return folder / "suite"


@pytest.mark.parametrize("kind", ["zoo", "bow", "hom", "rf", pytest.param("hf", marks=pytest.mark.slow)])
def test_the_dev_accuracy_is_the_mean_of_what_a_run_over_the_suite_gives(
    kind: str, suite: Path, of_kind: Any, manifest_of: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    result = invoke("train", *of_kind[kind], "--train", f"{TRAIN}[:200]", "--dev", suite, "-o", folder)
    scores = manifest_of(folder)["scores"]
    run = predict_suite(f"{kind}/{folder}", read_suite(suite), options={"device": "cpu"})
    found = {name: 100 * accuracy.value for name, accuracy in accuracy_by_set(run).items()}
    assert len(found) == 3
    parts = {Path(spec).stem: accuracy for spec, accuracy in scores["dev"].items()}
    assert parts == pytest.approx(found, abs=1e-3)
    assert scores["dev_accuracy"] == pytest.approx(sum(found.values()) / 3, abs=1e-3)
    shown = " ".join(result.output.split())
    assert f"dev accuracy {scores['dev_accuracy']:.1f} % is the mean of base.two" in shown


def test_a_limit_draws_the_same_for_all_seeds_and_models_and_is_in_manifest_and_fingerprint(
    suite: Path, manifest_of: Any, tmp_path: Path
) -> None:
    data = ["--train", f"{TRAIN}[:200]", "--dev", suite, "--dev-limit", 7]
    words = ["train", "cbow", "--epochs", 1, "--set", "width=8", *data, "--seeds", 2, "-o", tmp_path / "two"]
    assert "--dev-limit 7: 21 of" in " ".join(invoke(*words).output.split())
    invoke("train", "bag-of-words", "--set", "min_count=1", *data, "-o", tmp_path / "bow")
    manifests = [manifest_of(tmp_path / "two" / f"seed-{n}") for n in (0, 1)]
    one, two = (each["fingerprint"]["data"]["dev"] for each in manifests)
    assert one == two == manifest_of(tmp_path / "bow")["fingerprint"]["dev"]
    assert (one["limit"], one["rows"]) == (7, 21)
    assert [part["rows"] for part in one["parts"]] == [7, 7, 7]
    assert [part.get("projection") for part in one["parts"]] == ["two labels", "no contradiction", None]
