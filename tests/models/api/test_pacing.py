"""The waits between requests: what the user is told of them, when they end, and who waits."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

import pytest

from crossexam.models.api.pacing import (
    Pace,
    Slots,
    StoppedError,
    TransientError,
    stated_wait,
)


class Outage:
    """A server that is asked at *pace* and answers or fails as it is told; *told* is what the user is."""

    def __init__(self, most: int = 1, tries: int = 8) -> None:
        self.told, self.sent, self.time = list[str](), 0, 0.0
        times: dict[str, Any] = {"clock": lambda: self.time, "sleep": self._pass, "jitter": 0.0}
        self.pace = Pace(most, tries, **times, host=HOST, tell=self.told.append)

    def _pass(self, seconds: float) -> None:
        self.time += seconds

    def ask(self, *failures: Exception | None) -> None:
        """Send a request that fails in these ways, one after another; the last holds from then on."""
        following = chain(failures, repeat(failures[-1]))

        def request() -> None:
            self.sent += 1
            if (failure := next(following)) is not None:
                raise failure

        self.pace.carry_out(request)


HOST = "example.com"
REFUSED = TransientError("connection refused", refused=True)
LATE = TransientError("no answer within 120 seconds")
LOADING = TransientError("503: loading the model")


def _busy(wait: float) -> TransientError:
    return TransientError("429: slow down", wait=wait, busy=True)


def test_a_server_that_was_never_there_is_given_up_soon() -> None:
    """One that is late, or answered once, is waited for."""
    nobody, late, lost, given_up = Outage(), Outage(), Outage(), Outage(tries=4)
    for outage, failures in (
        (nobody, [REFUSED]),
        (late, [LATE]),
        (lost, [LOADING, REFUSED]),
        (given_up, [LOADING]),
    ):
        with pytest.raises(TransientError, match=str(failures[-1])):
            outage.ask(*failures)
    assert (nobody.sent, nobody.time, nobody.told) == (3, 1 + 2, [])
    assert late.sent == lost.sent == 8
    assert late.time == lost.time == 1 + 2 + 4 + 8 + 16 + 32 + 60
    assert lost.told == [
        f"{HOST}: {REFUSED}; the request waits for {wait} seconds" for wait in (8, 16, 32, 60)
    ]
    assert given_up.told == []
    lost.pace.stop()
    with pytest.raises(StoppedError):
        lost.pace.carry_out(lambda: pytest.fail("asked"))


def test_a_long_wait_is_told_once_when_it_begins() -> None:
    busy, said = Outage(), f"{HOST}: 429: slow down; all requests wait for 22 seconds, as the server asks"
    busy.ask(_busy(22.0), _busy(22.0), None)
    assert busy.told == [said] * 2  # as one was over, the next began
    busy.ask(_busy(4.9), None)
    assert len(busy.told) == 2


def test_one_busy_answer_pauses_all_workers(fake_time: Any) -> None:
    """While one worker waits, another begins: it was told nothing, and waits as well."""
    asked_at: list[float] = []

    def sleep(seconds: float) -> None:
        if not fake_time.waits:
            fake_time.waits.append(seconds)
            pace.carry_out(lambda: asked_at.append(fake_time.now()))
        else:
            fake_time.sleep(seconds)

    def busy_once() -> None:
        if not asked_at:
            raise TransientError("429", wait=9.0, busy=True)

    pace = Pace(2, 8, clock=fake_time.now, sleep=sleep, jitter=0.0)
    pace.carry_out(busy_once)
    assert asked_at == [9.0]


def test_slots_are_halved_once_per_burst_and_grow_again() -> None:
    slots = Slots(8)
    eras = [slots.take() for _ in range(4)]
    for era in eras:
        slots.halve(era)
        slots.give_back()
    assert slots.limit == 4
    for _ in range(20):
        slots.succeeded()
    assert slots.limit == 5
    for _ in range(200):
        slots.succeeded()
    assert slots.limit == 8


def test_headers_that_mean_nothing_are_no_wait() -> None:
    for headers in (
        {"retry-after": "soon"},
        {"retry-after": "nan"},
        {"x-ratelimit-reset-requests": "1m"},  # how many remain is not said
        {"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "1m"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "later"},
    ):
        assert stated_wait(headers, now=0) is None
    assert stated_wait({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000050"}, 1700000000) == 50
