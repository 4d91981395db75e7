"""Measures of runs: a suite of a few items whose every number can be counted by hand."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import Label
from crossexam.evaluation.comparison import compare_runs, one_sided_sets
from crossexam.evaluation.measures import TestSetResult, accuracy_by_set, measure
from crossexam.evaluation.slices import CROSSED, SLICES
from crossexam.stats.estimate import share_correct
from crossexam.stats.p_values import holm
from crossexam.stats.paired import clustered_mcnemar, mcnemar, paired_difference
from crossexam.stats.unpaired import difference

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

from golden_runs import FIGURES, runs

NAMES: Mapping[str, Label | None] = {"E": "entailment", "N": "neutral", "C": "contradiction", "-": None}


def dataset(
    name: str,
    gold: str,
    *,
    premises: str | None = None,
    bases: Sequence[str | None] | None = None,
    info: Sequence[Mapping[str, Any]] | None = None,
    **manifest: Any,
) -> Dataset:
    """A test set with one item a letter of *gold*; items of one letter in *premises* share a premise."""
    shared = premises or "".join(chr(97 + i) for i in range(len(gold)))
    kind = name.partition(".")[0]
    examples = tuple(
        Example(
            f"{kind}:{i}",
            f"Premise {shared[i]}.",
            f"Hypothesis {i}.",
            NAMES[letter],
            base=bases[i] if bases else None,
            info={"cluster": shared[i], **(info[i] if info else {})},
        )
        for i, letter in enumerate(gold)
    )
    return Dataset(name, examples, {"construction": f"{kind}.v1", "part": name.partition(".")[2], **manifest})


def run(answers: Mapping[str, str], *datasets: Dataset, model: str = "py/toy", **details: Any) -> Run:
    """A run whose answers are letters."""
    rows = {
        name: np.array([[float(letter == each) for each in "ENC"] for letter in letters]).reshape(-1, 3)
        for name, letters in answers.items()
    }
    return Run(model, {each.name: each for each in datasets}, rows, {"details": details})


BASE = dataset("base.dev", "ENCENC", premises="aaabbb", base_set=None, keeps_label=True)
NEGATION = dataset(
    "negation.dev", "ENCENC", premises="aaabbb", bases=[f"base:{i}" for i in range(6)],
    base_set="base.dev", keeps_label=True,
)  # fmt: skip
ANTONYMY = dataset(
    "antonymy.dev", "CCCC", premises="aabb", bases=["base:0", "base:1", "base:3", "base:4"],
    base_set="base.dev", keeps_label=False,
    info=[{"pair": "hot/cold", "word_class": "adjective"}] * 3
    + [{"pair": "man/woman", "word_class": "noun"}],
)  # fmt: skip
ANSWERS = {"base.dev": "ENCENE", "negation.dev": "CNCNNN", "antonymy.dev": "EECN"}


def results(*datasets: Dataset, **answers: str) -> dict[str, TestSetResult]:
    return {each.name: each for each in measure(run({**ANSWERS, **answers}, *datasets))}


def test_a_test_set_that_keeps_labels_is_paired_with_its_base() -> None:
    found = results(BASE, NEGATION)["negation.dev"]
    before, after, premises = [1, 1, 1, 1, 1, 0], [0, 1, 1, 0, 1, 0], list("aaabbb")
    assert found.drop == paired_difference(before, after, premises)
    assert found.drop.value == 2 / 6
    assert found.base_accuracy == share_correct(before, premises)
    test = clustered_mcnemar(before, after, premises)
    assert (found.p_value, found.p_mid) == (test.p_exact, test.p_mid)
    assert test.p_exact == 2 / 2**2
    assert found.mcnemar == mcnemar(2, 0)
    assert found.flip_rate == share_correct([1, 0, 0, 1, 0, 1], premises)
    assert found.errors["E-C"] == 1
    assert found.false_neutral_share == 2 / 3  # E taken for N, C taken for N, E taken for C
    assert found.difference is None


def test_a_test_set_that_changes_labels_is_compared_as_a_whole() -> None:
    found = results(BASE, ANTONYMY)["antonymy.dev"]
    units = np.array([[0, 0], [0, 0], [1, 0], [1, 1]])  # premises and word pairs
    assert found.difference == difference([1, 1, 1, 1, 1, 0], [0, 0, 1, 0], np.repeat([0, 1], 3), units)
    assert found.difference.value == pytest.approx(5 / 6 - 1 / 4)
    assert found.base_accuracy.n == 6
    assert (
        found.drop
        is found.p_value
        is found.p_holm
        is found.minimum_detectable_drop
        is found.flip_rate
        is None
    )
    assert found.slices == {
        "word class": {
            "adjective": share_correct([0, 0, 1], units[:3]),
            "noun": share_correct([0], units[3:]),
        },
        # pairs of fewer than 5 items are pooled; a single pool says nothing new
    }


def test_without_the_base_in_the_run_nothing_is_compared() -> None:
    found = results(NEGATION)["negation.dev"]
    assert found.base_set == "base.dev"
    assert found.drop is found.base_accuracy is found.difference is found.mcnemar is None


def test_only_items_with_an_answered_base_are_paired() -> None:
    limited = dataset("base.dev", "EN", premises="aa")
    found = results(limited, NEGATION, **{"base.dev": "EC"})["negation.dev"]
    assert found.n == 6
    assert found.drop == paired_difference([1, 0], [0, 1], list("aa"))
    elsewhere = dataset("negation.dev", "EN", bases=["other:0", None], base_set="base.dev", keeps_label=True)
    alone = results(limited, elsewhere, **{"base.dev": "EN", "negation.dev": "EE"})["negation.dev"]
    assert alone.drop is None
    assert alone.accuracy.n == 2


def test_items_are_paired_by_the_id_of_their_base_whatever_the_order() -> None:
    base = dataset("base.dev", "EEEN", premises="abcd")
    turned = dataset(
        "negation.dev",
        "NEE",
        premises="daa",
        bases=["base:3", "base:0", "base:0"],
        base_set="base.dev",
        keeps_label=True,
    )
    found = results(base, turned, **{"base.dev": "ECCC", "negation.dev": "NEC"})["negation.dev"]
    assert found.drop == paired_difference([0, 1, 1], [1, 1, 0], list("daa"))
    assert found.flip_rate == share_correct([1, 0, 1], list("daa"))


def test_a_test_set_without_items_is_measured_without_complaint() -> None:
    found = results(
        BASE, dataset("antonymy.dev", "", base_set="base.dev", keeps_label=False), **{"antonymy.dev": ""}
    )["antonymy.dev"]
    assert (found.n, found.accuracy.n, found.difference, found.false_neutral_share) == (0, 0, None, None)
    assert found.slices == {}


def test_the_detectable_drop_is_none_where_no_drop_is() -> None:
    found = results(BASE, NEGATION)["negation.dev"]
    assert found.minimum_detectable_drop is None  # 6 items of 2 premises
    gold = "ENC" * 100
    many = dataset(
        "negation.dev", gold, bases=[f"base:{i}" for i in range(300)], base_set="base.dev", keeps_label=True
    )
    answered = {"base.dev": gold, "negation.dev": "N" * 30 + gold[30:]}
    drop = measure(run(answered, dataset("base.dev", gold), many))[1].minimum_detectable_drop
    # Connor 1987 with 300 pairs, of which 20 disagree: u = 1.95996, v = 0.84162
    assert drop == pytest.approx((20 / 300) ** 0.5 * (1.95996 + 0.84162) / 300**0.5, rel=0.01)


def test_slices_come_from_the_table() -> None:
    info = [
        {"genre": "fiction", "pair": ["hot", "cold"], "question": True},
        {"genre": "travel", "pair": ["hot", "cold"], "question": False},
    ] * 5 + [{"genre": "travel", "pair": "big/small"}]
    data = dataset("antonymy.dev", "CCCCCCCCCCE", info=info)
    found = results(data, **{"antonymy.dev": "CECECECECEE"})["antonymy.dev"].slices
    assert list(found) == ["gold", "genre", "pair", "question"]
    assert {value: each.value for value, each in found["genre"].items()} == {"travel": 1 / 6, "fiction": 1.0}
    assert {value: each.n for value, each in found["pair"].items()} == {"hot/cold": 10, "(other)": 1}
    assert {value: each.n for value, each in found["question"].items()} == {"yes": 5, "no": 5}
    assert found["gold"]["entailment"].value == 1.0


def test_an_item_counts_under_each_of_its_tags() -> None:
    info = [
        {"logic": ["Negation"]},
        {"logic": ["Negation", "Universal", "Negation"]},
        {},
        {"logic": "Universal"},
    ]
    data = dataset("base.dev", "CCCC", info=info)
    found = results(data, **{"base.dev": "CEEE"})["base.dev"].slices["logic"]
    # Negation: the first two, one of them right; Universal: the second and the fourth, both wrong
    assert {tag: (each.value, each.n) for tag, each in found.items()} == {
        "Negation": (1 / 2, 2),
        "Universal": (0.0, 2),
    }


def test_every_slice_of_the_table_divides_something() -> None:
    info = [{key: f"{key} {i % 2}" for _, key, *_ in SLICES if key} for i in range(20)]
    data = dataset("antonymy.dev", "CE" * 10, info=info)
    found = results(data, **{"antonymy.dev": "CE" * 10})["antonymy.dev"].slices
    assert list(found) == [*(name for name, *_ in SLICES), *(f"{one} and {other}" for one, other in CROSSED)]


def test_two_properties_divide_the_items_together() -> None:
    info = [{"heuristic": name} for name in ("a", "a", "b", "b", "b")] + [{}]
    data = dataset("base.dev", "ECEEC" + "E", info=info)
    found = results(data, **{"base.dev": "ECCEE" + "C"})["base.dev"].slices["heuristic and gold"]
    same = dataset("base.dev", "EC", info=[{"heuristic": "a"}] * 2)
    assert "heuristic and gold" not in results(same, **{"base.dev": "EC"})["base.dev"].slices
    # a/E and a/C are right, of the two b/E one is, b/C is not; the last item has no heuristic
    assert {value: (each.value, each.n) for value, each in found.items()} == {
        "a/entailment": (1.0, 1),
        "a/contradiction": (1.0, 1),
        "b/entailment": (1 / 2, 2),
        "b/contradiction": (0.0, 1),
    }


# -- two labels ------------------------------------------------------------------------------------------


def test_a_model_of_two_labels_is_scored_on_two() -> None:
    probabilities = np.array([[0.6, 0.4, 0.0], [0.45, 0.3, 0.25], [0.2, 0.8, 0.0], [0.5, 0.5, 0.0]])
    data = dataset("base.dev", "ENCE")
    manifest: Mapping[str, Any] = {"details": {"two_label": True}}
    found = measure(Run("hf/two", {"base.dev": data}, {"base.dev": probabilities}, manifest))[0]
    # entailment where above 1/2: E, not, not, not
    assert found.accuracy.value == 3 / 4
    assert found.confusion == ((1, 1, 0), (0, 1, 0), (0, 0, 1))
    assert sum(found.errors.values()) == found.errors["E-N"] == 1
    assert found.false_neutral_share is None
    assert found.false_entailment_share == 0.0
    assert found.projection.startswith("not_entailment = neutral + contradiction")
    three = Run("hf/three", {"base.dev": data}, {"base.dev": probabilities})
    assert measure(three)[0].accuracy.value == 1 / 4  # E, E, N, and N by the tie of E and N
    assert (
        accuracy_by_set(Run("hf/two", {"base.dev": data}, {"base.dev": probabilities}, manifest))[
            "base.dev"
        ].value
        == 0.75
    )
    assert (
        compare_runs(three, Run("hf/two", {"base.dev": data}, {"base.dev": probabilities}, manifest))[0].b
        == 0
    )


# -- one run against another -----------------------------------------------------------------------------


def test_two_runs_are_compared_item_by_item() -> None:
    first = run(ANSWERS, BASE, NEGATION, model="A")
    second = run({"base.dev": "ENCENC", "negation.dev": "NNNNNN"}, BASE, NEGATION, model="B")
    base, negation = compare_runs(first, second)
    assert (base.name, base.n, base.b, base.c) == ("base.dev", 6, 0, 1)
    assert base.difference == paired_difference([1, 1, 1, 1, 1, 0], [1] * 6, list("aaabbb"))
    assert base.difference.value == pytest.approx(-1 / 6)
    assert (base.accuracy_a.value, base.accuracy_b.value) == (5 / 6, 1.0)
    assert (negation.b, negation.c) == (1, 0)
    assert [each.p_holm for each in (base, negation)] == holm([base.p_value, negation.p_value]).tolist()


def test_sets_that_one_run_lacks_are_named() -> None:
    extra = dataset("extra.dev", "E")
    a = run({**ANSWERS, "extra.dev": "E"}, BASE, extra, model="A")
    b = run(ANSWERS, BASE, NEGATION, model="B")
    assert one_sided_sets(a, b) == (
        "only the first run (A) has: extra.dev",
        "only the second run (B) has: negation.dev",
    )
    with pytest.raises(
        CrossexamError,
        match=r"different test sets; only the first run \(A\) has: extra.dev; only the second run \(B\) has: "
        r"negation.dev\n  wanted: .*\n  hint: .*--common \(in Python, common=True\) compares the 1 that both",
    ):
        compare_runs(a, b)
    assert compare_runs(a, b, common=True) == compare_runs(run(ANSWERS, BASE), run(ANSWERS, BASE))
    with pytest.raises(CrossexamError, match=r"in common: extra.dev against negation.dev"):
        compare_runs(run({"extra.dev": "E"}, extra), run(ANSWERS, NEGATION), common=True)
    with pytest.raises(CrossexamError, match="different test sets"):
        cx.compare(a, b)
    assert len(cx.compare(a, b, common=True)) == 1


def test_runs_over_other_items_are_refused() -> None:
    a = run(ANSWERS, BASE, model="A")
    other = dataset("base.dev", "ENCENE", premises="aaabbb")
    with pytest.raises(
        CrossexamError, match=r"test set base.dev: 'A' and 'B' were run on different items \(6 with"
    ):
        compare_runs(a, run(ANSWERS, other, model="B"))
    with pytest.raises(CrossexamError, match=r"no test set in common: base.dev against negation.dev"):
        compare_runs(a, run(ANSWERS, NEGATION, model="B"))


def test_runs_over_the_same_items_under_another_name_are_told_so() -> None:
    a, b = (run({name: "EEECCN"}, replace(BASE, name=name)) for name in ("base.dev", "base.renamed"))
    says = r"'base\.dev' has the items of 'base\.renamed', the same rows under another file name: build both"
    with pytest.raises(CrossexamError, match=f"no test set in common: .*\n  hint: {says}"):
        compare_runs(a, b, common=True)
    both = [
        run({name: "EEECCN", "negation.dev": ANSWERS["negation.dev"]}, replace(BASE, name=name), NEGATION)
        for name in ("base.dev", "base.renamed")
    ]
    with pytest.raises(CrossexamError, match=rf"different test sets; .*\n.*\n  hint: {says}.*; --common"):
        compare_runs(*both)


def test_the_manifests_hash_is_trusted_for_whole_sets_only() -> None:
    whole = Dataset("base.dev", BASE.examples, {"content_hash": "feed", "rows": 6})
    same = Dataset("base.dev", BASE.examples, {"content_hash": "feed", "rows": 6})
    assert compare_runs(run(ANSWERS, whole), run(ANSWERS, same))[0].n == 6
    cut = [
        Dataset("base.dev", BASE.examples[at], {"content_hash": "feed", "rows": 6})
        for at in (slice(0, 3), slice(3, 6))
    ]
    answered = {"base.dev": "ENC"}
    with pytest.raises(CrossexamError, match="were run on different items"):
        compare_runs(run(answered, cut[0]), run(answered, cut[1]))


def test_missing_answers_are_refused() -> None:
    with pytest.raises(CrossexamError, match=r"test set base.dev: 'py/toy' has 2 predictions for 6 items"):
        measure(run({"base.dev": "EN"}, BASE))
    with pytest.raises(CrossexamError, match=r"test set base.dev: 'py/toy' has no predictions"):
        accuracy_by_set(run({}, BASE))


def test_accuracy_is_one_estimate_a_test_set() -> None:
    answered = run(ANSWERS, BASE, NEGATION)
    assert accuracy_by_set(answered) == {each.name: each.accuracy for each in measure(answered)}


def test_the_majority_class_is_that_of_the_gold_labels() -> None:
    base = dataset("base.x", "ENNNC" * 4)
    (result,) = measure(run({"base.x": "ENNNE" * 4}, base))
    majority = result.majority
    assert (majority.label, majority.share) == ("neutral", 12 / 20)
    assert majority.advantage.value == pytest.approx(16 / 20 - 12 / 20)
    always = base.examples
    assert majority.advantage == paired_difference(
        [True, True, True, True, False] * 4, [item.label == "neutral" for item in always], range(20)
    )


def test_a_model_above_the_majority_class_beats_it_beyond_chance(for_each: Callable[..., None]) -> None:
    def check(answers: str, beaten: bool) -> None:
        (result,) = measure(run({"base.x": answers}, dataset("base.x", "ENNC" * 10)))
        assert (result.majority.share, result.majority.beaten) == (20 / 40, beaten)

    # always the majority class, a quarter right, all right, one item better: chance
    rows = [("N" * 40, False), ("E" * 40, False), ("ENNC" * 10, True), ("ENNE" + "N" * 36, False)]
    for_each(check, rows)


def test_the_majority_class_of_two_labels() -> None:
    """A model of two labels is right on neutral and contradiction alike, and so is the majority class."""
    base = dataset("base.x", "EEENNCC" * 2)
    three = measure(run({"base.x": "EEENNNN" * 2}, base))[0].majority
    two = measure(run({"base.x": "EEENNNN" * 2}, base, two_label=True))[0].majority
    assert (three.label, three.share) == ("entailment", 6 / 14)
    assert (two.label, two.share) == ("not_entailment", 8 / 14)
    golds = ["entailment", *["not_entailment"] * 3]
    items = tuple(
        Example(f"i{k}", f"Premise {k}.", "Hypothesis.", gold)  # type: ignore[arg-type]
        for k, gold in enumerate(golds)
    )
    (result,) = measure(run({"base.y": "ECCN"}, Dataset("base.y", items, {})))
    assert (result.majority.label, result.majority.share) == ("not_entailment", 3 / 4)


def test_there_is_no_majority_among_fewer_than_two_labels() -> None:
    for gold in ("", "-", "CCCC"):
        (result,) = measure(run({"antonymy.x": "E" * len(gold)}, dataset("antonymy.x", gold)))
        assert result.majority is None


def test_measures_are_the_golden_figures() -> None:
    """Accuracies, those of the bases of the pairs, drops, their intervals and tests, and errors."""
    wrong = []
    for golden_run in runs():
        for result in measure(golden_run):
            start = f"{golden_run.model}|{result.name}"
            shown: dict[str, Any] = {
                "accuracy|": result.accuracy,
                "base_accuracy|": result.base_accuracy,
                "drop|": result.drop,
                "difference|": result.difference,
                "flip_rate|": result.flip_rate,
                "p_value|": result.p_value,
                "p_holm|": result.p_holm,
                "minimum_detectable_drop|": result.minimum_detectable_drop,
                "unlabelled|": result.unlabelled,
                "false_neutral_share|": result.false_neutral_share,
                "false_entailment_share|": result.false_entailment_share,
                **{f"errors|{kind}": count for kind, count in result.errors.items()},
                **{
                    f"confusion|{gold}>{answer}": count
                    for gold, counts in result.confused.items()
                    for answer, count in counts.items()
                },
            }
            for key, found in shown.items():
                held = FIGURES.get(f"{start}|{key}", {"value": None})
                parts = {"value": getattr(found, "value", found)}
                parts |= {end: getattr(found, end) for end in ("low", "high", "n") if hasattr(found, end)}
                for part, number in parts.items():
                    number = None if number is None or np.isnan(number) else number
                    right = held.get(part)
                    is_zero = number == 0 and right is None and key.startswith("errors")  # of two labels
                    if not is_zero and number != right and number != pytest.approx(right, rel=1e-7, abs=1e-9):
                        wrong.append(f"{start}, {key} {part}: {number} for {right}")
    assert not wrong, "\n".join(wrong)
