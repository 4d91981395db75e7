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
from crossexam.language.parsing.trees import leaves, parse_tree
from crossexam.language.tokens import align

ROOT = Path(__file__).resolve().parents[2]
BUILTIN = ROOT / "src" / "crossexam" / "corpora" / "builtin"

# The tags of the Penn Treebank (Santorini 1990, Part-of-Speech Tagging Guidelines) for words and marks.
# fmt: off
PENN_TAGS = frozenset(
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH "
    "VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB $ # . , : `` '' -LRB- -RRB-".split()
)
# fmt: on


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BUILTIN / name).read_text(encoding="utf-8").splitlines()]


PAIRS = read("demo.jsonl")
PROBLEMS = read("word_problems.jsonl")


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    path = ROOT / "scripts" / "make_demo_corpus.py"
    if not path.is_file():
        pytest.skip("the scripts are not in the source distribution")
    return runpy.run_path(str(path))


def test_the_files_are_what_the_script_makes_of_its_source(script: dict[str, Any], tmp_path: Path) -> None:
    script["main"](tmp_path)
    for name in ("demo.jsonl", "word_problems.jsonl"):
        assert (tmp_path / name).read_bytes() == (BUILTIN / name).read_bytes()
    (tree,) = script["read_trees"]("(S (NP A/DT tall/JJ man/NN) (VP is/VBZ (ADVP now/RB) here/RB) ./.)")
    # An NP grows to the left of its last noun, a VP to the right of its verb, a clause from its VP.
    assert script["binary"](tree) == "( ( A ( tall man ) ) ( ( ( is now ) here ) . ) )"
    for line in ("(S (NP it/PRP)", "(S it/PRP))", "it/PRP", "(S it)", "(S (NP ) it/PRP)"):
        with pytest.raises(ValueError, match=r"bracket|word/TAG"):
            script["read_trees"](line)


def test_each_premise_has_one_hypothesis_a_label_and_no_sentence_stands_twice() -> None:
    for pairs, least in ((PAIRS, 105), (read("scenes.jsonl"), 70)):
        groups = [list(group) for _, group in groupby(pairs, key=lambda pair: pair["captionID"])]
        assert len(groups) == len({pair["captionID"] for pair in pairs}) >= least
        for group in groups:
            assert [pair["gold_label"] for pair in group] == list(LABELS)
            assert len({pair["sentence1"] for pair in group}) == 1
            for pair in group:
                assert pair["pairID"] == pair["captionID"] + pair["gold_label"][0]
                assert pair["annotator_labels"] == [pair["gold_label"]]
        texts = [*(group[0]["sentence1"] for group in groups), *(pair["sentence2"] for pair in pairs)]
        assert len(texts) == len(set(texts))
    genres = Counter(pair["genre"] for pair in PAIRS)
    assert len(genres) == 6
    assert min(genres.values()) >= 3 * 15


def test_parses_are_trees_over_exactly_the_words_of_the_text() -> None:
    for pair in PAIRS:
        for side in ("sentence1", "sentence2"):
            text, parse, binary = (pair[side + end] for end in ("", "_parse", "_binary_parse"))
            found = leaves(parse)
            assert parse_tree(parse).leaves() == found
            assert "".join(token.text for token in align(text, found)) == text.replace(" ", "")
            assert {tag for tag, _ in found} <= PENN_TAGS, text
            assert [piece for piece in binary.split() if piece not in "()"] == [word for _, word in found]
            assert binary.count("(") == binary.count(")") == len(found) - 1  # n leaves, n - 1 binary nodes


def test_no_label_is_given_away_by_word_overlap_or_by_negation() -> None:
    overlap: dict[str, list[float]] = {label: [] for label in LABELS}
    negated: Counter[str] = Counter()
    for pair in PAIRS:
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
    number = len(PAIRS) // len(LABELS)
    assert negated["contradiction"] < 0.4 * number
    assert min(negated[label] for label in LABELS) > 0.1 * number


def test_word_problems_have_five_options_and_tags_for_exactly_their_words() -> None:
    assert len({problem["question"] for problem in PROBLEMS}) == len(PROBLEMS) >= 45
    for problem in PROBLEMS:
        assert list(problem) == ["question", "options", "rationale", "correct", "question_tags"]
        assert [option[:2] for option in problem["options"]] == ["A)", "B)", "C)", "D)", "E)"]
        pairs = [(tag, word) for word, tag in problem["question_tags"]]
        assert {tag for tag, _ in pairs} <= PENN_TAGS, problem["question"]
        tokens = align(problem["question"], pairs)
        assert [token.text for token in tokens] == [word for _, word in pairs]
        assert "".join(token.text for token in tokens) == problem["question"].replace(" ", "")


def amount(text: str) -> Fraction:
    """Return the value of ``$1,250.50``, ``3 %`` or ``7``."""
    return Fraction(text.strip(" $%").replace(",", ""))


def evaluate(expression: str) -> Fraction:
    """Return the value of plain arithmetic, exactly."""
    plain = re.sub(r"[$,]", "", expression)
    assert re.fullmatch(r"[\d.+*/() -]+", plain), expression
    return eval(re.sub(r"[\d.]+", r"Fraction('\g<0>')", plain), {"Fraction": Fraction})  # type: ignore[no-any-return]


def test_every_equation_holds_and_the_last_one_gives_the_right_option() -> None:
    assert evaluate("2 * $1.80 + $4.25") == Fraction("7.85")
    for problem in PROBLEMS:
        equations = re.findall(r"([$\d(][\d$,.()+*/ -]*?) = (\$?[\d,]*\.?\d+)", problem["rationale"])
        assert equations, problem["rationale"]
        for left, right in equations:
            assert evaluate(left) == amount(right), problem["rationale"]
        options = {option[0]: amount(option[2:]) for option in problem["options"]}
        assert options[problem["correct"]] == amount(equations[-1][1]), problem["question"]
        assert len({*options.values()}) == 5
    letters = Counter(problem["correct"] for problem in PROBLEMS)
    assert set(letters) == set("ABCDE")
    assert max(letters.values()) <= len(PROBLEMS) // 2
