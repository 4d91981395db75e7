"""What asking a server would take: an estimate from the requests alone, before anything is sent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

#: English has about so many characters per token.
CHARACTERS_PER_TOKEN: Final = 4


@dataclass(frozen=True)
class Forecast:
    """What it takes to ask about *pairs* distinct pairs, and about the pairs of the probe before them.

    *requests* are the most that are sent, but for repetitions and for those that try which fields the server
    takes; *read* are the tokens in them, estimated, and *written* the most in the answers.  *cost* is that of
    both, None without a price.  *server_is_known* says whether requests are in the words of the server, which
    may have to be asked what it is.  *first* is the first request about a pair, None if there is none.
    """

    pairs: int
    requests: int
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
