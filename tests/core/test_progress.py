"""Fewer searches for reference cycles while a loop runs, and none of what it leaves behind when it ends."""

from __future__ import annotations

import gc

import pytest

from crossexam.core.progress import seldom_collected


@pytest.mark.parametrize("loops", [1, 2])
def test_what_a_loop_leaves_is_not_searched_for_cycles_when_it_ends(loops: int) -> None:
    searches: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        searches.append(phase)

    gc.unfreeze()  # what other tests may have frozen
    gc.collect()
    gc.callbacks.append(note)
    try:
        left: list[list[list[int]]] = []
        for _ in range(loops):
            with seldom_collected():
                left.append([[] for _ in range(20_000)])
        left.append([[] for _ in range(100)])
    finally:
        gc.callbacks.remove(note)
    assert searches == []
    assert gc.get_freeze_count() == 0
