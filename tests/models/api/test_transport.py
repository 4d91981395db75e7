"""The two ways to a server: the same answers and failures, and what each does with its connections."""

from __future__ import annotations

import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crossexam.models.api.endpoint import Endpoint, Key, address_of
from crossexam.models.api.pacing import TransientError
from crossexam.models.api.transport import DirectTransport, HttpxTransport, Limits, Transport

KEY = "sk-do-not-show-4242"
OK = b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nContent-Length: 4\r\n\r\nfine"
#: A script of the server: what it sends after each request of a connection; it closes after the last.
Script = list[bytes]


class ScriptedServer:
    """Answers the requests of each connection with its script, byte for byte, then closes it."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.received: list[bytes] = []
        self.closed = threading.Semaphore(0)
        self._socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                for answer in self.scripts.pop(0):
                    self.received.append(self._request(connection))
                    connection.sendall(answer)
            self.closed.release()

    def _request(self, connection: socket.socket) -> bytes:
        received = b""
        while not received.endswith(b"{}"):
            piece = connection.recv(4096)
            if not piece:
                break
            received += piece
        return received


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    running = ScriptedServer()
    yield running
    running.close()


def _hide(text: str) -> str:
    return Key("K", KEY).hidden_in(text)


def _direct(url: str, seconds: float = 5.0) -> Transport:
    return DirectTransport(url, {"X-Key": KEY}, Limits(seconds, lambda: 0.0), _hide)


def _httpx(url: str, seconds: float = 5.0) -> Transport:
    return HttpxTransport({"X-Key": KEY}, Limits(seconds, lambda: 0.0), _hide, trust_env=False)


BOTH = pytest.mark.parametrize("transport_to", [_direct, _httpx])
To = Callable[..., Transport]


def _post(transport: Transport, url: str) -> Any:
    return transport.exchange("POST", f"{url}/chat/completions", b"{}")


@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        OK,
        b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n2\r\nne\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Mine: 1\r\nConnection: close\r\n\r\nfine",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
    ],
)
def test_an_answer_is_whole_however_it_is_framed(
    scripted: ScriptedServer, transport_to: To, answer: bytes
) -> None:
    scripted.scripts = [[answer]]
    status, headers, content = _post(transport_to(scripted.url), scripted.url)
    assert (status, headers["x-mine"], content) == (200, "1", b"fine")
    (request,) = scripted.received
    assert request.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"x-key: {KEY}".encode() in request.lower()


@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfine",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfi",
        f"HTTP/1.1 {KEY}\r\n\r\n".encode(),
        f"{KEY}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n".encode(),
    ],
)
def test_a_broken_answer_fails_for_now_and_shows_no_key(
    scripted: ScriptedServer, transport_to: To, answer: bytes
) -> None:
    scripted.scripts = [[answer], [OK]]
    transport = transport_to(scripted.url)
    with pytest.raises(TransientError) as caught:
        _post(transport, scripted.url)
    assert str(caught.value)
    assert caught.value.__cause__ is None
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert KEY not in repr(vars(caught.value))
    assert _post(transport, scripted.url).content == b"fine"


def test_headers_that_break_off_are_no_answer(scripted: ScriptedServer) -> None:
    """The standard library takes what came as all headers; there is no JSON after them."""
    scripted.scripts = [[b"HTTP/1.1 200 OK\r\nContent-Le"]]
    with pytest.raises(TransientError, match="200 without JSON"):
        Endpoint(address_of(scripted.url), Key(), timeout=5).post(b"{}")


@BOTH
def test_a_connection_that_the_server_closed_is_not_a_failure(
    scripted: ScriptedServer, transport_to: To
) -> None:
    """Servers close what was not used for a while, without a word."""
    scripted.scripts = [[OK], [OK]]
    transport = transport_to(scripted.url)
    assert _post(transport, scripted.url).content == b"fine"
    assert scripted.closed.acquire(timeout=60)
    assert _post(transport, scripted.url).content == b"fine"


@BOTH
def test_a_connection_is_used_again(scripted: ScriptedServer, transport_to: To) -> None:
    scripted.scripts = [[OK, OK, OK]]
    transport = transport_to(scripted.url)
    assert [_post(transport, scripted.url).content for _ in range(3)] == [b"fine"] * 3
    transport.close()


@BOTH
def test_a_server_that_says_nothing_fails_in_time(transport_to: To) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(TransientError, match=r"no answer within 0\.05 seconds"):
            _post(transport_to(url, 0.05), url)


def test_threads_share_no_connection(scripted: ScriptedServer) -> None:
    scripted.scripts = [[OK], [OK]]
    transport = _direct(scripted.url)
    found = [_post(transport, scripted.url).content]
    other = threading.Thread(target=lambda: found.append(_post(transport, scripted.url).content))
    other.start()
    other.join(60)
    assert found == [b"fine", b"fine"]
    assert scripted.scripts == []


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1:8000/v1", DirectTransport),
        ("http://localhost/v1", DirectTransport),
        ("http://[::1]:8000/v1", DirectTransport),
        ("https://127.0.0.1:8000/v1", HttpxTransport),
        ("http://10.0.0.1/v1", HttpxTransport),
        ("https://api.openai.com/v1", HttpxTransport),
    ],
)
def test_only_plain_http_on_this_machine_goes_without_httpx(url: str, kind: type) -> None:
    endpoint = Endpoint(address_of(url, insecure_http=True), Key(), timeout=5)
    assert isinstance(endpoint._transport, kind)


def test_what_is_for_this_machine_is_not_for_a_proxy(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    answer = b'{"choices": [{}]}'
    scripted.scripts = [[b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer)]]
    endpoint = Endpoint(address_of(scripted.url), Key(), timeout=5)
    assert endpoint.post(b"{}") == {"choices": [{}]}
