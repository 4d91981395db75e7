"""SOSwap (Nie et al., 2019, section 3.1): subject and object change places."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.construction import Draft, Rejection
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules import so_swap_plausible as plausible_rows
from crossexam.constructions.rules.rule import Rule
from crossexam.constructions.so_swap import Options, so_swap
from crossexam.constructions.so_swap_plausible import so_swap_plausible
from crossexam.core.example import Example
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.agreement import agreeing, number_of
from crossexam.language.clauses import Clause, Phrase, main_clause
from crossexam.language.parsing.trees import parse_tree
from crossexam.language.tokens import Parsed, Token
from made.cases import each_row

DATA = Path(__file__).parents[1] / "data"
_, *_LINES = (DATA / "so_swap.txt").read_text(encoding="utf-8").splitlines()
_, *_REJECTED = (DATA / "constructions" / "so_swap_rules.txt").read_text(encoding="utf-8").splitlines()
_, *_PLAUSIBLE = (DATA / "constructions" / "so_swap_plausible.txt").read_text(encoding="utf-8").splitlines()
_, *_MORE = (DATA / "constructions" / "so_swap_plausible_rules.txt").read_text(encoding="utf-8").splitlines()
CASES = list(zip(_LINES[::2], _LINES[1::2], strict=True))
_SIGNS = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}


def _sentence(parse: str) -> str:
    text = " ".join(_SIGNS.get(word, word) for _, word in parse_tree(parse).leaves())
    text = re.sub(r" (?=[.,?)]|n't|'s)", "", text)
    return text.replace('" ', '"', 1).replace(' "', '"').replace("( ", "(")


PARSES = {_sentence(parse): parse for parse in (*_LINES[::2], *_REJECTED, *_PLAUSIBLE[::2], *_MORE)}


def _outcome(parse: str, **options: Any) -> Any:
    example = Example("e", _sentence(parse), "", "neutral", info={"premise_parse": parse})
    (outcome,) = so_swap(example, LanguageResources(), random.Random(0), Options(**options))
    return outcome.item(example, "so_swap.v2") if isinstance(outcome, Draft) else outcome


def test_sentences_of_our_own(for_each: Callable[..., None]) -> None:
    def check(parse: str, expected: str) -> None:
        outcome = _outcome(parse)
        written = f"! {outcome.reason}" if isinstance(outcome, Rejection) else outcome.hypothesis
        assert written == expected

    for_each(check, CASES)


def _plausible(parse: str) -> str:
    """What becomes of the sentence as a hypothesis: the swapped one, or "! " and why there is none."""
    sentence = _sentence(parse)
    example = Example("e", "", sentence, "neutral", info={"hypothesis_parse": parse})
    (outcome,) = so_swap_plausible(example, LanguageResources(), random.Random(0))
    if isinstance(outcome, Rejection):
        return f"! {outcome.reason}"
    item = outcome.item(example, "so_swap_plausible.v1")
    assert (item.premise, item.label) == (sentence, "contradiction")
    assert item.id == "so_swap_plausible:e:hypothesis"
    return item.hypothesis


def test_plausible_swaps_of_our_own(for_each: Callable[..., None]) -> None:
    def check(parse: str, expected: str) -> None:
        assert _plausible(parse) == expected

    for_each(check, list(zip(_PLAUSIBLE[::2], _PLAUSIBLE[1::2], strict=True)))


def test_each_rule_of_plausible_swaps_rejects_one_sentence_and_keeps_another(
    for_each: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By all rows, and by the row alone; SOSwap itself keeps both."""

    def check(rule: Rule[Any]) -> None:
        assert _plausible(PARSES[rule.rejects]) == f"! {rule.reason}"
        assert not _plausible(PARSES[rule.keeps]).startswith("!")
        assert all(isinstance(_outcome(PARSES[each]), Example) for each in (rule.rejects, rule.keeps))
        with monkeypatch.context() as patch:
            patch.setattr(plausible_rows, "RULES", (rule,))
            assert _plausible(PARSES[rule.rejects]) == f"! {rule.reason}"

    for_each(check, [(rule,) for rule in plausible_rows.RULES])


def test_an_item_says_what_was_swapped() -> None:
    for words, told in (
        ("The gardener chases", ["The gardener", "chase", "two geese", "active"]),
        ("ridden", ["a monk", "passive"]),
    ):
        item = _outcome(next(parse for sentence, parse in PARSES.items() if words in sentence))
        assert [item.info[key] for key in ("subject", "verb", "object", "voice")][-len(told) :] == told


@each_row
def test_the_rules_of_the_paper_swap_and_nothing_else(words: str, expected: str) -> None:
    parse = next(parse for sentence, parse in PARSES.items() if words in sentence)
    item = _outcome(parse, rules="paper")
    assert item.hypothesis == expected
    bags = (sorted(re.findall(r"\w+", text.lower())) for text in (item.premise, item.hypothesis))
    assert next(bags) == next(bags)


@each_row
def test_agreement(verb: str, tag: str, number: Any, expected: str) -> None:
    assert agreeing(verb, tag, number) == expected


@each_row
def test_number(words: str, head: str, relations: str, heads: list[int], expected: str) -> None:
    tokens = tuple(Token(word, 0, 0, tag) for word, tag in (piece.split("/") for piece in words.split()))
    parsed = Parsed(tokens, tuple(heads), tuple(relations.split()))
    assert number_of(parsed, Phrase(0, len(tokens), int(head))) == expected


def _parsed(spec: str) -> Parsed:
    pieces = [piece.split("|") for piece in spec.split()]
    return Parsed(
        tuple(Token(word, 0, 0, tag) for word, tag, _, _ in pieces),
        tuple(int(head) for *_, head in pieces),
        tuple(relation for _, _, relation, _ in pieces),
    )


@each_row
def test_why_there_is_no_clause(spec: str, reason: str) -> None:
    assert main_clause(_parsed(spec)) == reason


def test_the_last_participle_of_a_caption_is_its_verb() -> None:
    spec = "Men|NNS|root|-1 wearing|VBG|acl|0 hats|NNS|obj|1 pushing|VBG|acl|0 carts|NNS|obj|3"
    expected = Clause(Phrase(0, 3, 0), 3, Phrase(4, 5, 4), "active", None)
    assert main_clause(_parsed(spec)) == expected


@pytest.mark.slow
def test_the_rules_of_the_paper_make_as_many_items_as_the_paper(shared_data: Path) -> None:
    base = CorpusSpec.parse(f"snli@{shared_data / 'snli' / 'snli_1.0_dev.jsonl'}").examples()
    items, _ = apply_construction("so_swap", base, options={"rules": "paper"})
    assert 900 < len(items) < 1.1 * 971
