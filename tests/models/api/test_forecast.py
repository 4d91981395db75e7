"""What it will take to ask an endpoint: dry runs, and permission for many requests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.models.table import open_model
from crossexam.runs.saved import read_run
from crossexam.runs.waiting import UnconfirmedError, refuse_many


def test_many_requests_to_another_machine_are_confirmed() -> None:
    elsewhere = {"endpoint": "https://api.example.com/v1", "key_env": "-"}
    refuse_many(open_model("api/x", elsewhere), 1_969)
    with pytest.raises(UnconfirmedError, match=r"up to 2,001 requests would be sent to api\.example\.com"):
        refuse_many(open_model("api/x", elsewhere), 1_970)  # the probe, and the list of models
    refuse_many(open_model("api/x", {**elsewhere, "yes": True}), 1_000_000)
    refuse_many(open_model("api/x", {"endpoint": "http://127.0.0.1:9/v1"}), 1_000_000)


def test_without_a_terminal_many_requests_are_refused(
    elsewhere: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs that are asked again and with other templates count as requests."""
    two, again = ("--template", "words,gpt3"), ("--repeat", "4")
    for more, requests in (
        ((), 55),
        (again, 55 + 4 * 24),
        (two, 31 + 2 * 24),
        ((*two, *again), 31 + 2 * 5 * 24),
        ((*two, *again, "--limit", "1"), 31 + 2 * 5),
    ):
        monkeypatch.setattr("crossexam.runs.waiting.MOST_UNCONFIRMED", requests - 1)
        done = elsewhere(*more)
        assert done.code == 2
        assert f"up to {requests} requests would be sent to api.example.com" in done.err
        assert "sending" not in done.err


def test_a_dry_run_sends_nothing_and_says_what_requests_are_for(
    server: Any, command: Any, output: Path
) -> None:
    """The probe has 30 pairs, and a server that is not known is asked for its list of models."""
    done = command("--dry-run")
    assert done.code == 0
    assert "distinct pairs to ask: 24" in done.out
    assert '"content": "Premise: Premise number 0.' in done.out
    assert f"at most {24 + 31}, including 31 for the probe; a few more" in done.out
    again = f"at most {24 + 31 + 3 * 24}, including 31 for the probe and {3 * 24} for --repeat; a few"
    assert again in command("--dry-run", "--repeat", "3").out
    two = command("--dry-run", "--template", "gpt3,words").out
    assert f"in all, with 2 templates: requests: at most {2 * 55}" in two
    assert server.requests == []
    assert not output.exists()


def test_a_dry_run_counts_at_least_what_is_sent(server: Any, command: Any, output: Path) -> None:
    """Each token of the stub costs the same, and it gives one answer per request whatever ``n`` is."""
    for answer in ("text", "samples:3"):
        for repeat in ((), ("--repeat", "2")):
            server.requests.clear()
            dry = command("--answer", answer, "--dry-run", "--force", "--price", "2,2", *repeat).out
            (forecast,) = _numbers(r"requests to \S+ at most ([\d,]+)", dry)
            (read,) = _numbers(r"tokens to read: about ([\d,]+)", dry)
            (written,) = _numbers(r"to write: at most ([\d,]+)", dry)
            assert f"cost: at most about {2 * (read + written) / 1e6:.4g}" in dry
            folder = output.with_name(f"{answer[:4]}{len(repeat)}")
            assert command("--answer", answer, *repeat, "-o", folder).code == 0
            sent = read_run(folder).manifest["details"]["requests"]["sent"]
            assert sent <= forecast <= sent + 1  # with samples, the first may have to be repeated
            asked = [message for body in server.requests for message in body["messages"]]
            characters = sum(len(message["content"]) for message in asked)
            assert read == pytest.approx(characters / 4, rel=0.05)


def _numbers(pattern: str, text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(pattern, text)]


def test_a_dry_run_counts_pairs_that_are_asked_again_after_a_finished_run(command: Any, tests: Path) -> None:
    """They are drawn from all test sets of the folder, also from those that the command does not name."""
    assert command().code == 0
    dry = command("--dry-run", "--repeat", "1").out
    assert "distinct pairs to ask: 0 " in dry
    assert "at most 24, including 24 for --repeat;" in dry
    more = tests.with_stem("more")
    write_test_set(more, [Example(f"m{n}", f"More {n}.", f"And more {n}.", "neutral") for n in range(5)])
    dry = command(more, "--only", "more", "--dry-run", "--repeat", "1").out
    assert "including 31 for the probe and 29 for --repeat" in dry


def test_nothing_needs_a_key_that_sends_nothing(
    crossexam_command: Any, tests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    line = ("run", "api/x", tests, "-o", tmp_path / "r", "--answer", "text")
    assert crossexam_command(*line, "--dry-run").code == 0
    assert crossexam_command(*line, "--batch-out", tmp_path / "batch.jsonl").code == 0
    assert len((tmp_path / "batch.jsonl").read_text().splitlines()) == 30 + 24
    assert "OPENAI_API_KEY is not set" in crossexam_command(*line).err
