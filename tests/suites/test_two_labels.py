"""Suites from bases with two labels: every derived set has two, and every route to a model agrees on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_corpora import write_records

from crossexam.constructions.check import run_checks
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.labels import ENTAILMENT_OR_NOT, PROJECTIONS
from crossexam.corpora.spec import read_corpus
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import TestSetResult, measure
from crossexam.models.model import Pair
from crossexam.reports.headline import headline
from crossexam.reports.results import results_of
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import base_from_examples, base_from_spec
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request

DEMO = read_corpus("builtin:demo")


def with_two_labels(dataset: Dataset) -> Dataset:
    examples = tuple(replace(e, label=ENTAILMENT_OR_NOT.gold(e.label)) for e in dataset.examples[:90])
    return Dataset("two", examples, {})


@pytest.fixture(scope="module")
def suite() -> Suite:
    bases = [base_from_examples(with_two_labels(DEMO))]
    problems = [base_from_spec("builtin:word_problems")]
    return build_in_memory(suite_request("stress-tests", bases, problems, tagger="parses"))


def three(pairs: Sequence[Pair]) -> list[list[float]]:
    """Return made-up probabilities of pairs that no label dominates."""
    seeds = (hashlib.blake2b(repr(pair).encode(), digest_size=8).digest() for pair in pairs)
    return [np.random.default_rng(list(seed)).dirichlet([1.2, 1.0, 1.0]).tolist() for seed in seeds]


def one(pairs: Sequence[Pair]) -> list[float]:
    return [shares[0] for shares in three(pairs)]


def two(pairs: Sequence[Pair]) -> list[dict[str, float]]:
    return [{"entailment": share, "not_entailment": 1 - share} for share in one(pairs)]


def names(pairs: Sequence[Pair]) -> list[str]:
    return ["entailment" if share > 0.5 else "not_entailment" for share in one(pairs)]


@pytest.fixture
def routes(suite: Suite, tmp_path: Path) -> dict[str, Run]:
    pairs = [(e.premise, e.hypothesis) for dataset in suite for e in dataset]
    rows = (
        {"premise": p, "hypothesis": h} | shares for (p, h), shares in zip(pairs, two(pairs), strict=True)
    )
    path = write_records(tmp_path / "p.jsonl", rows)
    runs = {
        "three": predict_suite(three, suite),
        "two": predict_suite(two, suite),
        "one": predict_suite(one, suite, options={"threshold": 0.5}),
        "names": predict_suite(names, suite),
        "file": predict_suite(f"file/{path}", suite),
    }
    return {name: replace(run, model="m") for name, run in runs.items()}


def test_every_derived_set_has_two_labels_and_the_checks_find_nothing(suite: Suite) -> None:
    labels = {}
    for dataset in suite:
        assert dataset.entry.projection == "two labels", dataset.name
        labels[dataset.entry.construction] = {str(item.label) for item in dataset}
        base = suite.datasets.get(str(dataset.entry.base_set))
        assert [f for f in run_checks(dataset, base) if f.code.startswith("E")] == [], dataset.name
    both = {"entailment", "not_entailment"}
    assert set().union(*labels.values()) == both
    assert (labels["antonymy"], labels["numerical_reasoning"]) == ({"not_entailment"}, both)


def test_the_same_weights_give_the_same_numbers_by_every_route(
    routes: dict[str, Run], for_each: Callable[..., None]
) -> None:
    three = routes.pop("three")
    expected = headline(results_of([three]))
    assert "not_entailment" not in expected

    def numbers(run: Run) -> list[TestSetResult]:
        """The measures without what is said of the labels that it was scored on: some have more."""
        return [replace(each, projection=None) for each in measure(run)]

    def check(route: str) -> None:
        assert headline(results_of([routes[route]])) == expected
        assert numbers(routes[route]) == numbers(three)

    for_each(check, routes)
    for pair in compare_runs(three, replace(routes["two"], model="n")):
        assert pair.difference.value == 0, pair.name


def test_labels_that_a_construction_assigns_have_two_even_if_the_corpus_has_neutral(tmp_path: Path) -> None:
    path = tmp_path / "scitail_1.0_test.tsv"
    rows = (("A tall man runs.", "A man runs.", "entails"), ("A tall man runs.", "A man is old.", "neutral"))
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    base = base_from_spec(f"scitail@{path}")
    assert base.projection is PROJECTIONS["no contradiction"]
    suites = [
        build_in_memory(suite_request(name, [base], tagger="builtin")) for name in ("antonymy", "negation")
    ]
    by_construction = {dataset.entry.construction: dataset for suite in suites for dataset in suite}
    assert by_construction["negation"].entry.projection == "no contradiction"
    assert {item.label for item in by_construction["negation"]} == {"entailment", "neutral"}
    assert by_construction["antonymy"].entry.projection == "two labels"
    assert {item.label for item in by_construction["antonymy"]} == {"not_entailment"}


def test_a_base_whose_first_labels_are_all_entailment_has_two_labels_too() -> None:
    ordered = sorted(with_two_labels(DEMO), key=lambda example: str(example.label))
    assert base_from_examples(ordered, limit=5).projection is ENTAILMENT_OR_NOT


def test_single_sentences_are_rejected_where_a_pair_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "sentences.txt"
    path.write_text("Tom has 3 tall boxes.\nIt rains.\n")
    (dataset,) = build_in_memory(suite_request("negation", [base_from_spec(str(path))]))
    rejected = {"a single sentence, not a pair": 2}
    assert dataset.entry.yields == {"examples": 2, "items": 0, "rejected": rejected}
