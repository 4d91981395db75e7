"""The waits between requests: what the user is told of them, when they end, and who waits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import pytest

from crossexam.models.api.pacing import (
    FAILURES_IN_A_ROW,
    SLOW,
    NobodyThereError,
    Pace,
    Slots,
    StoppedError,
    TransientError,
    UnreachableError,
    stated_wait,
)


class FakeAlarm(SimpleNamespace):
    """An alarm that rings when it is told to, unless it is cancelled."""

    def start(self) -> None:
        self.is_set = True

    def cancel(self) -> None:
        self.is_set = False

    def ring(self) -> None:
        if self.is_set:
            self.function()


class Outage:
    """A server that is asked at *pace* and answers or fails as it is told; *told* is what the user is."""

    def __init__(self, most: int = 1, tries: int = 8) -> None:
        self.told, self.sent, self.alarms, self.time = list[str](), 0, list[FakeAlarm](), 0.0
        times: dict[str, Any] = {"clock": lambda: self.time, "sleep": self._pass, "jitter": 0.0}
        told = {"host": HOST, "tell": self.told.append, "alarms": self._alarm}
        self.pace = Pace(most, tries, **times, **told)

    def _pass(self, seconds: float) -> None:
        self.time += seconds

    def _alarm(self, seconds: float, ring: Callable[[], None]) -> FakeAlarm:
        self.alarms.append(FakeAlarm(seconds=seconds, function=ring, is_set=False))
        return self.alarms[-1]

    def ask(self, *failures: Exception | None) -> None:
        """Send a request that fails in these ways, one after another; the last holds from then on."""
        following = chain(failures, repeat(failures[-1]))

        def request() -> None:
            self.sent += 1
            if (failure := next(following)) is not None:
                raise failure

        self.pace.carry_out(request)


HOST = "example.com"
REFUSED = UnreachableError("connection refused", refused=True)
LATE = UnreachableError("no answer within 120 seconds")
LOADING = TransientError("503: loading the model")


def _busy(wait: float) -> TransientError:
    return TransientError("429: slow down", wait=wait, busy=True)


def test_an_outage_is_told_once_and_the_next_one_again() -> None:
    outage = Outage()
    outage.ask(None)
    assert outage.told == []
    outage.ask(REFUSED, REFUSED, LATE, None)
    said = f"no answer from {HOST} (connection refused); trying again for up to 11 minutes"
    assert outage.told == [said]
    outage.ask(REFUSED, None)
    assert outage.told == [said, said]


def test_an_outage_ends_after_the_time_that_was_told() -> None:
    """Five questions in a row fail, as many at once as there are workers."""
    for most, tries, minutes in ((1, 8, 11), (4, 8, 5), (8, 8, 3), (8, 2, 1)):
        outage = Outage(most, tries)
        outage.ask(None)
        for _ in range(-(-FAILURES_IN_A_ROW // most)):
            with pytest.raises(UnreachableError):
                outage.ask(REFUSED)
        assert outage.told[0].endswith(f"for up to {minutes} minute{'s' if minutes > 1 else ''}")
        assert minutes - 1 < outage.time / 60 <= minutes


def test_a_server_that_was_never_there_is_given_up_soon() -> None:
    """One that is late, or refused a request, is there."""
    outage, late, broken = Outage(), Outage(), Outage()
    with pytest.raises(NobodyThereError, match="connection refused: is the server running"):
        outage.ask(REFUSED)
    assert (outage.sent, outage.time) == (3, 1 + 2)
    assert outage.told == [f"no answer from {HOST} (connection refused); trying again for a few seconds"]
    with pytest.raises(UnreachableError, match="no answer within 120 seconds"):
        late.ask(LATE)
    assert late.told == [
        f"no answer from {HOST} (no answer within 120 seconds); trying again up to 7 times per "
        "request, with pauses of up to 11 minutes in all"
    ]
    with pytest.raises(UnreachableError):
        broken.ask(LOADING, REFUSED)
    assert late.sent == broken.sent == 8


def test_a_long_wait_is_told_when_it_begins() -> None:
    busy = Outage()
    busy.ask(_busy(22.0), None)
    said = f"{HOST}: 429: slow down; all requests wait for 22 seconds, as the server asks"
    assert busy.told == [f"{said} (0 requests answered so far)"]
    busy.ask(_busy(22.0), _busy(22.0), None)
    assert busy.told[1:] == [f"{said} (1 request answered so far)"] * 2  # as one was over, the next began
    busy.ask(_busy(4.9), None)
    assert len(busy.told) == 3


def test_a_wait_of_several_requests_is_told_once() -> None:
    """The second failure comes while the first is waited for, and asks for hardly more."""
    busy = Outage(most=2)
    for wait in (22.0, 22.5, 60.0):
        failed: Any = SimpleNamespace(exception=lambda wait=wait: _busy(wait))
        busy.pace._count(SimpleNamespace(outcome=failed, upcoming_sleep=wait))  # type: ignore[arg-type]
    assert [line.split("wait for ")[1] for line in busy.told] == [
        f"{wait} seconds, as the server asks (0 requests answered so far)" for wait in (22, 60)
    ]


def test_a_server_that_fails_for_long_is_told_of() -> None:
    broken = Outage()
    broken.ask(*[LOADING] * 5, None)  # 1, 2, 4, 8 and 16 seconds
    assert broken.told == [
        f"{HOST}: {LOADING}; the request waits for {wait} seconds (0 requests answered so far)"
        for wait in (8, 16)
    ]
    given_up = Outage(tries=4)
    with pytest.raises(TransientError):
        given_up.ask(LOADING)  # 1, 2, 4 seconds, and then it ends
    assert given_up.told == []


def test_a_slow_first_answer_is_told() -> None:
    slow = Outage()
    slow.pace.carry_out(lambda: slow.alarms[-1].ring())
    assert slow.alarms[0].seconds == SLOW
    said = "after 10 seconds; still waiting (--timeout says how long at most)"
    assert slow.told == [f"no answer from {HOST} {said}"]
    slow.alarms[0].ring()  # it has been cancelled
    slow.ask(None)
    assert (len(slow.told), len(slow.alarms)) == (1, 1)  # the server is known to answer


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


def test_nothing_is_asked_after_a_stop(fake_time: Any) -> None:
    pace = Pace(1, 8, clock=fake_time.now, sleep=fake_time.sleep)
    pace.stop()
    with pytest.raises(StoppedError):
        pace.carry_out(lambda: pytest.fail("asked"))


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
