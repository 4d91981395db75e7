"""Windows: where they end, whatever the stream was cut into before."""

from collections.abc import Iterator

import numpy as np
import pytest

from crossexam.models.model import Pair
from crossexam.runs import windows
from crossexam.runs.pair_columns import PairColumns
from crossexam.runs.windows import Piece, batches_of, cut_into_windows
from made.models import Reader


def stream(pairs: list[Pair], at_once: int) -> Iterator[Piece]:
    """*pairs* in pieces of *at_once*."""
    numbers = np.arange(2 * len(pairs), dtype=np.uint64).reshape(-1, 2)
    table = PairColumns.of(pairs)
    for start in range(0, len(pairs), at_once):
        yield table[start : start + at_once], numbers[start : start + at_once]


def numbered(count: int) -> list[Pair]:
    return [(f"{k:03}", "h") for k in range(count)]


def sizes(pairs: list[Pair], at_once: int) -> list[int]:
    """The lengths of the windows; that they hold *pairs* in their order, with their hashes, is checked."""
    found = list(cut_into_windows(stream(pairs, at_once)))
    assert [pair for window, _ in found for pair in window] == pairs
    hashes = np.concatenate([each for _, each in found]) if found else np.zeros((0, 2))
    assert hashes[:, 0].tolist() == list(range(0, 2 * len(pairs), 2))
    return [len(window) for window, _ in found]


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "FIRST_WINDOW", 10)
    monkeypatch.setattr(windows, "LARGEST_WINDOW", 40)
    monkeypatch.setattr(windows, "MOST_CHARACTERS", 1_000)


def test_windows_double_whatever_the_stream_is_cut_into() -> None:
    for at_once in [1, 7, 10, 64, 1000]:
        assert sizes(numbered(150), at_once) == [10, 20, 40, 40, 40]
        assert sizes(numbered(10), at_once) == [10]
        assert sizes([], at_once) == []
        # 350 characters each: three reach 1,000; characters, not bytes
        assert sizes([("🐻" * 349, str(k)) for k in range(7)], at_once) == [3, 3, 1]


def test_what_is_known_is_not_asked_again() -> None:
    """Batches end where they do if nothing is known, and have only what is not."""
    pairs, model = numbered(7), Reader()
    known = [True, False, False, True, True, True, False]
    batches = list(batches_of(model, pairs, known, {"batch_size": 3}))
    assert [list(batch.indices) for batch in batches] == [[1, 2], [6]]
    assert model.asked == [pairs[1], pairs[2], pairs[6]]
