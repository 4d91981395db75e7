"""What it will take to ask an endpoint, and permission for many requests."""

import re
from pathlib import Path
from typing import Any

import pytest

from crossexam.models.table import open_model
from crossexam.runs.run import UnconfirmedError, refuse_many
from crossexam.runs.saved import read_run
from made.cases import refused


def test_many_requests_to_another_machine_are_confirmed() -> None:
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
