"""The built-in corpus: what the demo stands on."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.labels import LABELS
from crossexam.language.parsing.trees import leaves
from crossexam.language.tokens import align

ROOT = Path(__file__).resolve().parents[2]
BUILTIN = ROOT / "src" / "crossexam" / "corpora" / "builtin"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BUILTIN / name).read_text(encoding="utf-8").splitlines()]


def test_the_files_are_what_the_script_makes_of_its_source(tmp_path: Path) -> None:
    path = ROOT / "scripts" / "make_demo_corpus.py"
    if not path.is_file():
        pytest.skip("the scripts are not in the source distribution")
    script = runpy.run_path(str(path))
    script["main"](tmp_path)
    for name in ("demo.jsonl", "word_problems.jsonl"):
        assert (tmp_path / name).read_bytes() == (BUILTIN / name).read_bytes()
    (tree,) = script["read_trees"]("(S (NP A/DT tall/JJ man/NN) (VP is/VBZ (ADVP now/RB) here/RB) ./.)")
    # An NP grows to the left of its last noun, a VP to the right of its verb, a clause from its VP.
    assert script["binary"](tree) == "( ( A ( tall man ) ) ( ( ( is now ) here ) . ) )"


def test_each_premise_has_one_hypothesis_a_label_and_parses_over_its_words() -> None:
    for name in ("demo.jsonl", "scenes.jsonl"):
        pairs = read(name)
        groups = [list(group) for _, group in groupby(pairs, key=lambda pair: pair["captionID"])]
        for group in groups:
            assert [pair["gold_label"] for pair in group] == list(LABELS)
            assert len({pair["sentence1"] for pair in group}) == 1
        texts = [*(group[0]["sentence1"] for group in groups), *(pair["sentence2"] for pair in pairs)]
        assert len(texts) == len(set(texts))
    for pair in read("demo.jsonl"):
        for side in ("sentence1", "sentence2"):
            text, parse, binary = (pair[side + end] for end in ("", "_parse", "_binary_parse"))
            found = leaves(parse)
            assert "".join(token.text for token in align(text, found)) == text.replace(" ", "")
            assert [piece for piece in binary.split() if piece not in "()"] == [word for _, word in found]


def amount(text: str) -> Fraction:
    """Return the value of ``$1,250.50``, ``3 %`` or ``7``."""
    return Fraction(text.strip(" $%").replace(",", ""))


def evaluate(expression: str) -> Fraction:
    """Return the value of plain arithmetic, exactly."""
    plain = re.sub(r"[$,]", "", expression)
    assert re.fullmatch(r"[\d.+*/() -]+", plain), expression
    return eval(re.sub(r"[\d.]+", r"Fraction('\g<0>')", plain), {"Fraction": Fraction})  # type: ignore[no-any-return]


def test_every_equation_holds_and_the_last_one_gives_the_right_option() -> None:
    problems = read("word_problems.jsonl")
    for problem in problems:
        equations = re.findall(r"([$\d(][\d$,.()+*/ -]*?) = (\$?[\d,]*\.?\d+)", problem["rationale"])
        assert equations, problem["rationale"]
        for left, right in equations:
            assert evaluate(left) == amount(right), problem["rationale"]
        options = {option[0]: amount(option[2:]) for option in problem["options"]}
        assert options[problem["correct"]] == amount(equations[-1][1]), problem["question"]
        assert len({*options.values()}) == 5
    assert {problem["correct"] for problem in problems} == set("ABCDE")


def test_no_label_is_given_away_by_word_overlap_or_by_negation() -> None:
    overlap: dict[str, list[float]] = {label: [] for label in LABELS}
    negated: Counter[str] = Counter()
    pairs = read("demo.jsonl")
    for pair in pairs:
        premise, hypothesis = (
            {word.lower() for tag, word in leaves(pair[f"sentence{n}_parse"]) if tag[0] in "JNRV"}
            for n in (1, 2)
        )
        overlap[pair["gold_label"]].append(len(premise & hypothesis) / len(hypothesis))
        words = re.search(r"\b(not|no|never|nothing|nobody)\b", pair["sentence2"])
        negated[pair["gold_label"]] += bool(words)
    for shares in overlap.values():
        assert min(shares) < 0.25
        assert max(shares) > 0.6
    number = len(pairs) // len(LABELS)
    assert negated["contradiction"] < 0.4 * number
    assert min(negated[label] for label in LABELS) > 0.1 * number
