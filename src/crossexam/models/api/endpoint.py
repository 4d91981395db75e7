"""An endpoint for chats: its address, its key, and one request to it with all the ways in which it can fail.

The key is in the headers of requests and nowhere else.  Whatever a server sends has the key taken out before
anybody reads it, and no error keeps the exception, the request or the response that it comes from.
"""

from __future__ import annotations

import ipaddress
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import quoted
from crossexam.models.api.pacing import TransientError, stated_wait
from crossexam.models.api.servers import NO_KEY
from crossexam.models.api.transport import DirectTransport, HttpxTransport, Limits, Transport

OPENAI: Final = "https://api.openai.com/v1"
OPENAI_KEY: Final = "OPENAI_API_KEY"
_TRANSIENT: Final = frozenset({408, 409, 425, 429})
#: Codes and types of errors after which waiting does not help: the account is to be paid for.
_BILLING: Final = frozenset(
    {"insufficient_quota", "credit_balance_exhausted", "billing_hard_limit_reached", "billing_not_active"}
)
_HIDDEN: Final = "(key)"
_CUT_AT: Final = 300


class Address(NamedTuple):
    """The address of an endpoint: *url* without a slash at its end, *host* with its port, *is_local*."""

    url: str
    host: str
    is_local: bool


def address_of(endpoint: str, *, insecure_http: bool = False, has_key: bool = True) -> Address:
    """Return the address that *endpoint* is, to which a key may be sent; raises CrossexamError.

    >>> address_of("http://127.0.0.1:8000/v1/")
    Address(url='http://127.0.0.1:8000/v1', host='127.0.0.1:8000', is_local=True)
    """
    flag = "--endpoint"
    try:
        parts = urlsplit(endpoint.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise CrossexamError(
            "the URL of the endpoint holds a user name or a password",
            where=flag,
            wanted="a URL without them",
            hint="put the key into an environment variable, and name that with --key-env",
        )
    if parts.scheme not in {"http", "https"} or not host or parts.query or parts.fragment:
        shown = endpoint.partition("?")[0]
        raise CrossexamError(
            f"'{shown}' is not the URL of an endpoint",
            where=flag,
            wanted="for example http://127.0.0.1:8000/v1",
        )
    is_local = is_loopback(host)
    if parts.scheme == "http" and not (is_local or insecure_http):
        raise CrossexamError(
            f"http to {host} would send {'the key and all pairs' if has_key else 'all pairs'} unencrypted",
            where=flag,
            wanted="https, or a host of this machine",
            hint="--insecure-http allows it",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    name = f"[{host}]" if ":" in host else host
    netloc = name if port is None else f"{name}:{port}"
    return Address(f"{parts.scheme}://{netloc}{path}", netloc, is_local)


def is_loopback(host: str) -> bool:
    """Return whether *host* is this machine.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("127.0.0.1.example.com")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


@dataclass(frozen=True)
class Key:
    """The key of an endpoint, which no text shows; *name* is that of its environment variable."""

    name: str | None = None
    _value: str = field(default="", repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that present the key."""
        return {"Authorization": f"Bearer {self._value}"} if self._value else {}

    def hidden_in(self, text: str) -> str:
        """Return *text* without the key."""
        return text.replace(self._value, _HIDDEN) if self._value else text


def key_from_environment(address: Address, name: str | None, *, is_default: bool) -> Key:
    """Return the key for *address* in the environment variable *name*; raises CrossexamError.

    A key of OpenAI is not sent to whatever endpoint: *is_default* means that the endpoint was not stated.
    The name NO_KEY means that there is no key, which is the default for this machine.
    """
    if name is None:
        if address.is_local:
            return Key()
        if not is_default and address.host != urlsplit(OPENAI).netloc:
            raise CrossexamError(
                f"it is not known which key {address.host} takes",
                where="--endpoint",
                wanted="--key-env NAME, the environment variable that has the key",
                hint=f"--key-env {NO_KEY} asks without a key",
            )
        name = OPENAI_KEY
    if name == NO_KEY:
        return Key()
    value = os.environ.get(name, "").strip()
    if not value:
        raise CrossexamError(
            f"the environment variable {name} is not set",
            where=address.host,
            wanted="the key of the endpoint",
            hint=f"export {name}=...; or --key-env OTHER; or --key-env {NO_KEY}",
        )
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise CrossexamError(f"the environment variable {name} does not hold a key", where=address.host)
    return Key(name, value)


class ServerError(NamedTuple):
    """What a server says of an error: the HTTP *status*, *message*, *code*, *kind*, and the field *param*."""

    status: int
    message: str
    code: str = ""
    kind: str = ""
    param: str = ""

    @property
    def needs_payment(self) -> bool:
        """Whether the account is to be paid for."""
        return self.code in _BILLING or self.kind in _BILLING

    def __str__(self) -> str:
        text = " ".join(self.message.split())
        return f"{self.status}: {text[:_CUT_AT]}{'…' if len(text) > _CUT_AT else ''}"


class RejectedError(Exception):
    """A request that the server will not answer however often it is repeated."""

    def __init__(self, error: ServerError) -> None:
        super().__init__(str(error))
        self.error = error


class UnpaidError(Exception):
    """The account is exhausted: no request will be answered."""


def error_in(status: int, body: object) -> ServerError:
    """Return what the *body* of an answer says of an error, in the forms that servers have for it.

    >>> error_in(400, {"error": {"message": "too long", "code": "context_length_exceeded"}}).code
    'context_length_exceeded'
    >>> error_in(422, {"detail": "no such field"}).message, error_in(500, "<html>").message
    ('no such field', '<html>')
    """
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    found = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(found, Mapping):
        return ServerError(status, str(found))
    message = found.get("message") or found.get("detail") or found
    code, kind, param = (str(found.get(name) or "") for name in ("code", "type", "param"))
    return ServerError(status, str(message), code, kind, param)


class Endpoint:
    """The endpoint at *address*, to which several threads send requests; counts them by outcome.

    *timeout* is in seconds and holds for a whole answer.  *now* returns the time since the epoch and *clock*
    seconds; tests pass their own.  A context manager.
    """

    def __init__(
        self,
        address: Address,
        key: Key,
        *,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.address = address
        self.counts: Counter[str] = Counter()
        self._key, self._now = key, now
        self._lock = threading.Lock()
        self._transport = _transport_to(address, key, Limits(timeout, clock))

    def close(self) -> None:
        """Close all connections."""
        self._transport.close()

    def get(self, path: str) -> Any:
        """Return the JSON at *path*, None if there is none or the server cannot be reached."""
        try:
            status, _, text = self._exchange("GET", self.address.url + path, None)
            return json.loads(text) if status == 200 else None
        except (TransientError, RejectedError, ValueError):
            return None

    def post(self, body: bytes) -> Mapping[str, Any]:
        """Return the answer to the chat request *body*, which has at least one choice.

        Raises TransientError, RejectedError or UnpaidError.
        """
        status, headers, text = self._exchange("POST", f"{self.address.url}/chat/completions", body)
        with self._lock:
            self.counts[str(status)] += 1
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        if status == 200:
            return self._with_choices(answer, text)
        raise self._failure(error_in(status, text if answer is None else answer), headers)

    def _with_choices(self, answer: object, text: str) -> Mapping[str, Any]:
        if not isinstance(answer, Mapping):
            raise TransientError(f"200 without JSON: {quoted(' '.join(text.split()))}")
        choices = answer.get("choices")
        if not (isinstance(choices, list) and choices and all(isinstance(each, Mapping) for each in choices)):
            said = f": {error_in(200, answer)}" if answer.get("error") else ""
            raise TransientError(f"200 without choices{said}")
        broken = next((each for each in choices if each.get("finish_reason") == "error"), None)
        if broken is not None:
            raise TransientError(f"the answer broke off: {error_in(200, broken)}")
        return answer

    def _failure(self, error: ServerError, headers: Mapping[str, str]) -> Exception:
        """Return the exception to raise for *error*."""
        if 300 <= error.status < 400:
            target = headers.get("location", "").partition("?")[0].rpartition("@")[2]
            return RejectedError(error._replace(message=f"the server redirects to {target}"))
        wait = stated_wait(headers, self._now())
        if error.status == 429 and error.needs_payment and "retry-after" not in headers:
            return UnpaidError(str(error))
        if error.status in _TRANSIENT or error.status >= 500:
            return TransientError(str(error), wait=wait, busy=error.status == 429)
        return RejectedError(error)

    def _exchange(self, method: str, url: str, body: bytes | None) -> tuple[int, Mapping[str, str], str]:
        """Return status, headers and text of the answer to one request; raises TransientError."""
        with self._lock:
            self.counts["sent"] += 1
        try:
            status, headers, content = self._transport.exchange(method, url, body)
        except TransientError:
            with self._lock:
                self.counts["failed"] += 1
            raise
        return status, headers, self._text(content)

    def _text(self, content: bytes) -> str:
        return self._key.hidden_in(content.decode("utf-8", "replace"))


def _transport_to(address: Address, key: Key, limits: Limits) -> Transport:
    """Return what carries requests to *address*: what is for this machine is not for a proxy."""
    headers = {**key.headers, "Content-Type": "application/json"}
    if address.is_local and address.url.startswith("http:"):
        return DirectTransport(address.url, headers, limits, key.hidden_in)
    return HttpxTransport(headers, limits, key.hidden_in, trust_env=not address.is_local)
