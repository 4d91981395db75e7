"""Budgets of tokens and costs: the probe uses 30 * 52 tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.runs.saved import read_run

PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


def test_a_budget_stops_between_requests_and_is_that_of_the_whole_run(server: Any, opened: Any) -> None:
    first = opened(budget=1_800)
    first.predict(PAIRS[:2])
    for model in (opened(budget=1_800), opened(budget=1_800)):
        model.recall(dict(first.details))
        with pytest.raises(UnfinishedError, match=r"the budget of 1,800 tokens is used up \(1,820 so far\)"):
            model.predict(PAIRS[2:])
        first = model
    assert len(server.requests) == 35  # of 52 tokens each
    with pytest.raises(UnfinishedError, match=r"the cost limit of 0\.2 was reached"):
        opened(price=(100.0, 0.0), max_cost=0.2).predict(PAIRS)
    assert len(server.requests) == 35 + 40  # of 50 tokens read at 100 a million
    with pytest.raises(CrossexamError, match="--max-cost needs the prices of tokens"):
        opened(max_cost=1.0)


def test_a_budget_that_ends_during_the_probe_is_not_forgotten(
    server: Any, command: Any, output: Path
) -> None:
    done = command("--budget", "100")
    assert done.status == 4
    assert "what was used up so far is stored: repeat the command with a larger --budget" in done.err
    assert (output / "store.sqlite").exists()
    sent = len(server.requests)
    assert command("--budget", "100").status == 4
    assert len(server.requests) == sent  # nothing more is spent
    limit = ("--price", "1,1", "--max-cost", "0.002")
    assert "repeat the command with a larger --max-cost to resume" in command(*limit).err
    assert command("--budget", "1000000").status == 0
    usage = read_run(output).details["usage"]
    assert sum(usage.values()) == 52 * len(server.requests)
