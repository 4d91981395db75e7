"""Subsets that a shallow model chooses: scores, CS_lambda, the hard subset, and what is said of the model."""

from pathlib import Path

import numpy as np
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import SCORE, Example, cluster_of
from crossexam.core.test_sets import read_suite
from crossexam.reports.results import results_of
from crossexam.reports.sections import warnings
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import Base, base_from_examples, base_from_spec
from crossexam.suites.build import build_in_memory, build_to_folder
from crossexam.suites.lexically_misleading import LAMBDAS, misleading
from crossexam.suites.plan import SuiteRequest
from crossexam.suites.subsets import hard
from crossexam.suites.table import suite_request
from made.corpora import write_pairs

INFO = {"premise_parse": "(X)", "genre": "tiny"}
EXAMPLES = tuple(
    Example(name, f"Premise {name}.", f"Hypothesis {name}.", label, info=INFO)
    for name, label in (("a", "entailment"), ("b", "neutral"), ("c", "contradiction"), ("d", None))
)
BASE = Dataset("base.tiny", EXAMPLES)
TINY = base_from_examples(Dataset("tiny", EXAMPLES))
ANSWERS = np.array([[0.2, 0.7, 0.1], [0.5, 0.3, 0.2], [0.05, 0.15, 0.8], [0.0, 0.0, 1.0]])


def test_a_subset_has_the_examples_above_lambda_with_their_scores() -> None:
    found = misleading(BASE, ANSWERS, (0.5, 0.51, 0.95))
    scores = {name: [(e.id, e.info[SCORE]) for e in examples] for name, examples in found.items()}
    assert scores == {
        "base": [("a", 0.7), ("b", 0.5), ("c", 0.15)],  # d has no gold
        "cs_0_5": [("a", 0.7), ("b", 0.5)],
        "cs_0_51": [("a", 0.7)],
        "cs_0_95": [],
    }
    assert found["base"][0].info == {"genre": "tiny", "cluster": cluster_of(EXAMPLES[0]), SCORE: 0.7}
    # over two labels, neutral and contradiction add up
    labels = ("not_entailment", "entailment")
    examples = tuple(Example(f"{k}", "A cat.", f"H {k}.", label) for k, label in enumerate(labels))
    subset = misleading(Dataset("base.two", examples), np.array([[0.4, 0.3, 0.3]] * 2), (0.3,))["cs_0_3"]
    assert [item.info[SCORE] for item in subset] == [0.4, 0.6]


def test_hard_are_the_examples_that_are_answered_wrongly() -> None:
    sets = {name: [e.id for e in examples] for name, examples in hard(BASE, ANSWERS).items()}
    assert sets == {"base": ["a", "b", "c"], "hard": ["a", "b"]}


def _request(kind: str, base: Base, **options: object) -> SuiteRequest:
    return suite_request(f"{kind}-subsets", [base], options={f"{kind}-subsets": options})


def test_written_subsets_are_a_suite(tmp_path: Path) -> None:
    lambdas = (*LAMBDAS, LAMBDAS[0])  # given twice, it is one subset
    request = _request("cs", base_from_spec("builtin:demo"), model="builtin/bag-of-words", lambdas=lambdas)
    assert build_to_folder(request, tmp_path / "cs").written
    suite = read_suite(tmp_path / "cs")
    whole = suite["base.builtin_demo"]
    for lam, dataset in zip((0.0, *LAMBDAS), suite, strict=True):
        wanted = [each.id for each in whole if each.info[SCORE] >= lam]
        assert [each.id for each in dataset] == wanted != []
        assert (dataset.entry.yields or {}).get("items", len(whole)) == len(dataset)


def test_that_a_model_chose_items_by_its_answers_is_a_warning() -> None:
    base = base_from_spec("builtin:demo", limit=30)
    suite = build_in_memory(_request("cs", base, model="builtin/bag-of-words"))
    itself, other = (predict_suite(name, suite) for name in ("builtin/bag-of-words", "builtin/overlap"))
    for run, count in ((itself, 1), (other, 0)):
        said = [each for each in warnings(results_of([run])) if "by its own answers" in each]
        assert len(said) == count


def test_a_prediction_file_selects_by_the_ids_of_the_whole_base(tmp_path: Path) -> None:
    """In chunks of the base, though the file is of all of it."""
    table = tmp_path / "answers.csv"
    answers = ("entailment", "entailment", "contradiction", "neutral")
    rows = (f"{example.id},{answer}\n" for example, answer in zip(EXAMPLES, answers, strict=True))
    table.write_text("id,prediction\n" + "".join(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crossexam.suites.chunks.CHUNK", 1)
        suite = build_in_memory(_request("hard", TINY, model=f"file/{table}"))
    assert [example.id for example in suite["hard.tiny"]] == ["b"]
    assert suite.manifest.facts["model"]["matched_by"] == "id"


def test_a_model_that_was_fitted_on_the_base_is_told(tmp_path: Path) -> None:
    for name, said in (("snli_1.0_train", True), ("mine", False)):
        base = write_pairs(tmp_path, name, ["entailment", "neutral", "contradiction"] * 4)
        request = _request("hard", base_from_spec(str(base)), model="builtin/bag-of-words")
        notes = build_to_folder(request, tmp_path / "hard", force=True).notes
        assert any("was fitted on" in note for note in notes) is said
