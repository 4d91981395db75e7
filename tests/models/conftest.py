"""A server for chats that answers, and fails, as it is told."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from crossexam.models.api.model import ChatModel
from crossexam.models.api.pacing import Pace
from crossexam.models.label_order import PROBE
from crossexam.models.table import open_model

GOLD = {(premise, hypothesis): label for premise, hypothesis, label in PROBE}


class Response(NamedTuple):
    """What the server sends: a *status*, *headers*, a *body* (JSON, or text as it is); *cut* breaks off."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    cut: bool = False


def chat(text: str | None, **more: Any) -> Response:
    """Return an answer with this text; *more* is merged into its only choice."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None, **more}
    usage = {"prompt_tokens": 50, "completion_tokens": 2, "total_tokens": 52}
    return Response(200, {"model": "mine", "choices": [choice], "usage": usage, "system_fingerprint": "fp"})


def error(status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return an error in OpenAI's form."""
    return Response(status, {"error": {"message": message, **more}}, headers or {})


def pair_in(body: dict[str, Any]) -> tuple[str, str]:
    """Return the pair in a request made with the template ``words``."""
    found = re.search(r"Premise: (.*)\nHypothesis: (.*)\nAnswer:", body["messages"][-1]["content"], re.DOTALL)
    assert found
    return found[1], found[2]


def label_for(body: dict[str, Any]) -> str:
    """Return the right label for a pair of the probe, a label that depends on the text for others."""
    pair = pair_in(body)
    return GOLD.get(pair) or ("entailment", "neutral", "contradiction")[sum(map(ord, pair[1])) % 3]


def answered(body: dict[str, Any]) -> Response:
    """Answer a request with a label."""
    return chat(label_for(body))


class FaultServer:
    """A server on this machine; *answer* is called with the body of each request and returns a Response.

    *requests* are the bodies so far, and *headers* those of the last.
    """

    response, chat, error = Response, staticmethod(chat), staticmethod(error)
    pair_in, label_for = staticmethod(pair_in), staticmethod(label_for)

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], Response] = answered
        self.models: Any = {"data": [{"id": "mine", "owned_by": "me"}]}
        self.requests: list[dict[str, Any]] = []
        self.headers: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The pairs that were asked, without those of the probe."""
        return [pair for body in self.requests if (pair := pair_in(body)) not in GOLD]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._send(Response(200, server.models) if self.path == "/v1/models" else error(404, "?"))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.headers = dict(self.headers)
                server.requests.append(body)
                self._send(server.answer(body))

            def _send(self, response: Response) -> None:
                content = response.body
                data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
                self.send_response(response.status)
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if response.cut else data)
                self.close_connection = response.cut

        return Handler


@pytest.fixture
def server() -> Iterator[FaultServer]:
    """A server that answers the probe rightly and everything else with some label."""
    running = FaultServer()
    yield running
    running.close()


@pytest.fixture(scope="module")
def chat_server() -> Iterator[FaultServer]:
    """The same for all tests of a module."""
    running = FaultServer()
    yield running
    running.close()


class FakeTime:
    """A clock that waiting puts forward; *waits* are the waits, in seconds."""

    def __init__(self) -> None:
        self.seconds, self.waits = 0.0, list[float]()

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.seconds += seconds


@pytest.fixture
def fake_time() -> FakeTime:
    """A clock for tests of waiting."""
    return FakeTime()


@pytest.fixture
def opened(server: FaultServer, fake_time: FakeTime) -> Callable[..., ChatModel]:
    """Return a function that opens a model at *server* whose waits take no time, with these options."""

    def open_it(name: str = "api/mine", **options: Any) -> ChatModel:
        model = open_model(name, {"endpoint": server.url, "concurrency": 1, **options})
        assert isinstance(model, ChatModel)
        pace = Pace(
            model.options.concurrency or 1,
            model.options.tries,
            clock=fake_time.now,
            sleep=fake_time.sleep,
            jitter=0.0,
        )
        return ChatModel(
            name,
            model.options,
            model.address,
            model.template,
            model._endpoint,
            pace=pace,
            shots=model.shots,
        )

    return open_it
