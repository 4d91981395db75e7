"""Questions written as a batch, and its answers read in place of the server's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from crossexam.runs.saved import read_run


def _answer(batch: Path, server: Any, results: Path, missing: int = 0) -> None:
    """Write what a batch would answer to the requests in the file *batch*, in another order."""
    requests = [json.loads(line) for line in batch.read_text().splitlines()]
    answers = []
    for request in requests[: len(requests) - missing]:
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        response = {"status_code": 200, "body": server.chat(server.label_for(request["body"])).body}
        answers.append({"custom_id": request["custom_id"], "response": response, "error": None})
    results.write_text("".join(json.dumps(answer) + "\n" for answer in reversed(answers)))


def _details(folder: Path) -> Any:
    return read_run(folder).details


def test_a_batch_is_written_and_read(server: Any, command: Any, output: Path, tmp_path: Path) -> None:
    batch, results = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    assert command("--answer", "text", "--batch-out", batch).status == 0
    assert len(batch.read_text().splitlines()) == 30 + 24
    _answer(batch, server, results, missing=2)
    read = ("--answer", "text", "--batch-in", results)
    partly = command(*read)
    assert partly.status == 4
    assert "2 questions have no answer in the batch files" in partly.err
    assert "nothing is sent" in partly.err
    _answer(batch, server, results)
    assert command(*read).status == 0
    assert server.requests == []
    details = _details(output)
    assert details["probe"]["right"] == 1
    assert details["models_served"] == {"mine": 30 + 24}  # each once, though the files were read twice
    assert command(*read).status == 0
    assert _details(output) == details
    asked = output.with_name("asked")
    assert command("--answer", "text", "-o", asked).status == 0
    tables = [pq.read_table(folder / "predictions" / "tiny.parquet") for folder in (output, asked)]
    assert tables[0].equals(tables[1])
    assert _details(asked)["usage"] == details["usage"]


def test_a_batch_warns_as_the_server_does(server: Any, command: Any, tmp_path: Path) -> None:
    """The model always says neutral, or the answers about the probe are lost."""
    batch, results = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    server.label_for = lambda body: "neutral"
    command("--answer", "text", "--batch-out", batch)
    _answer(batch, server, results)
    said = "gets only 33 % of the 30 easy items of the probe right: it could not be verified"
    assert said in command("--answer", "text", "--batch-in", results).out
    lines = batch.read_text().splitlines(keepends=True)
    batch.write_text("".join(lines[30:]))
    _answer(batch, server, results)
    done = command("--answer", "text", "--batch-in", results, "-o", tmp_path / "lost")
    assert "the batch files have no answers about the probe" in done.out


def test_batches_that_do_not_fit_are_refused(server: Any, command: Any, output: Path, tmp_path: Path) -> None:
    batch, results = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    command("--answer", "text", "--batch-out", batch)
    _answer(batch, server, results)
    for line, said in (
        (("--batch-out", batch), "a batch cannot be asked with --answer auto"),
        (("--answer", "text", "--seed", "1", "--batch-in", results), "none of the 54 answers is to"),
        (("--answer", "text", "--batch-in", batch), "line 1: the line is a request, not an answer"),
    ):
        done = command(*line)
        assert (done.status, said in done.err) == (2, True), done.err
    assert not output.exists()
