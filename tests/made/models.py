"""Models that compute nothing, and tokens as servers send them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossexam.models.model import Batch, CharactersRead, Model, Pair


class Fixed(Model):
    """A model that always gives the same answer; its name is its key if no other is stated."""

    def __init__(
        self, name: str, row: Sequence[float] = (0.0, 1.0, 0.0), key: str = "", **details: Any
    ) -> None:
        self.name, self.row, self.key, self.details = name, row, key or name, details

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        return np.tile(np.array(self.row), (len(pairs), 1))


def token(text: str, logprob: float = -0.1, top: Mapping[str, float] | None = None) -> dict[str, Any]:
    """A token of an answer, and the *top* log-probabilities in its place."""
    listed = [{"token": each, "logprob": p, "bytes": list(each.encode())} for each, p in (top or {}).items()]
    return {"token": text, "logprob": logprob, "bytes": list(text.encode()), "top_logprobs": listed}


class Reader(Model):
    """A model that reads the first characters of the premise, and notes what it is asked."""

    name, key, details = "reader", "reader-key", {"device": "eye"}

    def __init__(self, most: int = 3_000) -> None:
        self.most = most
        self.asked: list[Pair] = []

    def answered(self, pairs: Sequence[Pair]) -> Batch:
        self.asked += pairs
        rows = [[0.9, 0.1, 0.0] if h and h in p[: self.most] else [0.1, 0.2, 0.7] for p, h in pairs]
        read = [None if len(p) <= self.most else CharactersRead(self.most, len(h)) for p, h in pairs]
        return Batch(range(len(pairs)), np.array(rows).reshape(-1, 3), read)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        return self.answered(pairs).probabilities
