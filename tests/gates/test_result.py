"""The verdict of a gate and its first line: what passes, what is undecided, and what fails."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from made import gated
from made.gated import DEV, MakeRun, wrong_at

AGAINST = {"against": "baseline", "margin": 0.02}
SHOWN = {"require": "shown"}


def all_but(count: int) -> Any:
    """Which of the items are right: all but so many, one per cluster."""
    return wrong_at(*range(0, 3 * count, 3))


def swapped(lost: int, gained: int) -> Any:
    """Which of the items are right in a run, and in its baseline, if some were lost and others gained."""
    return wrong_at(*range(0, 3 * lost, 3)), wrong_at(*range(1, 3 * gained, 3))


def gate(make_run: MakeRun, new: Any, old: Any, rule: dict[str, Any], **how: Any) -> GateResult:
    rules = rules_from([{"set": DEV, "measure": "accuracy", **rule}])
    return judge(make_run({DEV: new}), rules, Baseline.of(make_run({DEV: old}, model="theirs")), **how)


#: What was found, as flags of the run and the baseline and a rule; then the outcome, and the exit codes of
#: the gate with --open undecided, pass and fail.
CASES: dict[str, tuple[Any, Any, dict[str, Any], str, tuple[int, int, int]]] = {
    "holds": (*swapped(0, 30), AGAINST, "holds", (0, 0, 0)),
    "open, as good": (*swapped(12, 12), AGAINST, "open", (0, 0, 0)),
    "open, a loss within the margin": (*swapped(13, 12), AGAINST, "open", (5, 0, 1)),
    "open, worse than the margin": (*swapped(20, 12), AGAINST, "open", (5, 0, 1)),
    "broken": (*swapped(60, 0), AGAINST, "broken", (1, 1, 1)),
    "open, but must be shown": (*swapped(13, 12), AGAINST | SHOWN, "open", (1, 1, 1)),
    "open, a limit that the value keeps to": (all_but(60), all_but(0), {"min": 0.78}, "open", (5, 0, 1)),
    "open, a limit that it does not": (all_but(60), all_but(0), {"min": 0.81}, "open", (5, 0, 1)),
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
        if code:
            with pytest.raises(AssertionError, match=f"^The gate (is )?{result.verdict}"):
                result.check()
        else:
            assert result.check() is result


def test_what_is_no_loss(make_run: MakeRun) -> None:
    fewer, more = {DEV: all_but(8), "base.dev": all_but(10)}, {DEV: all_but(10), "base.dev": all_but(8)}
    for right, code in ((fewer, 0), (more, 5)):  # a drop of 0 or less is no loss
        result = gated.gate(make_run(right), {"measure": "drop", "max": 0.01})
        assert (result.checks[0].outcome, result.exit_code) == ("open", code)
    # item k has label k modulo 3: 3 of the first are gained, and 2 and 1 of the others are lost
    new, old = wrong_at(10, 13, 17), wrong_at(0, 3, 6)
    result = gate(make_run, new, old, {"measure": "balanced_accuracy", **AGAINST})
    (check,) = result.checks
    assert -1e-15 < check.value.value < 0  # what rounding makes of 0
    assert (check.outcome, result.verdict) == ("open", "passes")


def test_who_refuses_what_it_would_get_wrong_has_lost_it(make_run: MakeRun) -> None:
    """A baseline with the same refusals, or more, had no answer to lose."""
    run, rule = make_run(None, {DEV: (0, 3, 6)}), {"measure": "accuracy", **AGAINST}
    for theirs, code in (((), 5), ((0, 3, 6), 0), ((0, 3, 6, 9), 0)):
        found = gated.gate(run, rule, baseline=make_run(None, {DEV: theirs}, model="theirs"))
        (check,) = found.checks
        assert (check.outcome, check.value.value, check.without_loss) == ("open", 0, code == 0)
        assert found.exit_code == code


def test_what_could_not_be_judged_is_before_what_is_open_and_after_what_fails(make_run: MakeRun) -> None:
    run = make_run({DEV: all_but(60), "base.dev": all_but(60)}, {DEV: range(60)})  # one fifth
    unjudged = {"measure": "accuracy", "min": 0.7}
    undecided = {"set": "base.dev", "measure": "accuracy", "min": 0.8}
    for open_checks, expected in (("pass", ("cannot be judged", 2)), ("fail", ("fails", 1))):
        result = gated.gate(run, unjudged, undecided, open_checks=open_checks)
        assert (result.verdict, result.exit_code) == expected


def over_one_base(make_run: MakeRun, datasets: dict[str, Dataset]) -> GateResult:
    """The gate of five test sets over the same base, against a baseline and with a limit."""
    lost = {"base": 10, "negation": 24, "word_overlap": 20, "antonymy": 18, "so_swap": 13}
    of, flags = {}, {}
    for name, count in lost.items():
        data = datasets["base.dev" if name == "base" else DEV]
        facts = data.manifest if name == "base" else {**data.manifest, "construction": f"{name}.v1"}
        of[f"{name}.dev"] = replace(data, name=f"{name}.dev", manifest=facts)
        flags[f"{name}.dev"] = swapped(count, 12)
    new, old = (make_run({name: both[k] for name, both in flags.items()}, of=of) for k in range(2))
    rules = (
        {"set": "*", "measure": "accuracy", **AGAINST, "margin": 0.01},
        {"set": "base.dev", "measure": "accuracy", "min": 0.5},
        {"set": "antonymy.*", "measure": "ece", "max": 0.5},  # whose intervals are clustered by premise alone
    )
    return gated.gate(new, *rules, baseline=old)


def test_the_texts_of_gates(
    make_run: MakeRun, datasets: dict[str, Dataset], golden: Callable[[str, str], None]
) -> None:
    """The first lines, the tables, and of some gates notes, items and the command as well."""
    run = make_run({DEV: all_but(60), "base.dev": all_but(90)})
    least = {"measure": "accuracy", "min": 0.95}
    on_base = {"set": "base.dev", "measure": "accuracy", "min": 0.69}
    missing = make_run({DEV: all_but(60)}, {DEV: range(60), "base.dev": range(3)})
    unjudged = {**least, "min": 0.7}, {"measure": "drop", "max": 0.1}
    gates = {
        "of five test sets": over_one_base(make_run, datasets),
        "broken, and not shown": gated.gate(run, least, on_base | SHOWN),
        "not judged": gated.gate(missing, *unjudged),
        "two limits": gated.gate(run, least, {**least, "min": 0.9}, on_base),
    }
    texts = {name: each.text("COMMAND") for name, each in gates.items()}
    for name, (new, old, rule, *_) in CASES.items():
        text, _, _ = gate(make_run, new, old, rule).text("COMMAND").partition("\n\nPercent")
        texts[name] = f"{text}\n"
    golden("gates.txt", "\n".join(f"## {name}\n\n{text}" for name, text in texts.items()))
