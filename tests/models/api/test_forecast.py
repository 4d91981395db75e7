"""What it will take to ask an endpoint, permission for many requests, and what may be spent.

The probe uses 30 * 52 tokens.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import UnfinishedError
from crossexam.models.table import open_model
from crossexam.runs.run import UnconfirmedError, refuse_many
from crossexam.runs.saved import read_run


def test_many_requests_to_another_machine_are_confirmed(refused: Any) -> None:
    elsewhere = {"endpoint": "https://api.example.com/v1", "key_env": "-"}
    refuse_many(open_model("api/x", elsewhere), 1_969)
    model = open_model("mean/api/x,builtin/majority", {f"api.{name}": elsewhere[name] for name in elsewhere})
    said = refused(UnconfirmedError, refuse_many, model, 1_970)
    assert "up to 2,001 requests would be sent to api.example.com" in said  # with the probe
    refuse_many(open_model("api/x", {**elsewhere, "yes": True}), 1_000_000)
    refuse_many(open_model("api/x", {"endpoint": "http://127.0.0.1:9/v1"}), 1_000_000)


def test_a_dry_run_sends_nothing_and_counts_at_least_what_is_sent(
    server: Any, command: Any, output: Path
) -> None:
    """Each token of the stub costs the same, and it gives one answer per request whatever ``n`` is."""
    for more in (("--answer", "text"), ("--answer", "samples:3", "--repeat", "2")):
        server.requests.clear()
        dry = command(*more, "--dry-run", "--price", "2,2").out
        found = re.search(r"at most ([\d,]+).*to read: about ([\d,]+).*to write: at most ([\d,]+)", dry)
        assert found
        assert server.requests == []
        forecast, read, written = (int(number.replace(",", "")) for number in found.groups())
        assert f"cost: at most about {2 * (read + written) / 1e6:.4g}" in dry
        folder = output.with_name(more[1][:4])
        command(*more, "-o", folder)
        sent = read_run(folder).details["requests"]["sent"]
        assert sent <= forecast <= sent + 1  # with samples, the first may have to be repeated
        asked = [message for body in server.requests for message in body["messages"]]
        characters = sum(len(message["content"]) for message in asked)
        assert read == pytest.approx(characters / 4, rel=0.05)
        most = [body["max_tokens"] for body in server.requests if "messages" in body]
        assert written <= sum(most) <= written + most[0]


PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


def test_a_budget_stops_between_requests_and_is_that_of_the_whole_run(
    server: Any, opened: Any, refused: Any
) -> None:
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
