"""The items behind the value of a check: which they are, by data that can be counted by hand."""

from dataclasses import replace
from typing import Any

import numpy as np

from crossexam.core.dataset import Run
from crossexam.core.outcome import Outcomes
from crossexam.gates.behind import ItemsBehind
from made.cases import for_each
from made.gated import DEV, MakeRun, N, check_of, suite, unpaired, wrong_at
from made.runs import dataset, run_of

AGAINST = {"against": "baseline", "margin": 0.0}


def behind(run: Run, rule: dict[str, Any], baseline: Run | None = None, **how: Any) -> ItemsBehind:
    check = check_of(run, rule, baseline, **how)
    assert check.fails or check.undecided
    assert check.behind is not None
    return check.behind


def ids(found: ItemsBehind) -> list[str]:
    return [item.id.partition(":")[2] for item in found.shown]


LATER = " now, but not in the baseline"
LOST = "right on the base and wrong here"
#: A run, a baseline and a rule; then what the items are, how many, and the first in the order of their ids.
#: As texts, so that 200 is before 5.
CASES: tuple[tuple[dict[str, Any], dict[str, Any], dict[str, Any], str, int, list[str]], ...] = (
    ({DEV: wrong_at(5, 100, 7, 200, 201)}, {DEV: wrong_at(100)}, {"measure": "accuracy", **AGAINST},
     f"wrong{LATER}", 4, ["200", "201", "5"]),
    ({DEV: wrong_at(5, 100, 7, 200)}, {}, {"measure": "accuracy", "min": 0.99},
     "wrong", 4, ["100", "200", "5"]),
    ({DEV: ~wrong_at(5, 7)}, {}, {"measure": "accuracy", "max": 0.0}, "right", 2, ["5", "7"]),
    ({DEV: wrong_at(5, 7, 9), "base.dev": wrong_at(5)}, {}, {"measure": "drop", "max": 0.0},
     LOST, 2, ["7", "9"]),
    ({DEV: wrong_at(5, 7, 9)}, {DEV: wrong_at(7)}, {"measure": "drop", **AGAINST},
     f"{LOST}{LATER}", 2, ["5", "9"]),
    ({DEV: wrong_at(5, 7)}, {DEV: wrong_at(7)}, {"measure": "flip_rate", **AGAINST},
     f"predicted otherwise than their base{LATER}", 1, ["5"]),
)  # fmt: skip


def test_the_items_of_each_measure(make_run: MakeRun) -> None:
    def check(row: int) -> None:
        right, before, rule, *expected = CASES[row]
        baseline = make_run(before) if rule.get("against") else None
        found = behind(make_run(right), rule, baseline)
        assert [found.what, found.count, ids(found)] == expected

    for_each(check, range(len(CASES)))
    run, rule = make_run({DEV: wrong_at(5, 100, 7, 200, 201)}), {"measure": "accuracy", "min": 0.99}
    assert ids(behind(run, rule, items=None)) == ["100", "200", "201", "5", "7"]
    found = behind(make_run({DEV: wrong_at(5)}, of=unpaired(suite())), {"measure": "drop", "max": 0.0})
    assert (found.what, ids(found), found.shown[0].base) == ("wrong", ["5"], None)


def test_an_item_has_its_texts_and_labels_now_and_before(make_run: MakeRun) -> None:
    run = make_run({DEV: wrong_at(5)})
    (item,) = behind(run, {"measure": "accuracy", **AGAINST}, make_run()).shown
    assert (item.id, item.premise, item.hypothesis) == ("negation:5", "Premise 1.", "Hypothesis 5.")
    assert (item.gold, item.now, item.before) == ("contradiction", "entailment", "contradiction")
    (item,) = behind(run, {"measure": "drop", **AGAINST}, make_run()).shown  # is compared with its base
    assert (item.base.id, item.base.hypothesis) == ("base:5", "Hypothesis 5.")
    assert (item.base.gold, item.base.now, item.base.before) == ("contradiction",) * 3


def test_items_without_an_answer_have_the_reason_and_are_not_wrong(make_run: MakeRun) -> None:
    run = make_run({DEV: wrong_at(3, 5)}, {DEV: [3, 4]})
    later = behind(run, {"measure": "unanswered", **AGAINST}, make_run(None, {DEV: [4]}))
    assert (later.what, ids(later)) == (f"without an answer{LATER}", ["3"])
    assert [(item.now, item.before) for item in later.shown] == [("no answer (refused)", "entailment")]
    assert ids(behind(run, {"measure": "accuracy", "min": 0.999})) == ["5"]


def test_the_most_confident_wrong_items(make_run: MakeRun) -> None:
    run = make_run({DEV: wrong_at(*range(0, 150, 3), 4)})
    rows = run.probabilities[DEV]
    for row, sure in {30: 0.95, 4: 0.99, 5: 0.999, 60: 0.5}.items():  # 5 is right
        winner = rows[row].argmax()
        rows[row] = (1 - sure) / 2
        rows[row, winner] = sure
    mass = np.ones(N)
    mass[0] = 0.01  # labels that had little mass are not the most confident
    little = replace(run, outcomes={DEV: Outcomes(np.zeros(N, dtype=np.int8), mass)})
    before = make_run({DEV: wrong_at(*range(1, 180, 3))})
    found = behind(little, {"measure": "ece", **AGAINST}, before)
    assert (found.what, found.count) == ("wrong, the most confident first", 50)
    assert ids(found) == ["4", "30", "102"]


def test_items_that_violate_a_rule_of_consistency() -> None:
    """The base of the second item is missing."""
    whole = dataset("base.dev", "-" * N)
    base = replace(whole, examples=tuple(item for k, item in enumerate(whole) if k != 1))
    symmetry = dataset("symmetry.dev", "-" * N, "base.dev", keeps_label=False, test_class="consistency")
    said = "".join("NC"[int(each)] for each in wrong_at(5, 7))
    run = run_of({base.name: "C" * (N - 1), symmetry.name: said}, base, symmetry, model="mine")
    found = behind(run, {"set": symmetry.name, "measure": "violation.symmetry", "max": 0.0})
    assert (found.what, found.count, ids(found)) == ("in violation of the rule", 2, ["5", "7"])
    (item, _) = found.shown
    assert (item.gold, item.now, item.hypothesis) == (None, "neutral", "Hypothesis 5.")
    assert (item.base.id, item.base.now) == ("base:5", "contradiction")
