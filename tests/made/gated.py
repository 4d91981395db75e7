"""What tests of gates have in common: which items are right, rules, and the gate that they make."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.gates.baseline import Baseline
from crossexam.gates.checks import Check
from crossexam.gates.judge import judge
from crossexam.gates.result import GateResult
from crossexam.gates.rules import rules_from
from made.runs import dataset

MakeRun = Callable[..., Run]
N = 300
DEV = "negation.dev"


def suite(n: int = N, part: str = "dev") -> dict[str, Dataset]:
    """A base and a test set ``negation`` over it, both of *part*, of *n* items in clusters of three."""
    golds, over = "ENC" * (n // 3), f"base.{part}"
    base, negation = dataset(over, golds, sharing=3), dataset(f"negation.{part}", golds, over, sharing=3)
    return {base.name: base, negation.name: negation}


def first(share: float) -> Any:
    """Which of the items are right: the clusters at the beginning."""
    return np.arange(N) < share * N


def spread_out(share: float, seed: int = 0) -> Any:
    return np.random.default_rng(seed).permutation(N) < share * N


def wrong_at(*rows: int) -> Any:
    """Which of the items are right: all but those at *rows*."""
    flags = np.ones(N, dtype=bool)
    flags[list(rows)] = False
    return flags


def gate(run: Run, *rules: dict[str, Any], baseline: Run | None = None, **how: Any) -> GateResult:
    """The gate of rules about negation.dev, or another set, against a stored *baseline*."""
    stored = None if baseline is None else Baseline.of(baseline)
    return judge(run, rules_from([{"set": DEV, **rule} for rule in rules]), stored, **how)


def check_of(run: Run, rule: dict[str, Any], baseline: Run | None = None, **how: Any) -> Check:
    (check,) = gate(run, rule, baseline=baseline, **how).checks
    return check


def unpaired(datasets: Mapping[str, Dataset]) -> dict[str, Dataset]:
    """The test sets, of which negation.dev does not keep labels."""
    facts = {**datasets[DEV].manifest, "keeps_label": False}
    return {**datasets, DEV: replace(datasets[DEV], manifest=facts)}


def half_proposed(datasets: Mapping[str, Dataset]) -> dict[str, Dataset]:
    """The test sets; the label of every other item of negation.dev is only proposed."""
    marked = tuple(
        replace(each, info={**each.info, "status": "proposed"}) if k % 2 else each
        for k, each in enumerate(datasets[DEV].examples)
    )
    return {**datasets, DEV: replace(datasets[DEV], examples=marked)}
