"""Models behind an endpoint in crossexam examine: the flags of run, dry runs, permission, repetition."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossexam.cli import main
from crossexam.runs.saved import read_run

BASE = "builtin:demo[::40]"  # nine pairs


class Done(NamedTuple):
    """What a command left: its exit *code*, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def examine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Return a function that runs ``crossexam examine`` with these arguments on nine pairs."""

    def call(*arguments: str) -> Done:
        line = ["crossexam", "examine", *arguments, "--suite", "corpus", "--base", BASE]
        monkeypatch.setattr(sys, "argv", [*line, "-o", str(tmp_path / "out")])
        monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
        with pytest.raises(SystemExit) as stop:
            main.run()
        printed = capsys.readouterr()
        return Done(int(stop.value.code or 0), printed.out, printed.err)

    return call


def test_the_flags_of_run_are_taken(server: Any, examine: Callable[..., Done], tmp_path: Path) -> None:
    flags = ("--endpoint", server.url, "--answer", "text", "--concurrency=1", "--template", "words")
    done = examine("api/mine", "builtin/overlap", *flags)
    assert done.code == 0, done.err
    assert f"sending 9 pairs to {server.url.split('/')[2]}" in done.err
    assert len(server.asked) == 9
    details = read_run(tmp_path / "out" / "runs" / "api-mine").manifest["details"]
    assert (details["answer"], details["concurrency"]) == ("text", 1)
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_setting_and_a_flag_are_the_same_option(server: Any, examine: Callable[..., Done]) -> None:
    assert examine("api/mine", "--set", f"api.endpoint={server.url}").code == 0
    both = examine("api/mine", "--set", f"api.endpoint={server.url}", "--endpoint", server.url)
    assert both.code == 2
    assert "'endpoint' is set by both --set api.endpoint and --endpoint" in both.err
    assert "builtin/ models have no option 'endpoint'" in examine("builtin/overlap", "--endpoint", "x").err


def test_the_seed_is_that_of_building(server: Any, examine: Callable[..., Done]) -> None:
    assert examine("api/mine", "--endpoint", server.url, "--seed", "7").code == 0
    assert {body["seed"] for body in server.requests} == {0}
    server.requests.clear()
    line = ("--endpoint", server.url, "--seed", "7", "--set", "api.seed=3", "--force")
    done = examine("api/mine", *line)
    assert done.code == 0, done.err
    assert {body["seed"] for body in server.requests} == {3}


def test_a_dry_run_builds_and_sends_nothing(
    server: Any, examine: Callable[..., Done], tmp_path: Path
) -> None:
    dry = examine("api/mine", "builtin/overlap", "--endpoint", server.url, "--price", "1,1", "--dry-run")
    assert dry.code == 0, dry.err
    assert server.requests == []
    assert (tmp_path / "out" / "suite" / "manifest.json").is_file()
    assert not (tmp_path / "out" / "runs").exists()
    flat = " ".join(dry.out.split())
    assert "api/mine: distinct pairs to ask: 9" in flat
    assert "at most 40" in flat  # with the probe and the list of models
    assert "builtin/overlap: nothing is sent: the model is on this machine" in flat
    assert "nothing was sent" in dry.err
    assert examine("api/mine", "--endpoint", server.url, "--dry-run").code == 0  # the suite is read
    assert examine("api/mine", "--endpoint", server.url).code == 0
    again = examine("api/mine", "--endpoint", server.url, "--dry-run")
    assert "distinct pairs to ask: 0" in again.out


def test_a_dry_run_needs_no_key(examine: Callable[..., Done]) -> None:
    line = ("api/x", "--endpoint", "https://api.example.com/v1", "--key-env", "MISSING_KEY")
    assert "MISSING_KEY" in examine(*line).err
    done = examine(*line, "--dry-run")
    assert done.code == 0, done.err


def test_a_dry_run_without_an_endpoint_is_refused_before_anything_is_built(
    examine: Callable[..., Done], tmp_path: Path
) -> None:
    done = examine("builtin/overlap", "--dry-run")
    assert done.code == 2
    assert "builtin/overlap: --dry-run is for models behind an endpoint" in done.err
    assert not (tmp_path / "out").exists()


def test_many_requests_to_another_machine_are_refused(
    examine: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crossexam.runs.waiting.MOST_UNCONFIRMED", 20)
    done = examine("api/x", "--endpoint", "https://api.example.com/v1", "--key-env", "-")
    assert done.code == 2
    assert "40 requests would be sent to api.example.com" in done.err
    assert "sending" not in done.err


def test_several_templates_are_a_run_each(server: Any, examine: Callable[..., Done], tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("like = 'words'\nsystem = 'Answer with a label.'")
    flags = ("--endpoint", server.url, "--template", f"words,{own}")
    dry = examine("api/mine", "builtin/overlap", *flags, "--dry-run")
    assert "api/mine, template words:" in dry.out
    assert "in all, with 2 runs:" in dry.out
    done = examine("api/mine", "builtin/overlap", *flags)
    assert done.code == 0, done.err
    runs = tmp_path / "out" / "runs"
    assert sorted(path.name for path in (runs / "api-mine").iterdir()) == ["own", "words"]
    assert read_run(runs / "builtin-overlap").model == "builtin/overlap"
    assert "Prompt templates" in done.out
    server.answer = lambda _: server.chat("Good question!")
    failed = examine("api/mine", *flags, "--answer", "text", "--force")
    assert failed.code == 2
    assert "template words: none of the answers to the 30 easy pairs" in failed.err


def test_pairs_are_asked_again(server: Any, examine: Callable[..., Done], tmp_path: Path) -> None:
    done = examine("api/mine", "--endpoint", server.url, "--repeat", "2")
    assert done.code == 0, done.err
    assert "sending 9 pairs, and 18 pairs again (--repeat)" in done.err
    assert read_run(tmp_path / "out" / "runs" / "api-mine").manifest["details"]["repeat"]["pairs"] == 9
    assert len(server.asked) == 27
    refused = examine("api/mine", "--endpoint", server.url, "--repeat", "2", "--chunk", "words:5")
    assert "--repeat asks about whole pairs" in refused.err


def test_the_help_says_which_flag_has_another_meaning(examine: Callable[..., Done]) -> None:
    shown = examine("--help").out
    assert "--set api.seed=N" in shown
    assert "--endpoint URL" in shown
    assert "--as-published" in shown
