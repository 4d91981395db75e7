"""The store of answers: resuming after SIGKILL, sharing, refusing what is damaged."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import write_json
from crossexam.core.test_sets import write_test_set
from crossexam.models.model import CharactersRead
from crossexam.runs import answer_store
from crossexam.runs.answer_store import FILE_NAME, PARTS, AnswerStore
from crossexam.runs.pair_hashes import as_bytes, from_bytes, pair_hash, pair_hashes
from crossexam.runs.run import predict_suite
from crossexam.runs.stored_answers import read_part

BATCH = 8

# A process that runs a model which notes every pair that it is asked, and that kills itself at the
# moment it is told: the parent need not guess how far it is.
CHILD = """
import hashlib, os, signal, sys
from pathlib import Path
from crossexam.runs import answer_store, folder, windows
from crossexam.runs.run import predict_suite
from crossexam.runs.answer_store import AnswerStore

suite, out, run_folder, log, moment, count, small = sys.argv[1:]
left = int(count)
if small == "True":  # several windows, and predictions that are moved into parts
    windows.FIRST_WINDOW, windows.LARGEST_WINDOW = 24, 48
    answer_store.PAIRS_IN_ONE_ROW, answer_store.PREDICTIONS_IN_PART = BATCH_SIZE, 40

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

write_part = answer_store.write_part
def watched_write_part(*args):
    reached("moving")
    checksum = write_part(*args)
    reached("part written")
    return checksum
answer_store.write_part = watched_write_part

move = AnswerStore._move_into_part
def watched_move(self, *args):
    move(self, *args)
    reached("moved")
AnswerStore._move_into_part = watched_move

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


def make_suite(folder: Path) -> Suite:
    """Write a suite of two test sets, 150 pairs of which 30 stand in both."""
    sets = {
        "base.tiny": [
            Example(f"b{k}", f"Premise {k // 3}.", f"Hypothesis {k}.", "neutral") for k in range(90)
        ],
        "more.tiny": [
            Example(f"m{k}", f"Premise {k // 3}.", f"Hypothesis {k}.", "neutral") for k in range(60, 150)
        ],
    }
    for name, examples in sets.items():
        write_test_set(folder / f"{name}.jsonl", examples, file_format="jsonl")
    entries = {name: {"file": f"{name}.jsonl"} for name in sets}
    write_json(folder / "manifest.json", {"name": "tiny", "test_sets": entries})
    return Suite("tiny", {name: Dataset(name, tuple(examples)) for name, examples in sets.items()})


def start(
    place: Path,
    out: str,
    log: str,
    moment: str = "never",
    count: int = 0,
    run: str | None = None,
    *,
    small: bool = False,
) -> subprocess.Popen[str]:
    """Start a process that stores predictions in *out* and saves the run there, or in *run*.

    With *small* parts and windows, there are several of both.
    """
    (place / "judge_of_the_test.py").write_text(MODULE, encoding="utf-8")
    folders = (str(place / name) for name in ("suite", out, run or out, log))
    command = [sys.executable, "-c", CHILD, *folders, moment]
    return subprocess.Popen([*command, str(count), str(small)], cwd=place, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> int:
    _, errors = process.communicate(timeout=120)
    assert process.returncode in (0, -signal.SIGKILL), errors
    return process.returncode


def asked(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def stored(out: Path) -> set[bytes]:
    if not (out / FILE_NAME).exists():
        return set()
    connection = sqlite3.connect(out / FILE_NAME)
    try:
        rows = [row[0] for row in connection.execute("SELECT pair FROM answers")]
        batches = [row[0] for row in connection.execute("SELECT pairs FROM batches")]
        parts = [row[0] for row in connection.execute("SELECT checksum FROM parts")]
    finally:
        connection.close()
    tables = [read_part(out / PARTS, checksum).unsorted().hashes for checksum in parts]
    found = [*rows, *as_bytes(np.concatenate([*map(from_bytes, batches), from_bytes(b""), *tables]))]
    assert len(found) == len(set(found)), "a prediction is stored twice"
    return set(found)


def prediction_bytes(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / "predictions").glob("*"))}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "moments",
    [
        ["asking"] * 5 + ["before storing", "after storing", "after storing", "writing", "writing"],
        ["asking", "asking", "moving", "moving", "part written", "part written", "moved", "writing"],
    ],
    ids=["rows", "parts"],
)
def test_kills_leave_the_bytes_of_an_undisturbed_run(tmp_path: Path, moments: list[str]) -> None:
    small = "moving" in moments
    suite = make_suite(tmp_path / "suite")
    distinct = {(e.premise, e.hypothesis) for data in suite for e in data}
    assert finish(start(tmp_path, "calm", "calm.log", small=small)) == 0
    assert len(asked(tmp_path / "calm.log")) == len(distinct) == 150

    rng = random.Random(20)
    moments = rng.sample(moments, len(moments))
    moments.sort(key=lambda moment: moment == "writing")  # writing comes when all is asked
    name_of = {pair_hash(*pair): "|".join(pair) for pair in distinct}
    settled: set[str] = set()
    for moment in moments:
        most = {"asking": 24, "writing": 2, "moving": 1, "part written": 1, "moved": 1}.get(moment, 3)
        count = rng.randint(1, most)
        seen = len(asked(tmp_path / "killed.log"))
        assert finish(start(tmp_path, "killed", "killed.log", moment, count, small=small)) == -signal.SIGKILL
        assert not settled & set(asked(tmp_path / "killed.log")[seen:]), "a stored pair was asked again"
        settled = {name_of[each] for each in stored(tmp_path / "killed")}
        assert not (tmp_path / "killed" / "manifest.json").exists()
    assert settled
    seen = len(asked(tmp_path / "killed.log"))
    assert finish(start(tmp_path, "killed", "killed.log", small=small)) == 0
    log = asked(tmp_path / "killed.log")
    assert not settled & set(log[seen:])
    assert set(log) == set(name_of.values())
    interrupted_batches = sum(moment in {"asking", "before storing"} for moment in moments)
    assert len(log) <= len(distinct) + BATCH * interrupted_batches
    assert max(Counter(log).values()) <= 1 + interrupted_batches
    assert prediction_bytes(tmp_path / "killed") == prediction_bytes(tmp_path / "calm")
    assert len(prediction_bytes(tmp_path / "calm")) == 2
    listed = [len(list((tmp_path / name / PARTS).glob("*"))) for name in ("calm", "killed")]
    assert all(count >= 2 for count in listed) if small else listed == [0, 0]


def test_a_new_store_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    together = Barrier(4)

    def open_and_close(path: Path) -> None:
        together.wait()
        with AnswerStore(path, "key", "name"):
            pass

    with ThreadPoolExecutor(4) as pool:  # SQLite refuses about one round in four if nothing is done about it
        for round_ in range(60):
            list(pool.map(open_and_close, [tmp_path / str(round_) / FILE_NAME] * 4))


@pytest.mark.slow
@pytest.mark.parametrize("small", [False, True], ids=["rows", "parts"])
def test_two_processes_share_a_store(tmp_path: Path, small: bool) -> None:
    make_suite(tmp_path / "suite")
    both = [  # a folder has one writer
        start(tmp_path, "shared", f"{name}.log", run=name, small=small) for name in "ab"
    ]
    assert [finish(process) for process in both] == [0, 0]
    assert len(stored(tmp_path / "shared")) == 150
    finish(start(tmp_path, "calm", "calm.log", small=small))
    for name in "ab":
        assert prediction_bytes(tmp_path / name) == prediction_bytes(tmp_path / "calm")


class Counting:
    """A model that counts what it is asked and answers with its own label."""

    def __init__(self, key: str, column: int = 0, stop_after: int | None = None) -> None:
        self.name, self.key, self.details = f"counting/{key}", key, {"device": "abacus"}
        self.asked: list[tuple[str, str]] = []
        self._column, self._stop_after = column, stop_after

    def predict(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        if self._stop_after is not None and len(self.asked) >= self._stop_after:
            raise KeyboardInterrupt
        self.asked += pairs
        return np.eye(3)[[self._column] * len(pairs)]


def data_of(count: int, start_at: int = 0) -> Dataset:
    return Dataset(
        "d", tuple(Example(str(k), f"p {k}", f"h {k}", None) for k in range(start_at, start_at + count))
    )


def test_ctrl_c_leaves_a_store_to_resume_from(tmp_path: Path) -> None:
    first, second = Counting("k", stop_after=512), Counting("k")
    with pytest.raises(KeyboardInterrupt):
        predict_suite(first, data_of(1000), store=tmp_path)
    answered = predict_suite(second, data_of(1000), store=tmp_path)
    assert (len(first.asked), len(second.asked)) == (512, 1000 - 512)
    assert answered.manifest["pairs_from_store"] == 512
    assert not set(first.asked) & set(second.asked)


def test_a_resumed_run_has_the_batches_of_an_undisturbed_one(tmp_path: Path) -> None:
    def batches_of(model: Counting, store: Path) -> list[tuple[str, ...]]:
        batches: list[tuple[str, ...]] = []
        predict = model.predict

        def noting(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            batches.append(tuple(premise for premise, _ in pairs))
            return predict(pairs)

        model.predict = noting  # type: ignore[method-assign]
        predict_suite(model, data_of(100), store=store, options={"batch_size": 30})
        return batches

    calm = batches_of(Counting("k"), tmp_path / "calm")
    predict_suite(
        Counting("k"), data_of(20, start_at=40), store=tmp_path / "other"
    )  # 40 to 59 are answered already
    assert [len(batch) for batch in calm] == [30, 30, 30, 10]
    assert batches_of(Counting("k"), tmp_path / "other") == [calm[0], calm[1][:10], calm[2], calm[3]]


def test_a_pair_of_another_test_set_is_not_asked_again(tmp_path: Path) -> None:
    model = Counting("k")
    predict_suite(model, data_of(100), store=tmp_path)
    predict_suite(model, data_of(100, start_at=60), store=tmp_path)
    assert len(model.asked) == len(set(model.asked)) == 160


def test_models_do_not_read_each_others_answers(tmp_path: Path) -> None:
    first, second = Counting("one", column=0), Counting("two", column=2)
    assert set(predict_suite(first, data_of(20), store=tmp_path).scored("d").predicted) == {0}
    assert set(predict_suite(second, data_of(20), store=tmp_path).scored("d").predicted) == {2}
    assert len(second.asked) == 20
    assert set(predict_suite(Counting("one"), data_of(20), store=tmp_path).scored("d").predicted) == {0}


def test_without_a_store_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = Counting("k")
    for _ in range(2):
        predict_suite(model, data_of(5))
    assert len(model.asked) == 10
    assert list(tmp_path.iterdir()) == []


def test_the_first_answer_stays(tmp_path: Path) -> None:
    pair = pair_hashes([("a", "b")])
    with AnswerStore(tmp_path / "s", "k", "m") as store:
        store.add(pair, np.array([[1.0, 0.0, 0.0]]), [CharactersRead(1, 0)])
        store.add(pair, np.array([[0.0, 1.0, 0.0]]), [None])
        known, answers = store.look_up(pair_hashes([("b", "a"), ("a", "b")]))
        assert known.tolist() == [False, True]
        assert (answers.probabilities[1].tolist(), answers.read[1].tolist()) == ([1.0, 0.0, 0.0], [1, 0])


def test_answers_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    table = np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [5e-324, 1e-17, 1.0]])
    hashes = pair_hashes([("p", str(k)) for k in range(3)])
    with AnswerStore(tmp_path / "s", "k", "m") as store:
        store.add(hashes, table, [None] * 3)
    with AnswerStore(tmp_path / "s", "k", "m") as store:
        assert store.look_up(hashes)[1].probabilities.tolist() == table.tolist()


def test_all_predictions_are_counted_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In single rows, in batches, in parts, and of this model only."""
    monkeypatch.setattr(answer_store, "PREDICTIONS_IN_PART", 13)
    monkeypatch.setattr(answer_store, "PAIRS_IN_ONE_ROW", 6)
    hashes = pair_hashes([("p", str(k)) for k in range(24)])
    counts = []
    with AnswerStore(tmp_path / FILE_NAME, "k", "m") as store:
        for start, stop in pairwise((0, 6, 9, 15, 17, 24)):
            store.add(hashes[start:stop], np.full((stop - start, 3), 1 / 3), [None] * (stop - start))
            counts.append(store.count())
    assert counts == [6, 9, 15, 17, 24]
    with AnswerStore(tmp_path / FILE_NAME, "other", "m") as store:
        assert store.count() == 0


def carried_out(place: Path, script: str, *statement: Any) -> None:
    """Carry out a *script* and one *statement* with its values on the store in *place*."""
    with closing(sqlite3.connect(place / FILE_NAME)) as connection, connection:
        connection.executescript(script)
        if statement:
            connection.execute(*statement)


def test_a_damaged_store_is_told(tmp_path: Path, refused: Callable[..., str]) -> None:
    def said(folder: str, count: int = 3) -> str:
        return refused(predict_suite, Counting("k"), data_of(count), store=tmp_path / folder)

    for folder in ("other", "format", "size", "cut"):
        (tmp_path / folder).mkdir()
    (tmp_path / "other" / FILE_NAME).write_bytes(b"this is no database at all" * 100)
    found = said("other")
    assert "store.sqlite: the store is damaged: " in found
    assert "hint: move the file elsewhere" in found
    carried_out(tmp_path / "format", "CREATE TABLE something (x); PRAGMA user_version=9")
    assert "the store has format 9, not 5" in said("format")
    predict_suite(Counting("k"), data_of(3), store=tmp_path / "size")
    carried_out(tmp_path / "size", "UPDATE answers SET probabilities = x'00'")
    assert "a prediction is not three numbers" in said("size")
    predict_suite(Counting("k"), data_of(2000), store=tmp_path / "cut")
    whole = (tmp_path / "cut" / FILE_NAME).read_bytes()
    (tmp_path / "cut" / FILE_NAME).write_bytes(whole[: len(whole) // 2])
    assert "the store" in said("cut", 2000)


def test_a_store_of_format_1_is_brought_up_to_date(tmp_path: Path) -> None:
    """Predictions of whole pairs are kept; those of truncated pairs do not say what was read."""
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.executescript(
        """
        CREATE TABLE models (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL);
        CREATE TABLE answers (model INTEGER NOT NULL REFERENCES models(number), pair BLOB NOT NULL,
            probabilities BLOB NOT NULL, truncated INTEGER NOT NULL, PRIMARY KEY (model, pair)) WITHOUT ROWID;
        INSERT INTO models VALUES (1, 'another', 'another'), (2, 'k', 'counting/k');
        PRAGMA user_version=1;
        """
    )
    packed = struct.pack("<3d", 0.0, 0.25, 0.75)
    rows = [(2, pair_hash(f"p {k}", f"h {k}"), packed, int(k == 7)) for k in range(1000)]
    connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    model = Counting("k")
    run = predict_suite(model, data_of(1001), store=tmp_path)
    assert model.asked == [("p 7", "h 7"), ("p 1000", "h 1000")]
    assert run.probabilities["d"][0].tolist() == [0.0, 0.25, 0.75]
    predict_suite(Counting("k", stop_after=0), data_of(1001), store=tmp_path)  # nothing is asked
    assert {row[0] for row in sqlite3.connect(tmp_path / FILE_NAME).execute("PRAGMA user_version")} == {5}


def test_a_store_of_format_1_with_impossible_predictions_is_told(tmp_path: Path) -> None:
    carried_out(
        tmp_path,
        "CREATE TABLE models (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL);"
        "CREATE TABLE answers (model, pair, probabilities, truncated); PRAGMA user_version=1;",
        "INSERT INTO answers VALUES (1, x'00', ?, 0)",
        [struct.pack("<3d", 2.0, -0.5, -0.5)],
    )
    for _ in range(2):
        with pytest.raises(FormatError, match=r"not three probabilities: 2\.0, -0\.5, -0\.5\n  hint: move"):
            predict_suite(Counting("k"), data_of(3), store=tmp_path)
    assert sqlite3.connect(tmp_path / FILE_NAME).execute("PRAGMA user_version").fetchone() == (1,)


def test_a_changed_row_is_told(tmp_path: Path, for_each: Callable[..., None]) -> None:
    for key, start_at in (("other", 9), ("k", 0)):
        predict_suite(Counting(key), data_of(1, start_at=start_at), store=tmp_path / "whole")
    with closing(sqlite3.connect(tmp_path / "whole" / FILE_NAME)) as connection:
        numbers = dict(connection.execute("SELECT key, number FROM models"))
    asked = from_bytes(pair_hash("p 0", "h 0") + bytes.fromhex("00112233445566778899aabbccddeeff"))

    def check(change: str) -> None:
        place = tmp_path / change.partition(" ")[0]
        place.mkdir()
        shutil.copy(tmp_path / "whole" / FILE_NAME, place)
        carried_out(place, f"UPDATE answers SET {change} WHERE model = {numbers['k']}")
        key = "other" if change.startswith("model") else "k"
        with (
            pytest.raises(FormatError, match="the store is damaged: a prediction does not have its checksum"),
            AnswerStore(place / FILE_NAME, key, "m") as store,
        ):
            store.look_up(asked)

    for_each(
        check,
        [
            f"probabilities = x'{struct.pack('<3d', 0.0, 1.0, 0.0).hex()}'",
            "premise_read = 3, hypothesis_read = 1",
            "checksum = x'0011223344556677'",
            "pair = x'00112233445566778899aabbccddeeff'",
            f"model = {numbers['other']}",
        ],
    )


def test_impossible_probabilities_are_told(tmp_path: Path, for_each: Callable[..., None]) -> None:
    def check(row: list[float]) -> None:
        with AnswerStore(tmp_path / str(row) / FILE_NAME, "k", "m") as store:
            store.add(pair_hashes([("p", "h")]), np.array([row]), [None])
            with pytest.raises(FormatError, match="a prediction is not three probabilities"):
                store.look_up(pair_hashes([("p", "h")]))

    for_each(check, [[0.5, 0.6, 0.2], [1.2, -0.1, -0.1], [np.nan, 0.5, 0.5], [0.5, 0.5, np.nan]])
