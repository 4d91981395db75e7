"""The judges' page in Chromium: what a screen reader reads, and two judges with the server killed between."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.server import application, judge_links
from crossexam.validation.study import Study, open_study

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

SOURCE = Path(__file__).resolve().parents[2] / "src"


@contextmanager
def served(study: Study) -> Iterator[str]:
    """Serve *study* in a thread; provide the link of its first judge."""
    import uvicorn

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(application(study), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield judge_links(study, listener.getsockname()[1])["judge-1"]
        finally:
            server.should_exit = True
            thread.join()


def read_aloud(page: Page) -> str:
    """What a screen reader finds from the title to the last element: roles, names and texts, in order."""
    text = f"{page.title()}\n{page.locator('body').aria_snapshot()}"
    return re.sub(r"(The river is wide and the boat is old\. ?)+", "...", text)


def put(page: Page, study: Study, question: str, value: str) -> None:
    """Answer *question* behind the back of the *page*, and load it again."""
    study.record(Judgement("judge-1", 1, question, value))
    page.reload()


@pytest.mark.browser
def test_what_a_screen_reader_reads(
    chromium: Browser, of_a_change: Callable[..., Study], golden: Callable[[str, str], None]
) -> None:
    """Of two questions, what comes after the last, and a page without a link."""
    study = of_a_change("label", "grammar_kept")
    page = chromium.new_page()
    with served(study) as link:
        page.goto(link)
        said = [read_aloud(page)]
        for question, value in (("label", "neutral"), ("grammar_kept", "cannot_say")):
            put(page, study, question, value)
            said.append(read_aloud(page))
        page.goto(link.partition("/j/")[0] + "/j/none")
        said.append(read_aloud(page))
    page.close()
    golden("judges_page.txt", "\n\n".join(said) + "\n")


@pytest.mark.browser
def test_what_a_screen_reader_reads_of_an_error(chromium: Browser, of_an_error: Study) -> None:
    """The hint belongs to its choice, and each button says its key as a key, not as a part of its name."""
    page = chromium.new_page()
    with served(of_an_error) as link:
        page.goto(link)
        said = read_aloud(page)
        keys = page.locator("button").evaluate_all("all => all.map(b => b.getAttribute('aria-keyshortcuts'))")
    alert = page.get_by_role("alert")
    alert.evaluate(
        "each => { window.said = []; new MutationObserver(() => window.said.push(each.textContent))"
        ".observe(each, { childList: true }); }"
    )
    for times in (1, 2):  # what does not change is not read again
        page.keyboard.press("2")
        page.wait_for_function("times => window.said.filter((each) => each).length === times", arg=times)
    assert page.evaluate("window.said.map((each) => each.slice(0, 9))") == ["Not saved", "", "Not saved"]
    page.close()
    assert 'button "Negation: a strong negation word (no, not)"' in said
    assert 'button "Antonymy: a word and its antonym, without a negation (hint: hot/cold)"' in said
    assert keys == [*"1234567890U"]


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
            put(page, study, question, "cannot_say")
            check()
        page.get_by_role("heading", name="All items are judged").wait_for()
        page.goto(link.partition("/j/")[0] + "/j/none")
        check()
    with served(of_an_error) as link:
        page.goto(link)
        check()
    page.keyboard.press("2")  # nobody answers
    page.get_by_role("alert").get_by_text("Not saved").wait_for()
    check()
    context.close()


class Server:
    """`crossexam validate serve` as a process that can be killed and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0
        self.links: dict[str, str] = {}
        self.start()

    def start(self) -> None:
        verb = ("validate", "serve", str(self.folder), "--port", str(self.port))
        command = [sys.executable, "-m", "crossexam", *verb]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(SOURCE)}
        )
        assert self.process.stdout is not None
        links = dict(self.process.stdout.readline().split() for _ in range(2))  # waits until they work
        assert not self.links or links == self.links  # the same links after a kill
        self.links = links
        self.port = int(links["judge-1"].split(":")[2].partition("/")[0])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def server(of_doors: Callable[..., Study]) -> Iterator[Server]:
    running = Server(of_doors(n=6).folder)
    yield running
    running.kill()


def at(page: Page, item: int, question: str) -> None:
    """Wait until *page* asks *question* of the item that is the *item*-th."""
    from playwright.sync_api import expect

    expect(page.locator("#position")).to_have_text(f"Item {item} of 6")
    expect(page.locator("#question")).to_contain_text(QUESTIONS[question].words)


def press(page: Page, keys: str, item: int, question: str) -> tuple[int, str]:
    """Answer with *keys*, from *question* of *item* on; return where *page* is then."""
    for key in keys:
        at(page, item, question)
        page.keyboard.press(key)
        item, question = (item, "grammatical") if question == "label" else (item + 1, "label")
    return item, question


@pytest.mark.slow
@pytest.mark.browser
def test_two_judges_and_a_server_killed_between(chromium: Browser, server: Server) -> None:
    from playwright.sync_api import expect

    trouble: list[str] = []
    pages = {}
    for judge, size in (("judge-1", (1280, 800)), ("judge-2", (390, 844))):
        context = chromium.new_context(viewport={"width": size[0], "height": size[1]})
        page = pages[judge] = context.new_page()
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append("a dialog opened"), dialog.dismiss()))
        page.goto(server.links[judge])
        assert page.url == f"http://127.0.0.1:{server.port}/"
    one, other = pages["judge-1"], pages["judge-2"]
    place_one, place_other = press(one, "3y3n1", 1, "label"), press(other, "2y0", 1, "label")
    at(one, *place_one)  # the last answers are saved, for the next question shows
    at(other, *place_other)
    server.kill()

    one.keyboard.press("y")
    expect(one.locator("#trouble")).to_contain_text("Not saved: the server does not respond")
    at(one, *place_one)  # the item is still there
    server.start()
    place_one = press(one, "y3", *place_one)  # the page that was open goes on
    at(one, *place_one)
    one.keyboard.press("u")
    at(one, 4, "label")

    one.keyboard.press("3")
    server.kill()  # perhaps before the answer has arrived
    server.start()
    one.goto(f"http://127.0.0.1:{server.port}/")
    expect(one.locator("#position")).to_have_text("Item 4 of 6")
    given = one.locator(".given").count()
    # the page says what the file has
    assert len(open_study(server.folder).judgements("judge-1")) == 6 + given
    press(one, "n3y3y" if given else "3n3y3y", 4, "grammatical" if given else "label")
    press(other, "n" + "2y" * 4, *place_other)
    for page in (one, other):
        expect(page.locator("h1")).to_have_text("All items are judged")
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    assert trouble == []

    study = open_study(server.folder)
    words = {each.key: each.value for name in ("label", "grammatical") for each in QUESTIONS[name].choices}
    for judge, keys in (("judge-1", "3y3n1y3n3y3y"), ("judge-2", "2y0n2y2y2y2y")):
        said = {(each.item, each.question): each.value for each in study.judgements(judge)}
        asked = [(item, question) for item in study.order(judge) for question in ("label", "grammatical")]
        assert said == {place: words[key] for place, key in zip(asked, keys, strict=True)}


@pytest.mark.browser
def test_on_a_phone_buttons_are_on_the_screen(chromium: Browser, of_a_change: Callable[..., Study]) -> None:
    size: ViewportSize = {"width": 390, "height": 844}
    context = chromium.new_context(viewport=size, has_touch=True, java_script_enabled=False)
    page = context.new_page()
    with served(of_a_change("label", "grammatical")) as link:
        page.goto(link)
        for words in ("definitely true", "Yes"):
            button = page.get_by_role("button", name=words)
            button.wait_for()
            page.wait_for_load_state()  # the style is there
            box = button.bounding_box()
            assert box is not None
            assert 0 <= box["y"] <= box["y"] + box["height"] <= 844
            assert box["height"] >= 44  # a finger's width
            button.tap()  # no script: a plain form
        page.get_by_role("heading", name="All items are judged").wait_for()
    context.close()
