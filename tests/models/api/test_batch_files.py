"""Questions written as a batch, and its answers read in place of the server's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from crossexam.runs.saved import read_run


@pytest.fixture
def answered(server: Any, command: Any, tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes what a batch answers to its requests in *part*, in another order."""

    batch, results = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    command("--answer", "text", "--batch-out", batch)
    requests = [json.loads(line) for line in batch.read_text().splitlines()]
    assert len(requests) == 30 + 24

    def write(part: slice = slice(None)) -> Path:
        answers = []
        for request in requests[part]:
            response = {"status_code": 200, "body": server.chat(server.label_for(request["body"])).body}
            answers.append({"custom_id": request["custom_id"], "response": response, "error": None})
        results.write_text("".join(json.dumps(answer) + "\n" for answer in reversed(answers)))
        return results

    return write


def test_a_batch_is_written_and_read(server: Any, command: Any, output: Path, answered: Any) -> None:
    read = ("--answer", "text", "--batch-in", answered(slice(52)))
    partly = command(*read, status=4)
    assert "2 questions have no answer in the batch files" in partly.err
    answered()
    command(*read)
    assert server.requests == []
    details = read_run(output).details
    assert details["models_served"] == {"mine": 30 + 24}  # each once, though the files were read twice
    asked = output.with_name("asked")
    command("--answer", "text", "-o", asked)
    tables = [pq.read_table(folder / "predictions" / "tiny.parquet") for folder in (output, asked)]
    assert tables[0].equals(tables[1])
    assert read_run(asked).details["usage"] == details["usage"]


def test_batches_that_do_not_fit_are_refused(command: Any, output: Path, answered: Any) -> None:
    results = answered()
    batch = results.with_name("batch.jsonl")
    for line, said in (
        (("--batch-out", batch), "a batch cannot be asked with --answer auto"),
        (("--answer", "text", "--seed", "1", "--batch-in", results), "none of the 54 answers is to"),
        (("--answer", "text", "--batch-in", batch), "line 1: the line is a request, not an answer"),
    ):
        assert said in command(*line, status=2).err
    assert not output.exists()
