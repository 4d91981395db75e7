"""Fewer searches for reference cycles while a loop runs, and none of what it leaves behind when it ends."""

from __future__ import annotations

import gc

from crossexam.core.progress import seldom_collected


def test_what_a_loop_leaves_is_not_searched_for_cycles_when_it_ends() -> None:
    searches: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        searches.append(phase)

    gc.unfreeze()  # what other tests may have frozen
    gc.collect()
    gc.callbacks.append(note)
    try:
        with seldom_collected():
            left = [[n] for n in range(20_000)]
        left.extend([n] for n in range(100))
    finally:
        gc.callbacks.remove(note)
    assert searches == []
    assert gc.get_freeze_count() == 0
