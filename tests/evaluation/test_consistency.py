"""Violations of rules, by tables of predictions that are worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.estimate import Bounds
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome, Outcomes
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


def _examples(name: str, count: int, **info: Any) -> tuple[Example, ...]:
    """Two examples per premise; those of a construction have the base of their number."""
    is_base = name == "base"
    return tuple(
        Example(
            f"{k}" if is_base else f"{name}:{k}",
            f"Premise {k // 2}.",
            f"Hypothesis {k}.",
            None,
            base=None if is_base else f"{k}",
            info={"cluster": f"{k // 2}", **{key: value.format(k) for key, value in info.items()}},
        )
        for k in range(count)
    )


def _dataset(name: str, examples: tuple[Example, ...], **facts: Any) -> Dataset:
    known = {"construction": name, "part": "x", "keeps_label": False}
    derived = {} if name == "base" else {"base_set": "base.x", "test_class": "consistency"}
    return Dataset(f"{name}.x", examples, {**known, **derived, **facts})


def _rows(answers: str) -> np.ndarray[Any, Any]:
    return np.array(
        [[np.nan] * 3 if a == "-" else [float(label[0] == a) for label in LABELS] for a in answers]
    )


def _run(base: str, two_label: bool = False, **answers: str) -> Run:
    """A run with one item per example; *answers* are initials of labels by construction, "-" for none."""
    sets = {"base": _examples("base", len(base))}
    sets |= {name: _examples(name, len(given)) for name, given in answers.items()}
    given = {"base": base, **answers}
    return _of_sets({name: _dataset(name, each) for name, each in sets.items()}, given, two_label)


def _of_sets(sets: dict[str, Dataset], given: dict[str, str], two_label: bool = False) -> Run:
    outcomes = {
        each.name: Outcomes.of(
            [Outcome("cut") if a == "-" else Outcome() for a in given[name]], len(given[name])
        )
        for name, each in sets.items()
    }
    return Run(
        "mine",
        {each.name: each for each in sets.values()},
        {each.name: _rows(given[name]) for name, each in sets.items()},
        {"details": {"two_label": two_label}},
        {},
        outcomes,
    )


def _chained(base: str, to_z: str, from_premise: str, *, order: int = 1, without: int = -1) -> Run:
    """A run over chains, one per example: (h, z) and (p, z); that of example *without* lacks its (h, z)."""
    count = len(base)
    first = _examples("a", count, chain="{}:z", link="h-z")
    second = _examples("b", count, chain="{}:z", link="p-z")
    links = [(item, label) for k, (item, label) in enumerate(zip(first, to_z, strict=True)) if k != without]
    pairs = [*links, *zip(second, from_premise, strict=True)][::order]
    sets = {
        "base": _dataset("base", _examples("base", count)),
        "transitivity": _dataset("transitivity", tuple(item for item, _ in pairs)),
    }
    return _of_sets(sets, {"base": base, "transitivity": "".join(label for _, label in pairs)})


def _counts(each: Violations) -> tuple[int, int, int]:
    return each.count, each.conditions, each.n


def test_both_rates_are_those_counted_by_hand(for_each: Callable[..., None]) -> None:
    def check(construction: str, rule: str, base: str, items: str, expected: tuple[int, int, int]) -> None:
        found = consistency_of(_run(base, **{construction: items}))
        assert list(found) == [f"{rule}.x"]
        each = found[f"{rule}.x"]
        violations, conditions, n = expected
        assert _counts(each) == expected
        assert each.of_all.value == pytest.approx(violations / n)
        assert each.of_condition.value == pytest.approx(violations / conditions)
        assert (each.of_all.n, each.of_condition.n) == (n, conditions)

    for_each(
        check,
        [
            # the premise entails itself: two of six answers say something else
            ("identity", "identity", "encenc", "eneece", (2, 6, 6)),
            # C one way only: places 1, 2 and 3; C on either side: places 0 to 3
            ("symmetry", "symmetry", "ccenne", "cnccne", (3, 4, 6)),
            # E becomes C, N stays, C becomes E: not so at places 1, 3 and 5
            ("negated_hypothesis", "negation", "eenncc", "cnneec", (3, 6, 6)),
            # the negation of what is contradicted is entailed: it is not at places 2 and 4
            ("negated_hypothesis", "negation", "ccccc", "eenec", (2, 5, 5)),
            # the label changes at places 1 and 5
            ("double_negation", "double_negation", "eenncc", "ennnce", (2, 6, 6)),
            # (p, h) is entailed at places 0 to 2, and then (p, h and p) is not at 1 and 2
            ("conjunction", "conjunction", "eeencc", "enceee", (2, 3, 6)),
        ],
    )


#: (p, h), (h, z), (p, z) of eight chains: the first two have the condition of EE, and one of each other rule.
_CHAINS = ("eeennnce", "eececncn", "encceccn")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("transitivity_ee", (1, 2)),  # places 0 and 1; (p, z) is not entailed at 1
        ("transitivity_ec", (0, 1)),  # place 2, and it is a contradiction
        ("transitivity_ne", (1, 1)),  # place 3, which is a contradiction
        ("transitivity_nc", (1, 1)),  # place 4, which is entailed
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_chains_are_joined_in_any_order(rule: str, expected: tuple[int, int], order: int) -> None:
    each = consistency_of(_chained(*_CHAINS, order=order))[f"{rule}.x"]
    assert _counts(each) == (*expected, 8)
    assert each.of_all.value == pytest.approx(expected[0] / 8)
    assert each.of_condition.value == pytest.approx(expected[0] / expected[1])


def test_a_chain_without_its_first_pair_is_counted_apart() -> None:
    found = consistency_of(_chained(*_CHAINS, without=1))
    assert {(each.n, each.unjoined) for each in found.values()} == {(7, 1)}
    assert _counts(found["transitivity_ee.x"]) == (0, 1, 7)


def test_there_is_no_rate_of_a_condition_that_never_holds() -> None:
    found = consistency_of(_run("nncc", conjunction="eeee"))["conjunction.x"]
    assert found.of_all.value == 0
    assert found.of_condition is None
    assert found.by_base == {}


def test_violations_by_the_label_of_the_base() -> None:
    found = consistency_of(_run("ccenne", symmetry="cnccne"))["symmetry.x"]
    rates = {label: (rate.value, rate.n) for label, rate in found.by_base.items()}
    assert rates == {"entailment": (0.5, 2), "neutral": (0.5, 2), "contradiction": (0.5, 2)}
    identity = consistency_of(_run("enc", identity="enc"))["identity.x"]
    assert identity.by_base == {}  # it does not read the base


def test_intervals_are_clustered_by_premise() -> None:
    run = _run("ccccccnnnnnn", symmetry="cccnnnccnncn")
    found = consistency_of(run)["symmetry.x"]
    violated = np.array([0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0], dtype=bool)
    condition = np.array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0], dtype=bool)
    premises = np.arange(12) // 2
    assert found.violated.tolist() == violated.tolist()
    assert found.rows.tolist() == list(range(12))
    assert found.of_all == pytest.approx(share_correct(violated, premises))
    assert found.of_condition == pytest.approx(share_correct(violated[condition], premises[condition]))
    assert found.of_all.clusters == 6
    assert found.of_all.low != pytest.approx(share_correct(violated).low)


def test_an_item_without_an_answer_of_its_own_or_its_base_is_left_out() -> None:
    """Places 0 (the base) and 1 (the item) of thirty; the violation at 2 remains, over 28 items."""
    base, items = "-" + "c" * 29, "c-n" + "c" * 27
    found = consistency_of(_run(base, symmetry=items), max_unanswered=0.1)["symmetry.x"]
    assert _counts(found) == (1, 28, 28)
    assert found.unanswered == 2
    assert not found.only_bounds
    assert found.of_all.value == pytest.approx(1 / 28)


def test_a_link_without_an_answer_leaves_out_its_chain() -> None:
    found = consistency_of(_chained("ee", "-e", "ee"), max_unanswered=0.5)["transitivity_ee.x"]
    assert (*_counts(found), found.unanswered) == (0, 1, 1, 1)


def test_too_many_missing_answers_give_bounds() -> None:
    """Ten items, four unanswered; of the six, three have the condition and one violates."""
    found = consistency_of(_run("eeennneeee", conjunction="nee" + "nnn" + "----"))["conjunction.x"]
    assert isinstance(found.of_all, Bounds)
    assert isinstance(found.of_condition, Bounds)
    assert (found.of_all.least.value, found.of_all.most.value) == (1 / 10, 5 / 10)
    assert (found.of_condition.least.value, found.of_condition.most.value) == (1 / 7, 5 / 7)
    assert found.by_base == {}


def test_a_model_of_two_labels_is_held_to_the_rules_that_it_can_state() -> None:
    """With two labels, neutral is not_entailment: a double negation of N as C is no change."""
    items = {"identity": "en", "symmetry": "cn", "negated_hypothesis": "en", "double_negation": "ce"}
    run = _run("nn", two_label=True, **items)
    found = consistency_of(run)
    assert list(found) == ["identity.x", "double_negation.x"]
    assert found["double_negation.x"].violated.tolist() == [False, True]
    left_out = rules_left_out(run)
    assert {key: [rule.name for rule in rules] for key, rules in left_out.items()} == {
        "needs three labels": ["symmetry", "negation"]
    }
    assert consistency_of(_run("nn", **items)).keys() == {
        *("identity.x", "symmetry.x", "negation.x", "double_negation.x")
    }
    assert {rule.name for rule in RULES.values() if rule.two_labels} == {
        *("identity", "double_negation", "conjunction", "transitivity_ee")
    }


def test_a_corpus_of_two_labels_does_not_change_what_the_model_says() -> None:
    run = _run("ccenne", symmetry="cnccne")
    sets = {
        name: Dataset(name, each.examples, {**each.manifest, "projection": "two labels"})
        for name, each in run.datasets.items()
    }
    two = Run(run.model, sets, run.probabilities, run.manifest, {}, run.outcomes)
    assert _counts(consistency_of(two)["symmetry.x"]) == (3, 4, 6)


def test_without_the_base_only_identity_is_left() -> None:
    run = _run("ec", identity="ec", symmetry="ce").restricted_to(["identity.x", "symmetry.x"])
    assert list(consistency_of(run)) == ["identity.x"]
    assert [rule.name for rule in rules_left_out(run)["the run lacks the base"]] == ["symmetry"]
    partial = _run("ec", symmetry="ce")
    partial = Run(
        partial.model,
        {
            **partial.datasets,
            "base.x": Dataset("base.x", partial.datasets["base.x"].examples[:1], {"construction": "base"}),
        },
        {**partial.probabilities, "base.x": partial.probabilities["base.x"][:1]},
    )
    found = consistency_of(partial)["symmetry.x"]
    assert (found.n, found.unjoined) == (1, 1)


def test_two_models_are_compared_item_by_item() -> None:
    """Of ten items the first violates symmetry at 0, 1 and 2, the second at 2 and 3; each lacks an answer."""
    base = "cccccccccc"
    first, second = _run(base, symmetry="nnncccccc-"), _run(base, symmetry="ccnncccc-c")
    compared = compare_consistency(first, second, max_unanswered=0.2)["symmetry.x"]
    assert (compared.n, compared.unanswered) == (8, 2)
    assert (compared.of_a.value, compared.of_b.value) == (3 / 8, 2 / 8)
    assert compared.difference.value == pytest.approx(1 / 8)
    assert compared.difference.low < 0 < compared.difference.high
    bounded = compare_consistency(first, second)["symmetry.x"].difference
    assert isinstance(bounded, Bounds)
    assert (bounded.least.value, bounded.most.value) == (pytest.approx(0), pytest.approx(2 / 10))


def test_a_comparison_with_a_model_of_two_labels_is_on_two() -> None:
    items = {"symmetry": "cc", "double_negation": "cn"}
    three, two = _run("nn", **items), _run("nn", two_label=True, **items)
    found = compare_consistency(three, two)
    assert list(found) == ["double_negation.x"]
    assert found["double_negation.x"].of_a.value == 0


def test_accuracy_says_nothing_of_these_test_sets() -> None:
    run = _run("ec", identity="ec")
    assert [result.name for result in measure(run)] == ["base.x"]
    assert [pair.name for pair in compare_runs(run, run)] == ["base.x"]


def test_a_suite_in_files_gives_what_its_examples_give(tmp_path: Path) -> None:
    """Each violation is found again from the predictions, by the ids of items and bases."""
    suite = cx.build("consistency", "builtin:demo", folder=tmp_path / "suite")
    run = cx.run("builtin/overlap", suite)
    found = consistency_of(run)
    assert {name.partition(".")[0] for name in found} == set(RULES)
    answers = {
        item.id: label[:1]
        for name, dataset in run.datasets.items()
        for item, label in zip(dataset, run.predictions(name).tolist(), strict=True)
    }
    part = next(iter(found)).partition(".")[2]
    symmetry = found[f"symmetry.{part}"]
    pairs = [(answers[item.base or ""], answers[item.id]) for item in run.datasets[symmetry.test_set]]
    assert symmetry.violated.tolist() == [(a == "c") != (b == "c") for a, b in pairs]
    chains = [
        (answers[item.base or ""], answers[item.id.removesuffix("p-z") + "h-z"], answers[item.id])
        for item in run.datasets[f"transitivity.{part}"]
        if item.info["link"] == "p-z"
    ]
    assert chains
    expected = [(a, b) == ("n", "e") and c == "c" for a, b, c in chains]
    assert found[f"transitivity_ne.{part}"].violated.tolist() == expected
    assert all(each.unjoined == 0 for each in found.values())


def test_every_rule_can_hold_and_be_violated(for_each: Callable[..., None]) -> None:
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
