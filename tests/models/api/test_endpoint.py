"""Requests, their failures and the waits after them, addresses, and keys: a server that fails in each way."""

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

import pytest

from crossexam.models.api.endpoint import (
    Endpoint,
    Key,
    address_of,
    key_from_environment,
)
from crossexam.models.api.pacing import (
    Pace,
    StoppedError,
    TransientError,
)
from crossexam.models.table import open_model

REMOTE = address_of("https://api.example.com/v1")
KEY = "sk-do-not-show-4242"


def test_what_may_pass_is_asked_again_when_the_server_says(
    server: Any, fake_time: Any, for_each: Any
) -> None:
    endpoint = Endpoint(address_of(server.url), Key("K", KEY), timeout=5, now=lambda: 1000.0)

    def check(failure: Any, wait: Any) -> None:
        server.requests.clear()
        fake_time.waits.clear()
        following = iter([failure, server.chat("neutral")])
        server.answer = lambda body: next(following)
        pace = Pace(4, 8, clock=fake_time.now, sleep=fake_time.sleep, jitter=0.0)
        reply = pace.carry_out(lambda: endpoint.post(b"{}"))
        assert reply["choices"][0]["message"]["content"] == "neutral"
        assert (len(server.requests), fake_time.waits) == (2, [wait])

    rows = (
        (server.error(429, "slow down", headers={"Retry-After": "7"}), 7.0),
        (server.error(429, "", headers={"Retry-After": "Thu, 01 Jan 1970 00:17:10 GMT"}), 30.0),
        (server.error(429, "", code="insufficient_quota", headers={"Retry-After": "3"}), 3.0),
        (server.response(200, "<html>Welcome to the hotel</html>"), 1.0),
        (server.response(200, {"error": {"message": "the provider failed"}}), 1.0),
        (server.chat("neutral")._replace(cut=True), 1.0),
    )
    for_each(check, rows)


def test_addresses_that_are_refused(each_case: Any, refused: Any) -> None:
    def check(url: str, said: str) -> None:
        message = refused(address_of, url)
        assert said in message
        assert "secret" not in message

    each_case(check)
    check("", "is not the URL of an endpoint")
    unencrypted = {"endpoint": "http://example.com/v1", "key_env": "-"}  # there is no key
    said = refused(open_model, "api/x", unencrypted)
    assert "http to example.com would send all pairs unencrypted" in said


def test_keys_are_those_of_the_endpoint(monkeypatch: pytest.MonkeyPatch, refused: Any) -> None:
    """That of OpenAI goes to OpenAI alone, and what a variable holds is not shown."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("TWO_LINES", "two\nlines")
    openai = address_of("https://api.openai.com/v1")
    assert KEY in key_from_environment(openai, None, is_default=False).headers["Authorization"]
    assert key_from_environment(address_of("http://localhost/v1"), None, is_default=False).headers == {}
    assert key_from_environment(REMOTE, "-", is_default=False).headers == {}
    assert KEY not in repr(Key("K", KEY))
    for name, said in ((None, "it is not known which key"), ("TWO_LINES", "does not hold a key")):
        message = refused(key_from_environment, REMOTE, name, is_default=False)
        assert said in message
        assert "lines" not in message


def test_a_server_that_was_never_there_is_given_up_soon(fake_time: Any) -> None:
    """One that is late, or answered once, is waited for, and long waits are told."""
    patient, late = [1, 2, 4, 8, 16, 32, 60], TransientError("no answer within 120 seconds")
    absent = TransientError("connection refused", refused=True)
    for failures, waits in (([absent], [1, 2]), ([late], patient), ([late, absent], patient)):
        told, following = list[str](), chain(failures, repeat(failures[-1]))

        def request(following: Iterator[Exception] = following) -> None:
            raise next(following)

        fake_time.waits.clear()
        times = {"clock": fake_time.now, "sleep": fake_time.sleep, "jitter": 0.0}
        pace = Pace(1, 8, **times, host="example.com", tell=told.append)
        with pytest.raises(TransientError, match=str(failures[-1])):
            pace.carry_out(request)
        assert fake_time.waits == waits
        said = f"example.com: {failures[-1]}; the request waits for "
        assert told == [f"{said}{seconds} seconds" for seconds in waits[3:]]
    pace.stop()
    with pytest.raises(StoppedError):
        pace.carry_out(lambda: pytest.fail("asked"))
