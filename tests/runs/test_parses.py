"""The parses of the sentences of test sets, from suites to the models that read them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import BINARY_PARSE_KEY, Example
from crossexam.core.labels import LABELS
from crossexam.corpora.development import DevSets
from crossexam.corpora.labelled import Corpus
from crossexam.language.parsing.binary import known_parses, parsed_items
from crossexam.reports.analyses.parses import parsed_counts
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import base_from_examples
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request
from crossexam.training.data import Data
from crossexam.training.request import TrainingRequest
from crossexam.training.train import train_model
from crossexam.training.zoo import load_zoo
from crossexam.zoo.trees import parse_binary

NOUNS = ("man", "woman", "dog", "cat", "child", "girl", "boy", "cook")


def pair(k: int, *, parsed: bool = True) -> Example:
    """A pair whose parse is neither right- nor left-branching."""
    noun, other, verb = NOUNS[k % 8], NOUNS[(k * 3 + 1) % 8], ("runs", "sleeps", "eats", "sings")[k % 4]
    texts = (f"A {noun} and a {other} {verb} here.", f"A {noun} {verb}.")
    info: dict[str, Any] = {
        BINARY_PARSE_KEY["premise"]: f"( ( ( ( A {noun} ) and ) ( a {other} ) ) ( ( {verb} here ) . ) )",
        BINARY_PARSE_KEY["hypothesis"]: f"( ( A {noun} ) ( {verb} . ) )",
    }
    return Example(str(k), *texts, LABELS[k % 3], info=info if parsed else {})


PAIRS = tuple(pair(k) for k in range(24))


@pytest.fixture(scope="module")
def tree_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A trained tree-LSTM."""
    corpus = Corpus("made", PAIRS)
    folder = tmp_path_factory.mktemp("tree") / "model"
    values = {"hidden": "4", "width": "6", "epochs": "2", "lr": "0.05", "dropout": "0", "deviation": "1"}
    data = Data((corpus,), DevSets("dev", (corpus,)))
    train_model(TrainingRequest("syntactic_tree_lstm", data, folder, values=values))
    return f"zoo/{folder}"


def suite_of(construction: str, *, parsed: bool = True) -> Suite:
    base = base_from_examples(Dataset("made", tuple(pair(k, parsed=parsed) for k in range(24))))
    return build_in_memory(suite_request(construction, [base]))


def test_the_parse_of_an_edited_sentence_follows_from_that_of_its_base_which_alone_is_kept() -> None:
    suite = suite_of("negation")
    parses = known_parses(suite)
    for dataset in suite:
        assert parsed_items(dataset, parses) == len(dataset)
        for item in dataset:
            words, _ = parse_binary(parses[item.hypothesis])
            assert "".join(words) == item.hypothesis.replace(" ", "")
            assert (set(BINARY_PARSE_KEY.values()) <= set(item.info)) is (dataset.name == "base.made")
    assert parsed_items(suite["negation.made"], known_parses([suite["negation.made"]])) == 0
    misfit = Example("a", "A man sleeps.", "h", None, info={BINARY_PARSE_KEY["premise"]: "( It rains )"})
    assert known_parses([Dataset("x", (misfit,))]) == {}


def test_a_model_reads_in_a_run_what_it_reads_in_training(tree_model: str, tmp_path: Path) -> None:
    """The accuracy that training reports, on trees of the corpus, is that of a run over the same pairs."""
    options = {"device": "cpu"}
    flat = predict_suite(tree_model, suite_of("negation", parsed=False), store=tmp_path, options=options)
    run = predict_suite(tree_model, suite_of("negation"), store=tmp_path, options=options)
    assert run.manifest.pairs_from_store == 0  # a prediction on a parse is not one without
    model, pipeline = load_zoo(Path(tree_model.removeprefix("zoo/")))
    encoded = pipeline.encode(PAIRS)
    with torch.inference_mode():
        logits = pipeline.logits(model.eval(), pipeline.collate(encoded, range(24)).inputs)
    expected = torch.softmax(logits.double(), -1).numpy()
    assert run.answers("base.made") == pytest.approx(expected, abs=1e-5)
    assert np.abs(flat.answers("base.made") - run.answers("base.made")).max() > 1e-3
    assert [parsed_counts(each)["base.made"] for each in (run, flat)] == [(24, 24), (0, 24)]


def test_a_parser_parses_what_does_not_follow(shared_data: Path) -> None:
    pytest.importorskip("spacy")
    base = base_from_examples(Dataset("made", tuple(pair(k, parsed=False) for k in range(4))))
    spec = f"spacy:{shared_data / 'spacy' / 'en_ewt_small'}"
    for name, stored in (("negation", 0), ("word_shuffle", 4)):
        suite = build_in_memory(suite_request(name, [base], parser=spec))
        items = suite[f"{name}.made"]
        assert parsed_items(suite["base.made"], known_parses(suite)) == 4
        assert parsed_items(items, known_parses(suite)) == len(items) == 4
        assert sum(bool(set(BINARY_PARSE_KEY.values()) & set(item.info)) for item in items) == stored
        assert "trees:spacy:en_ewt_small" in str(suite["base.made"].entry.signature)
