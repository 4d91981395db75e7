"""Questions are asked once, what fails stops them or leaves them for later, and no key is in anything."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import crossexam
from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.labels import LABELS
from crossexam.runs.answer_store import AnswerStore
from crossexam.runs.saved import read_run


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
    stored, at, answers = set(), 1, Path("predictions", "tiny.parquet")
    while dies(folder := tmp_path / f"{at}", at):  # how many answers are written at once may vary
        stored.add(known := _stored(folder))
        asked = run(folder)
        assert len(asked) == len(set(asked)) == 24 - known
        assert pq.read_table(folder / answers).equals(pq.read_table(tmp_path / "whole" / answers))
        at += 1
    assert len(stored) > 4


def test_the_key_is_in_nothing(
    server: Any, command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in answers and errors of the server, nor in the log of a mistake of ours."""
    key = "sk-do-not-show-4242"
    monkeypatch.setenv("MY_KEY", key)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def check(seed: int, status: int | None = None) -> None:
        done = command("--key-env", "MY_KEY", "--tries", "1", "--force", "--seed", seed, status=status)
        assert server.headers["Authorization"] == f"Bearer {key}"
        assert key not in done.out + done.err
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not [path for path in files if key.encode() in path.read_bytes()]

    responses = (
        server.error(401, f"Incorrect API key provided: {key}"),
        server.error(500, f"lost {key}"),
        server.response(200, f"<html>{key}</html>"),
        server.response(302, "", {"Location": f"https://x.example/?key={key}"}),
    )
    for number, response in enumerate(responses):
        server.answer = lambda body, it=response: it
        check(number)

    def fail(*_: object) -> None:
        raise RuntimeError("a mistake of ours")

    server.answer = lambda body: server.chat(f"{server.label_for(body)}\n\nas {key} says")
    check(98)
    monkeypatch.setattr("crossexam.models.api.asking.usage_of", fail)
    check(99, status=3)
    assert any(path.suffix == ".log" for path in tmp_path.iterdir())


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


def test_a_failure_for_now_is_no_answer(server: Any, opened: Any) -> None:
    plain, found = server.answer, list[int]()
    server.answer = lambda body: (
        server.error(500, "broken") if server.pair_in(body) == PAIRS[1] else plain(body)
    )
    with pytest.raises(UnfinishedError, match=r"1 questions got no answer \(1 times 500: broken\)"):
        found.extend(k for batch in opened(tries=2).batches(PAIRS, [False] * 12) for k in batch.indices)
    assert sorted(found) == [0, *range(2, 12)]


def test_what_fails_for_all_stops_everything(server: Any, opened: Any, each_case: Any) -> None:
    plain = server.answer

    def check(status: str, error: Any, headers: Any, is_for_now: bool, said: str) -> None:
        response = server.response(int(status), {"error": error}, headers)
        server.requests.clear()
        server.answer = lambda body: plain(body) if server.pair_in(body) not in PAIRS else response
        with pytest.raises(CrossexamError) as caught:
            opened(tries=1).predict(PAIRS)
        assert said in str(caught.value)
        assert isinstance(caught.value, UnfinishedError) is is_for_now
        assert len(server.asked) <= 5

    each_case(check)


PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]
