"""What a run uses up: tokens as the server counts them, and money by the prices that the user states."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossexam.core.errors import CrossexamError


@dataclass(frozen=True)
class SpendingLimits:
    """How much may be used: *tokens* read and written, and *cost*; *price* is that of a million of each.

    Prices have no currency, and none are known: they change too often.

    >>> SpendingLimits(price=(2.0, 8.0)).cost_of({"input": 500_000, "output": 1_000})
    1.008
    """

    tokens: int | None = None
    price: tuple[float, float] | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        if self.tokens is not None and self.tokens < 1:
            raise CrossexamError(f"--budget is {self.tokens}", wanted="a number of tokens above 0")
        if self.price is not None and (len(self.price) != 2 or min(self.price) < 0):
            raise CrossexamError(
                f"--price is {','.join(map(str, self.price))}",
                wanted="the price of a million tokens read and of a million written: --price 2.50,10",
            )
        if self.cost is not None and (self.price is None or self.cost <= 0):
            raise CrossexamError(
                "--max-cost needs the prices of tokens" if self.cost > 0 else f"--max-cost is {self.cost}",
                wanted="a cost above 0 and --price IN,OUT, the prices of a million tokens read and written",
            )

    def cost_of(self, usage: Mapping[str, int]) -> float | None:
        """Return what *usage* costs, None without prices; what was cached counts as if it was not."""
        if self.price is None:
            return None
        read, written = self.price
        return (usage.get("input", 0) * read + usage.get("output", 0) * written) / 1e6


class SpentError(Exception):
    """A limit is reached; the message says which, and *larger* is what a command needs to go on."""

    def __init__(self, what: str, larger: str) -> None:
        super().__init__(what)
        self.larger = larger


class Spending:
    """What was used so far, by several threads; requests that are under way count as much as the mean."""

    def __init__(self, limits: SpendingLimits) -> None:
        self.limits = limits
        self.used: Counter[str] = Counter()
        self._replies = self._under_way = 0
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Count a request that is about to be sent; raises SpentError if a limit does not allow it."""
        with self._lock:
            if self.limits.tokens is not None or self.limits.cost is not None:
                self._refuse_beyond_limits()
            self._under_way += 1

    def _refuse_beyond_limits(self) -> None:
        share = self._under_way / self._replies if self._replies else 0.0
        ahead = {name: round(count * (1 + share)) for name, count in self.used.items()}
        tokens, cost = _tokens(ahead), self.limits.cost_of(ahead)
        if self.limits.tokens is not None and tokens >= self.limits.tokens:
            used = _tokens(self.used)
            how = "is used up" if used >= self.limits.tokens else "may be used up by requests under way"
            raise SpentError(
                f"the budget of {self.limits.tokens:,} tokens {how} ({used:,} so far)",
                "a larger --budget",
            )
        if self.limits.cost is not None and cost is not None and cost >= self.limits.cost:
            how = (
                "was reached" if self._cost() >= self.limits.cost else "may be reached by requests under way"
            )
            raise SpentError(
                f"the cost limit of {self.limits.cost:g} {how} ({self._cost():.4g} spent so far)",
                "a larger --max-cost",
            )

    def end(self, usage: Mapping[str, int] | None = None) -> None:
        """Count the *usage* of a request that came to its end, None if it failed."""
        with self._lock:
            self._under_way -= 1
        if usage is not None:
            self.count(usage)

    def count(self, usage: Mapping[str, int]) -> None:
        """Count the *usage* of a reply."""
        with self._lock:
            self._replies += 1
            self.used.update(usage)

    def resume(self, facts: Mapping[str, Any], replies: int) -> None:
        """Add what was used for *replies* earlier."""
        with self._lock:
            self.used.update({str(k): int(v) for k, v in facts.items() if isinstance(v, int)})
            self._replies += replies

    @property
    def facts(self) -> dict[str, Any]:
        """What was used, for the manifest of a run."""
        with self._lock:
            cost = self.limits.cost_of(self.used)
            return {"usage": dict(self.used)} | ({} if cost is None else {"cost": round(cost, 6)})

    def _cost(self) -> float:
        return self.limits.cost_of(self.used) or 0.0


def _tokens(usage: Mapping[str, int]) -> int:
    return usage.get("input", 0) + usage.get("output", 0)


def estimated(body: bytes, text: str) -> dict[str, int]:
    """Return about how many tokens a request and its answer have, for servers that do not say it.

    >>> estimated(b"x" * 400, "neutral")
    {'input': 100, 'output': 2, 'estimated': 1}
    """
    return {"input": len(body) // 4, "output": len(text) // 4 + 1, "estimated": 1}
