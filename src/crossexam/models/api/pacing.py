"""When requests are sent: how many at once, how long to wait after a failure, and when to give up.

A server that says *too many requests* is believed: all workers wait as long as it says, and fewer of them ask
from then on.  A wait longer than two minutes is not sat out; the run stops and can be resumed.  A server that
cannot be reached is waited for, since it may be restarting; one that refuses the connection from the first
request on is given up after a few seconds.  The user is told when a wait of five seconds or more begins.
"""

from __future__ import annotations

import math
import re
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, TypeVar

from crossexam.core.errors import CrossexamError
from crossexam.core.progress import Note

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

#: A longer wait stops the run.
LONGEST_WAIT: Final = 120.0
#: So many questions in a row that failed to the end stop the run.
FAILURES_IN_A_ROW: Final = 5
#: So often is a request sent to a server that has only refused connections.
_TRIES_AT_NOBODY: Final = 3
_LONGEST_PAUSE: Final = 60.0
#: Shorter waits, in seconds, are not told.
_LEAST_TOLD: Final = 5.0
_SUCCESSES_PER_STEP: Final = 20
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_EPOCH: Final = 1e9  # no wait is so long: larger numbers are times


class TransientError(Exception):
    """A request that failed in a way that may pass; *wait* is how long the server asks to wait, in seconds.

    *busy* means that the server has too many requests, *refused* that nobody listens at its address.
    """

    def __init__(
        self, reason: str, *, wait: float | None = None, busy: bool = False, refused: bool = False
    ) -> None:
        super().__init__(reason)
        self.wait, self.busy, self.refused = wait, busy, refused


class WaitingWarning(UserWarning):
    """A server that cannot be reached or is busy is waited for."""


def warn_of_waiting(text: str) -> None:
    """Warn that a server is waited for, each time that this happens."""
    warnings.warn_explicit(text, WaitingWarning, __name__, 0, registry={})


class StoppedError(Exception):
    """Nothing more is to be asked."""


class ComeBackError(Exception):
    """The server asks to wait for so many *seconds*, which is too long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the server asks to wait for {seconds:,.0f} seconds")
        self.seconds = seconds


def stated_wait(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds a server asks to wait, None if its *headers* do not say.

    *headers* have names in lower case; *now* is the time in seconds since the epoch.

    >>> stated_wait({"retry-after": "1.5"}, now=0), stated_wait({"retry-after-ms": "250"}, now=0)
    (1.5, 0.25)
    >>> stated_wait({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=20)
    40.0
    >>> stated_wait({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m12s"}, now=0)
    72.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    after = headers.get("retry-after")
    if after is not None:
        seconds = _number(after)
        if seconds is None:
            seconds = _until_date(after, now)
        if seconds is not None:
            return max(0.0, seconds)
    resets = [_until_reset(headers, name, now) for name in headers if name.startswith("x-ratelimit-reset")]
    known = [each for each in resets if each is not None]
    return max(known) if known else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is None or abs(value) < float("inf") else None


def _until_date(text: str, now: float) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None


def _until_reset(headers: Mapping[str, str], name: str, now: float) -> float | None:
    """Return the seconds until the limit *name* is lifted, None if it is not reached."""
    remaining = _number(headers.get(name.replace("reset", "remaining")))
    if remaining is None or remaining > 0:
        return None
    text = headers[name].strip()
    value = _number(text)
    if value is None:
        value = _duration(text)
    if value is None:
        return None
    if value > 1000 * _EPOCH:
        value /= 1000
    return max(0.0, value - now if value > _EPOCH else value)


def _duration(text: str) -> float | None:
    """Return a text such as 1m12s or 250ms in seconds."""
    pieces = re.findall(r"([0-9.]+)(ms|s|m|h)", text)
    if not pieces or "".join(number + unit for number, unit in pieces) != text:
        return None
    return sum((_number(number) or 0.0) * _UNITS[unit] for number, unit in pieces)


class Slots:
    """How many requests may be under way at once: at most *most*, fewer after the server was busy."""

    def __init__(self, most: int) -> None:
        self._most = self.limit = most
        self._taken = self._successes = self._era = 0
        self._free = threading.Condition()

    def take(self) -> int:
        """Wait for a slot and return the era, which changes when there are fewer slots."""
        with self._free:
            while self._taken >= self.limit:
                self._free.wait()
            self._taken += 1
            return self._era

    def give_back(self) -> None:
        """Free a slot."""
        with self._free:
            self._taken -= 1
            self._free.notify()

    def succeeded(self) -> None:
        """Count a success; after 20 of them there is one more slot."""
        if self.limit == self._most:
            return
        with self._free:
            self._successes += 1
            if self._successes >= _SUCCESSES_PER_STEP:
                self._successes = 0
                self.limit = min(self._most, self.limit + 1)
                self._free.notify()

    def halve(self, era: int) -> None:
        """Halve the slots, once for all requests that were sent in the same *era*."""
        with self._free:
            if era == self._era:
                self._era += 1
                self._successes = 0
                self.limit = max(1, self.limit // 2)


class Pace:
    """How requests are repeated: at most *tries* times each, *most* at once.

    *tell* is called with what happens when *host* is waited for.  *clock* returns seconds, *sleep* waits for
    some, and *jitter* returns up to so many at random: tests pass their own.
    """

    def __init__(
        self,
        most: int,
        tries: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
        jitter: float = 1.0,
        host: str = "the server",
        tell: Note = warn_of_waiting,
    ) -> None:
        from tenacity import Retrying, retry_if_exception_type, wait_exponential_jitter

        self.slots = Slots(most)
        self.retried = 0
        self._clock = clock
        self._stopped = threading.Event()
        self._sleep = sleep or self._stopped.wait
        self._until = self._told_until = 0.0
        self._lock = threading.Lock()
        self._tries, self._host, self._tell = tries, host, tell
        self._is_there = False
        self._by_attempt = wait_exponential_jitter(initial=1, max=_LONGEST_PAUSE, jitter=jitter)
        self._retrying = Retrying(
            sleep=lambda seconds: self._wait(float(seconds)),
            stop=self._gives_up,
            wait=self._wait_after,
            retry=retry_if_exception_type(TransientError),
            before_sleep=self._count,
            reraise=True,
        )

    @property
    def is_stopped(self) -> bool:
        """Whether nothing more is to be asked."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Let nothing more be asked, and end all waits."""
        self._stopped.set()

    def carry_out(self, request: Callable[[], T]) -> T:
        """Return what *request* returns, repeated after each TransientError while there are tries left.

        Raises the last TransientError, ComeBackError if the server asks for a long wait, and StoppedError.
        """
        reply: T = self._retrying(self._attempt, request)
        return reply

    def _attempt(self, request: Callable[[], T]) -> T:
        era = self.slots.take()
        try:
            self._sit_out_pause()
            reply = request()
        except TransientError as error:
            self._is_there = self._is_there or not error.refused
            if error.busy:
                self.slots.halve(era)
            raise
        finally:
            self.slots.give_back()
        self._is_there = True
        self.slots.succeeded()
        return reply

    def _gives_up(self, state: RetryCallState) -> bool:
        """Return whether a request that failed is not sent again."""
        most = self._tries if self._is_there else min(self._tries, _TRIES_AT_NOBODY)
        return state.attempt_number >= most

    def _sit_out_pause(self) -> None:
        while not self.is_stopped and (left := self._until - self._clock()) > 0:
            self._wait(left)
        if self.is_stopped:
            raise StoppedError

    def _wait(self, seconds: float) -> None:
        self._sleep(seconds)
        if self.is_stopped:
            raise StoppedError

    def _wait_after(self, state: RetryCallState) -> float:
        """Return how long to wait after a failure; what the server says holds for all workers."""
        error = state.outcome.exception() if state.outcome else None
        if not isinstance(error, TransientError):
            return 0.0
        seconds = self._by_attempt(state) if error.wait is None else error.wait
        if seconds > LONGEST_WAIT:
            raise ComeBackError(seconds)
        if error.busy or error.wait is not None:
            with self._lock:
                self._until = max(self._until, self._clock() + seconds)
        return seconds

    def _count(self, state: RetryCallState) -> None:
        """Count a failure before the wait that follows; tell of one that ends later than those told."""
        error, seconds = state.outcome.exception() if state.outcome else None, state.upcoming_sleep
        until = self._clock() + seconds
        with self._lock:
            self.retried += 1
            if seconds < _LEAST_TOLD or until < self._told_until + _LEAST_TOLD:
                return
            self._told_until = until
        if isinstance(error, TransientError):
            who = "all requests wait" if error.busy or error.wait is not None else "the request waits"
            asked = ", as the server asks" if error.wait is not None else ""
            self._tell(f"{self._host}: {error}; {who} for {math.ceil(seconds)} seconds{asked}")


def check_pace(concurrency: int | None, tries: int, timeout: float) -> None:
    """Raise CrossexamError unless these options can be met.

    >>> check_pace(None, 8, 120)
    """
    if concurrency is not None and not 1 <= concurrency <= 1000:
        raise CrossexamError(f"--concurrency is {concurrency}", wanted="a number of requests from 1 to 1,000")
    if tries < 1:
        raise CrossexamError(f"--tries is {tries}", wanted="a whole number above 0")
    if not 0 < timeout < float("inf"):
        raise CrossexamError(f"--timeout is {timeout}", wanted="a number of seconds above 0")
