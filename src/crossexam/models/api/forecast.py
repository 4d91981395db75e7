"""What asking a server would take: an estimate from the requests alone, before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

#: English has about so many characters per token.
CHARACTERS_PER_TOKEN: Final = 4


@dataclass(frozen=True)
class Forecast:
    """What it takes to ask about *pairs* distinct pairs, about the pairs of the probe before them, and again.

    *requests* are the most that are sent, but for those that are repeated after a failure and those that try
    which fields the server takes; *for_probe* and *for_repeat* of them are for the probe and for pairs that
    are asked again.  *read* are the tokens in them, estimated, and *written* the most in the answers.  *cost*
    is that of both, None without a price.  *server_is_known* says whether requests are in the words of the
    server, which may have to be asked what it is.  *first* is the first request about a pair, None if there
    is none.
    """

    pairs: int
    requests: int
    for_probe: int
    for_repeat: int
    read: int
    written: int
    cost: float | None
    server_is_known: bool
    first: bytes | None


def tokens_in(body: bytes) -> int:
    """Return about how many tokens the messages of the request *body* have.

    >>> tokens_in(b'{"messages": [{"content": "It rains. It is wet."}]}')
    5
    """
    characters = sum(len(each["content"]) for each in json.loads(body)["messages"])
    return characters // CHARACTERS_PER_TOKEN


class Sized(NamedTuple):
    """The *number* of requests, about how many *tokens* they have together, and the *first* of them."""

    number: int
    tokens: int
    first: bytes | None


def bodies_sized(requests: Iterable[tuple[str, bytes]]) -> Sized:
    """Return the size of *requests*, each an identity and a body.

    >>> bodies_sized([("a", b'{"messages": [{"content": "It rains. It is wet."}]}')]).tokens
    5
    """
    count, tokens, first = 0, 0, None
    for _, body in requests:
        first = first or body
        count, tokens = count + 1, tokens + tokens_in(body)
    return Sized(count, tokens, first)
