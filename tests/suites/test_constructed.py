"""Suites of constructed items: of which files and bases, by which rules, and how many per key."""

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crossexam as cx
from crossexam.constructions.keys import in_one_order
from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import MissingResourceError
from crossexam.core.labels import ENTAILMENT_OR_NOT, PROJECTIONS
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.measures import measure
from crossexam.models.model import Pair
from crossexam.reports.results import results_of
from crossexam.reports.sentences.headline import headlines
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import base_from_examples, base_from_spec
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_named, suite_request
from made.cases import refused
from made.commands import invoke
from made.corpora import write_lines, write_records

DEMO = list(cx.load("builtin:demo").examples)
ROWS = [{"premise": e.premise, "hypothesis": e.hypothesis, "label": e.label} for e in DEMO[:40]]
ROWS += ROWS[:3]  # repeated rows are different items


def _items(suite: Suite) -> dict[str, list[Any]]:
    """Return all that an item consists of, by test set without the name of its base."""
    return {
        each.name.partition(".")[0]: [
            (e.id, e.premise, e.hypothesis, e.label, e.base, e.change, dict(e.info)) for e in each
        ]
        for each in suite
    }


def test_name_and_format_of_a_file_and_the_order_of_rows_change_nothing(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "renamed.csv", separator=";")
    write_records(tmp_path / "claims.jsonl", ROWS)
    expected = _items(cx.build("stress-tests", str(tmp_path / "renamed.csv")))
    assert all(len(expected[name]) > 5 for name in ("base", "negation", "spelling_error_keyboard_swap"))
    assert _items(cx.build("stress-tests", str(tmp_path / "claims.jsonl"))) == expected
    # of two items with the same texts, the first row has one: which row that is, is not drawn
    found, wanted = (
        {name: sorted(row[1:4] for row in rows) for name, rows in each.items()}
        for each in (_items(cx.build("stress-tests", cx.load(ROWS[::-1]))), expected)
    )
    assert found == wanted


# premise, hypothesis, gold label
PAIRS = (
    ("The soup is hot.", "A cook is here.", "neutral"),
    ("The box is heavy.", "The soup is hot.", "-"),
    ("The pond is deep.", "The house is big.", "entailment"),
    ("The knife is clean.", "A knife is here.", "-"),
    ("The box is heavy.", "A box is here.", "entailment"),
)


def test_pairs_without_a_gold_label_are_of_use_to_a_construction_that_needs_none(tmp_path: Path) -> None:
    rows = [
        {"gold_label": label, "pairID": f"p{number}", "sentence1": premise, "sentence2": hypothesis}
        for number, (premise, hypothesis, label) in enumerate(PAIRS)
    ]
    corpus = str(write_records(tmp_path / "pairs.jsonl", rows))
    request = suite_request("stress-tests", [base_from_spec(corpus)], tagger="builtin")
    some = [each for each in request.constructions if each.name in {"antonymy", "negation"}]
    suite = build_in_memory(replace(request, constructions=some))
    items = [(item.hypothesis, item.base) for item in suite["antonymy.pairs"]]
    assert items == [
        ("The soup is cold.", "p0"),
        ("The box is light.", "p1"),
        ("The pond is shallow.", "p2"),
        ("The house is little.", "p2"),
        ("The knife is dirty.", "p3"),
    ]
    assert [example.id for example in suite["base.pairs"]] == ["p0", "p2", "p4"]
    assert [item.base for item in suite["negation.pairs"]] == ["p0", "p2", "p4"]
    assert not any(each.code.startswith("E") for each in cx.check(suite))
    assert "|unlabelled:2|" in str(suite["antonymy.pairs"].entry.signature)
    assert "unlabelled" not in str(suite["negation.pairs"].entry.signature)


def three(pairs: Sequence[Pair]) -> list[list[float]]:
    """Return made-up probabilities of pairs that no label dominates."""
    seeds = (hashlib.blake2b(repr(pair).encode(), digest_size=8).digest() for pair in pairs)
    return [np.random.default_rng(list(seed)).dirichlet([1.2, 1.0, 1.0]).tolist() for seed in seeds]


def one(pairs: Sequence[Pair]) -> list[float]:
    return [shares[0] for shares in three(pairs)]


def two(pairs: Sequence[Pair]) -> list[dict[str, float]]:
    return [{"entailment": share, "not_entailment": 1 - share} for share in one(pairs)]


def test_from_two_labels_every_set_has_two_and_models_of_one_two_and_three_give_the_same_numbers() -> None:
    examples = tuple(replace(e, label=ENTAILMENT_OR_NOT.gold(e.label)) for e in DEMO[:90])
    bases = [base_from_examples(Dataset("two", examples, {}))]
    problems = [base_from_spec("builtin:word_problems")]
    suite = build_in_memory(suite_request("stress-tests", bases, problems, tagger="parses"))
    labels = {dataset.entry.construction: {str(item.label) for item in dataset} for dataset in suite}
    assert {dataset.entry.projection for dataset in suite} == {"two labels"}
    both = {"entailment", "not_entailment"}
    assert set().union(*labels.values()) == both
    assert (labels["antonymy"], labels["numerical_reasoning"]) == ({"not_entailment"}, both)
    expected = predict_suite(three, suite)

    def numbers(run: Run) -> object:
        """The measures without what is said of the labels that it was scored on: some have more."""
        named = replace(run, model="m")
        return headlines(results_of([named]))[0], [replace(each, projection=None) for each in measure(named)]

    for model, options in ((two, {}), (one, {"threshold": 0.5})):
        run = predict_suite(model, suite, options=options)
        assert numbers(run) == numbers(expected)
        for pair in compare_runs(expected, replace(run, model="n")):
            assert pair.difference.value == 0, pair.name


def test_labels_that_a_construction_assigns_have_two_even_if_the_corpus_has_neutral(tmp_path: Path) -> None:
    rows = ("A tall man runs.\tA man runs.\tentails", "A tall man runs.\tA man is old.\tneutral")
    base = base_from_spec(f"scitail@{write_lines(tmp_path / 'scitail_1.0_test.tsv', rows)}")
    assert base.projection is PROJECTIONS["no contradiction"]
    found = {
        (dataset.entry.construction, dataset.entry.projection, frozenset(item.label for item in dataset))
        for name in ("antonymy", "negation")
        for dataset in build_in_memory(suite_request(name, [base], tagger="builtin"))
    }
    pairs = frozenset({"entailment", "neutral"})
    assert found == {
        *((name, "no contradiction", pairs) for name in ("base", "negation")),
        ("antonymy", "two labels", frozenset({"not_entailment"})),
    }


def test_single_sentences_are_rejected_and_no_examples_are_an_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "sentences.txt", ("Tom has 3 tall boxes.", "It rains."))
    (dataset,) = build_in_memory(suite_request("negation", [base_from_spec(str(path))]))
    assert dataset.entry.yields["rejected"] == {"a single sentence, not a pair": 2}
    empty = replace(base_from_spec("builtin:demo"), open=lambda: iter(()))
    said = refused(build_in_memory, suite_request("negation", [empty]))
    assert "builtin:demo has no examples with a gold label" in said


def test_a_suite_of_few_items_per_key_is_limited_signed_and_counted() -> None:
    whole, few = (cx.build("antonymy", "builtin:demo", per_key=each) for each in (None, 1))
    (name,) = (name for name in few.datasets if name.startswith("antonymy"))
    found = [{in_one_order(each.info["pair"]) for each in suite[name]} for suite in (whole, few)]
    assert found[0] == found[1]
    entry = few[name].entry
    assert "|per_key:1|" in (entry.signature or "")
    assert "per_key" not in str((whole[name].entry.signature, whole.manifest.request))
    yields = entry.yields or {}
    assert yields["items"] == len(found[1]) == entry.rows
    assert yields["rejected"]["not drawn (--per-key)"] == len(whole[name]) - entry.rows
    kept = [each.id for each in few[name]]
    assert kept == [each.id for each in whole[name] if each.id in kept]  # in their order
    assert "no items of 'negation' have a key" in refused(cx.build, "negation", "builtin:demo", per_key=1)


def test_the_package_alone_builds_and_what_is_chosen_and_not_installed_is_an_error_before_that(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a pipeline 'nope' neither with spaCy nor without."""
    monkeypatch.setattr("nltk.data.path", [])
    rows = (
        '"A tall man in a red shirt sold 12 apples to his old friend.",A short man sold fruit.,neutral',
        "The hot soup was served by three young women.,The soup was cold.,contradiction",
        "Maria bought 350 marbles for her happy daughter.,Maria bought marbles.,entailment",
    )
    corpus = write_lines(data / "mine.csv", rows, "premise,hypothesis,label\n")
    with warnings.catch_warnings(action="error"):
        suite = cx.build("stress-tests", str(corpus))
    wanted = {f"{name}.mine" for name in ("base", *suite_named("stress-tests").constructions)}
    assert {data.name for data in suite if len(data)} == wanted
    assert "|tagger:builtin-perceptron-" in suite["antonymy.mine"].manifest["signature"]
    for suite_name, option, value, said in (
        ("stress-tests", "--tagger", "nltk", "weights of NLTK's part-of-speech tagger"),
        ("compositionality", "--parser", "spacy:nope", "'nope'"),
    ):
        for command in (["build", suite_name], ["examine", "builtin/overlap", "--suite", suite_name]):
            with pytest.raises(MissingResourceError, match=said):
                invoke(*command, "--base", corpus, "-o", tmp_path / "out", option, value)
            assert not (tmp_path / "out").exists()
