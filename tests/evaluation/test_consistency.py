"""Violations of rules, by tables of predictions that are worked out by hand."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Bounds
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.consistency import (
    RULES,
    ConsistencyRule,
    JoinedLabels,
    Violations,
    compare_consistency,
    consistency_of,
    rules_left_out,
)
from crossexam.evaluation.measures import measure
from crossexam.stats.estimate import share_correct
from crossexam.suites.table import SUITES
from made import runs as letters
from made.cases import for_each


def dataset(name: str, count: int, **more: Any) -> Dataset:
    """A test set of which two items share a premise, with the base base.x."""
    base = None if name == "base" else "base.x"
    facts = {"keeps_label": False, **({"test_class": "consistency"} if base else {})}
    return letters.dataset(f"{name}.x", "-" * count, base, sharing=2, **facts, **more)


def run_of(base: str, two_label: bool = False, **said: str) -> Run:
    """A run that gave these answers to items of the base, and to those made from them, by construction."""
    given = {f"{name}.x": each for name, each in {"base": base, **said}.items()}
    sets = [dataset(name.removesuffix(".x"), len(each)) for name, each in given.items()]
    return letters.run_of(given, *sets, two_label=two_label)


def chained(base: str, to_z: str, from_premise: str, *, order: int = 1, without: int = -1) -> Run:
    """A run over chains, one per example: (h, z) and (p, z); that of example *without* lacks its (h, z)."""
    count = len(base)
    first, second = (
        dataset(name, count, info=[{"chain": f"{k}:z", "link": link} for k in range(count)])
        for name, link in (("a", "h-z"), ("b", "p-z"))
    )
    links = [(item, label) for k, (item, label) in enumerate(zip(first, to_z, strict=True)) if k != without]
    pairs = [*links, *zip(second, from_premise, strict=True)][::order]
    facts = {**first.manifest, "construction": "transitivity"}
    made = Dataset("transitivity.x", tuple(item for item, _ in pairs), facts)
    said = {"base.x": base, made.name: "".join(label for _, label in pairs)}
    return letters.run_of(said, dataset("base", count), made)


def counts(each: Violations) -> tuple[int, int, int]:
    return each.count, each.conditions, each.n


def test_both_rates_are_those_counted_by_hand() -> None:
    def check(rule: str, base: str, items: str, expected: tuple[int, int, int]) -> None:
        (each,) = consistency_of(run_of(base, **{rule: items})).values()
        violations, conditions, n = expected
        assert counts(each) == expected
        assert each.of_all == pytest.approx(share_correct(each.violated, np.arange(n) // 2))  # by premise
        assert each.of_condition.value == pytest.approx(violations / conditions)
        assert each.of_condition.n == conditions

    rows = [
        # the premise entails itself: two of six answers say something else
        ("identity", "ENCENC", "ENEECE", (2, 6, 6)),
        # C one way only: places 1, 2 and 3; C on either side: places 0 to 3
        ("symmetry", "CCENNE", "CNCCNE", (3, 4, 6)),
        # E becomes C, N stays, C becomes E: not so at places 1, 3 and 5
        ("negated_hypothesis", "EENNCC", "CNNEEC", (3, 6, 6)),
        # the label changes at places 1 and 5
        ("double_negation", "EENNCC", "ENNNCE", (2, 6, 6)),
        # (p, h) is entailed at places 0 to 2, and then (p, h and p) is not at 1 and 2
        ("conjunction", "EEENCC", "ENCEEE", (2, 3, 6)),
    ]
    for_each(check, rows)


@pytest.mark.parametrize("order", [1, -1])
def test_chains_are_joined_in_any_order(order: int) -> None:
    chains = "EEENNNCE", "EECECNCN", "ENCCECCN"  # (p, h), (h, z) and (p, z) of eight chains
    found = consistency_of(chained(*chains, order=order))
    assert {name.removesuffix(".x"): counts(each) for name, each in found.items()} == {
        "transitivity_ee": (1, 2, 8),  # places 0 and 1; (p, z) is not entailed at 1
        "transitivity_ec": (0, 1, 8),  # place 2, and it is a contradiction
        "transitivity_ne": (1, 1, 8),  # place 3, which is a contradiction
        "transitivity_nc": (1, 1, 8),  # place 4, which is entailed
    }
    without = consistency_of(chained(*chains, order=order, without=1))  # is counted apart
    assert {(each.n, each.unjoined) for each in without.values()} == {(7, 1)}
    (lacking, *_) = consistency_of(chained("EE", "?E", "EE", order=order), max_unanswered=0.5).values()
    assert (*counts(lacking), lacking.unanswered) == (0, 1, 1, 1)


def test_violations_by_the_label_of_the_base() -> None:
    found = consistency_of(run_of("CCENNE", symmetry="CNCCNE"))["symmetry.x"]
    rates = {label: (rate.value, rate.n) for label, rate in found.by_base.items()}
    assert rates == {"entailment": (0.5, 2), "neutral": (0.5, 2), "contradiction": (0.5, 2)}
    assert consistency_of(run_of("ENC", identity="ENC"))["identity.x"].by_base == {}  # does not read the base
    never = consistency_of(run_of("NNCC", conjunction="EEEE"))["conjunction.x"]  # its condition does not hold
    assert (never.of_all.value, never.of_condition, never.by_base) == (0, None, {})


def test_missing_answers_are_left_out_or_give_bounds() -> None:
    """Places 0 (the base) and 1 (the item) of thirty; the violation at 2 remains, over 28 items."""
    run = run_of("?" + "C" * 29, symmetry="C?N" + "C" * 27)
    found = consistency_of(run, max_unanswered=0.1)["symmetry.x"]
    assert (*counts(found), found.unanswered, found.only_bounds) == (1, 28, 28, 2, False)
    assert found.of_all.value == pytest.approx(1 / 28)
    # ten items, four unanswered; of the six, three have the condition and one violates
    found = consistency_of(run_of("EEENNNEEEE", conjunction="NEE" + "NNN" + "????"))["conjunction.x"]
    assert isinstance(found.of_all, Bounds)
    assert (found.of_all.least.value, found.of_all.most.value) == (1 / 10, 5 / 10)
    assert (found.of_condition.least.value, found.of_condition.most.value) == (1 / 7, 5 / 7)
    assert found.by_base == {}


def test_a_run_is_held_to_the_rules_that_its_labels_and_test_sets_can_state() -> None:
    """With two labels, neutral is not_entailment: a double negation of N as C is no change."""
    items = {"identity": "EN", "symmetry": "CN", "negated_hypothesis": "EN", "double_negation": "CE"}
    run, three = run_of("NN", two_label=True, **items), run_of("NN", **items)
    found = consistency_of(run)
    assert list(found) == ["identity.x", "double_negation.x"]
    assert found["double_negation.x"].violated.tolist() == [False, True]
    left_out = {key: [rule.name for rule in rules] for key, rules in rules_left_out(run).items()}
    assert left_out == {"needs three labels": ["symmetry", "negated_hypothesis"]}
    compared = compare_consistency(three, run)  # on two labels
    assert list(compared) == list(found)
    assert compared["double_negation.x"].of_a.value == 1 / 2
    without_base = run_of("EC", identity="EC", symmetry="CE").restricted_to(["identity.x", "symmetry.x"])
    assert list(consistency_of(without_base)) == ["identity.x"]
    assert [rule.name for rule in rules_left_out(without_base)["the run lacks the base"]] == ["symmetry"]


def test_two_models_are_compared_item_by_item() -> None:
    """Of ten items the first violates symmetry at 0, 1 and 2, the second at 2 and 3; each lacks an answer."""
    first, second = (run_of("C" * 10, symmetry=each) for each in ("NNNCCCCCC?", "CCNNCCCC?C"))
    compared = compare_consistency(first, second, max_unanswered=0.2)["symmetry.x"]
    assert (compared.n, compared.unanswered) == (8, 2)
    assert (compared.of_a.value, compared.of_b.value) == (3 / 8, 2 / 8)
    assert compared.difference.value == pytest.approx(1 / 8)
    bounded = compare_consistency(first, second)["symmetry.x"].difference
    assert isinstance(bounded, Bounds)
    assert (bounded.least.value, bounded.most.value) == (pytest.approx(0), pytest.approx(2 / 10))
    # accuracy says nothing of these test sets
    assert [each.name for each in (*measure(first), *compare_runs(first, second))] == ["base.x"] * 2


def test_every_rule_can_hold_and_be_violated() -> None:
    """Of all combinations of labels; a rule for two labels also with these alone."""

    def check(rule: ConsistencyRule) -> None:
        assert rule.made_by in SUITES["consistency"].constructions
        for labels in ([0, 1, 2], *([[0, 3]] if rule.two_labels else [])):
            combined = JoinedLabels(*np.array(list(product(labels, repeat=3))).T)
            condition, conclusion = rule.condition(combined), rule.conclusion(combined)
            assert (condition & conclusion).any()
            assert (condition & ~conclusion).any()
            other = combined._replace(base=combined.base[::-1])
            assert rule.reads_base or (rule.conclusion(other) == conclusion).all()

    for_each(check, RULES.values())
