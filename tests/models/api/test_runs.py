"""Runs of models behind an endpoint: resumed, told of, asked again, by batches; and no key in anything."""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crossexam
from crossexam.core.labels import LABELS
from crossexam.runs.answer_store import AnswerStore
from crossexam.runs.answers import StoredBatch, joined
from crossexam.runs.saved import read_run

KEY = "sk-do-not-show-4242"


def _table(folder: Path) -> pa.Table:
    return pq.read_table(folder / "predictions" / "tiny.parquet")


THIRDS = list(range(0, 24, 3))


def test_what_fails_for_now_ends_unfinished(server: Any, command: Any) -> None:
    """Here the server stops after the probe and 10."""
    plain = server.answer

    def stop_at_last(body: dict[str, Any]) -> Any:
        server.is_closed = len(server.asked) >= 10
        return plain(body)._replace(cut=server.is_closed)

    server.answer = stop_at_last
    done = command(status=4)
    assert "connection refused; the request waits for 8 seconds" in done.err
    assert "of 24 distinct pairs are still to be asked" in done.err
    assert done.err.count("repeat the same command to resume") == 1


def _stored(folder: Path) -> int:
    if not (folder / "store.sqlite").exists():
        return 0
    with sqlite3.connect(folder / "store.sqlite") as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        query = "SELECT coalesce(sum(length(pairs)) / 16, 0) FROM batches"
        return connection.execute(query).fetchone()[0] if "batches" in tables else 0


def test_a_run_that_dies_at_any_write_asks_no_stored_pair_again(
    server: Any, tests: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crossexam.models.api.asking._MOST_TOGETHER", 5)

    def run(folder: Path) -> list[tuple[str, str]]:
        server.requests.clear()
        crossexam.run("api/mine", tests, store=folder, endpoint=server.url, concurrency=1)
        return list(server.asked)

    def dies(folder: Path, at: int) -> bool:
        """Run, and let the store's transaction number *at* fail before it is committed."""
        numbers, real = count(1), AnswerStore._transaction

        @contextmanager
        def transaction(self: AnswerStore, kind: str) -> Iterator[None]:
            with real(self, kind):
                yield
                if next(numbers) == at:
                    raise SystemExit

        with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):
            patch.setattr(AnswerStore, "_transaction", transaction)
            run(folder)
            return False
        return True

    run(tmp_path / "whole")
    stored, at = set(), 1
    while dies(folder := tmp_path / f"{at}", at):  # how many answers are written at once may vary
        stored.add(known := _stored(folder))
        asked = run(folder)
        assert len(asked) == len(set(asked)) == 24 - known
        assert _table(folder).equals(_table(tmp_path / "whole"))
        at += 1
    assert len(stored) > 4


def test_the_key_is_in_nothing(
    server: Any, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in answers and errors of the server, nor in the log of a mistake of ours."""
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def check(seed: int, status: int | None = None) -> None:
        done = command("--key-env", "MY_KEY", "--tries", "1", "--force", "--seed", seed, status=status)
        assert server.headers["Authorization"] == f"Bearer {KEY}"
        assert KEY not in done.out + done.err
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path for path in files if KEY.encode() in path.read_bytes()]

    responses = (
        server.error(401, f"Incorrect API key provided: {KEY}"),
        server.error(500, f"lost {KEY}"),
        server.response(200, f"<html>{KEY}</html>"),
        server.response(302, "", {"Location": f"https://x.example/?key={KEY}"}),
    )
    for number, response in enumerate(responses):
        server.answer = lambda body, it=response: it
        check(number)

    def fail(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    server.answer = lambda body: server.chat(f"{server.label_for(body)}\n\nas {KEY} says")
    check(98)
    monkeypatch.setattr("crossexam.models.api.asking.usage_of", fail)
    check(99, status=3)
    assert any(path.suffix == ".log" for path in tmp_path.iterdir())


def test_another_model_that_answers_is_named_and_texts_are_left_out_if_so_asked(
    server: Any, command: Any, output: Path
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        said = server.chat(f"{server.label_for(body)}\n\nbecause of the zebra")
        return server.response(200, {**said.body, "model": "cheaper"})

    server.answer = answer
    said = "the server answered as 'cheaper', not as 'mine', which was asked for"
    assert said in command("--keep-text", "no").out
    with sqlite3.connect(output / "store.sqlite") as connection:
        rows = connection.execute("SELECT probabilities, more FROM batches").fetchall()
    assert "zebra" not in str(joined([StoredBatch(*row) for row in rows]).details)


def test_answers_of_low_label_mass_are_flagged_counted_and_on_the_page(
    server: Any, command: Any, output: Path
) -> None:
    """In a third of the answers, all labels together have a probability of about 0.2."""

    def answer(body: dict[str, Any]) -> Any:
        label = server.label_for(body)
        shift = 1.5 if server.pair_in(body)[0] in {f"Premise {k}." for k in THIRDS} else 0.0
        others = {each: -3.0 - shift for each in LABELS if each != label}
        return server.chat(label, {label: -0.2 - shift, **others})

    server.answer = answer
    said = f"in {len(THIRDS)} of 24 answers, all labels together had a probability below 1/2"
    assert said in command("--answer", "logprobs").out
    run = read_run(output)
    assert [k for k, mass in enumerate(_table(output)["label_mass"].to_pylist()) if mass < 0.5] == THIRDS
    assert said in crossexam.report(run).text(".html")
    assert run.answered("tiny").all()  # flagged, and counted as any other


def test_texts_are_left_out_if_so_asked(server: Any, command: Any, output: Path) -> None:
    server.answer = lambda body: server.chat(f"{server.label_for(body)}\n\nbecause of the zebra")
    command("--keep-text", "no")
    with sqlite3.connect(output / "store.sqlite") as connection:
        rows = connection.execute("SELECT probabilities, more FROM batches").fetchall()
    assert "zebra" not in str(joined([StoredBatch(*row) for row in rows]).details)


def test_repeat_counts_how_often_answers_change(server: Any, command: Any, output: Path) -> None:
    """One pair gets another answer whenever it is asked again."""

    def unsteady(body: dict[str, Any]) -> Any:
        label = server.label_for(body)
        if server.asked.count(server.pair_in(body)) > 1 and server.pair_in(body)[0] == "Premise 3.":
            label = LABELS[(LABELS.index(label) + 1) % 3]
        return server.chat(label)

    server.answer = unsteady
    done = command("--repeat", "2")
    found = read_run(output).details["repeat"]
    assert (found["pairs"], found["times"], found["flips"]) == (24, 2, 2)
    assert found["value"] == pytest.approx(1 / 24, abs=1e-6)
    assert "2 of 48 answers changed when 24 pairs were asked again 2 times" in done.err


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
    assert _table(output).equals(_table(asked))
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
