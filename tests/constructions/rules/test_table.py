"""Each row of a table of rules holds of the sentence that it rejects, and not of the one that it keeps."""

import random
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from crossexam.constructions import add_amod, word_pair_swaps
from crossexam.constructions.apply import apply_construction
from crossexam.constructions.construction import Rejection
from crossexam.constructions.numerical_reasoning import judged
from crossexam.constructions.pair_matching import PairTable
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules import numerical_reasoning
from crossexam.constructions.rules.number import Number
from crossexam.constructions.rules.rule import Rule
from crossexam.constructions.rules.table import TABLES, rules_of
from crossexam.constructions.word_pair_swaps import LEAST_OCCURRENCES
from crossexam.core.example import Example
from crossexam.core.labels import parse_label
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.language.word_relatives import is_kind_of
from crossexam.suites.behaviour import PairResources
from made.cases import for_each, refused
from made.parses import PARSES

#: A sentence without a parse here is tagged by the tool itself.
PARSED = PARSES | {
    f"A man here {verb} a worker.": (
        f"(S (NP (DT A) (NN man) (ADVP (RB here))) (VP ({tag} {verb}) (NP (DT a) (NN worker))))"
    )
    for verb, tag in (("is", "VBZ"), ("saw", "VBD"))
}
ADJECTIVE = re.compile(r"\((\w+)\) ")


def made(name: str, sentence: str, **options: Any) -> tuple[list[Example], dict[str, int]]:
    """What the construction *name* makes of *sentence* (with the adjective in brackets), and why not more."""
    text, adjective = sentence, None
    if name == "add_amod":
        text, adjective = ADJECTIVE.sub("", sentence), ADJECTIVE.search(sentence)
    info = {"premise_parse": PARSED[text]} if text in PARSED else {}
    with pytest.MonkeyPatch.context() as patch:
        if adjective:
            patch.setattr(add_amod, "_shared", _only(adjective[1].lower(), add_amod._shared))
        given = [Example("e", text, "", None, info=info)]
        resources = LanguageResources("auto")
        items, counts = apply_construction(name, given, resources=resources, options=options)
    return items, counts["rejected"]


def _only(adjective: str, shared: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: (each for each in shared(*given) if each.adjective == adjective)


def pair_of(*marked: str) -> WordPair:
    """The two words as WordNet has them: as antonyms, or else one as a kind of the other."""
    firsts, seconds = ((word.lower(), *wordnet().lemmas_of(word.lower())) for word in marked)
    for pos in "avn":
        for first in firsts:
            for sense in wordnet().synsets(first, pos):
                for _, second in wordnet().antonyms(sense, first):
                    if second in seconds:
                        return WordPair(first, second, "antonym", pos)
    lemmas = [wordnet().base_form(word.lower(), "n") for word in marked]
    return WordPair(*lemmas, "hypernym" if is_kind_of(*lemmas) else "hyponym", "n")


def swapped(text: str) -> tuple[set[tuple[str, str]], set[str]]:
    """What the swaps make of the marked words of a pair, by set and seed, and why no more; by all choices."""
    pair = pair_of(*re.findall(r"\*(\w+)\*", text))
    table, family = PairTable([pair]), "i_a" if pair.relation == "antonym" else "i_h"
    resources = PairResources("auto", antonyms=table, hypernyms=table)
    resources.index = WordPairIndex.build([])
    label = re.search(r" \((\w+)\)$", text)
    gold = parse_label(label[1] if label else "contradiction" if family == "i_a" else "entailment")
    premise, hypothesis = re.sub(r"\*| \(\w+\)$", "", text).split(" / ")
    one = Example("e", premise, hypothesis, gold)
    found: set[tuple[str, str]] = set()
    reasons: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_pair_swaps, "occurrences", lambda *_: LEAST_OCCURRENCES)
        for seed in range(8):
            for name, outcome in word_pair_swaps.swaps(family, one, resources, random.Random(seed)):
                if isinstance(outcome, Rejection):
                    reasons.add(outcome.reason)
                elif doubts := outcome.info.get("doubts"):
                    reasons.update(doubts)
                else:
                    found.add((name, str(seed)))
    return found, reasons


def asking(name: str, rules: tuple[Rule[Any], ...], sentence: str) -> tuple[set[tuple[str, str]], set[str]]:
    """The pairs that *name* makes of *sentence* if only *rules* are asked, and the reasons why not more."""
    module = import_module(TABLES[name].partition(":")[0])
    with pytest.MonkeyPatch.context() as patch:
        for table in {"RULES", "_OF", "_OF_ANY_WORD", "_OF_PLACES", "_OF_USE"} & vars(module).keys():
            rows = getattr(module, table)
            if isinstance(rows, dict):
                some: Any = {use: tuple(row for row in rows[use] if row in rules) for use in rows}
            else:
                some = tuple(row for row in rows if row in rules)
            patch.setattr(module, table, some)
        if " / " in sentence:
            return swapped(sentence)
        items, reasons = made(name, sentence)
    return {(item.premise, item.hypothesis) for item in items}, set(reasons)


#: Tables with tests of their own: some numbers could never be changed, and some swaps follow other rules.
OWN = {"numerical_reasoning", "so_swap_plausible"}


@pytest.mark.parametrize("name", sorted(TABLES.keys() - OWN))
def test_rows(name: str) -> None:
    """What a row alone rejects, though it could be made, is not made if all are asked, either."""
    rules = rules_of(name)

    def check(rule: Rule[Any]) -> None:
        kept, _ = asking(name, rules, rule.keeps)
        by_all, first = asking(name, rules, rule.rejects)  # before others, as antonymy remembers the answers
        by_row, why = asking(name, (rule,), rule.rejects)
        could, _ = asking(name, (), rule.rejects)
        assert kept
        assert could - by_row
        if " / " in rule.keeps:  # of the same set
            assert {made for made, _ in could - by_row} & {made for made, _ in kept}
        assert not (could - by_row) & by_all
        assert rule.reason in why
        assert rule.reason in first or name == "antonymy"  # there, another row may come before it
        assert rule.reason not in asking(name, (rule,), rule.keeps)[1]

    for_each(check, [(rule,) for rule in rules])


def numbers(sentence: str) -> list[Number]:
    """The numbers of *sentence*, tagged by the tool itself, with the reasons why they are not changed."""
    return judged(sentence, LanguageResources("auto").tokens(Example("e", sentence, "", None), "premise"))


def test_rows_of_numerical_reasoning() -> None:
    """The row is the first that holds of a number that it rejects; what it keeps is made into items."""

    def check(rule: Rule[Any]) -> None:
        firsts = [next(numerical_reasoning.against(number), None) for number in numbers(rule.rejects)]
        assert any(first is rule for first in firsts)
        kept = numbers(rule.keeps)
        assert not any(rule.holds(number) for number in kept)
        assert None in [number.reason for number in kept]
        assert made("numerical_reasoning", rule.keeps)[0]

    for_each(check, [(rule,) for rule in numerical_reasoning.RULES])


def test_rules_can_be_switched_off_by_name() -> None:
    hot, score = "The soup is often as hot as the tea is.", "If Kim had a score of 5 points, Lee sings."
    for name, sentence, without, reasons in (
        ("antonymy", hot, "at times", {"comparison": 1}),
        ("antonymy", hot, ["at times", "comparison"], {}),
        ("numerical_reasoning", score, "condition,rank", {}),
        ("numerical_reasoning", "Kim left at 6:30.", "time", {"no quantity: time": 1}),  # it has no value
        ("add_amod", "A man had an idea.", "fewer than two concrete nouns", {}),
        ("so_swap", "The nun may feed the cat.", "a negated clause, a modal verb", {}),
    ):
        items, rejected = made(name, sentence, without=without)
        assert (rejected, bool(items)) == (reasons, not reasons), (name, without)
        assert f"no rule of {name} is called 'qestion'" in refused(made, name, hot, without=["qestion"])
