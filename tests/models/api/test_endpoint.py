"""Requests, their failures, and the waits between them: a server that fails in each way."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError
from crossexam.models.api.endpoint import (
    Address,
    Endpoint,
    Key,
    RejectedError,
    UnpaidError,
    address_of,
    key_from_environment,
)
from crossexam.models.api.pacing import (
    FAILURES_IN_A_ROW,
    SLOW,
    ComeBackError,
    NobodyThereError,
    Pace,
    Slots,
    StoppedError,
    TransientError,
    UnreachableError,
    stated_wait,
)
from crossexam.models.table import open_model

REMOTE = address_of("https://api.example.com/v1")
KEY = "sk-do-not-show-4242"


def _post(server: Any, fake_time: Any, **options: Any) -> Any:
    endpoint = Endpoint(address_of(server.url), Key("K", KEY), timeout=5, now=lambda: 1000.0)
    pace = Pace(4, options.get("tries", 8), clock=fake_time.now, sleep=fake_time.sleep, jitter=0.0)
    body = b'{"messages": [{"content": "Premise: p\\nHypothesis: h\\nAnswer:"}]}'
    return pace.carry_out(lambda: endpoint.post(body))


def _then(*responses: Any) -> Callable[[Any], Any]:
    """Return what answers with *responses* one after another, and with the last from then on."""
    following = chain(responses, repeat(responses[-1]))
    return lambda body: next(following)


@pytest.mark.parametrize(
    ("make", "waits"),
    [
        (lambda s: s.error(429, "slow down", headers={"Retry-After": "7"}), [7.0]),
        (lambda s: s.error(429, "slow down", headers={"retry-after-ms": "1500"}), [1.5]),
        (lambda s: s.error(429, "", headers={"Retry-After": "Thu, 01 Jan 1970 00:17:10 GMT"}), [30.0]),
        (
            lambda s: s.error(
                429, "", headers={"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2s"}
            ),
            [62.0],
        ),
        (lambda s: s.error(429, "no wait is stated"), [1.0]),
        (lambda s: s.error(429, "INSUFFICIENT QUOTA of requests at once"), [1.0]),
        (lambda s: s.error(429, "", code="insufficient_quota", headers={"Retry-After": "3"}), [3.0]),
        (lambda s: s.error(503, "overloaded"), [1.0]),
        (lambda s: s.error(408, "too slow"), [1.0]),
        (lambda s: s.response(200, "<html>Welcome to the hotel</html>"), [1.0]),
        (lambda s: s.response(200, {"object": "chat.completion"}), [1.0]),
        (lambda s: s.response(200, {"choices": []}), [1.0]),
        (lambda s: s.response(200, {"error": {"message": "the provider failed"}}), [1.0]),
        (lambda s: s.chat("", finish_reason="error"), [1.0]),
        (lambda s: s.chat("neutral")._replace(cut=True), [1.0]),
    ],
)
def test_what_may_pass_is_asked_again_when_the_server_says(
    server: Any, fake_time: Any, make: Callable[[Any], Any], waits: list[float]
) -> None:
    server.answer = _then(make(server), server.chat("neutral"))
    reply = _post(server, fake_time)
    assert reply["choices"][0]["message"]["content"] == "neutral"
    assert fake_time.waits == waits
    assert len(server.requests) == 2


def test_waits_grow_to_a_minute_and_tries_end(server: Any, fake_time: Any) -> None:
    server.answer = _then(server.error(500, "broken"))
    with pytest.raises(TransientError, match="500: broken"):
        _post(server, fake_time)
    assert fake_time.waits == [1, 2, 4, 8, 16, 32, 60]
    assert len(server.requests) == 8


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_will_not_pass_is_not_asked_again(server: Any, fake_time: Any, status: int) -> None:
    server.answer = _then(server.error(status, "no"))
    with pytest.raises(RejectedError, match=f"{status}: no"):
        _post(server, fake_time)
    assert len(server.requests) == 1


@pytest.mark.parametrize("field", ["code", "type"])
def test_an_exhausted_account_is_known_by_its_code(server: Any, fake_time: Any, field: str) -> None:
    server.answer = _then(server.error(429, "pay", **{field: "insufficient_quota"}))
    with pytest.raises(UnpaidError, match="429: pay"):
        _post(server, fake_time)
    assert len(server.requests) == 1


def test_a_long_wait_is_not_sat_out(server: Any, fake_time: Any) -> None:
    server.answer = _then(server.error(429, "", headers={"Retry-After": "3600"}))
    with pytest.raises(ComeBackError, match="3,600 seconds"):
        _post(server, fake_time)
    assert fake_time.waits == []


def test_a_redirect_is_refused(server: Any, fake_time: Any) -> None:
    where = "https://u:p@elsewhere.example/v1?key=abc"
    server.answer = _then(server.response(307, "", {"Location": where}))
    with pytest.raises(RejectedError, match=r"redirects to elsewhere\.example/v1$") as caught:
        _post(server, fake_time)
    assert "abc" not in str(caught.value)
    assert len(server.requests) == 1


def test_an_answer_that_drips_ends_with_its_time(server: Any) -> None:
    """Each piece comes in time, the whole answer does not."""
    clock = iter([0.0, 0.0, 6.0, 12.0, 18.0])
    endpoint = Endpoint(address_of(server.url), Key(), timeout=5, clock=lambda: next(clock, 30.0))
    server.answer = lambda body: server.chat("x" * 200_000)
    with pytest.raises(TransientError, match="no whole answer within 5 seconds"):
        endpoint.post(b'{"messages": [{"content": "Premise: p\\nHypothesis: h\\nAnswer:"}]}')


def test_a_server_that_is_not_there_is_a_failure_for_now(fake_time: Any) -> None:
    endpoint = Endpoint(address_of("http://127.0.0.1:9/v1"), Key("K", KEY), timeout=5)
    with pytest.raises(TransientError) as caught:
        endpoint.post(b"{}")
    assert caught.value.__cause__ is None
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert KEY not in repr(vars(caught.value))


@dataclass
class FakeAlarm:
    """An alarm that rings when it is told to, unless it is cancelled."""

    seconds: float
    function: Callable[[], None]
    is_set: bool = False

    def start(self) -> None:
        self.is_set = True

    def cancel(self) -> None:
        self.is_set = False

    def ring(self) -> None:
        if self.is_set:
            self.function()


class Outage:
    """A server that is asked at *pace* and answers or fails as it is told; *told* is what the user is."""

    def __init__(self, fake_time: Any, most: int = 1, tries: int = 8) -> None:
        self.told, self.sent, self.alarms = list[str](), 0, list[FakeAlarm]()
        self.pace = Pace(
            most,
            tries,
            clock=fake_time.now,
            sleep=fake_time.sleep,
            jitter=0.0,
            host="example.com",
            tell=self.told.append,
            alarms=self._alarm,
        )

    def _alarm(self, seconds: float, ring: Callable[[], None]) -> FakeAlarm:
        self.alarms.append(FakeAlarm(seconds, ring))
        return self.alarms[-1]

    def ask(self, *failures: Exception | None) -> None:
        """Send a request that fails in these ways, one after another; the last holds from then on."""
        following = chain(failures, repeat(failures[-1]))

        def request() -> None:
            self.sent += 1
            if (failure := next(following)) is not None:
                raise failure

        self.pace.carry_out(request)


REFUSED = UnreachableError("connection refused", refused=True)


def test_an_outage_is_told_once_and_the_next_one_again(fake_time: Any) -> None:
    outage = Outage(fake_time)
    outage.ask(None)
    assert outage.told == []
    outage.ask(REFUSED, REFUSED, UnreachableError("no answer within 120 seconds"), None)
    said = "no answer from example.com (connection refused); trying again for up to 11 minutes"
    assert outage.told == [said]
    outage.ask(REFUSED, None)
    assert outage.told == [said, said]


@pytest.mark.parametrize(("most", "tries", "minutes"), [(1, 8, 11), (4, 8, 5), (8, 8, 3), (8, 2, 1)])
def test_an_outage_ends_after_the_time_that_was_told(
    fake_time: Any, most: int, tries: int, minutes: int
) -> None:
    """Five questions in a row fail, as many at once as there are workers."""
    outage = Outage(fake_time, most, tries)
    outage.ask(None)
    rounds = -(-FAILURES_IN_A_ROW // most)
    for _ in range(rounds):
        with pytest.raises(UnreachableError):
            outage.ask(REFUSED)
    assert outage.told[0].endswith(f"for up to {minutes} minute{'s' if minutes > 1 else ''}")
    assert minutes - 1 < fake_time.now() / 60 <= minutes


def test_a_server_that_was_never_there_is_given_up_soon(fake_time: Any) -> None:
    outage = Outage(fake_time)
    with pytest.raises(NobodyThereError, match="connection refused: is the server running, and is the"):
        outage.ask(REFUSED)
    assert (outage.sent, fake_time.now()) == (3, 1 + 2)
    assert outage.told == ["no answer from example.com (connection refused); trying again for a few seconds"]


def test_a_server_that_is_late_or_refused_a_request_is_there(fake_time: Any) -> None:
    late = Outage(fake_time)
    with pytest.raises(UnreachableError, match="no answer within 120 seconds"):
        late.ask(UnreachableError("no answer within 120 seconds"))
    assert late.sent == 8
    assert late.told == [
        "no answer from example.com (no answer within 120 seconds); trying again up to 7 times per "
        "request, with pauses of up to 11 minutes in all"
    ]
    broken = Outage(fake_time)
    with pytest.raises(UnreachableError):
        broken.ask(TransientError("503: loading the model"), REFUSED)
    assert broken.sent == 8


BUSY = TransientError("429: slow down", wait=22.0, busy=True)


def test_a_long_wait_is_told_when_it_begins(fake_time: Any) -> None:
    busy = Outage(fake_time)
    busy.ask(BUSY, None)
    said = "example.com: 429: slow down; all requests wait for 22 seconds, as the server asks"
    assert busy.told == [f"{said} (0 requests answered so far)"]
    busy.ask(BUSY, BUSY, None)
    later = f"{said} (1 request answered so far)"
    assert busy.told[1:] == [later, later]  # each began when the one before was over
    busy.ask(TransientError("429: slow down", wait=4.9, busy=True), None)
    assert len(busy.told) == 3


def _failed(error: Exception) -> Any:
    return SimpleNamespace(exception=lambda: error)


def test_a_wait_of_several_requests_is_told_once(fake_time: Any) -> None:
    """The second failure comes while the first is waited for, and asks for hardly more."""
    busy = Outage(fake_time, most=2)
    for wait in (22.0, 22.5, 60.0):
        error = TransientError("429: slow down", wait=wait, busy=True)
        busy.pace._count(SimpleNamespace(outcome=_failed(error), upcoming_sleep=wait))  # type: ignore[arg-type]
    assert [line.split("wait for ")[1] for line in busy.told] == [
        "22 seconds, as the server asks (0 requests answered so far)",
        "60 seconds, as the server asks (0 requests answered so far)",
    ]


def test_a_server_that_fails_for_long_is_told_of(fake_time: Any) -> None:
    broken = Outage(fake_time)
    broken.ask(*[TransientError("503: loading the model")] * 5, None)  # 1, 2, 4, 8 and 16 seconds
    said = [f"the request waits for {wait} seconds (0 requests answered so far)" for wait in (8, 16)]
    said = [f"example.com: 503: loading the model; {each}" for each in said]
    assert broken.told == said
    given_up = Outage(fake_time, tries=4)
    with pytest.raises(TransientError):
        given_up.ask(TransientError("503: loading the model"))  # 1, 2, 4 seconds, and then it ends
    assert given_up.told == []


def test_a_slow_first_answer_is_told(fake_time: Any) -> None:
    slow = Outage(fake_time)
    slow.pace.carry_out(lambda: slow.alarms[-1].ring())
    assert slow.alarms[0].seconds == SLOW
    assert slow.told == [
        "no answer from example.com after 10 seconds; still waiting (--timeout says how long at most)"
    ]
    slow.alarms[0].ring()  # it has been cancelled
    slow.ask(None)
    assert (len(slow.told), len(slow.alarms)) == (1, 1)  # the server is known to answer


def test_a_refused_connection_is_known_as_one(fake_time: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", f"https://127.0.0.1:{port}/v1"):
        endpoint = Endpoint(address_of(url), Key(), timeout=5)
        with pytest.raises(UnreachableError) as caught:
            endpoint.post(b"{}")
        assert (str(caught.value), caught.value.refused) == ("connection refused", True)
        assert caught.value.__context__ is None


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


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://user:secret@host/v1", "holds a user name or a password"),
        ("https://user@host/v1", "holds a user name or a password"),
        ("http://example.com/v1", "would send the key and all pairs unencrypted"),
        ("http://127.0.0.1.example.com/v1", "unencrypted"),
        ("ftp://host", "is not the URL of an endpoint"),
        ("host:8000/v1", "is not the URL of an endpoint"),
        ("https://host/v1?api-key=secret", "is not the URL of an endpoint"),
        ("https://host:port/v1", "is not the URL of an endpoint"),
        ("", "is not the URL of an endpoint"),
    ],
)
def test_addresses_that_are_refused(url: str, message: str) -> None:
    with pytest.raises(CrossexamError, match=message) as caught:
        address_of(url)
    assert "secret" not in str(caught.value)


def test_addresses_are_brought_to_one_form() -> None:
    assert address_of("https://api.example.com/v1/chat/completions/").url == "https://api.example.com/v1"
    assert address_of("http://[::1]:80/v1") == Address("http://[::1]:80/v1", "[::1]:80", True)
    assert address_of("http://10.0.0.1/v1", insecure_http=True).host == "10.0.0.1"


def test_the_key_of_openai_goes_to_openai_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(CrossexamError, match="it is not known which key"):
        key_from_environment(REMOTE, None, is_default=False)
    assert key_from_environment(address_of("http://localhost/v1"), None, is_default=False).headers == {}
    openai = address_of("https://api.openai.com/v1")
    assert KEY in key_from_environment(openai, None, is_default=False).headers["Authorization"]
    assert key_from_environment(REMOTE, "-", is_default=False).headers == {}


def test_a_missing_key_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(CrossexamError, match="the environment variable MY_KEY is not set"):
        key_from_environment(REMOTE, "MY_KEY", is_default=False)
    monkeypatch.setenv("MY_KEY", "two\nlines")
    with pytest.raises(CrossexamError, match="does not hold a key") as caught:
        key_from_environment(REMOTE, "MY_KEY", is_default=False)
    assert "lines" not in str(caught.value)
    assert KEY not in repr(Key("K", KEY))


def test_no_key_is_said_to_be_sent_if_there_is_none() -> None:
    with pytest.raises(CrossexamError, match=r"http to example\.com would send all pairs unencrypted"):
        open_model("api/x", {"endpoint": "http://example.com/v1", "key_env": "-"})
