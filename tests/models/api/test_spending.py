"""Budgets of tokens and costs: the probe uses 30 * 52 tokens."""

from pathlib import Path
from typing import Any

from crossexam.core.errors import UnfinishedError
from crossexam.runs.saved import read_run
from made.cases import refused

PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


def test_a_budget_stops_between_requests_and_is_that_of_the_whole_run(server: Any, opened: Any) -> None:
    first = opened(budget=1_800)
    first.predict(PAIRS[:2])
    for model in (opened(budget=1_800), opened(budget=1_800)):
        model.recall(dict(first.details))
        said = refused(UnfinishedError, model.predict, PAIRS[2:])
        assert "the budget of 1,800 tokens is used up (1,820 so far)" in said
        first = model
    assert len(server.requests) == 35  # of 52 tokens each
    said = refused(UnfinishedError, opened(price=(100.0, 0.0), max_cost=0.2).predict, PAIRS)
    assert "the cost limit of 0.2 was reached" in said
    assert len(server.requests) == 35 + 40  # of 50 tokens read at 100 a million
    assert "--max-cost needs the prices of tokens" in refused(opened, max_cost=1.0)


def test_a_budget_that_ends_during_the_probe_is_not_forgotten(
    server: Any, command: Any, output: Path
) -> None:
    said = "what was used up so far is stored: repeat the command with a larger --budget"
    assert said in command("--budget", "100", status=4).err
    assert (output / "store.sqlite").exists()
    sent = len(server.requests)
    command("--budget", "100", status=4)
    assert len(server.requests) == sent  # nothing more is spent
    command("--budget", "1000000")
    usage = read_run(output).details["usage"]
    assert sum(usage.values()) == 52 * len(server.requests)
