"""The waits between requests: what the user is told of them, when they end, and who waits."""

from __future__ import annotations

from collections.abc import Iterator
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

HOST = "example.com"
REFUSED = TransientError("connection refused", refused=True)
LATE = TransientError("no answer within 120 seconds")
LOADING = TransientError("503: loading the model")


def test_a_server_that_was_never_there_is_given_up_soon(fake_time: Any) -> None:
    """One that is late, or answered once, is waited for, and long waits are told."""
    patient = [1, 2, 4, 8, 16, 32, 60]
    for failures, waits, told_of in (
        ([REFUSED], [1, 2], []),
        ([LATE], patient, patient[3:]),
        ([LOADING, REFUSED], patient, patient[3:]),
    ):
        told, following = list[str](), chain(failures, repeat(failures[-1]))

        def request(following: Iterator[Exception] = following) -> None:
            raise next(following)

        fake_time.waits.clear()
        times = {"clock": fake_time.now, "sleep": fake_time.sleep, "jitter": 0.0}
        pace = Pace(1, 8, **times, host=HOST, tell=told.append)
        with pytest.raises(TransientError, match=str(failures[-1])):
            pace.carry_out(request)
        assert fake_time.waits == waits
        said = f"{HOST}: {failures[-1]}; the request waits for {{}} seconds"
        assert told == [said.format(seconds) for seconds in told_of]
    pace.stop()
    with pytest.raises(StoppedError):
        pace.carry_out(lambda: pytest.fail("asked"))


def test_slots_are_halved_once_per_burst_and_grow_again() -> None:
    slots = Slots(8)
    eras = [slots.take() for _ in range(4)]
    for era in eras:
        slots.halve(era)
        slots.give_back()
    assert slots.limit == 4
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
