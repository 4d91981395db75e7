"""The verdict of a gate and its first line: what passes, what is undecided, and what fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult, check_open
from crossexam.gates.rules import rules_from

MakeRun = Callable[..., Run]
N = 300
DEV = "negation.dev"
AGAINST = {"against": "baseline", "margin": 0.02}
SHOWN = {"require": "shown"}


def all_but(count: int) -> Any:
    """Which of the items are right: all but so many, one per cluster."""
    wrong = np.zeros(N, dtype=bool)
    wrong[: 3 * count : 3] = True
    return ~wrong


def swapped(lost: int, gained: int) -> Any:
    """Which of the items are right in a run, and in its baseline, if some were lost and others gained."""
    new, old = np.ones((2, N), dtype=bool)
    new[: 3 * lost : 3] = False
    old[1 : 3 * gained : 3] = False
    return new, old


def gate(make_run: MakeRun, new: Any, old: Any, rule: dict[str, Any], **how: Any) -> GateResult:
    rules = rules_from([{"set": DEV, "measure": "accuracy", **rule}])
    return judge(make_run({DEV: new}), rules, Baseline.of(make_run({DEV: old}, model="theirs")), **how)


#: What was found, as flags of the run and the baseline and a rule; then the outcome, and the exit codes of
#: the gate with --open undecided, pass and fail.
CASES: dict[str, tuple[Any, Any, dict[str, Any], str, tuple[int, int, int]]] = {
    "holds": (*swapped(0, 30), AGAINST, "holds", (0, 0, 0)),
    "open, as good": (*swapped(12, 12), AGAINST, "open", (0, 0, 0)),
    "open, better": (*swapped(10, 12), AGAINST, "open", (0, 0, 0)),
    "open, a loss within the margin": (*swapped(13, 12), AGAINST, "open", (5, 0, 1)),
    "open, worse than the margin": (*swapped(20, 12), AGAINST, "open", (5, 0, 1)),
    "broken": (*swapped(60, 0), AGAINST, "broken", (1, 1, 1)),
    "open, but must be shown": (*swapped(13, 12), AGAINST | SHOWN, "open", (1, 1, 1)),
    "open without a loss, but must be shown": (*swapped(10, 12), AGAINST | SHOWN, "open", (1, 1, 1)),
    "open, a limit that the value keeps to": (all_but(60), all_but(0), {"min": 0.78}, "open", (5, 0, 1)),
    "open, a limit that it does not": (all_but(60), all_but(0), {"min": 0.81}, "open", (5, 0, 1)),
    "a limit that is kept": (all_but(60), all_but(0), {"min": 0.5}, "holds", (0, 0, 0)),
    "drop, open": (all_but(6), all_but(0), {"measure": "drop", "max": 0.03}, "open", (5, 0, 1)),
}
VERDICTS = {0: "passes", 1: "fails", 5: "undecided"}


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_and_the_exit_code(make_run: MakeRun, name: str) -> None:
    new, old, rule, outcome, codes = CASES[name]
    for open_checks, code in zip(("undecided", "pass", "fail"), codes, strict=True):
        result = gate(make_run, new, old, rule, open_checks=open_checks)
        assert result.checks[0].outcome == outcome
        through = open_checks == "pass" and codes[0] == 5
        assert result.let_through == through
        assert (result.exit_code, result.passed) == (code, code == 0)
        assert result.verdict == ("undecided" if through else VERDICTS[code])
        word = "is undecided" if result.verdict == "undecided" else result.verdict
        by = ", let through by --open pass" if through else ""
        assert result.summary.startswith(f"The gate {word}{by}: mine against theirs, 1 check: ")
        if code:
            with pytest.raises(AssertionError, match=f"^The gate {word}"):
                result.check()
        else:
            assert result.check() is result


def test_the_default_is_undecided(make_run: MakeRun) -> None:
    new, old, rule, *_ = CASES["open, a loss within the margin"]
    assert gate(make_run, new, old, rule).exit_code == 5


def test_a_drop_of_0_or_less_is_no_loss_but_a_least_drop_is_a_limit(make_run: MakeRun) -> None:
    fewer, more = {DEV: all_but(8), "base.dev": all_but(10)}, {DEV: all_but(10), "base.dev": all_but(8)}
    for right, rule, code in (
        (fewer, {"max": 0.01}, 0),
        (more, {"max": 0.01}, 5),
        (fewer, {"min": 0.0}, 5),
        (more, {"min": 0.0}, 5),
    ):
        rules = rules_from([{"set": DEV, "measure": "drop", **rule}])
        result = judge(make_run(right), rules)
        assert (result.checks[0].outcome, result.exit_code) == ("open", code)


@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_a_measure_that_should_be_low_has_no_loss_if_it_fell(make_run: MakeRun, margin: float) -> None:
    rules = rules_from([{"set": DEV, "measure": "flip_rate", "against": "baseline", "margin": margin}])
    few, many = (make_run({DEV: flags}) for flags in swapped(10, 12))
    assert judge(few, rules, Baseline.of(many)).verdict == "passes"
    assert judge(many, rules, Baseline.of(few)).verdict == "undecided"


def test_what_rounding_makes_of_0_is_no_loss(make_run: MakeRun) -> None:
    """Item k has label k modulo 3: 3 of the first are gained, and 2 and 1 of the others are lost."""
    new, old = np.ones((2, N), dtype=bool)
    old[[0, 3, 6]] = False
    new[[10, 13, 17]] = False
    result = gate(make_run, new, old, {"measure": "balanced_accuracy", **AGAINST})
    (check,) = result.checks
    assert check.outcome == "open"
    assert -1e-15 < check.value.value < 0
    assert result.verdict == "passes"


def test_what_could_not_be_judged_is_before_what_is_open_and_after_what_fails(make_run: MakeRun) -> None:
    run = make_run({DEV: all_but(60), "base.dev": all_but(60)}, {DEV: range(60)})  # one fifth
    unjudged = {"set": DEV, "measure": "accuracy", "min": 0.7}
    undecided = {"set": "base.dev", "measure": "accuracy", "min": 0.8}
    broken = {"set": "base.dev", "measure": "accuracy", "min": 0.95}

    def found(*rules: dict[str, Any], **how: Any) -> tuple[str, int]:
        result = judge(run, rules_from(rules), **how)
        return result.verdict, result.exit_code

    assert found(unjudged, undecided) == ("cannot be judged", 2)
    assert found(unjudged, undecided, open_checks="pass") == ("cannot be judged", 2)
    assert found(unjudged, undecided, open_checks="fail") == ("fails", 1)
    assert found(unjudged, broken) == ("fails", 1)


@pytest.fixture(scope="module")
def several(datasets: dict[str, Dataset]) -> dict[str, Dataset]:
    """Five test sets over the same base."""
    made = {"base.dev": datasets["base.dev"]}
    for name in ("negation", "word_overlap", "antonymy", "so_swap"):
        of_set = {**datasets[DEV].manifest, "construction": f"{name}.v1"}
        made[f"{name}.dev"] = replace(datasets[DEV], name=f"{name}.dev", manifest=of_set)
    return made


def test_the_first_line_says_what_is_open_what_is_worse_and_what_would_settle_it(
    make_run: MakeRun, several: dict[str, Dataset]
) -> None:
    losses = {"negation.dev": 24, "word_overlap.dev": 20, "antonymy.dev": 18, "so_swap.dev": 13}
    flags = {name: swapped(lost, 12) for name, lost in losses.items()}
    flags["base.dev"] = swapped(10, 12)
    new, old = (make_run({name: both[k] for name, both in flags.items()}, of=several) for k in range(2))
    rules = [
        {"set": "*", "measure": "accuracy", **AGAINST, "margin": 0.01},
        {"set": "base.dev", "measure": "accuracy", "min": 0.5},
    ]
    result = judge(new, rules_from(rules), Baseline.of(old))
    needed = sorted(each.items_needed or 0 for each in result.checks if each.undecided)
    assert result.summary == (
        "The gate is undecided: mine against mine, 6 checks: 1 holds, 5 open; "
        "1 of the open ones without a loss; 3 of the other 4 are worse than their limit (negation: accuracy "
        "−4.0 points, word overlap: accuracy −2.7 points, antonymy: accuracy −2.0 points); "
        f"about {needed[0]:,} to {needed[-1]:,} items in each test set would settle these {len(needed)} "
        "if the values stayed as measured"
    )


def test_the_first_line_of_one_check_that_no_number_of_items_settles(make_run: MakeRun) -> None:
    result = gate(make_run, *swapped(18, 12), AGAINST)  # the loss is the margin
    assert result.summary.endswith(
        "1 check: 1 open; the open one is not worse than its limit; "
        "no number of items would settle it if the value stayed as measured"
    )


@pytest.mark.parametrize(
    ("losses", "says"),
    [
        ((10,), "1 check: 1 open; no loss was seen in the open one"),
        ((20,), "1 open; the open one is worse than its limit (base (dev): accuracy −2.7 points); about"),
        ((10, 10), "2 checks: 2 open; no loss was seen in the open ones"),
        ((10, 13), "2 open; 1 of the open ones without a loss; the other one is not worse than its limit;"),
        ((13, 13), "2 checks: 2 open; none of the open ones is worse than its limit; about"),
        ((13, 20), "1 of the open ones is worse than its limit (negation: accuracy −2.7 points); about"),
    ],
)
def test_the_first_line_says_what_is_known_of_the_open_checks(
    make_run: MakeRun, losses: tuple[int, ...], says: str
) -> None:
    flags = {name: swapped(lost, 12) for name, lost in zip(("base.dev", DEV), losses, strict=False)}
    new, old = (make_run({name: both[k] for name, both in flags.items()}) for k in range(2))
    rules = [{"set": name, "measure": "accuracy", **AGAINST} for name in flags]
    summary = judge(new, rules_from(rules), Baseline.of(old)).summary
    assert says in summary
    if "no loss" in says:
        assert summary.startswith("The gate passes: ")
        assert summary.endswith(says)


def test_the_first_line_names_what_is_broken_and_what_was_not_shown(make_run: MakeRun) -> None:
    run = make_run({DEV: all_but(60), "base.dev": all_but(90)})
    rules = [
        {"set": DEV, "measure": "accuracy", "min": 0.95},
        {"set": "base.dev", "measure": "accuracy", "min": 0.69, **SHOWN},
    ]
    assert judge(run, rules_from(rules)).summary == (
        "The gate fails: mine, 2 checks: 1 broken, 1 open; broken: negation: accuracy 80.0; "
        "not shown, as was required: base (dev): accuracy 70.0; the open one is not worse than its limit"
    )


def test_what_becomes_of_open_checks_is_one_of_three() -> None:
    assert check_open("pass") == "pass"
    with pytest.raises(CrossexamError, match="open is 'passes'"):
        check_open("passes")


@pytest.mark.parametrize(("theirs", "code"), [((), 5), ((0, 3, 6), 0), ((0, 3, 6, 9), 0)])
def test_who_refuses_what_it_would_get_wrong_has_lost_it(
    make_run: MakeRun, theirs: tuple[int, ...], code: int
) -> None:
    """A baseline with the same refusals, or more, had no answer to lose."""
    run = make_run(None, {DEV: (0, 3, 6)})
    baseline = Baseline.of(make_run(None, {DEV: theirs}, model="theirs"))
    found = judge(run, rules_from([{"set": DEV, "measure": "accuracy", **AGAINST}]), baseline)
    (check,) = found.checks
    assert (check.outcome, check.value.value, check.without_loss) == ("open", 0, code == 0)
    assert found.exit_code == code
    assert found.summary.endswith(f"; {max(3, len(theirs))} items could not be measured")
