"""How often a gate is wrong, and how often it finds a loss: simulated runs over clustered items.

Each premise has three items per test set, and is easy or hard for both models in all of them: a right answer
has a probability that is drawn once per premise from a beta distribution (intraclass correlation 0.3).  Rules
compare a run with its baseline in every test set, and in the drops from the first of them.  Printed are the
share of gates in which any check is broken although the models are equally good, for a margin of 0 and for a
true loss that equals the margin; and the share in which a loss is found that is as large as open checks say
that they would show.

    python bench/gate.py --gates 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.dataset import Dataset, Run
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.gates.baseline import Baseline
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from

CONCENTRATION = 1 / 0.3 - 1
SHARE = 0.8  # of the baseline, in every test set


@dataclass(frozen=True)
class Design:
    """A suite of a base and *sets* test sets over so many *premises*, with the *margin* of its rules."""

    premises: int
    sets: int
    margin: float = 0.0

    @property
    def datasets(self) -> dict[str, Dataset]:
        """The base and the test sets, which are paired with it."""
        n = 3 * self.premises
        made = {}
        for name in ("base", *(f"test{number}" for number in range(self.sets))):
            items = tuple(
                Example(
                    f"{name}{k}",
                    f"P{k // 3}.",
                    f"H{k}.",
                    LABELS[k % 3],
                    base=None if name == "base" else f"base{k}",
                )
                for k in range(n)
            )
            facts = {"construction": f"{name}.v1", "part": "dev", "rows": n, "content_hash": name}
            paired = {"construction": "base"} if name == "base" else {"base_set": "base.dev"}
            made[f"{name}.dev"] = Dataset(f"{name}.dev", items, {**facts, **paired})
        return made

    @property
    def rules(self) -> list[dict[str, Any]]:
        """A rule about accuracies and, if there are test sets, one about drops."""
        against = {"against": "baseline", "margin": self.margin}
        return [
            {"set": "*", "measure": name, **against}
            for name in ("accuracy", *(["drop"] if self.sets else []))
        ]


class Simulation:
    """Gates over runs of a *design*, drawn from *seed*."""

    def __init__(self, design: Design, seed: int = 0) -> None:
        self._datasets, self._rules = design.datasets, rules_from(design.rules)
        self._codes = np.arange(3 * design.premises) // 3
        self._premises = design.premises
        self._rng = np.random.default_rng([seed, design.premises, design.sets])

    def gate(self, losses: Mapping[str, float]) -> GateResult:
        """Return the gate of a run that loses so much accuracy on some test sets, against its baseline."""
        easy = self._rng.random(self._premises)
        old = self._run(easy, {})
        return judge(self._run(easy, losses), self._rules, Baseline.of(old, probabilities=False))

    def _run(self, easy: NDArray[np.float64], losses: Mapping[str, float]) -> Run:
        from scipy.special import betaincinv

        rows = {}
        for name, dataset in self._datasets.items():
            share = SHARE - losses.get(name, 0.0)
            own = betaincinv(share * CONCENTRATION, (1 - share) * CONCENTRATION, easy)[self._codes]
            wrong = self._rng.random(len(own)) >= own
            rows[name] = np.eye(3)[(dataset.labels() + wrong) % 3]
        return Run("mine", self._datasets, rows)


def false_alarms(
    design: Design, gates: int, losses: Mapping[str, float] | None = None, seed: int = 0
) -> float:
    """Return the share of gates with a broken check although no loss is above the margin."""
    simulation = Simulation(design, seed)
    return float(
        np.mean(
            [
                any(check.outcome == "broken" for check in simulation.gate(losses or {}).checks)
                for _ in range(gates)
            ]
        )
    )


def power(design: Design, gates: int, seed: int = 0) -> tuple[float, float]:
    """Return the loss that could be shown, as open checks of equal models say on average, and its power."""
    simulation, name = Simulation(design, seed), "base.dev"
    said = [
        -check.detectable
        for _ in range(30)
        for check in simulation.gate({}).checks
        if check.test_set == name and check.detectable is not None
    ]
    loss = float(np.mean(said))
    found = [
        next(check for check in simulation.gate({name: loss}).checks if check.test_set == name).outcome
        == "broken"
        for _ in range(gates)
    ]
    return loss, float(np.mean(found))


#: The head of the table in bench/COVERAGE.md.
HEAD: Final = (
    *("premises", "checks", "gates with a broken check, models equal, margin 0"),
    *("the same, true loss of 2 points = margin", "loss that open checks call detectable", "found"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gates", type=int, default=1000)
    gates = parser.parse_args(arguments).gates
    print(f"| {' | '.join(HEAD)} |", "|---:" * len(HEAD) + "|", sep="\n")
    for premises in (50, 300):
        for sets in (0, 3):
            design = Design(premises, sets)
            checks = 1 + 2 * sets
            alarms = false_alarms(design, gates)
            margin = replace(design, margin=0.02)
            at_margin = false_alarms(margin, gates, dict.fromkeys(design.datasets, 0.02))
            loss, found = power(design, gates)
            shares = f"{100 * alarms:.1f} % | {100 * at_margin:.1f} %"
            print(
                f"| {premises} | {checks} | {shares} | {100 * loss:.1f} | {100 * found:.0f} % |", flush=True
            )


if __name__ == "__main__":
    main()
