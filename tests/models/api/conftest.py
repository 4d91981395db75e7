"""A server for chats that answers, and fails, as it is told; and a tiny model in llama.cpp's own server."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossexam.models.label_order import PROBE

GOLD = {(premise, hypothesis): label for premise, hypothesis, label in PROBE}


class Response(NamedTuple):
    """What the server sends: a *status*, *headers*, a *body* (JSON, or text as it is); *cut* breaks off."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = {}
    cut: bool = False


def chat(text: str | None, **more: Any) -> Response:
    """Return an answer with this text; *more* is merged into its only choice."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None, **more}
    usage = {"prompt_tokens": 50, "completion_tokens": 2, "total_tokens": 52}
    return Response(200, {"model": "served-1", "choices": [choice], "usage": usage, "system_fingerprint": "fp"})


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
