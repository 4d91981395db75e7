"""Runs of models behind an endpoint: resumed, killed, confirmed, as batches; and no key in anything."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import crossexam
from crossexam.cli import main
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.test_sets import write_test_set
from crossexam.models.api.pacing import Pace
from crossexam.models.model import AsksHost
from crossexam.models.table import open_model
from crossexam.runs.saved import read_run
from crossexam.runs.waiting import UnconfirmedError, refuse_many

KEY = "sk-do-not-show-4242"
LABELS = ("entailment", "neutral", "contradiction")
EXAMPLES = tuple(
    Example(f"e{n}", f"Premise number {n}.", f"Hypothesis number {n}.", LABELS[n % 3]) for n in range(24)
)


class Done:
    """What a command left: its exit *code*, and what it printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    """A test set in a file."""
    path = tmp_path / "tiny.parquet"
    write_test_set(path, EXAMPLES)
    return path


@pytest.fixture
def command(
    tests: Path,
    tmp_path: Path,
    server: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Done]:
    """Return a function that runs ``crossexam run api/mine`` with these arguments."""

    def call(*arguments: str) -> Done:
        line = ["crossexam", "run", "api/mine", str(tests), "-o", str(tmp_path / "run"), *arguments]
        monkeypatch.setattr(sys, "argv", [*line, "--endpoint", server.url])
        code = 0
        try:
            main.run()
        except SystemExit as stop:
            code = int(stop.code or 0)
        printed = capsys.readouterr()
        return Done(code, printed.out, printed.err)

    return call


def _table(folder: Path) -> pl.DataFrame:
    return pl.read_parquet(folder / "predictions" / "tiny.parquet")


def test_a_run_is_resumed_where_it_stopped(server: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    plain, broken = server.answer, True
    server.answer = lambda body: (
        server.error(401, "expired") if broken and len(server.asked) > 10 else plain(body)
    )
    first = command("--concurrency", "1")
    assert first.code == 2
    assert "401: expired" in first.err
    broken = False
    before = len(server.requests)
    assert command("--concurrency", "1").code == 0
    assert len(server.requests) - before == 24 - 10  # ten are stored, and the probe is
    details = read_run(tmp_path / "run").manifest["details"]
    assert details["parse"] == {"exact": 24}
    assert details["models_served"] == {"mine": 30 + 24}
    again = len(server.requests)
    assert command().code == 0
    assert len(server.requests) == again


def test_what_fails_for_now_ends_unfinished(server: Any, command: Callable[..., Done]) -> None:
    plain, broken = server.answer, True
    server.answer = lambda body: (
        server.error(429, "pay", code="insufficient_quota") if broken and server.asked else plain(body)
    )
    done = command()
    assert done.code == 4
    assert "429: pay; 24 of 24 distinct pairs are still to be asked" in done.err
    assert "repeat the same command to resume" in done.err
    assert done.err.count("to resume") == 1
    broken = False
    assert command().code == 0


@pytest.fixture
def quick(fake_time: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock by which commands wait before they send a request again."""
    pace = partial(Pace, clock=fake_time.now, sleep=fake_time.sleep, jitter=0.0)
    monkeypatch.setattr("crossexam.models.api.model.Pace", pace)
    return fake_time


def test_a_command_without_a_server_ends_soon_and_says_why(
    server: Any, command: Callable[..., Done], quick: Any
) -> None:
    host = server.url.split("/")[2]
    server.close()
    done = command()
    assert done.code == 4
    assert f"no answer from {host} (connection refused); trying again for a few seconds\n" in done.err
    assert "connection refused: is the server running, and is the endpoint its address?" in done.err
    assert "repeat the same command to resume" in done.err
    assert quick.now() < 5


def test_a_server_that_stops_is_waited_for_and_the_user_is_told(
    server: Any, command: Callable[..., Done], quick: Any
) -> None:
    """It answers the probe and ten pairs."""
    plain, host = server.answer, server.url.split("/")[2]

    def stop_at_last(body: dict[str, Any]) -> Any:
        if len(server.asked) == 10:
            server.close()
        return plain(body)._replace(cut=len(server.asked) >= 10)

    server.answer = stop_at_last
    done = command("--concurrency", "1")
    assert done.code == 4
    assert done.err.count(f"no answer from {host}") == 1
    assert "of 24 distinct pairs are still to be asked" in done.err
    assert quick.now() > 60


def test_a_busy_server_is_waited_for_and_the_user_is_told(
    server: Any, command: Callable[..., Done], quick: Any
) -> None:
    plain, host, busy = server.answer, server.url.split("/")[2], iter([True])
    server.answer = lambda body: (
        server.error(429, "slow down", headers={"Retry-After": "22"})
        if len(server.asked) == 5 and next(busy, False)
        else plain(body)
    )
    done = command("--concurrency", "1")
    assert done.code == 0
    said = f"{host}: 429: slow down; all requests wait for 22 seconds, as the server asks"
    said += " (34 requests answered so far)\n"  # 30 of the probe, and all pairs but the one that is refused
    assert done.err.count(said) == 1
    assert "slow down" not in done.out
    assert quick.waits == [22]


@pytest.mark.parametrize("requests", [31, 40, 53])
def test_a_killed_run_asks_no_stored_pair_again(
    server: Any, tests: Path, tmp_path: Path, requests: int
) -> None:
    """The server kills the process that asks, at the first pair, in the middle and at the last."""
    plain, killed = server.answer, list[int]()

    def kill_once(body: dict[str, Any]) -> Any:
        if len(server.requests) == requests and not killed:
            killed.append(len(server.asked))
            os.kill(process.pid, signal.SIGKILL)
        return plain(body)

    line = [sys.executable, "-m", "crossexam", "run", "api/mine", str(tests), "--endpoint", server.url]
    line += ["--concurrency", "1", "-o"]
    server.answer = kill_once
    here = {**os.environ, "PYTHONPATH": str(Path(crossexam.__file__).parents[1])}
    process = subprocess.Popen([*line, str(tmp_path / "killed")], stderr=subprocess.DEVNULL, env=here)
    assert process.wait() == -signal.SIGKILL
    server.answer = plain
    subprocess.run([*line, str(tmp_path / "killed")], check=True, capture_output=True, env=here)
    asked = server.asked
    assert set(asked) == {(e.premise, e.hypothesis) for e in EXAMPLES}
    assert len(asked) <= 24 + 2  # the one under way, and one that had come and was not stored
    subprocess.run([*line, str(tmp_path / "whole")], check=True, capture_output=True, env=here)
    assert _table(tmp_path / "killed").equals(_table(tmp_path / "whole"))


def _everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize(
    "make",
    [
        lambda s, body: s.chat(
            s.label_for(body) if s.pair_in(body)[0] != "Premise number 3." else f"say {KEY}"
        ),
        lambda s, body: s.error(401, f"Incorrect API key provided: {KEY}"),
        lambda s, body: s.error(400, f"Incorrect API key provided: {KEY}"),
        lambda s, body: s.error(500, f"lost {KEY}"),
        lambda s, body: s.response(200, f"<html>{KEY}</html>"),
        lambda s, body: s.response(302, "", {"Location": f"https://x.example/?key={KEY}"}),
        lambda s, body: s.chat("neutral")._replace(cut=True),
    ],
)
def test_the_key_is_in_nothing(
    server: Any,
    command: Callable[..., Done],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Any, Any], Any],
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server.answer = lambda body: make(server, body)
    done = command("--key-env", "MY_KEY", "--tries", "1", "--concurrency", "2")
    assert server.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err
    assert KEY.encode() not in _everything_in(tmp_path)


def test_the_key_is_not_in_the_log_of_an_internal_error(
    server: Any, command: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fail(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("crossexam.models.api.asking.usage_of", fail)
    done = command("--key-env", "MY_KEY")
    assert done.code == 3
    assert any(path.suffix == ".log" for path in tmp_path.iterdir())
    assert KEY not in done.out + done.err
    assert KEY.encode() not in _everything_in(tmp_path)


@pytest.mark.parametrize(("limit", "said"), [((), "24 pairs"), (("--limit", "1"), "1 pair")])
def test_the_host_is_named_before_anything_is_sent(
    server: Any, command: Callable[..., Done], limit: tuple[str, ...], said: str
) -> None:
    done = command(*limit)
    host = server.url.split("/")[2]
    assert f"sending {said} to {host}" in done.err


def test_many_requests_to_another_machine_are_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"endpoint": "https://api.example.com/v1", "key_env": "-"}
    model, confirmed = open_model("api/x", values), open_model("api/x", {**values, "yes": True})
    assert isinstance(model, AsksHost)
    assert isinstance(confirmed, AsksHost)
    refuse_many(model, 1_969)
    with pytest.raises(UnconfirmedError, match=r"up to 2,001 requests would be sent to api\.example\.com"):
        refuse_many(model, 1_970)  # the probe, and the list of models
    refuse_many(confirmed, 1_000_000)
    here = open_model("api/x", {"endpoint": "http://127.0.0.1:9/v1"})
    assert isinstance(here, AsksHost)
    refuse_many(here, 1_000_000)


def test_without_a_terminal_many_requests_are_refused(
    tests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("crossexam.runs.waiting.MOST_UNCONFIRMED", 20)
    line = ["crossexam", "run", "api/x", str(tests), "-o", str(tmp_path / "r"), "--key-env", "-"]
    monkeypatch.setattr(sys, "argv", [*line, "--endpoint", "https://api.example.com/v1"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(SystemExit) as stop:
        main.run()
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert "55 requests would be sent to api.example.com" in error
    assert "sending" not in error


def test_a_dry_run_sends_nothing(server: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    done = command("--dry-run")
    assert done.code == 0
    assert "distinct pairs to ask: 24" in done.out
    assert '"content": "Premise: Premise number 0.' in done.out
    assert "the server was not contacted" in done.err
    assert server.requests == []
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("more", "requests"),
    [
        (("--repeat", "4"), 55 + 4 * 24),
        (("--template", "words,gpt3"), 31 + 2 * 24),
        (("--template", "words,gpt3", "--repeat", "4"), 31 + 2 * 5 * 24),
        (("--template", "words,gpt3", "--repeat", "4", "--limit", "1"), 31 + 2 * 5),
    ],
)
def test_pairs_that_are_asked_again_and_with_other_templates_count_as_requests(
    tests: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    requests: int,
) -> None:
    line = ["crossexam", "run", "api/x", str(tests), "-o", str(tmp_path / "r"), "--key-env", "-", *more]
    monkeypatch.setattr(sys, "argv", [*line, "--endpoint", "https://api.example.com/v1"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    monkeypatch.setattr("crossexam.runs.waiting.MOST_UNCONFIRMED", requests - 1)
    with pytest.raises(SystemExit) as stop:
        main.run()
    assert stop.value.code == 2
    assert f"up to {requests} requests would be sent to api.example.com" in capsys.readouterr().err


def test_pairs_asked_again_are_announced_when_all_others_are_stored(
    command: Callable[..., Done], server: Any
) -> None:
    host = server.url.split("/")[2]
    first = command("--repeat", "2")
    assert f"sending 24 pairs, and 48 pairs again (--repeat) to {host}" in first.err
    asked = len(server.asked)
    second = command("--repeat", "2")
    assert f"sending 48 pairs again (--repeat) to {host}" in second.err
    assert len(server.asked) > asked


@pytest.mark.parametrize("repeat", [(), ("--repeat", "2")])
@pytest.mark.parametrize("answer", ["text", "samples:3"])
def test_a_dry_run_counts_at_least_what_is_sent(
    server: Any, command: Callable[..., Done], tmp_path: Path, answer: str, repeat: tuple[str, ...]
) -> None:
    """Each token of the stub costs the same, and it gives one answer per request whatever ``n`` is."""
    dry = " ".join(command("--answer", answer, "--dry-run", "--price", "2,2", *repeat).out.split())
    forecast = int(re.search(r"requests to \S+ at most (\d+)", dry)[1])  # type: ignore[index]
    read = int(re.search(r"tokens to read: about ([\d,]+)", dry)[1].replace(",", ""))  # type: ignore[index]
    written = int(re.search(r"to write: at most ([\d,]+)", dry)[1].replace(",", ""))  # type: ignore[index]
    assert f"cost: at most about {2 * (read + written) / 1e6:.4g}" in dry
    assert command("--answer", answer, "--concurrency", "1", *repeat).code == 0
    sent = read_run(tmp_path / "run").manifest["details"]["requests"]["sent"]
    assert sent <= forecast <= sent + 1  # with samples, the first request may have to be repeated
    asked = [message for body in server.requests for message in body["messages"]]
    characters = sum(len(message["content"]) for message in asked)
    assert read == pytest.approx(characters / 4, rel=0.05)


def test_a_dry_run_says_what_its_requests_are_for(server: Any, command: Callable[..., Done]) -> None:
    """The probe has 30 pairs, and a server that is not known is asked for its list of models."""
    host = server.url.split("/")[2]
    first = f"requests to {host}: at most {24 + 31}, including 31 for the probe; a few more"
    assert first in " ".join(command("--dry-run").out.split())
    again = f"at most {24 + 31 + 3 * 24}, including 31 for the probe and {3 * 24} for --repeat; a few"
    assert again in " ".join(command("--dry-run", "--repeat", "3").out.split())


def test_a_dry_run_counts_pairs_that_are_asked_again_after_a_finished_run(
    server: Any, command: Callable[..., Done], tests: Path, tmp_path: Path
) -> None:
    """They are drawn from all test sets of the folder, also from those that the command does not name."""
    assert command().code == 0
    dry = " ".join(command("--dry-run", "--repeat", "1").out.split())
    assert "distinct pairs to ask: 0 " in dry
    assert "at most 24, including 24 for --repeat;" in dry
    more = [Example(f"m{n}", f"More {n}.", f"And more {n}.", "neutral") for n in range(5)]
    write_test_set(tests.with_stem("more"), more)
    dry = " ".join(
        command(str(tests.with_stem("more")), "--only", "more", "--dry-run", "--repeat", "1").out.split()
    )
    assert "including 31 for the probe and 29 for --repeat" in dry


def test_a_dry_run_with_several_templates_names_each_and_adds_up(
    server: Any, command: Callable[..., Done]
) -> None:
    out = command("--dry-run", "--template", "gpt3,words", "--price", "1,1").out
    assert [line for line in out.splitlines() if line.startswith("template ")] == [
        "template gpt3:",
        "template words:",
    ]
    flat = " ".join(out.split())
    read = [int(each.replace(",", "")) for each in re.findall(r"tokens to read: about ([\d,]+)", flat)]
    costs = [float(each) for each in re.findall(r"cost: at most about ([\d.]+)", flat)]
    assert f"in all, with 2 templates: requests: at most {2 * 55}" in flat
    assert read[0] + read[1] == read[2]
    assert costs[0] + costs[1] == pytest.approx(costs[2], rel=1e-3)
    assert server.requests == []


def test_a_failed_probe_names_the_template(server: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    server.answer = lambda _: server.chat("Good question!")
    for templates, named in (("gpt3", False), ("gpt3,words", True)):
        folder = tmp_path / templates.replace(",", "_")
        done = command("--template", templates, "--answer", "text", "-o", str(folder))
        assert done.code == 2
        assert "none of the answers" in done.err
        assert ("template gpt3: " in done.err) is named


def test_nothing_needs_a_key_that_sends_nothing(
    tests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    line = ["crossexam", "run", "api/x", str(tests), "-o", str(tmp_path / "r"), "--answer", "text"]
    for more in (["--dry-run"], ["--batch-out", str(tmp_path / "batch.jsonl")]):
        monkeypatch.setattr(sys, "argv", [*line, *more])
        with pytest.raises(SystemExit) as stop:
            main.run()
        assert stop.value.code == 0
    assert len((tmp_path / "batch.jsonl").read_text().splitlines()) == 30 + 24
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", line)
    with pytest.raises(SystemExit):
        main.run()
    assert "OPENAI_API_KEY is not set" in capsys.readouterr().err


@pytest.mark.parametrize("limit", [("--budget", "2000"), ("--price", "1,1", "--max-cost", "0.002")])
def test_a_run_whose_limit_is_reached_names_what_resumes_it(
    server: Any, command: Callable[..., Done], limit: tuple[str, ...]
) -> None:
    """The probe uses 30 * 52 tokens."""
    done = command(*limit, "--concurrency", "1")
    assert done.code == 4
    assert f"repeat the command with a larger {limit[-2]} to resume" in done.err
    assert "the same command" not in done.err
    assert command(*limit[:-1], "1000000").code == 0


def test_a_budget_that_ends_during_the_probe_is_not_forgotten(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    done = command("--budget", "100", "--concurrency", "1")
    assert done.code == 4
    assert "what was used up so far is stored: repeat the command with a larger --budget" in done.err
    assert (tmp_path / "run" / "store.sqlite").exists()
    sent = len(server.requests)
    assert command("--budget", "100", "--concurrency", "1").code == 4
    assert len(server.requests) == sent  # nothing more is spent
    assert command("--budget", "1000000", "--concurrency", "1").code == 0
    usage = read_run(tmp_path / "run").manifest["details"]["usage"]
    assert sum(usage.values()) == 52 * len(server.requests)


def test_a_repeated_command_changes_no_details(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    assert command("--repeat", "1").code == 0
    first = read_run(tmp_path / "run").manifest["details"]
    assert (first["fields_refused"], first["fields_ignored"]) == ([], ["logprobs"])
    assert command().code == 0
    assert read_run(tmp_path / "run").manifest["details"] == first


def test_the_error_of_a_wrong_option_begins_with_the_option(
    server: Any, command: Callable[..., Done]
) -> None:
    done = command("--answer", "foo", "--template", "gpt3")
    assert done.code == 2
    assert done.err.startswith("crossexam: --answer is 'foo'\n  wanted: one of: auto, text")


def _batch_output(batch: Path, server: Any, output: Path, missing: int = 0) -> None:
    """Write what a batch would answer to the requests in the file *batch*, in another order."""
    requests = [json.loads(line) for line in batch.read_text().splitlines()]
    answers = []
    for request in requests[: len(requests) - missing]:
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        body = server.chat(server.label_for(request["body"])).body
        answers.append(
            {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
        )
    output.write_text("".join(json.dumps(answer) + "\n" for answer in reversed(answers)))


def test_a_batch_is_written_and_read(server: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    batch, output = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    assert command("--answer", "text", "--batch-out", str(batch)).code == 0
    assert len(batch.read_text().splitlines()) == 30 + 24
    _batch_output(batch, server, output, missing=2)
    partly = command("--answer", "text", "--batch-in", str(output))
    assert partly.code == 4
    assert "2 questions have no answer in the batch files" in partly.err
    assert "repeat the command with the missing answers in --batch-in" in " ".join(partly.err.split())
    assert "reading the answers about 24 pairs from the batch files: nothing is sent" in partly.err
    assert "sending" not in partly.err
    _batch_output(batch, server, output)
    assert command("--answer", "text", "--batch-in", str(output)).code == 0
    assert server.requests == []
    details = read_run(tmp_path / "run").manifest["details"]
    assert details["probe"]["right"] == 1
    assert details["models_served"] == {"mine": 30 + 24}  # each once, though the files were read twice
    assert command("--answer", "text", "--batch-in", str(output)).code == 0
    assert read_run(tmp_path / "run").manifest["details"] == details
    of_batch = _table(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "batched")
    assert command("--answer", "text").code == 0
    assert of_batch.equals(_table(tmp_path / "run"))
    assert read_run(tmp_path / "run").manifest["details"]["usage"] == details["usage"]


def test_a_batch_warns_as_the_server_does(server: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    """The model always says neutral, or the answers about the probe are lost."""
    batch, output = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    server.label_for = lambda body: "neutral"
    command("--answer", "text", "--batch-out", str(batch))
    _batch_output(batch, server, output)
    done = command("--answer", "text", "--batch-in", str(output))
    said = "gets only 33 % of the 30 easy items of the probe right: it could not be verified"
    assert said in " ".join(done.out.split())
    (tmp_path / "run").rename(tmp_path / "batched")
    server.probe_answer = "neutral"
    server.answer = lambda body: server.chat("neutral")
    assert said in " ".join(command("--answer", "text").out.split())
    (tmp_path / "run").rename(tmp_path / "asked")
    without = [
        line for line in output.read_text().splitlines() if json.loads(line)["custom_id"] in _items(batch)
    ]
    output.write_text("\n".join(without))
    done = command("--answer", "text", "--batch-in", str(output))
    assert "the batch files have no answers about the probe" in " ".join(done.out.split())


def _items(batch: Path) -> set[str]:
    """Return the names of the requests in *batch* about items, which come after those of the probe."""
    return {json.loads(line)["custom_id"] for line in batch.read_text().splitlines()[30:]}


def test_batches_that_do_not_fit_are_refused(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    batch, output = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    refused = command("--batch-out", str(batch))
    assert refused.code == 2
    assert "a batch cannot be asked with --answer auto" in refused.err
    command("--answer", "text", "--batch-out", str(batch))
    _batch_output(batch, server, output)
    other = command("--answer", "text", "--seed", "1", "--batch-in", str(output))
    assert other.code == 2
    assert "none of the 54 answers is to a request of this model with these options" in other.err
    swapped = command("--answer", "text", "--batch-in", str(batch))
    assert swapped.code == 2
    assert "line 1: the line is a request, not an answer" in swapped.err


def test_repeat_counts_how_often_answers_change(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    """Each third pair gets another answer whenever it is asked again."""
    plain, counts = server.answer, dict[Any, int]()

    def unsteady(body: dict[str, Any]) -> Any:
        pair = server.pair_in(body)
        counts[pair] = counts.get(pair, 0) + 1
        if pair[0].endswith(("0.", "3.", "6.", "9.")) and counts[pair] > 1:
            label = server.label_for(body)
            return server.chat(LABELS[(LABELS.index(label) + 1) % 3])
        return plain(body)

    server.answer = unsteady
    done = command("--repeat", "2")
    assert done.code == 0
    changing = sum(e.premise.endswith(("0.", "3.", "6.", "9.")) for e in EXAMPLES)
    found = read_run(tmp_path / "run").manifest["details"]["repeat"]
    assert (found["pairs"], found["times"], found["flips"]) == (24, 2, 2 * changing)
    assert found["value"] == pytest.approx(changing / 24, abs=1e-6)
    assert found["low"] < found["value"] < found["high"]
    assert f"{2 * changing} of 48 answers changed when 24 pairs were asked again 2 times" in done.err
    assert command().code == 0
    assert read_run(tmp_path / "run").manifest["details"]["repeat"] == found


def test_texts_of_answers_are_left_out_if_so_asked(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    server.answer = lambda body: server.chat(f"{server.label_for(body)}\n\nbecause of the zebra")
    assert command("--keep-text", "no").code == 0
    import sqlite3

    with sqlite3.connect(tmp_path / "run" / "store.sqlite") as connection:
        details = [row[0] for row in connection.execute("SELECT detail FROM answers")]
    assert len(details) == 24
    assert not any("zebra" in str(detail) for detail in details)


def test_a_report_says_that_another_model_answered(server: Any, command: Callable[..., Done]) -> None:
    def answer(body: dict[str, Any]) -> Any:
        found = server.chat(server.label_for(body))
        found.body["model"] = "cheaper"
        return found

    server.answer = answer
    assert "the server answered as 'cheaper', not as 'mine', for which it was asked" in command().out


def test_answers_of_low_label_mass_are_flagged_counted_and_on_the_page(
    server: Any, command: Callable[..., Done], tmp_path: Path
) -> None:
    """In a third of the answers, all labels together have a probability of about 0.2."""

    def answer(body: dict[str, Any]) -> Any:
        label = server.label_for(body)
        shift = 1.5 if server.pair_in(body)[0].endswith(("0.", "3.", "6.", "9.")) else 0.0
        others = [(each, -3.0 - shift) for each in LABELS if each != label]
        top = [(label, -0.2 - shift), *others, ("Well", -0.3 if shift else -6.0)]
        listed = [{"token": token, "bytes": list(token.encode()), "logprob": value} for token, value in top]
        return server.chat(label, logprobs={"content": [{**listed[0], "top_logprobs": listed}]})

    server.answer = answer
    done = command("--answer", "logprobs")
    low = [k for k, e in enumerate(EXAMPLES) if e.premise.endswith(("0.", "3.", "6.", "9."))]
    said = f"in {len(low)} of 24 answers, all labels together had a probability below 1/2"
    assert said in " ".join(done.out.split())
    run = read_run(tmp_path / "run")
    assert run.manifest["details"]["logprobs"]["low_mass"] == len(low)
    masses = _table(tmp_path / "run")["label_mass"].to_list()
    assert [k for k, mass in enumerate(masses) if mass < 0.5] == low
    assert said in crossexam.report(run).text(".html")
    assert run.answered("tiny").all()  # flagged, and counted as any other


def test_workers_cannot_ask_an_endpoint(server: Any, command: Callable[..., Done]) -> None:
    done = command("--workers", "2")
    assert done.code == 2
    assert "workers cannot ask a model at an endpoint" in done.err


def test_the_library_takes_the_same_options(server: Any) -> None:
    run = crossexam.run("api/mine", "builtin:demo", endpoint=server.url, concurrency=2)
    assert run.manifest["details"]["endpoint"] == server.url
    with pytest.raises(CrossexamError, match="--endpoint: 'x' is not the URL of an endpoint"):
        crossexam.run("api/mine", "builtin:demo", endpoint="x")
