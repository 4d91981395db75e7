"""The built-in corpus: what the demo stands on."""

from __future__ import annotations

import json
import re
import runpy
from collections import Counter
from collections.abc import Callable
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
SIDES = ("sentence1", "sentence2")

# The tags of the Penn Treebank (Santorini 1990, Part-of-Speech Tagging Guidelines) for words and marks.
# fmt: off
PENN_TAGS = frozenset(
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH "
    "VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB $ # . , : `` '' -LRB- -RRB-".split()
)
# Bracket labels of the treebank that the corpus uses.
PHRASES = frozenset(
    "ROOT S SBAR SBARQ SINV SQ NP VP PP ADJP ADVP PRT QP INTJ FRAG UCP WHNP WHADVP".split()
)
# fmt: on


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BUILTIN / name).read_text(encoding="utf-8").splitlines()]


PAIRS = read("demo.jsonl")
PROBLEMS = read("word_problems.jsonl")
#: Texts with their parses and binary parses.
SENTENCES = [
    (pair[side], pair[f"{side}_parse"], pair[f"{side}_binary_parse"]) for pair in PAIRS for side in SIDES
]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    path = ROOT / "scripts" / "make_demo_corpus.py"
    if not path.is_file():
        pytest.skip("the scripts are not in the source distribution")
    return runpy.run_path(str(path))


def test_the_files_are_what_the_script_makes_of_its_source(script: dict[str, Any], tmp_path: Path) -> None:
    main: Callable[[Path], None] = script["main"]
    main(tmp_path)
    for name in ("demo.jsonl", "word_problems.jsonl"):
        assert (tmp_path / name).read_bytes() == (BUILTIN / name).read_bytes()


def test_binary_parses_grow_from_the_head(script: dict[str, Any]) -> None:
    (tree,) = script["read_trees"]("(S (NP A/DT tall/JJ man/NN) (VP is/VBZ (ADVP now/RB) here/RB) ./.)")
    # An NP grows to the left of its last noun, a VP to the right of its verb, a clause from its VP.
    assert script["binary"](tree) == "( ( A ( tall man ) ) ( ( ( is now ) here ) . ) )"


def test_broken_source_is_refused(script: dict[str, Any]) -> None:
    for line in ("(S (NP it/PRP)", "(S it/PRP))", "it/PRP", "(S it)", "(S (NP ) it/PRP)"):
        with pytest.raises(ValueError, match=r"bracket|word/TAG"):
            script["read_trees"](line)


def test_there_are_enough_pairs_and_every_genre_is_balanced() -> None:
    assert len(PAIRS) >= 315
    counts = Counter((pair["genre"], pair["gold_label"]) for pair in PAIRS)
    genres = {pair["genre"] for pair in PAIRS}
    assert len(genres) == 6
    for genre in genres:
        assert counts[genre, "entailment"] >= 15
        assert len({counts[genre, label] for label in LABELS}) == 1


def test_each_premise_has_one_hypothesis_a_label() -> None:
    groups = [list(group) for _, group in groupby(PAIRS, key=lambda pair: pair["captionID"])]
    assert len(groups) == len({pair["captionID"] for pair in PAIRS}) >= 105
    for group in groups:
        assert [pair["gold_label"] for pair in group] == list(LABELS)
        assert len({pair["sentence1"] for pair in group}) == 1
    assert len({pair["pairID"] for pair in PAIRS}) == len(PAIRS)
    for pair in PAIRS:
        assert re.fullmatch(rf"demo-{pair['genre']}-\d\d\d", pair["captionID"])
        assert pair["pairID"] == pair["captionID"] + pair["gold_label"][0]
        assert pair["annotator_labels"] == [pair["gold_label"]]
    counts = Counter([*(group[0]["sentence1"] for group in groups), *(pair["sentence2"] for pair in PAIRS)])
    assert [text for text, count in counts.items() if count > 1] == []  # no sentence stands twice


def test_scenes_have_a_hypothesis_per_label_and_no_sentence_twice() -> None:
    scenes = read("scenes.jsonl")
    groups = [list(group) for _, group in groupby(scenes, key=lambda pair: pair["captionID"])]
    assert len(groups) == len({pair["sentence1"] for pair in scenes}) == 70
    for number, group in enumerate(groups, 1):
        assert [pair["gold_label"] for pair in group] == list(LABELS)
        assert {pair["sentence1"] for pair in group} == {group[0]["sentence1"]}
        for pair in group:
            assert pair["pairID"] == f"scenes-{number:03d}{pair['gold_label'][0]}"
            assert pair["annotator_labels"] == [pair["gold_label"]]
    assert len({pair["sentence2"] for pair in scenes} | {pair["sentence1"] for pair in scenes}) == 4 * 70


def test_parses_are_trees_over_exactly_the_words_of_the_text() -> None:
    for text, parse, binary in SENTENCES:
        found = leaves(parse)
        assert parse_tree(parse).leaves() == found
        tokens = align(text, found)
        assert len(tokens) == len(found)
        assert "".join(token.text for token in tokens) == text.replace(" ", "")
        assert {tag for tag, _ in found} <= PENN_TAGS, text
        assert {node.label for node in parse_tree(parse).subtrees() if not node.word} <= PHRASES, text
        assert [piece for piece in binary.split() if piece not in "()"] == [word for _, word in found]
        assert binary.count("(") == binary.count(")") == len(found) - 1  # n leaves, n - 1 binary nodes


def test_sentences_are_of_moderate_length_and_neatly_written() -> None:
    for text, *_ in SENTENCES:
        words = [word for word in text.split() if any(map(str.isalnum, word))]
        assert 6 <= len(words) <= 22, text
        assert not re.search(r"\s{2}|\s[,.!?;]|^\s|\s$", text), text
        assert text[0].isupper() or text[0] == '"', text
        assert text.count('"') % 2 == 0, text


def test_premises_end_in_every_way_that_constructions_must_cope_with() -> None:
    premises = {pair["sentence1"] for pair in PAIRS}
    endings = Counter(premise[-1] for premise in premises)
    assert all(endings[mark] >= minimum for mark, minimum in {'"': 4, "!": 4, "?": 2}.items())
    assert sum(premise[-1].isalnum() for premise in premises) >= 4
    assert sum(bool(re.search(r"[.!?] [A-Z]", premise)) for premise in premises) >= 8


def test_no_label_is_given_away_by_word_overlap_or_by_negation() -> None:
    overlap: dict[str, list[float]] = {label: [] for label in LABELS}
    negated: Counter[str] = Counter()
    for pair in PAIRS:
        premise, hypothesis = (
            {word.lower() for tag, word in leaves(pair[f"{side}_parse"]) if tag[0] in "JNRV"}
            for side in SIDES
        )
        overlap[pair["gold_label"]].append(len(premise & hypothesis) / len(hypothesis))
        negated[pair["gold_label"]] += bool(
            re.search(r"\b(not|no|never|nothing|nobody)\b", pair["sentence2"])
        )
    for shares in overlap.values():
        assert min(shares) < 0.25
        assert max(shares) > 0.6
    number = len(PAIRS) // len(LABELS)
    assert negated["contradiction"] < 0.4 * number
    assert min(negated[label] for label in LABELS) > 0.1 * number


def test_there_are_enough_word_problems_each_once() -> None:
    assert len(PROBLEMS) >= 45
    assert len({problem["question"] for problem in PROBLEMS}) == len(PROBLEMS)
    for problem in PROBLEMS:
        fields = ["question", "options", "rationale", "correct", "question_tags"]
        assert list(problem) == fields
        assert [option[:2] for option in problem["options"]] == ["A)", "B)", "C)", "D)", "E)"]
        assert len(set(problem["options"])) == 5


def test_at_least_forty_sentences_of_problems_have_a_number_and_a_name() -> None:
    both = 0
    for problem in PROBLEMS:
        tags: set[str] = set()
        for word, tag in problem["question_tags"]:
            tags.add(tag)
            if word in ".?":
                both += "CD" in tags and "NNP" in tags
                tags = set()
        assert tags == set(), problem["question"]
    assert both >= 40


def test_numbers_of_problems_are_of_varied_kinds() -> None:
    text = "\n".join(problem["question"] for problem in PROBLEMS)
    for kind in (r"\b\d{1,2} [a-z]", r"\d\.\d", r"\d,\d{3}", r"\$\d", r"\d%", r"\b(?:two|six|ten|twelve)\b"):
        assert len(re.findall(kind, text)) >= 5, kind


def test_tags_of_problems_stand_for_exactly_the_words_of_the_text() -> None:
    for problem in PROBLEMS:
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


def test_the_evaluator_is_exact_and_minds_precedence() -> None:
    assert evaluate("2 * $1.80 + $4.25") == Fraction("7.85")
    assert evaluate("(63 - 17) / 2") == 23


def test_every_equation_holds_and_the_last_one_gives_the_right_option() -> None:
    for problem in PROBLEMS:
        sentences = re.findall(r"[^.]+(?:\.\d+[^.]*)*\.(?= |$)", problem["rationale"])
        assert 1 <= len(sentences) <= 3
        equations = re.findall(r"([$\d(][\d$,.()+*/ -]*?) = (\$?[\d,]*\.?\d+)", problem["rationale"])
        assert equations, problem["rationale"]
        for left, right in equations:
            assert evaluate(left) == amount(right), problem["rationale"]
        options = {option[0]: option[2:] for option in problem["options"]}
        assert amount(options[problem["correct"]]) == amount(equations[-1][1]), problem["question"]
        assert len({amount(option) for option in options.values()}) == 5


def test_the_right_letter_varies() -> None:
    counts = Counter(problem["correct"] for problem in PROBLEMS)
    assert set(counts) == set("ABCDE")
    assert max(counts.values()) <= len(PROBLEMS) // 2
