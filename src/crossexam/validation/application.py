"""The page on which judges answer, as a Starlette application; it works without JavaScript too.

Every answer is a form that is posted, saved, and answered by a redirect to the next question.  Nothing that
a page holds says which test set an item is from, what its label is, or what another judge said.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.validation import access
from crossexam.validation.items import Item
from crossexam.validation.questions import CANNOT_SAY, QUESTIONS
from crossexam.validation.study import Answer, Standing, Study

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    Endpoint = Callable[[Request], Awaitable[Response]]

_PAGE: Final = Path(__file__).parent / "page"
_MOST_BYTES: Final = 4096  # of a form: an answer has about 200
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


def application(study: Study) -> Starlette:
    """Return the application that asks the judges of *study*; raises MissingExtraError."""
    try:
        from starlette.applications import Starlette
        from starlette.routing import Route
    except ImportError:
        raise MissingExtraError("starlette", "validate", "the judges' page") from None

    pages = _Pages(study)
    routes = [
        Route("/", _guarded(pages.show), methods=["GET"]),
        Route("/j/{token}", _guarded(pages.enter), methods=["GET"]),
        Route("/answer", _guarded(pages.answer), methods=["POST"]),
        Route("/undo", _guarded(pages.undo), methods=["POST"]),
        Route("/static/{name}", _guarded(pages.static), methods=["GET"]),
    ]
    return Starlette(routes=routes)


def _guarded(endpoint: Endpoint) -> Endpoint:
    """Let requests to another host, and posts from another site, not reach *endpoint*."""

    async def guarded(request: Request) -> Response:
        from starlette.responses import PlainTextResponse

        strange = request.method == "POST" and not _same_site(request)
        if not access.host_is_ours(request.headers.get("host")):
            response: Response = PlainTextResponse("This page is for this machine only.", 421)
        elif strange:
            response = PlainTextResponse("This did not come from the judges' page.", 403)
        else:
            response = await endpoint(request)
        response.headers.update(_HEADERS)
        return response

    return guarded


def _same_site(request: Request) -> bool:
    """Tell whether the browser says that a page of ours sent this; the form token is the proof.

    Under our ``no-referrer`` browsers send ``Origin: null`` with a plain form.
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
        """The next question, or that all is done."""
        judge = self._judge(request)
        if judge is None:
            return _page("entry.html.j2", {}, status=401)
        return _page("judge.html.j2", self._context(judge, self._study.standing(judge)))

    async def enter(self, request: Request) -> Response:
        """Exchange the token of a link for a cookie, so that no address holds the token."""
        from starlette.responses import RedirectResponse

        judge = access.judge_of_token(self._study, request.path_params["token"])
        if judge is None:
            return _page("entry.html.j2", {}, status=404)
        response = RedirectResponse("/", 303)
        response.set_cookie(
            access.cookie_name(self._study),
            access.cookie_of(self._study, judge),
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
        """Take back the judge's latest answer, then ask it again."""
        return await self._post(request, lambda judge, form: self._study.undo(judge))

    async def static(self, request: Request) -> Response:
        """The style and the script."""
        from starlette.responses import PlainTextResponse, Response

        name = request.path_params["name"]
        if name not in _STATIC:
            return PlainTextResponse("There is no such file.", 404)
        return Response((_PAGE / name).read_bytes(), media_type=_STATIC[name])

    def _judge(self, request: Request) -> str | None:
        return access.judge_of_cookie(self._study, request.cookies.get(access.cookie_name(self._study)))

    async def _post(self, request: Request, act: Callable[[str, Mapping[str, str]], object]) -> Response:
        from starlette.responses import PlainTextResponse, RedirectResponse

        form = await _form(request)
        if form is None:
            return PlainTextResponse("This is no form of the judges' page.", 400)
        judge = self._judge(request)
        if judge is None or not access.form_token_is_right(self._study, judge, form.get("token", "")):
            return PlainTextResponse("Not saved: this page is of another judge. Reload it.", 403)
        try:
            act(judge, form)
        except CrossexamError as error:
            return PlainTextResponse(f"Not saved: {error.what}.", 400)
        return RedirectResponse("/", 303)

    def _save(self, judge: str, form: Mapping[str, str]) -> None:
        number = form.get("item", "")
        if not (number.isascii() and number.isdecimal()):
            raise CrossexamError("no item")
        answer = Answer(judge, int(number), form.get("question", ""), form.get("value", ""))
        self._study.answer(answer)

    def _context(self, judge: str, standing: Standing) -> dict[str, Any]:
        item = standing.item
        asks = QUESTIONS[standing.question] if standing.question else None
        shown = item if item is not None and standing.question == "category" else None
        return {
            "judge": judge,
            "token": access.form_token(self._study, judge),
            "done": standing.done,
            "total": standing.total,
            "item": item,
            "question": asks,
            "choices": asks.choices if asks else (),
            "suggested": dict(shown.suggested) if shown else {},
            "error": (shown.gold, shown.predicted) if shown else None,
            "place": _place(item, standing.question),
            "given": _given(item, standing.given),
            "can_undo": standing.done > 0 or bool(standing.given),
            "cannot_say": CANNOT_SAY,
        }


def _place(item: Item | None, question: str | None) -> tuple[int, int]:
    """Return which of its questions an item is at, from 1, and of how many."""
    return (item.asked.index(question) + 1, len(item.asked)) if item and question else (0, 0)


def _given(item: Item | None, answers: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    """Return what was said of *item* already, in the words of the page."""
    asked = item.asked if item else ()
    return [
        (QUESTIONS[key].words, next(c.words for c in QUESTIONS[key].choices if c.value == answers[key]))
        for key in asked
        if key in answers
    ]


async def _form(request: Request) -> dict[str, str] | None:
    """Return the fields of a posted form; None where it is none or too long."""
    if (
        request.headers.get("content-type", "").partition(";")[0].strip()
        != "application/x-www-form-urlencoded"
    ):
        return None
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_BYTES:
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
        loader=FileSystemLoader(_PAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
