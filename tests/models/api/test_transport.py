"""The two ways to a server: the same answers and failures, and what each does with its connections.

These tests alone have a real server; all others call one that answers in their process.
"""

import socket
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

from crossexam.models.api.endpoint import Endpoint, Key, address_of
from crossexam.models.api.pacing import TransientError
from crossexam.models.api.transport import DirectTransport, HttpxTransport, Limits, Transport

KEY = "sk-do-not-show-4242"
OK = b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nContent-Length: 4\r\n\r\nfine"


class ScriptedServer:
    """Answers the requests of each connection with its script, byte for byte, then closes it.

    A script is what the server sends after each request of a connection.
    """

    def __init__(self) -> None:
        self.scripts: list[list[bytes]] = []
        self.received: list[bytes] = []
        self.closed = threading.Semaphore(0)
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                for answer in self.scripts.pop(0):
                    self.received.append(self._request(connection))
                    connection.sendall(answer)
            self.closed.release()

    def _request(self, connection: socket.socket) -> bytes:
        received = piece = connection.recv(4096)
        while piece and not received.endswith(b"{}"):
            piece = connection.recv(4096)
            received += piece
        return received


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    running = ScriptedServer()
    yield running
    running.listener.close()


def _direct(url: str, seconds: float = 5.0) -> Transport:
    return DirectTransport(url, {"X-Key": KEY}, Limits(seconds, lambda: 0.0), Key("K", KEY).hidden_in)


def _httpx(url: str, seconds: float = 5.0) -> Transport:
    limits = Limits(seconds, lambda: 0.0)
    return HttpxTransport({"X-Key": KEY}, limits, Key("K", KEY).hidden_in, trust_env=False)


BOTH = pytest.mark.parametrize("transport_to", [_direct, _httpx])


def _post(transport: Transport, url: str) -> Any:
    return transport.exchange("POST", f"{url}/chat/completions", b"{}")


def _shows_no_key(error: BaseException) -> bool:
    shown = "".join(traceback.format_exception(error)) + repr(vars(error))
    return KEY not in shown and error.__cause__ is None


@BOTH
def test_an_answer_is_whole_however_it_is_framed(scripted: ScriptedServer, transport_to: Any) -> None:
    for answer in (
        b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2\r\nne\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nConnection: close\r\n\r\nfine",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    ):
        scripted.scripts = [[answer]]
        status, headers, content = _post(transport_to(scripted.url), scripted.url)
        assert (status, headers["x-mine"], content) == (200, "1", b"fine")
        assert f"x-key: {KEY}".encode() in scripted.received.pop().lower()


@BOTH
def test_a_broken_answer_fails_for_now_and_shows_no_key(scripted: ScriptedServer, transport_to: Any) -> None:
    for answer in (
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfine",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfi",
        f"HTTP/1.1 {KEY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n".encode(),
    ):
        scripted.scripts = [[answer], [OK]]
        transport = transport_to(scripted.url)
        with pytest.raises(TransientError) as caught:
            _post(transport, scripted.url)
        assert _shows_no_key(caught.value)
        assert _post(transport, scripted.url).content == b"fine"


@BOTH
def test_a_connection_is_used_again_until_the_server_closes_it(
    scripted: ScriptedServer, transport_to: Any
) -> None:
    """Servers close what was not used for a while, without a word: that is no failure."""
    scripted.scripts = [[OK, OK, OK], [OK]]
    transport = transport_to(scripted.url)
    assert [_post(transport, scripted.url).content for _ in range(3)] == [b"fine"] * 3
    assert scripted.closed.acquire(timeout=60)
    assert _post(transport, scripted.url).content == b"fine"
    transport.close()


def test_an_endpoint_on_this_machine(scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked by a proxy, and has a time limit for a whole answer."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    text = b'{"choices": [{}]}'
    scripted.scripts = [[b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)]]
    endpoint = Endpoint(address_of(scripted.url), Key(), timeout=5)
    assert endpoint.post(b"{}") == {"choices": [{}]}
    # Each piece comes in time, the whole answer does not.
    clock = iter([0.0, 0.0, 6.0, 12.0, 18.0])
    slow = Endpoint(address_of(scripted.url), Key(), timeout=5, clock=lambda: next(clock, 30.0))
    scripted.scripts = [[b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200_000]]
    with pytest.raises(TransientError, match="no whole answer within 5 seconds"):
        slow.post(b"{}")


@BOTH
def test_a_server_that_is_not_there_or_says_nothing_fails_for_now(transport_to: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(TransientError, match=r"no answer within 0\.05 seconds"):
            _post(transport_to(url, 0.05), url)
    with pytest.raises(TransientError, match="connection refused") as caught:
        _post(transport_to(url), url)
    assert caught.value.refused
    assert _shows_no_key(caught.value)
