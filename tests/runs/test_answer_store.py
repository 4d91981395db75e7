"""The store of answers: resuming after SIGKILL, sharing, refusing what is damaged."""

import contextlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.example import Example
from crossexam.core.outcome import Outcome
from crossexam.models.model import Batch, CharactersRead
from crossexam.runs import answer_store
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.answers import Answers, entered
from crossexam.runs.pair_hashes import pair_hash
from made.cases import refused
from made.suites import contents, write_suite

BATCH = 8

# A process that runs a model which notes every pair that it is asked, and that kills itself at the
# moment it is told: the parent need not guess how far it is.
CHILD = """
import hashlib, os, signal, sys
from pathlib import Path
from crossexam.runs import folder, windows
from crossexam.runs.run import predict_suite
from crossexam.runs.answer_store import AnswerStore

suite, out, run_folder, log, moment, count = sys.argv[1:]
left = int(count)
windows.FIRST_WINDOW, windows.LARGEST_WINDOW = 24, 48

def reached(name):
    global left
    if name == moment:
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

def judge(pairs):
    answers = []
    with open(log, "a", encoding="utf-8") as stream:
        for premise, hypothesis in pairs:
            reached("asking")
            digest = hashlib.sha256((premise + hypothesis).encode()).digest()
            shares = [1 + digest[k] for k in range(3)]
            answers.append([share / sum(shares) for share in shares])
            stream.write(premise + "|" + hypothesis + "\\n")
            stream.flush()
    return answers

add = AnswerStore.add
def watched_add(self, *args):
    reached("before storing")
    add(self, *args)
    reached("after storing")
AnswerStore.add = watched_add

write = folder._write_predictions
def watched_write(*args):
    reached("writing")
    write(*args)
folder._write_predictions = watched_write

options = {"batch_size": BATCH_SIZE}
run = predict_suite("py/judge_of_the_test:judge", suite, store=Path(out), options=options)
folder.save_run(run, Path(run_folder))
""".replace("BATCH_SIZE", str(BATCH))

MODULE = "import sys\n\ndef judge(pairs):\n    return sys.modules['__main__'].judge(pairs)\n"


def tiny_sets() -> Suite:
    """Two test sets, 150 pairs of which 30 stand in both."""
    sets = {
        name: [Example(f"{name}{k}", f"Premise {k // 3}.", f"Hypothesis {k}.", "neutral") for k in part]
        for name, part in (("base.tiny", range(90)), ("more.tiny", range(60, 150)))
    }
    return Suite("tiny", {name: Dataset(name, tuple(examples)) for name, examples in sets.items()})


def start(
    place: Path, out: str, log: str, moment: str = "never", count: int = 0, run: str | None = None
) -> subprocess.Popen[str]:
    """Start a process that stores predictions in *out* and saves the run there, or in *run*."""
    (place / "judge_of_the_test.py").write_text(MODULE, encoding="utf-8")
    folders = (str(place / name) for name in ("suite", out, run or out, log))
    command = [sys.executable, "-c", CHILD, *folders, moment, str(count)]
    return subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> int:
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGKILL), errors
    return process.returncode


def asked(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def stored(out: Path) -> set[bytes]:
    if not (out / FILE_NAME).exists():
        return set()
    with closing(sqlite3.connect(out / FILE_NAME)) as connection:
        joined = b"".join(row[0] for row in connection.execute("SELECT pairs FROM batches"))
    found = [joined[start : start + 16] for start in range(0, len(joined), 16)]
    assert len(found) == len(set(found)), "a prediction is stored twice"
    return set(found)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_kills_leave_the_bytes_of_an_undisturbed_run(tmp_path: Path) -> None:
    suite = tiny_sets()
    write_suite(tmp_path / "suite", *suite)
    distinct = {(e.premise, e.hypothesis) for data in suite for e in data}
    assert finish(start(tmp_path, "calm", "calm.log")) == 0
    assert len(asked(tmp_path / "calm.log")) == len(distinct) == 150

    rng = random.Random(20)
    moments = ["asking"] * 5 + ["before storing", "after storing", "after storing"]
    rng.shuffle(moments)
    moments += ["writing", "writing"]  # when all is asked
    name_of = {pair_hash(*pair): "|".join(pair) for pair in distinct}
    settled: set[str] = set()
    for moment in moments:
        count = rng.randint(1, {"asking": 24, "writing": 2}.get(moment, 3))
        seen = len(asked(tmp_path / "killed.log"))
        assert finish(start(tmp_path, "killed", "killed.log", moment, count)) == -signal.SIGKILL
        assert not settled & set(asked(tmp_path / "killed.log")[seen:]), "a stored pair was asked again"
        settled = {name_of[each] for each in stored(tmp_path / "killed")}
        assert not (tmp_path / "killed" / "manifest.json").exists()
    assert settled
    seen = len(asked(tmp_path / "killed.log"))
    assert finish(start(tmp_path, "killed", "killed.log")) == 0
    log = asked(tmp_path / "killed.log")
    assert not settled & set(log[seen:])
    interrupted_batches = sum(moment in {"asking", "before storing"} for moment in moments)
    assert len(log) <= len(distinct) + BATCH * interrupted_batches
    assert contents(tmp_path / "killed" / "predictions") == contents(tmp_path / "calm" / "predictions")
    assert len(contents(tmp_path / "calm" / "predictions")) == 2


def test_a_new_store_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    def open_and_close(path: Path) -> None:
        together.wait()
        with AnswerStore(path, "key", "name"):
            pass

    together = Barrier(4)
    with ThreadPoolExecutor(4) as pool:  # SQLite refuses about one round in four if nothing is done about it
        for round_ in range(60):
            list(pool.map(open_and_close, [tmp_path / str(round_) / FILE_NAME] * 4))


@pytest.mark.slow
def test_two_processes_share_a_store(tmp_path: Path) -> None:
    write_suite(tmp_path / "suite", *tiny_sets())
    # a folder has one writer
    both = [start(tmp_path, "shared", f"{name}.log", run=name) for name in "ab"]
    assert [finish(process) for process in both] == [0, 0]
    assert len(stored(tmp_path / "shared")) == 150
    finish(start(tmp_path, "calm", "calm.log"))
    for name in "ab":
        assert contents(tmp_path / name / "predictions") == contents(tmp_path / "calm" / "predictions")


def hashes_of(start: int, stop: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Hashes that are spread and in no order."""
    return np.random.default_rng(7).integers(0, 2**63, (stop, 2), dtype=np.uint64)[start:]


def answers_of(start: int, stop: int) -> Answers:
    """Answers of which each has more to say than the one before: read, mass, a detail, none at all."""
    shares = np.random.default_rng(8).random((stop, 3))[start:]
    shares /= shares.sum(axis=1, keepdims=True)
    outcomes, read = [], []
    for k in range(start, stop):
        refused = Outcome("refused", detail={"text": "é\ud800" * k, "n": [1, None]})
        outcomes.append((Outcome(), Outcome(), Outcome(label_mass=0.1 * k % 1), refused)[k % 4])
        read.append(CharactersRead(k, 2 * k) if k % 4 == 1 else None)
        if k % 4 == 3:
            shares[k - start] = np.nan
    return entered(Batch(range(stop - start), shares, read, outcomes), "m")


@contextlib.contextmanager
def opened(folder: Path, *keys: str) -> Iterator[list[AnswerStore]]:
    """Open the store in *folder* for the models of *keys* at once."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(AnswerStore(folder / FILE_NAME, key, "m")) for key in keys]


def fill(store: AnswerStore, start: int, stop: int, at_once: int) -> None:
    for first in range(start, stop, at_once):
        last = min(first + at_once, stop)
        store.add(hashes_of(first, last), answers_of(first, last))


def check(store: AnswerStore, count: int) -> None:
    """Assert that the store has the first *count* answers, to the last bit, and no others."""
    known, found = store.look_up(hashes_of(0, count + 30)[::-1])
    assert known[::-1].tolist() == [True] * count + [False] * 30
    found, wanted = found.at(np.arange(count + 30)[::-1][:count]), answers_of(0, count)
    assert np.array_equal(found.probabilities, wanted.probabilities, equal_nan=True)
    assert found.read.tolist() == wanted.read.tolist()
    assert found.outcomes.codes.tolist() == wanted.outcomes.codes.tolist()
    assert np.array_equal(found.outcomes.label_mass, wanted.outcomes.label_mass, equal_nan=True)
    assert found.details == wanted.details
    assert store.count() == count


@pytest.mark.parametrize(("at_once", "is_file"), [(3, True), (50, True), (3, False)])
def test_answers_come_back(tmp_path: Path, monkeypatch: Any, at_once: int, is_file: bool) -> None:
    monkeypatch.setattr(answer_store, "_BYTES_AT_ONCE", 100)
    path = tmp_path / FILE_NAME if is_file else None
    with AnswerStore(path, "other", "m") as store:
        fill(store, 20, 60, 7)
    with AnswerStore(path, "k", "m") as store:
        for start, stop in ((0, 20), (20, 65), (65, 170)):
            fill(store, start, stop, at_once)
            check(store, stop)
    if is_file:
        with opened(tmp_path, "k", "other") as (store, other):
            check(store, 170)
            assert other.look_up(hashes_of(0, 60))[0].tolist() == [False] * 20 + [True] * 40
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME] * is_file


def test_the_first_answer_stays(tmp_path: Path) -> None:
    """Whoever stores it again, this process or another one that does not know of it yet."""
    with opened(tmp_path, "k", "k") as (one, two):
        fill(one, 0, 6, 3)
        one.add(hashes_of(0, 6), answers_of(10, 16))
        two.add(hashes_of(0, 6), answers_of(20, 26))
        for store in (one, two):
            known, found = store.look_up(hashes_of(0, 6))
            assert known.all()
            assert np.array_equal(found.probabilities, answers_of(0, 6).probabilities, equal_nan=True)


def test_a_row_that_was_changed_is_told(tmp_path: Path) -> None:
    with opened(tmp_path, "k", "l") as stores:
        for store in stores:
            fill(store, 0, 12, 12)
    whole = (tmp_path / FILE_NAME).read_bytes()

    zeros = [f"{name} = zeroblob(length({name}))" for name in ("probabilities", "more", "checksum")]
    fewer = "pairs = substr(pairs, 1, 16), probabilities = substr(probabilities, 1, 24)"
    for change in [*zeros, fewer, "more = NULL", "pairs = 'x'", "model = 2"]:
        (tmp_path / FILE_NAME).write_bytes(whole)
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
            connection.execute(f"UPDATE batches SET {change} WHERE model = 1")
        with AnswerStore(tmp_path / FILE_NAME, "l" if "model" in change else "k", "m") as store:
            asked = np.concatenate([hashes_of(0, 1), np.zeros((1, 2), dtype=np.uint64)])
            assert re.search("the store is damaged: .* batch .*\n.*hint: move", refused(store.look_up, asked))


def test_facts_on_a_model_that_were_changed_are_refused(tmp_path: Path) -> None:
    def changed(statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(statement, values)

    with opened(tmp_path, "k", "other") as (store, other):
        for each in (store, other):
            each.note({"two_label": True})
        assert store.facts == {"two_label": True}

    for facts in ['{"two_label": false}', '{"two_label":true}', "x", "[" * 100_000, b"{}", None, "{"]:
        with contextlib.suppress(sqlite3.IntegrityError):  # the database itself may refuse it
            changed("UPDATE models SET facts = ? WHERE number = 1", facts)
            with opened(tmp_path, "k") as (store,):
                assert "the store is damaged: the facts" in refused(lambda: store.facts)
    changed("UPDATE models SET (facts, checksum) = (SELECT facts, checksum FROM models WHERE number = 2)")
    with opened(tmp_path, "k") as (store,):
        assert "the store is damaged: the facts" in refused(lambda: store.facts)
        changed("DELETE FROM models WHERE number = 1")
        assert "the store is damaged: the facts" in refused(lambda: store.facts)


def test_what_is_no_store_of_this_format_is_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old")) as connection, connection:
        connection.executescript("PRAGMA user_version=5")
    said = refused(AnswerStore(tmp_path / "old", "k", "m").__enter__)
    assert "the store has format 5, not 6" in said
    with AnswerStore(tmp_path / "s", "k", "m"):
        pass
    written = (tmp_path / "s").read_bytes()
    # SQLite quotes the name of what it cannot read, and Python cannot decode the message
    (tmp_path / "s").write_bytes(written.replace(b"CREATE TABLE models", b"CREATE TABLX \xcemodels"))
    assert "the store" in refused(AnswerStore(tmp_path / "s", "k", "m").__enter__)
