"""The pairs of a run that are still to be asked, and permission to send them to another machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from crossexam.core.errors import CrossexamError
from crossexam.models.model import Model, Pair
from crossexam.runs.answer_store import FILE_NAME, AnswerStore
from crossexam.runs.pair_hashes import DistinctPairs

#: More requests to a server on another machine must be confirmed.
MOST_UNCONFIRMED: Final = 2_000

#: What is called before pairs are sent, with the model and their number; raises CrossexamError to refuse it.
Permit = Callable[[Model, int], None]


class UnconfirmedError(CrossexamError):
    """So many *requests* would be sent to another machine that the user is asked first."""

    def __init__(self, host: str, requests: int) -> None:
        self.requests = requests
        super().__init__(
            f"up to {requests:,} requests would be sent to {host}",
            wanted=f"a confirmation, since they are more than {MOST_UNCONFIRMED:,}",
            hint="--yes (in Python, yes=True) confirms; --dry-run shows the first one; --limit asks fewer",
        )


def refuse_many(model: Model, pairs: int) -> None:
    """Raise UnconfirmedError if *pairs* are many requests to another machine that nobody confirmed."""
    requests = model.requests_for(pairs)
    if model.needs_confirmation and requests > MOST_UNCONFIRMED:
        raise UnconfirmedError(str(model.host), requests)


def waiting_pairs(
    model: Model, stretches: Callable[[], Iterable[Sequence[Pair]]], folder: Path | None
) -> Iterator[Pair]:
    """Yield the distinct pairs, or parts of them, of *stretches* that the store in *folder* lacks."""
    asked, pairs = model, DistinctPairs(stretches())
    if model.inner is not None:
        asked, whole = model.inner, pairs
        divide = model.parts
        pairs = DistinctPairs([part for pair in new for part in divide(pair).pairs] for new, _ in whole)
    path = None if folder is None else folder / FILE_NAME
    with AnswerStore(path if path is not None and path.exists() else None, asked.key, asked.name) as store:
        for new, hashes in pairs:
            known, _ = store.look_up(hashes)
            yield from (pair for pair, is_known in zip(new, known.tolist(), strict=True) if not is_known)
