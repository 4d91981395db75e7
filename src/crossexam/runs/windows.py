"""Windows: the distinct pairs of a run, cut into the stretches in which a model is asked.

A run does not hold the pairs of all its test sets at once.  They come as a stream, each distinct pair once,
in the order of the items.  The stream is cut into windows, and batches are planned over a window.  Where
windows and batches end depends on the pairs alone, not on what is known, so that a resumed run has the same
batches as one that was not interrupted.  Windows are independent of each other, so that an engine can have
them answered by several workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.models.model import Batch, Model, Pair
from crossexam.runs.pair_columns import PairColumns

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Pairs with their hashes [n, 2].
Piece = tuple[PairColumns, "NDArray[np.uint64]"]
#: Pairs in a batch, and stored together, if the model does not plan its batches.
PAIRS_AT_ONCE: Final = 256
#: Pairs in the first window: so few that a checkpoint tokenizes them within a second.
FIRST_WINDOW: Final = 16_384
#: Each window is twice as large as the one before, up to this many pairs: the longer a window is, the more of
#: its sentences share a premise, which a model of the zoo encodes once.
LARGEST_WINDOW: Final = 131_072
#: A window also ends where its texts have this many characters, so that long documents fit in memory.
MOST_CHARACTERS: Final = 64 * 2**20


@dataclass(frozen=True)
class Window:
    """A stretch of the distinct pairs of a run, which are planned and asked together.

    *start* is the number of its first pair among all of the run, and identifies the window.  *hashes* [n, 2]
    are those under which the answers to the n *pairs* are stored; *known* [n] says which are stored already.
    """

    start: int
    pairs: Sequence[Pair]
    hashes: NDArray[np.uint64]
    known: Sequence[bool]


#: What has windows answered: it yields the start of a window with a batch of the answers to its unknown
#: pairs, whose indices count from that start, and the details of the model then.  Batches come in any order,
#: and windows are read as needed.
Asking = Callable[
    [Model, Iterable[Window], Mapping[str, Any]], Iterator[tuple[int, Batch, Mapping[str, Any]]]
]


def ask_in_this_process(
    model: Model, windows: Iterable[Window], options: Mapping[str, Any]
) -> Iterator[tuple[int, Batch, Mapping[str, Any]]]:
    """Yield the answers of *model* to the unknown pairs of *windows*, window by window and batch by batch.

    *options* are those of the model; ``batch_size`` is that of models that do not plan their batches.
    """
    for window in windows:
        for batch in batches_of(model, window.pairs, window.known, options):
            yield window.start, batch, model.details


def batches_of(
    model: Model, pairs: Sequence[Pair], known: Sequence[bool], options: Mapping[str, Any]
) -> Iterator[Batch]:
    """Yield the predictions for the *pairs* of a window that are not *known*, batch by batch.

    The boundaries of batches depend on *pairs* only.
    """
    if model.batches is not None:
        yield from model.batches(pairs, known)
        return
    size = batch_size_of(options)
    for start in range(0, len(pairs), size):
        indices = [index for index in range(start, min(start + size, len(pairs))) if not known[index]]
        if indices:
            batch = model.answered([pairs[index] for index in indices])
            yield batch._replace(indices=indices)


def batch_size_of(options: Mapping[str, Any]) -> int:
    """Return how many pairs a model that does not plan its batches is asked at once."""
    stated = options.get("batch_size", "auto")
    return PAIRS_AT_ONCE if stated == "auto" else int(stated)


def cut_into_windows(stream: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pairs and hashes of *stream*, in the same order, window by window.

    Where the stream was cut before does not matter.
    """
    taken: list[Piece] = []
    size = pairs_left = FIRST_WINDOW
    characters_left = MOST_CHARACTERS
    for pairs, hashes in stream:
        ends = np.concatenate([[0], np.cumsum(pairs.lengths())])  # of each pair, in characters
        start = 0
        while start < len(pairs):
            full = int(np.searchsorted(ends, ends[start] + characters_left))  # after the pair that fills it
            stop = min(start + pairs_left, full, len(pairs))
            taken.append((pairs[start:stop], hashes[start:stop]))
            pairs_left -= stop - start
            characters_left -= int(ends[stop] - ends[start])
            start = stop
            if pairs_left == 0 or characters_left <= 0:
                yield _joined(taken)
                taken = []
                size = pairs_left = min(2 * size, LARGEST_WINDOW)
                characters_left = MOST_CHARACTERS
    if taken:
        yield _joined(taken)


def _joined(taken: Sequence[Piece]) -> Piece:
    pairs, hashes = zip(*taken, strict=True)
    return PairColumns.joined(pairs), np.concatenate(hashes)
