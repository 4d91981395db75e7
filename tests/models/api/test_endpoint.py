"""Requests and their failures, addresses, and keys."""

from typing import Any

import pytest

from crossexam.models.api.endpoint import Endpoint, Key, address_of, key_from_environment
from crossexam.models.api.pacing import Pace
from crossexam.models.table import open_model
from made.cases import refused

REMOTE = address_of("https://api.example.com/v1")
KEY = "sk-do-not-show-4242"


def test_what_may_pass_is_asked_again_when_the_server_says(
    server: Any, fake_time: Any, each_case: Any
) -> None:
    endpoint = Endpoint(address_of(server.url), Key("K", KEY), timeout=5, now=lambda: 1000.0)

    def check(status: str, body: Any, headers: Any, wait: str) -> None:
        server.requests.clear()
        fake_time.waits.clear()
        failure = server.response(int(status), body, headers, cut=body is None)
        following = iter([failure, server.chat("neutral")])
        server.answer = lambda body: next(following)
        pace = Pace(4, 8, clock=fake_time.now, sleep=fake_time.sleep, jitter=0.0)
        reply = pace.carry_out(lambda: endpoint.post(b"{}"))
        assert reply["choices"][0]["message"]["content"] == "neutral"
        assert (len(server.requests), fake_time.waits) == (2, [float(wait)])

    each_case(check)


def test_addresses_that_are_refused(each_case: Any) -> None:
    def check(url: str, said: str) -> None:
        message = refused(address_of, url)
        assert said in message
        assert "secret" not in message

    each_case(check)
    check("", "is not the URL of an endpoint")
    unencrypted = {"endpoint": "http://example.com/v1", "key_env": "-"}  # there is no key
    said = refused(open_model, "api/x", unencrypted)
    assert "http to example.com would send all pairs unencrypted" in said


def test_keys_are_those_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
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
