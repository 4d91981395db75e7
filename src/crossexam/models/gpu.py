"""Tensors on their way to and from a device, and how much of its memory a batch may take.

A GPU computes while Python goes on, until somebody asks for a result.  Results are therefore copied to the
CPU in the background, and read once later batches are under way, so that the GPU never waits for Python.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import torch
from torch import Tensor

#: Tokens per batch with padding on a device other than a CPU, if its memory suffices.
GPU_TOKENS: Final = 65_536
#: The largest share of the free memory that a batch may need by the estimate.
_SHARE: Final = 0.5
_FEWEST_TOKENS: Final = 512
#: Batches under way before the results of the first of them are read.
_UNDER_WAY: Final = 8


def sent(table: Tensor, device: torch.device) -> Tensor:
    """Return *table* on *device*; a GPU fetches it from pinned memory in the background."""
    if device.type == "cuda":
        return table.pin_memory().to(device, non_blocking=True)
    return table.to(device)


def fetched_in_order(tables: Iterable[Tensor], device: torch.device) -> Iterator[Tensor]:
    """Yield *tables*, which are computed on *device*, on the CPU, each when eight later ones are under way.

    >>> tables = (torch.tensor([number]) for number in range(20))
    >>> [int(table) for table in fetched_in_order(tables, torch.device("cpu"))] == list(range(20))
    True
    """
    waiting: deque[Callable[[], Tensor]] = deque()
    for table in tables:
        waiting.append(_fetch(table, device))
        if len(waiting) > _UNDER_WAY:
            yield waiting.popleft()()
    while waiting:
        yield waiting.popleft()()


def _fetch(table: Tensor, device: torch.device) -> Callable[[], Tensor]:
    """Return what waits for *table*, whose copy to the CPU has begun if that is possible."""
    if device.type != "cuda":
        return table.cpu
    copy = torch.empty(table.shape, dtype=table.dtype, pin_memory=True)
    copy.copy_(table, non_blocking=True)
    copied: Any = torch.cuda.Event()  # type: ignore[no-untyped-call]
    copied.record(torch.cuda.current_stream(device))

    def wait() -> Tensor:
        copied.synchronize()
        return copy

    return wait


def fitting_tokens(forward: Callable[[], object], tokens: int, device: torch.device) -> int:
    """Return how many tokens a batch may have on *device*; *forward* computes a batch of *tokens*."""
    if device.type != "cuda":
        return GPU_TOKENS
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    forward()
    used = torch.cuda.max_memory_allocated(device) - before
    free, _ = torch.cuda.mem_get_info(device)
    unused = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return tokens_within(free + unused, used / tokens)


def tokens_within(free: int, per_token: float) -> int:
    """Return the tokens of a batch that takes at most half of *free* bytes, at so many bytes *per_token*.

    It is ``GPU_TOKENS`` halved as often as necessary: batches, on which the last bits of predictions depend,
    are then the same as long as there is about as much memory.

    >>> tokens_within(free=40 * 2**30, per_token=60_000), tokens_within(free=2**30, per_token=60_000)
    (65536, 8192)
    """
    tokens = GPU_TOKENS
    while tokens > _FEWEST_TOKENS and tokens * per_token > _SHARE * free:
        tokens //= 2
    return tokens


def is_out_of_memory(error: Exception) -> bool:
    """Return whether *error* says that a tensor did not fit into memory."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error).lower()
    return "out of memory" in text or "can't allocate memory" in text or "not enough memory" in text


def free_cached(device: torch.device) -> None:
    """Give the memory of *device* back that torch keeps for later tensors."""
    if device.type == "cuda":
        torch.cuda.empty_cache()
