"""Runs in several windows: the same predictions, counts and manifests as in one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Change, Edit, Example
from crossexam.models.chunking import Chunking
from crossexam.models.model import Batch, CharactersRead, Model, Pair
from crossexam.runs import predictions, run, windows
from crossexam.runs.run import predict_suite
from made.models import Reader
from made.runs import assert_same_answers

EDIT = Change("made.v1", "premise", "hypothesis", (Edit("premise", 40, 40, "", "Not. "),))


class Planning(Model):
    """A model that plans its batches, shortest pairs first, and reads 30 characters of a premise.

    Its predictions depend on the size of the batch, unless they are said not to.
    """

    name = key = "planning"
    details: dict[str, str] = {"device": "abacus"}  # noqa: RUF012

    def __init__(self, leaves_out: int = 0, *, of_batch: bool = True) -> None:
        self.asked: list[Pair] = []
        self.planned: list[int] = []
        self._leaves_out, self._of_batch = leaves_out, of_batch

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        self.planned.append(len(pairs))
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index][1]))
        for start in range(self._leaves_out, len(order), 4):
            rows = [row for row in order[start : start + 4] if not known[row]]
            if rows:
                self.asked += [pairs[row] for row in rows]
                last = 1.0 + len(rows) * self._of_batch
                shares = np.array([[len(pairs[row][0]), len(pairs[row][1]), last] for row in rows])
                read = [CharactersRead(30, 5) if len(pairs[row][0]) > 30 else None for row in rows]
                yield Batch(rows, shares / shares.sum(axis=1, keepdims=True), read)


def item(k: int) -> Example:
    premise = f"Premise {k % 13}. " * (1 + k % 4)
    return Example(f"i{k}", premise, f"H{'.' * (k % 11)}", "neutral", change=EDIT if k % 3 else None)


SUITE = Suite(
    "s",
    {
        "one.made": Dataset("one.made", tuple(item(k) for k in range(90))),
        "two.made": Dataset("two.made", tuple(item(k) for k in range(60, 400))),
        "no.made": Dataset("no.made", ()),
    },
)
DISTINCT = list(dict.fromkeys((e.premise, e.hypothesis) for dataset in SUITE for e in dataset))


def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "FIRST_WINDOW", 16)
    monkeypatch.setattr(windows, "LARGEST_WINDOW", 64)
    monkeypatch.setattr(predictions, "_PAIRS_AHEAD", 64)
    monkeypatch.setattr(predictions, "_MOST_IN_MEMORY", 1_000)
    monkeypatch.setattr(run, "_ROWS_AT_ONCE", 37)


def same(one: Run, other: Run) -> None:
    """Assert that two runs differ in nothing but when they were made."""
    assert_same_answers(one, other)
    manifests = [msgspec.structs.replace(each.manifest, seconds=0, finished="") for each in (one, other)]
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize("chunking", [None, Chunking("sentences:1", "mean")], ids=["whole", "chunks"])
def test_windows_change_nothing_but_the_batches(monkeypatch: Any, chunking: Chunking | None) -> None:
    whole, cut = Planning(of_batch=False), Planning(of_batch=False)
    expected = predict_suite(whole, SUITE, chunking=chunking)
    small_windows(monkeypatch)
    same(predict_suite(cut, SUITE, chunking=chunking), expected)
    assert len(whole.planned) == 1 < len(cut.planned)
    assert sorted(whole.asked) == sorted(cut.asked) == sorted(set(cut.asked))
    assert any(reading.edit_unseen.any() for reading in expected.reading.values()) is (chunking is None)


def test_a_resumed_run_has_the_batches_of_an_undisturbed_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small_windows(monkeypatch)
    expected = predict_suite(Planning(), SUITE)
    stopped = Planning()
    batches = stopped.batches

    def interrupted(pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        for batch in batches(pairs, known):
            if len(stopped.asked) > 100:
                raise KeyboardInterrupt
            yield batch

    monkeypatch.setattr(stopped, "batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        predict_suite(stopped, SUITE, store=tmp_path)
    rest = Planning()
    resumed = predict_suite(rest, SUITE, store=tmp_path)
    lost = len(set(stopped.asked) & set(rest.asked))
    assert 0 < lost <= 4  # the batch that was asked when it was interrupted
    assert resumed.manifest.asked_pairs == len(rest.asked) == len(DISTINCT) - len(stopped.asked) + lost
    counts = {name: getattr(expected.manifest, name) for name in ("asked_pairs", "pairs_from_store")}
    same(expected, replace(resumed, manifest=msgspec.structs.replace(resumed.manifest, **counts)))


def test_only_unknown_pairs_are_asked_of_a_model_that_plans_nothing(tmp_path: Path) -> None:
    first, rest = Reader(), Reader()
    predict_suite(first, SUITE.datasets["one.made"], store=tmp_path)
    predict_suite(rest, SUITE, store=tmp_path)
    assert sorted(first.asked + rest.asked) == sorted(DISTINCT)


def test_a_model_that_leaves_pairs_out_is_told() -> None:
    with pytest.raises(CrossexamError, match="planning: the model left 3 pairs without a prediction"):
        predict_suite(Planning(leaves_out=3), SUITE)
