"""How requests reach a server: over httpx2, or directly, on this machine.

httpx2 knows proxies, encryption and what else lies between two machines, and takes half a millisecond of CPU
time per request (``bench/api.py``).  A server on this machine that is asked by plain http needs none of
that, and is the one that answers so fast that it matters: each thread has a connection to it, that of the
standard library.  Neither follows redirects.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from crossexam.models.api.pacing import TransientError

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS: Final = 20.0
#: No answer with its log-probabilities is longer.
_MOST_BYTES: Final = 64 * 2**20
_PIECE: Final = 2**16
#: What a path may have that is not to be quoted: what is quoted already, and what RFC 3986 allows.
_IN_PATHS: Final = "/%:@!$&'()*+,;=~"


class Received(NamedTuple):
    """An answer: its *status*, its *headers* by their names in lower case, and its *content*."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Limits(NamedTuple):
    """A whole answer comes within *seconds* by *clock*; every piece of it does, too."""

    seconds: float
    clock: Callable[[], float]

    @property
    def to_connect(self) -> float:
        """The seconds within which a connection is made."""
        return min(_CONNECT_SECONDS, self.seconds)


class Transport(Protocol):
    """Carries requests to a server; several threads may use it at once."""

    def exchange(self, method: str, url: str, body: bytes | None) -> Received:
        """Return the answer to one request; raises TransientError."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class HttpxTransport:
    """Sends requests with *headers* over httpx2; proxies and certificates are those of the environment.

    *hide* takes the key out of the texts of errors.  *trust_env* is whether the environment is read.
    """

    def __init__(
        self, headers: Mapping[str, str], limits: Limits, hide: Callable[[str], str], *, trust_env: bool
    ) -> None:
        self._headers, self._limits, self._hide, self._trust_env = headers, limits, hide, trust_env
        self._lock = threading.Lock()
        self._made: httpx2.Client | None = None

    @property
    def _client(self) -> httpx2.Client:
        """The client, made when it is first needed."""
        import httpx2

        with self._lock:
            if self._made is None:
                limits = self._limits
                self._made = httpx2.Client(
                    headers=self._headers,
                    timeout=httpx2.Timeout(limits.seconds, connect=limits.to_connect),
                    limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
                    trust_env=self._trust_env,
                    follow_redirects=False,
                )
            return self._made

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if self._made is not None:
                self._made.close()
                self._made = None

    def exchange(self, method: str, url: str, body: bytes | None) -> Received:
        """Return the answer to one request; raises TransientError."""
        import httpx2

        client, last = self._client, self._limits.clock() + self._limits.seconds
        try:
            with client.stream(method, url, content=body) as response:
                content = _whole(response.iter_bytes(), last, self._limits)
                return Received(response.status_code, response.headers, content)
        except httpx2.TimeoutException:
            failure = _late(self._limits)
        except httpx2.TransportError as error:
            failure = _unreachable(error, self._hide)
        except httpx2.DecodingError:
            failure = TransientError("the answer is not text")
        except (httpx2.InvalidURL, httpx2.RequestError, httpx2.StreamError, RuntimeError) as error:
            failure = TransientError(self._hide(str(error)))
        raise failure  # outside of the handlers, so that it holds no request


class DirectTransport:
    """Sends requests with *headers* to the server of *url* on this machine, over a connection per thread.

    *hide* takes the key out of the texts of errors.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], limits: Limits, hide: Callable[[str], str]
    ) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._headers, self._limits, self._hide = dict(headers), limits, hide
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._all: list[http.client.HTTPConnection] = []

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for connection in self._all:
                connection.close()

    def exchange(self, method: str, url: str, body: bytes | None) -> Received:
        """Return the answer to one request; raises TransientError."""
        path = quote(urlsplit(url).path, safe=_IN_PATHS) or "/"
        connection, last = self._connection, self._limits.clock() + self._limits.seconds
        is_whole = False
        try:
            self._open(connection)
            connection.request(method, path, body, self._headers)
            response = connection.getresponse()
            content = _whole(_pieces(response), last, self._limits)
            is_whole = not response.length
            if is_whole:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Received(response.status, headers, content)
            failure = TransientError("the answer broke off")
        except TimeoutError:
            failure = _late(self._limits)
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = _unreachable(error, self._hide)
        finally:
            if not is_whole:
                connection.close()
        raise failure  # outside of the handlers, so that it holds no request

    @property
    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread."""
        found: http.client.HTTPConnection | None = getattr(self._of_thread, "connection", None)
        if found is None:
            found = http.client.HTTPConnection(self._host, self._port, self._limits.to_connect)
            self._of_thread.connection = found
            with self._lock:
                self._all.append(found)
        return found

    def _open(self, connection: http.client.HTTPConnection) -> None:
        """Connect, unless *connection* is open and the server has not closed it in the meantime."""
        if connection.sock is not None and not _is_stale(connection):
            return
        connection.close()
        connection.connect()
        connection.sock.settimeout(self._limits.seconds)


def _is_stale(connection: http.client.HTTPConnection) -> bool:
    """Return whether there is something to read before anything was asked: the end, as a rule."""
    import socket

    timeout = connection.sock.gettimeout()
    try:
        connection.sock.setblocking(False)
        connection.sock.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        connection.sock.settimeout(timeout)
        return False
    except OSError:
        pass
    return True


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while response.length != 0 and (piece := response.read1(_PIECE)):
        yield piece
    response.close()  # which leaves the connection open for the next request


def _whole(pieces: Iterable[bytes], last: float, limits: Limits) -> bytes:
    """Return *pieces* as one; raises TransientError if they are too many, or come later than *last*."""
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > _MOST_BYTES:
            raise TransientError(f"an answer of more than {_MOST_BYTES:,} bytes")
        if limits.clock() > last:
            raise TransientError(f"no whole answer within {limits.seconds:g} seconds")
    return bytes(content)


def _late(limits: Limits) -> TransientError:
    return TransientError(f"no answer within {limits.seconds:g} seconds")


def _unreachable(error: BaseException, hide: Callable[[str], str]) -> TransientError:
    """Return the failure to raise if *error* kept a request from its server or its answer from us."""
    reason, cause = str(error) or type(error).__name__, error
    while True:
        if isinstance(cause, ConnectionRefusedError):
            return TransientError("connection refused", refused=True)
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror.lower()
        deeper = cause.__cause__ or cause.__context__
        if deeper is None:
            return TransientError(hide(reason))
        cause = deeper
