"""The judges' page in Chromium: barriers, and a server that stops between."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from crossexam.validation.answer_log import Judgement
from crossexam.validation.server import application, judge_links
from crossexam.validation.study import Study

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize


@contextmanager
def served(study: Study, port: int = 0) -> Iterator[str]:
    """Serve *study* in a thread; provide the link of its first judge."""
    import uvicorn

    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(application(study), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield judge_links(study, listener.getsockname()[1])["judge-1"]
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.browser
def test_a_judge_answers_by_keyboard_and_goes_on_when_the_server_is_back(
    chromium: Browser, of_doors: Callable[..., Study]
) -> None:
    from playwright.sync_api import expect

    study, page = of_doors(n=3), chromium.new_page()

    def press(keys: str) -> None:
        for key in keys:
            done = len(study.judgements())
            page.keyboard.press(key)
            expect(page.locator("#question")).to_contain_text(("true", "grammatical")[(done + 1) % 2])

    with served(study) as link:
        page.goto(link)
        press("3y3")
    page.keyboard.press("y")
    expect(page.locator("#trouble")).to_contain_text("Not saved: the server does not respond")
    with served(study, int(link.split(":")[2].partition("/")[0])) as again:
        assert again == link
        press("n1")  # the page that was open goes on
        page.keyboard.press("y")
        expect(page.locator("h1")).to_have_text("All items are judged")
    page.close()
    said = {(each.item, each.question): each.value for each in study.judgements("judge-1")}
    asked = product(study.order("judge-1"), ("label", "grammatical"))
    values = ("contradiction", "yes", "contradiction", "no", "entailment", "yes")
    assert said == dict(zip(asked, values, strict=True))


@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier(
    chromium: Browser, of_a_change: Callable[..., Study], of_an_error: Study, width: int, scheme: Any
) -> None:
    """The rules of axe-core, over every kind of question, a text that scrolls, and the pages around them."""
    from axe_playwright_python.sync_playwright import Axe

    size: ViewportSize = {"width": width, "height": 900}
    context = chromium.new_context(bypass_csp=True, viewport=size, color_scheme=scheme)
    page = context.new_page()

    def check() -> None:
        found = Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []

    asked = ("label", "grammatical", "grammar_kept", "antonym_kind")
    study = of_a_change(*asked)
    with served(study) as link:
        page.goto(link)
        assert page.locator("article").evaluate("each => each.scrollHeight > each.clientHeight")
        check()
        for question in asked:
            study.record(Judgement("judge-1", 1, question, "cannot_say"))  # behind the back of the page
            page.reload()
            check()
        page.get_by_role("heading", name="All items are judged").wait_for()
        page.goto(link.partition("/j/")[0] + "/j/none")
        check()
    with served(of_an_error) as link:
        page.goto(link)
        check()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        keys = page.locator("button").evaluate_all("all => all.map(b => b.getAttribute('aria-keyshortcuts'))")
        assert keys == [*"1234567890U"]
    page.keyboard.press("2")  # nobody answers
    page.get_by_role("alert").get_by_text("Not saved").wait_for()
    check()
    context.close()
