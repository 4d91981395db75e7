"""The hashes of pairs, and the distinct ones of many."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from crossexam.runs.pair_columns import PairColumns
from crossexam.runs.pair_hashes import DistinctHashes, from_bytes, pair_hash, pair_hashes, to_bytes

PAIRS = [
    *(("ab", "c"), ("a", "bc"), ("", "abc"), ("a\x1fb", "c"), ("a", "b\x1fc"), ("", "")),
    *(("Ein Bär 🐻.", "Él\x00 llueve"), ("It rains.", "h")),
]


def test_pairs_and_columns_have_hashes_in_which_texts_do_not_run_into_each_other() -> None:
    assert len({pair_hash(*pair) for pair in PAIRS}) == len(PAIRS)
    columns = PairColumns.of(PAIRS)
    parse = "( It ( rains . ) )"
    for pairs in (PAIRS, columns):
        joined = to_bytes(pair_hashes(pairs))
        assert joined == b"".join(pair_hash(*pair) for pair in PAIRS)
        assert to_bytes(from_bytes(joined)) == joined
        assert pair_hashes(pairs[:0]).shape == (0, 2)
        parsed = to_bytes(pair_hashes(pairs, {"It rains.": parse}))
        assert parsed == joined[:-16] + pair_hash("It rains.", "h", [parse, None])
    assert parsed != joined
    # as of stores that were made earlier
    assert pair_hash("It rains.", "It is wet.").hex() == "2f2bbc0b1bb1210aa130425fd901c92b"


def numbered_by_dict(hashes: NDArray[np.uint64]) -> tuple[list[int], list[int]]:
    """The numbers and the rows of first occurrences, by a dict."""
    places: dict[tuple[int, int], int] = {}
    numbers, rows = [], []
    for row, (first, second) in enumerate(hashes.tolist()):
        if (first, second) not in places:
            rows.append(row)
        numbers.append(places.setdefault((first, second), len(places)))
    return numbers, rows


def test_numbers_are_those_of_a_dict() -> None:
    """Of hashes that all differ, of which many are equal, of which a half is equal, and of a mixture."""
    halves = [(2**64, 2**64), (50, 50), (1, 3_000), (3_000, 1), (2**64, 1)]
    for (firsts, seconds), at_once, at_most in product(halves, (1, 3, 100, 5_000), (0, 20_000)):
        rng = np.random.default_rng(len(str(firsts)) + at_once)
        count = {1: 300, 3: 1_000, 100: 5_000}.get(at_once, 20_000)
        limits = (min(firsts, 2**63), min(seconds, 2**63))
        columns = [rng.integers(0, most, count, np.uint64, endpoint=most == 2**63) for most in limits]
        hashes = np.stack(columns, axis=1)
        distinct = DistinctHashes(at_most)
        numbers, rows = [], []
        for start in range(0, count, at_once):
            found, new = distinct.add(hashes[start : start + at_once])
            numbers += found.tolist()
            rows += (new + start).tolist()
        assert (numbers, rows) == numbered_by_dict(hashes)
        assert distinct.count == len(rows)
