"""The page on which judges answer, served on the loopback interface.

The page is a Starlette application and works without JavaScript.  Every answer is a form that is posted,
saved, and answered by a redirect to the next question.  No page contains the test set of an item, its label,
or what another judge answered.

A judge is identified by the token in the judge's link, then by a signed cookie, and by a signed token in
every form.  The token of the link is random (192 bits) and leaves the address bar at once.  The cookie and
the form token are HMACs under the study's secret, which is in the study file only: a server that was killed
recognises the judges after a restart.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import socket
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.output.escapes import finalized
from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS
from crossexam.validation.study import Item, JudgeProgress, Study, open_study

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESS: Final = "127.0.0.1"
PORT: Final = 8765
_PAGE: Final = Path(__file__).parent / "page"
_MAX_BYTES: Final = 4096  # in a form; an answer has about 200
_STATIC: Final = {"judge.css": "text/css", "judge.js": "text/javascript"}
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: Names of this machine; a page whose name was made to resolve to it (DNS rebinding) has another.
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


def serve_study(folder: Path, *, port: int = PORT, announce: Callable[[dict[str, str]], None]) -> None:
    """Serve the study in *folder* until interrupted; *announce* gets the links when they work.

    *port* 0 picks any free port.  Raises CrossexamError if the port is in use, MissingExtraError without
    uvicorn.
    """
    try:
        import uvicorn
    except ImportError:
        raise MissingExtraError("uvicorn", "validate", "the judges' page") from None

    study = open_study(folder)
    asgi = application(study)
    with _listening(port) as listener:
        announce(judge_links(study, listener.getsockname()[1]))
        # No access log: it would write the tokens of the links.
        config = uvicorn.Config(asgi, access_log=False, log_level="warning", server_header=False)
        uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        in_use = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        raise CrossexamError(
            f"port {port} is already in use" if in_use else f"port {port} is not available: {error}",
            hint="--port 0 picks any free port; the links change with the port",
        ) from None
    return listener


def judge_links(study: Study, port: int) -> dict[str, str]:
    """Return the link of each judge."""
    return {judge: f"http://{ADDRESS}:{port}/j/{token}" for judge, token in study.judges.items()}


def application(study: Study) -> ASGIApp:
    """Return the application for the judges of *study*; raises MissingExtraError."""
    try:
        from starlette.applications import Starlette
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("starlette", "validate", "the judges' page") from None

    pages = _Pages(study)
    routes = [
        Route("/", pages.show, methods=["GET"]),
        Route("/j/{token}", pages.enter, methods=["GET"]),
        Route("/answer", pages.answer, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
        Route("/static/{name}", pages.static, methods=["GET"]),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False  # it would redirect to whatever host the request names
    return _guarded(app)


def _guarded(app: ASGIApp) -> ASGIApp:
    """Return *app* without requests for another host or posts from another site.

    Every answer has the security headers, also that no page was found or that something failed.
    """
    from starlette.datastructures import MutableHeaders
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        request, answer = Request(scope), app
        if not host_is_ours(request.headers.get("host")):
            answer = PlainTextResponse("This page is available on this machine only.", 421)
        elif request.method == "POST" and not _same_site(request):
            answer = PlainTextResponse("This was not sent from the judges' page.", 403)
        await answer(scope, receive, with_headers)

    return guarded


def _same_site(request: Request) -> bool:
    """Return whether, by its headers, *request* is from one of our pages; the form token proves it.

    With our policy ``no-referrer``, browsers send ``Origin: null`` with a plain form.
    """
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    origin = request.headers.get("origin", "null")
    return origin == "null" or origin.partition("://")[2] == request.headers.get("host")


class _Pages:
    """The endpoints over one study."""

    def __init__(self, study: Study) -> None:
        self._study = study

    async def show(self, request: Request) -> Response:
        """Show the next question, or that all items are judged."""
        judge = self._judge(request)
        if judge is None:
            return _page("entry.html.j2", {}, status=401)
        return _page("judge.html.j2", self._context(judge, self._study.progress(judge)))

    async def enter(self, request: Request) -> Response:
        """Exchange the token of a link for a cookie, so that it leaves the address bar."""
        from starlette.responses import RedirectResponse

        judge = judge_of_token(self._study, request.path_params["token"])
        if judge is None:
            return _page("entry.html.j2", {}, status=404)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            cookie_name(self._study),
            cookie_of(self._study, judge),
            max_age=365 * 24 * 3600,
            httponly=True,
            samesite="strict",
            path="/",
        )
        return response

    async def answer(self, request: Request) -> Response:
        """Save an answer, then show the next question."""
        return await self._post(request, self._save)

    async def undo(self, request: Request) -> Response:
        """Undo the judge's latest answer, then ask the question again."""
        return await self._post(request, lambda judge, form: self._study.undo(judge))

    async def static(self, request: Request) -> Response:
        """Send the style sheet or the script."""
        from starlette.responses import PlainTextResponse, Response

        name = request.path_params["name"]
        if name not in _STATIC:
            return PlainTextResponse("File not found.", 404)
        return Response((_PAGE / name).read_bytes(), media_type=_STATIC[name])

    def _judge(self, request: Request) -> str | None:
        return judge_of_cookie(self._study, request.cookies.get(cookie_name(self._study)))

    async def _post(self, request: Request, act: Callable[[str, Mapping[str, str]], object]) -> Response:
        from starlette.responses import PlainTextResponse, RedirectResponse

        form = await _form(request)
        if form is None:
            return PlainTextResponse("Not saved: this is not a form of the judges' page.", 400)
        judge = self._judge(request)
        if judge is None or not form_token_is_right(self._study, judge, form.get("token", "")):
            return PlainTextResponse("Not saved: this page belongs to another judge. Reload it.", 403)
        try:
            act(judge, form)
        except CrossexamError as error:
            return PlainTextResponse(f"Not saved: {error.what}.", 400)
        return RedirectResponse("/", 303)

    def _save(self, judge: str, form: Mapping[str, str]) -> None:
        number = form.get("item", "")
        if not (number.isascii() and number.isdecimal()):
            raise CrossexamError("the form has no item")
        judgement = Judgement(judge, int(number), form.get("question", ""), form.get("value", ""))
        self._study.record(judgement)

    def _context(self, judge: str, progress: JudgeProgress) -> dict[str, Any]:
        item = progress.item
        question = QUESTIONS[progress.question] if progress.question else None
        error = item if item is not None and progress.question == "category" else None
        return {
            "judge": judge,
            "token": form_token(self._study, judge),
            "done": progress.done,
            "total": progress.total,
            "item": item,
            "question": question,
            "choices": question.choices if question else (),
            "suggested": dict(error.suggested) if error else {},
            "error": (error.gold, error.predicted) if error else None,
            "revealed": item.revealed(progress.question) if item and progress.question else {},
            "place": _place(item, progress.question),
            "given": _given(item, progress.given),
            "can_undo": progress.done > 0 or bool(progress.given),
            "cannot_say": CANNOT_SAY,
        }


def _place(item: Item | None, question: str | None) -> tuple[int, int]:
    """Return the number of *question* among those about *item*, from 1, and how many there are."""
    return (item.asked.index(question) + 1, len(item.asked)) if item and question else (0, 0)


def _given(item: Item | None, answers: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Return the earlier answers about *item*, in the words of the page."""
    asked = item.asked if item else ()
    return [
        (QUESTIONS[key].words, next(c.words for c in QUESTIONS[key].choices if c.value == answers[key]))
        for key in asked
        if key in answers
    ]


async def _form(request: Request) -> dict[str, str] | None:
    """Return the fields of a posted form; None if it is not one or too long."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type != "application/x-www-form-urlencoded":
        return None
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MAX_BYTES:
            return None
    try:
        fields = parse_qs(body.decode("ascii"), keep_blank_values=True, max_num_fields=8, errors="strict")
    except ValueError:
        return None
    return {name: values[-1] for name, values in fields.items()}


def _page(name: str, context: Mapping[str, Any], *, status: int = 200) -> Response:
    from starlette.responses import HTMLResponse

    return HTMLResponse(_templates().get_template(name).render(**context), status)


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalized,
    )


def host_is_ours(host: str | None) -> bool:
    """Return whether the Host header names this machine, with any port, since a tunnel may change it.

    >>> host_is_ours("localhost:8765"), host_is_ours("[::1]:80"), host_is_ours("evil.example:8765")
    (True, True, False)
    """
    if not host:
        return False
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, "0"
    return name.lower() in LOOPBACK and port.isdecimal()


def judge_of_token(study: Study, token: str) -> str | None:
    """Return the judge whose link has *token*, None if there is none; takes the same time for all."""
    match = None
    for judge, known in study.judges.items():
        if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
            match = judge
    return match


def cookie_name(study: Study) -> str:
    """Return the name of the cookie; it names the study, because cookies are shared between ports."""
    return f"crossexam-{study.identity}"


def cookie_of(study: Study, judge: str) -> str:
    """Return the value of the cookie of *judge*."""
    return f"{judge}.{_signed(study, 'session', judge)}"


def judge_of_cookie(study: Study, cookie: str | None) -> str | None:
    """Return the judge to whom *cookie* was given; None if it is not a cookie of this study."""
    judge = (cookie or "").rpartition(".")[0]
    if judge not in study.judges:
        return None
    right = cookie_of(study, judge)
    return judge if hmac.compare_digest(right.encode(), (cookie or "").encode("utf-8", "replace")) else None


def form_token(study: Study, judge: str) -> str:
    """Return the token in the forms of *judge*, which no other site and no other judge can know."""
    return _signed(study, "form", judge)


def form_token_is_right(study: Study, judge: str, given: str) -> bool:
    """Return whether *given* is the form token of *judge*."""
    return hmac.compare_digest(form_token(study, judge).encode(), given.encode("utf-8", "replace"))


def _signed(study: Study, purpose: str, judge: str) -> str:
    """Return the HMAC of *purpose*, *judge* and the judge's token, so that a new link invalidates the old."""
    message = f"{purpose}\x1f{judge}\x1f{study.judges[judge]}".encode()
    return hmac.new(study.secret, message, hashlib.sha256).hexdigest()
