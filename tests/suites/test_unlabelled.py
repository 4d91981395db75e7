"""Pairs whose annotators agreed on no gold label: of use to a construction that needs none."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest
from made_corpora import write_records

from crossexam.constructions.check import run_checks
from crossexam.core.dataset import Suite
from crossexam.core.example import BINARY_PARSE_KEY
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import build_in_memory
from crossexam.suites.table import suite_request

# premise, hypothesis, gold label
PAIRS = (
    ("The soup is hot.", "A cook is here.", "neutral"),
    ("The box is heavy.", "The soup is hot.", "-"),
    ("The pond is deep.", "The house is big.", "entailment"),
    ("The knife is clean.", "A knife is here.", "-"),
    ("The box is heavy.", "A box is here.", "entailment"),
    ("The street is narrow.", "A street is here.", "-"),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [
        {"gold_label": label, "pairID": f"p{number}"}
        | {"sentence1": premise, "sentence1_binary_parse": binary(premise)}
        | {"sentence2": hypothesis, "sentence2_binary_parse": binary(hypothesis)}
        for number, (premise, hypothesis, label) in enumerate(PAIRS)
    ]
    return write_records(tmp_path / "pairs.jsonl", rows)


def binary(sentence: str) -> str:
    """Return a left-branching tree over *sentence*."""
    words = sentence.replace(".", " .").split()
    return reduce(lambda tree, word: f"( {tree} {word} )", words)


def built(spec: object, *names: str, limit: int | None = None) -> Suite:
    base = base_from_spec(str(spec), limit=limit)
    request = suite_request("stress-tests", [base], limit=limit, tagger="builtin")
    wanted = [each for each in request.constructions if each.name in names]
    return build_in_memory(replace(request, constructions=wanted))


def changed(suite: Suite, name: str = "antonymy.pairs") -> list[tuple[str, str | None]]:
    return [(item.hypothesis, item.base) for item in suite[name]]


def test_antonymy_uses_them_and_the_base_does_not(corpus: Path) -> None:
    suite = built(corpus, "antonymy", "negation")
    assert changed(suite) == [
        ("The soup is cold.", "p0"),
        ("The box is light.", "p1"),
        ("The pond is shallow.", "p2"),
        ("The house is little.", "p2"),
        ("The knife is dirty.", "p3"),
        ("The street is wide.", "p5"),
    ]
    assert [example.id for example in suite["base.pairs"]] == ["p0", "p2", "p4"]
    assert [item.base for item in suite["negation.pairs"]] == ["p0", "p2", "p4"]
    counts = {dataset.name: (dataset.entry.yields or {}).get("examples") for dataset in suite}
    assert counts == {"base.pairs": None, "antonymy.pairs": 6, "negation.pairs": 3}
    assert not [f for data in suite for f in run_checks(data, suite["base.pairs"]) if f.code.startswith("E")]
    assert "|unlabelled:3|" in str(suite["antonymy.pairs"].entry.signature)
    assert "unlabelled" not in str(suite["negation.pairs"].entry.signature)
    # the tree of an item follows from its base, which the base set lacks
    info = {str(item.base): item.info for item in suite["antonymy.pairs"]}
    assert info["p3"][BINARY_PARSE_KEY["hypothesis"]] == "( ( ( ( The knife ) is ) dirty ) . )"
    assert info["p3"][BINARY_PARSE_KEY["premise"]] == "( ( ( ( The knife ) is ) clean ) . )"
    assert BINARY_PARSE_KEY["hypothesis"] not in info["p2"]


def test_slices_and_limits_count_labelled_pairs(corpus: Path) -> None:
    sliced = changed(built(f"{corpus}[:2]", "antonymy"), "antonymy.pairs_2")
    assert [base for _, base in sliced] == ["p0", "p2", "p2"]
    suite = built(corpus, "antonymy", limit=2)
    assert [example.id for example in suite["base.pairs"]] == ["p0", "p2"]
    assert [base for _, base in changed(suite)] == ["p0", "p1", "p2", "p2"]


def test_sentences_of_theirs_are_not_met_before_where_a_gold_label_is_needed(corpus: Path) -> None:
    base = base_from_spec(str(corpus))
    request = suite_request("antonymy", [base], tagger="builtin")
    antonymy = request.constructions[0]
    picky = replace(antonymy, name="so_swap", needs_gold=True)
    suite = build_in_memory(replace(request, constructions=[antonymy, picky]))
    assert ("The box is light.", "p1") in changed(suite)
    again = [each for each in changed(suite, "so_swap.pairs") if each[0] == "The box is light."]
    assert again == [("The box is light.", "p4")]


def test_a_file_without_labels_is_used_whole(tmp_path: Path) -> None:
    rows = ({"premise": premise, "hypothesis": hypothesis} for premise, hypothesis, _ in PAIRS)
    suite = built(write_records(tmp_path / "pairs.jsonl", rows), "antonymy", "negation")
    assert [len(suite[f"{name}.pairs"]) for name in ("base", "negation", "antonymy")] == [6, 6, 6]
